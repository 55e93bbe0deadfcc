//! `kill -9` with 50 messages in flight, then a new start: all are answered, each once.

use std::time::Duration;

use anyhow::Context;

use super::Bench;
use crate::{
    process,
    replies::{PATIENCE, Tally},
    report::{Figure, Limit, Round},
};

const PEOPLE: usize = 50;
/// How long to look for second answers.
const MOMENT: Duration = Duration::from_millis(500);

/// Measures it. The model holds its replies back until the process is dead, so that all are in flight.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let scene = bench.clifford(Duration::ZERO).await?;
    scene.warm_up(PEOPLE).await?;
    let before = scene.world.model.request_count();
    let hold = scene.world.model.hold();
    let mut replies = scene.world.replies();
    for person in 0..PEOPLE {
        replies.expect(scene.world.ask(person));
    }
    let asked = scene.world.model.wait_for_requests(before + PEOPLE);
    tokio::time::timeout(PATIENCE, asked)
        .await
        .context("the model was not asked for all that are in flight")?;
    scene.bot.kill().await?;
    hold.release();

    let bot = process::clifford(&bench.clifford, &scene.world, scene.dir.path())?;
    let started = bot.started;
    replies.wait_for_all().await?;
    replies.settle(MOMENT).await;
    let took = replies
        .last
        .map_or(PATIENCE, |last| last.saturating_duration_since(started));
    bot.kill().await?;

    let tally = replies.tally();
    let Tally { lost, repeated, .. } = tally;
    let count = |name, count: usize| {
        #[expect(clippy::cast_precision_loss, reason = "at most 50")]
        let count = count as f64;
        Figure::new(name, "", count, Limit::Under(1.0))
    };
    Ok(Round {
        figures: vec![
            Figure::new(
                "50 in flight at kill -9: start to the last",
                "s",
                took.as_secs_f64(),
                Limit::Under(3.0),
            ),
            count("of them lost", lost),
            count("of them answered more than once", repeated),
        ],
        tally,
        curves: Vec::new(),
    })
}
