//! People who write: in turn, so many at a time, or all at once.

use std::time::{Duration, Instant};

use crate::{
    replies::{PATIENCE, Replies},
    world::World,
};

/// `people` write in turn, each after the one before was answered.
///
/// # Errors
/// More came than could be counted.
pub async fn one_at_a_time(world: &World, people: usize, messages: usize) -> anyhow::Result<Replies> {
    let mut replies = world.replies();
    for message in 0..messages {
        replies.expect(world.ask(message % people));
        if !replies.next().await? {
            break;
        }
    }
    Ok(replies)
}

/// `waiting` people wait for an answer at every moment, for so long; returns the replies a second too. An
/// answered person makes room for the one who has been silent longest.
///
/// # Errors
/// More came than could be counted.
pub async fn in_flight(world: &World, waiting: usize, time: Duration) -> anyhow::Result<(Replies, f64)> {
    let mut replies = world.replies();
    let began = Instant::now();
    for person in 0..waiting {
        replies.expect(world.ask(person));
    }
    let mut next = waiting;
    while began.elapsed() < time {
        if !replies.next().await? {
            break;
        }
        replies.expect(world.ask(next));
        next += 1;
    }
    replies.wait_for_all().await?;
    let took = replies.last.map(|last| last.saturating_duration_since(began));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let rate = replies.took.len() as f64 / took.unwrap_or(time).as_secs_f64();
    Ok((replies, rate))
}

/// `people` write at once; returns how long it took until the last was answered.
///
/// # Errors
/// More came than could be counted.
pub async fn at_once(world: &World, people: usize) -> anyhow::Result<(Replies, Duration)> {
    let mut replies = world.replies();
    let began = Instant::now();
    for person in 0..people {
        replies.expect(world.ask(person));
    }
    replies.wait_for_all().await?;
    let took = replies.last.map(|last| last.saturating_duration_since(began));
    Ok((replies, took.unwrap_or(PATIENCE)))
}
