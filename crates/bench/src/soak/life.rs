//! People who write at a steady rate, and connections that break.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context;
use clifford_fakes::{
    discord::DiscordFake,
    telegram::{Fault, Method},
};
use tokio::time::{Instant, MissedTickBehavior};

use crate::{
    replies::{PATIENCE, Tally, number_in},
    world::World,
};

/// How many people write on Discord, one of them at a time.
const PEOPLE: usize = 4;
/// How often a connection breaks.
const TROUBLE: Duration = Duration::from_secs(3);
/// Of so many breaks one is of a connection to Discord, which lasts for over a minute between: one that never does is made
/// again after longer and longer waits.
const ON_DISCORD: usize = 22;
/// One of so many messages is written on Discord.
const SHARE: f64 = 4.0;

/// The events of a life.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lived {
    /// The outcome of the messages on Telegram.
    pub telegram: Tally,
    /// The outcome of the messages on Discord.
    pub discord: Tally,
    /// How often a connection was broken.
    pub broken: usize,
}

/// Lets people write until it is time, and all be answered.
///
/// # Errors
/// The replies could not be counted.
pub async fn live(world: &World, discord: &DiscordFake, rate: f64, until: Instant) -> anyhow::Result<Lived> {
    let (broken, on_telegram, on_discord) = tokio::join!(
        trouble(world, discord, until),
        telegram(world, rate * (1.0 - 1.0 / SHARE), until),
        self::discord(discord, rate / SHARE, until),
    );
    Ok(Lived {
        telegram: on_telegram?,
        discord: on_discord?,
        broken,
    })
}

fn ticks(rate: f64) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Breaks one connection after the other, each in another way.
async fn trouble(world: &World, discord: &DiscordFake, until: Instant) -> usize {
    discord.identifies_left(u32::MAX, Duration::from_secs(86_400));
    let mut broken = 0;
    while Instant::now() + TROUBLE < until {
        tokio::time::sleep(TROUBLE).await;
        if broken % ON_DISCORD == ON_DISCORD / 4 {
            match broken / ON_DISCORD % 4 {
                0 => discord.disconnect(),
                1 => discord.request_reconnect(),
                2 => discord.invalidate_session(true),
                _ => discord.invalidate_session(false),
            }
        } else {
            let fault = match broken % 3 {
                0 => Fault::Drop,
                1 => Fault::DropAfter,
                _ => Fault::Server(502),
            };
            world.telegram.fail_next(Method::GetUpdates, fault);
        }
        broken += 1;
    }
    broken
}

/// The person who was silent longest writes, unless they still wait for an answer.
async fn telegram(world: &World, rate: f64, until: Instant) -> anyhow::Result<Tally> {
    let mut replies = world.replies();
    let mut ticks = ticks(rate);
    let mut last: Vec<Option<u64>> = vec![None; usize::try_from(super::PEOPLE)?];
    let mut turn = 0;
    while Instant::now() < until {
        tokio::select! {
            _ = ticks.tick() => {
                let person = turn % last.len();
                turn += 1;
                if !last[person].is_some_and(|number| replies.is_open(number)) {
                    let question = world.ask(person);
                    last[person] = Some(question.0);
                    replies.expect(question);
                }
            }
            answered = replies.next() => { answered?; }
        }
    }
    replies.wait_for_all().await?;
    replies.settle(TROUBLE).await;
    Ok(replies.tally())
}

/// Four people write in turn, each after the one before was answered.
async fn discord(discord: &DiscordFake, rate: f64, until: Instant) -> anyhow::Result<Tally> {
    let people: Vec<_> = (0..PEOPLE)
        .map(|person| {
            let user = discord.user(&format!("Person {person}"));
            (discord.dm(user), user)
        })
        .collect();
    let mut ticks = ticks(rate);
    let mut tally = Tally::default();
    while Instant::now() < until {
        ticks.tick().await;
        let (channel, user) = people[tally.asked % PEOPLE];
        let before = discord.sent_anywhere();
        tally.asked += 1;
        discord.user_says(
            channel,
            user,
            &format!("What do you know about question #{}?", tally.asked),
        );
        let answered = discord.wait_for("an answer", |fake| (fake.sent_anywhere() > before).then_some(()));
        if tokio::time::timeout(PATIENCE / 2, answered).await.is_err() {
            break;
        }
    }
    let mut answers: BTreeMap<u64, usize> = BTreeMap::new();
    for (channel, _) in people {
        let mut newest = 0;
        for sent in discord.sent(channel) {
            let number = number_in(&sent.content).context("the bot answered on Discord with something else")?;
            *answers.entry(number).or_default() += 1;
            tally.out_of_order += usize::from(number < newest);
            newest = newest.max(number);
        }
    }
    tally.lost = tally.asked - answers.len();
    tally.repeated = answers.values().filter(|count| **count > 1).count();
    Ok(tally)
}
