//! `soak`: growth while the bot works on and on under steady load, and connections break every few seconds.
//!
//! People write on Telegram and on Discord; polls are cut, the gateway is dropped, told to reconnect and given an
//! invalid session. Runs, usage and compacted messages are kept for some seconds only, so that the database, too,
//! should stay as large as it is. Once a second memory, open files, tasks and the database's size are read, and after
//! a warm-up (a third of the time, at most ten minutes) each is judged by [`trend`].

mod life;
mod report;
mod trend;

use std::{path::Path, time::Duration};

use anyhow::{Context, ensure};
use clap::Args;
use clifford_fakes::discord::DiscordFake;
use tempfile::TempDir;
use tokio::time::{Instant, MissedTickBehavior};

use self::{
    report::Report,
    trend::{Kind, Sample},
};
use crate::{
    Target,
    process::{self, Process},
    world::World,
};

/// How many people write on Telegram.
const PEOPLE: i64 = 20;
/// How often everything is read.
const EVERY: Duration = Duration::from_secs(1);
/// The longest warm-up.
const WARM_UP: Duration = Duration::from_secs(600);

/// Options of `soak`.
#[derive(Debug, Args)]
pub struct Options {
    /// For how long, in minutes.
    #[arg(long, default_value_t = 10.0, value_parser = minutes)]
    minutes: f64,
    /// How many messages are written a second.
    #[arg(long, default_value_t = 20.0, value_parser = rate)]
    rate: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

fn minutes(text: &str) -> Result<f64, String> {
    between(text, 0.5, 10_000.0)
}

fn rate(text: &str) -> Result<f64, String> {
    between(text, 0.1, 1000.0)
}

fn between(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => Err(format!("it must be between {least} and {most}")),
    }
}

/// Lets the bot work; returns whether nothing grows, and nothing was lost.
///
/// # Errors
/// Something could not be measured.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let binary = process::binary(options.target.clifford).await?;
    let dir = directory(options.target.dir.as_deref())?;
    let world = World::with(PEOPLE, Duration::ZERO).await?;
    let discord = DiscordFake::start().await;
    let bot = process::clifford_with(&std::path::absolute(&binary)?, &world, dir.path(), &settings(&discord))?;
    world.first_poll().await?;
    tokio::time::timeout(Duration::from_secs(20), discord.wait_for_connection())
        .await
        .context("the bot never connected to Discord")?;

    let time = Duration::from_secs_f64(options.minutes * 60.0);
    let until = Instant::now() + time;
    let (samples, lived) = tokio::join!(
        watch(&bot, dir.path(), until),
        life::live(&world, &discord, options.rate, until)
    );
    let (samples, lived) = (samples?, lived?);
    bot.kill().await?;
    let violations = [world.violations(), discord.violations()].concat();
    ensure!(violations.is_empty(), "the platforms complain: {violations:?}");
    let warm_up = (time / 3).min(WARM_UP);
    let report = Report::new(samples, warm_up, lived);
    report.print(options.json)?;
    Ok(report.holds())
}

fn directory(parent: Option<&Path>) -> anyhow::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("clifford-soak-");
    match parent {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    }
    .context("no directory for the database can be made; name another with --dir")
}

/// Finished work is deleted after some seconds: a ten-thousandth of a day is 8.6 of them.
fn settings(discord: &DiscordFake) -> String {
    format!(
        r#"
[channels.discord]
token = "{token}"
api_url = "{api}"
access = "open"
[memory]
max_turns_per_context = 6
retain_compacted_days = 0
[retention]
runs_days = 0.0001
messages_days = 0.0001
usage_days = 0.0001
"#,
        token = DiscordFake::TOKEN,
        api = discord.api_url(),
    )
}

/// Reads everything until it is time.
async fn watch(bot: &Process, dir: &Path, until: Instant) -> anyhow::Result<Vec<Sample>> {
    let began = Instant::now();
    // The first figures are there a moment after the start.
    let mut ticks = tokio::time::interval_at(began + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut samples = Vec::new();
    while Instant::now() < until {
        ticks.tick().await;
        // Asking for metrics opens files and begins tasks: the files are counted before, and of the tasks the last
        // count before the question is told.
        let handles = bot.handles()?;
        let metrics = bot.metrics().await?;
        let tasks = metrics
            .value("clifford_tasks")
            .context("the bot's metrics tell no tasks")?;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let handles = handles as f64;
        samples.push(Sample {
            at: began.elapsed().as_secs_f64(),
            values: [
                (Kind::Memory, bot.resident()?),
                (Kind::Handles, handles),
                (Kind::Tasks, tasks),
                (Kind::Database, megabytes(&process::database(dir))?),
            ],
        });
    }
    Ok(samples)
}

/// The size of a database with its log.
fn megabytes(database: &Path) -> anyhow::Result<f64> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let size = std::fs::metadata(database)?.len() + std::fs::metadata(&log).map_or(0, |log| log.len());
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let megabytes = size as f64 / 1_000_000.0;
    Ok(megabytes)
}
