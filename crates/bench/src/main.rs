//! Load generator and limits: what Clifford costs, beside what the same calls and commits cost without it; and what
//! holds when everything around it fails ([`storm`]).
//!
//! ```text
//! cargo run --release -p clifford-bench -- load                    every figure, as a table
//! cargo run --release -p clifford-bench -- load --only throughput  one of them
//! cargo run --release -p clifford-bench -- load --json             one JSON object, for machines
//! cargo run --release -p clifford-bench -- storm                   10,000 messages and 100 kills
//! ```
//!
//! It starts the real binary (`clifford serve`, built in the same profile) against the fakes of Telegram and
//! of a model, all on loopback, with a new SQLite database and `synchronous = full`. The people's side
//! measures: from the moment in which an update is there for the bot to fetch, to the moment in which
//! Telegram has taken the answer.
//!
//! # How to read it
//!
//! *bare* is a bare loop, [`bare`]: an async program in a process of its own that makes the same HTTP calls
//! with the same bodies (recorded from Clifford) and the same three commits a message (grouped as Clifford
//! groups them), and does nothing else. It says what the machine can do at the moment; *ratio* is Clifford's
//! figure divided by it. The load generator and the fakes share the machine with what they measure, so the
//! figures of a busy machine say little: the load average is printed with them.
//!
//! A limit that does not hold is shown and is no failure, since it may be the machine's. The exit code is 1
//! only if a message was lost or was answered twice, and 2 if something could not be measured at all.

mod bare;
mod figures;
mod process;
mod report;
mod storm;
mod traffic;
mod world;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};

use crate::{figures::Bench, report::Report};

/// Measures Clifford, and tries what it withstands.
#[derive(Debug, Parser)]
#[command(name = "clifford-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Command {
    /// Measures figures, and compares them with their limits.
    Load(Load),
    /// Kills it again and again while everything around it fails, and looks whether anything is lost.
    Storm(storm::Options),
}

/// Options of `load`.
#[derive(Debug, clap::Args)]
struct Load {
    /// Measure only this.
    #[arg(long, value_name = "NAME")]
    only: Vec<Name>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// How often each figure is taken; the median counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The binary to measure, instead of building and taking the one beside this one.
    #[arg(long, value_name = "PATH")]
    clifford: Option<PathBuf>,
    /// Where databases are made: on the disk that is to be measured.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Be the bare loop, as this file says.
    #[arg(long, hide = true, value_name = "PATH")]
    bare: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// What one message costs, one at a time.
    Overhead,
    /// How many replies a second, with 20 users in flight.
    Throughput,
    /// 200 users at once, and a model that takes a second.
    Crowd,
    /// 50 messages in flight at `kill -9`.
    Crash,
    /// Memory, processor and disk, with nothing to do.
    Footprint,
    /// From the start to the first poll.
    Start,
    /// What a conversation of 10,000 messages costs more than one of 100.
    History,
    /// Search in 100,000 messages.
    Search,
    /// Tokens of a prompt, and how much of it stays the same.
    Prompt,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")
        .and_then(|runtime| {
            runtime.block_on(async {
                match cli.command {
                    Command::Load(options) => load(options).await,
                    Command::Storm(options) => storm::run(options).await,
                }
            })
        });
    outcome.unwrap_or_else(|error| failed(&error))
}

#[expect(clippy::print_stderr, reason = "errors of a command belong on standard error")]
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("clifford-bench: {error:#}");
    ExitCode::from(2)
}

async fn load(cli: Load) -> anyhow::Result<ExitCode> {
    if let Some(orders) = &cli.bare {
        bare::run(orders).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let clifford = match cli.clifford {
        Some(path) => path,
        None => process::built().await?,
    };
    let bench = Bench::new(clifford, cli.dir)?;
    let mut report = Report::new();
    for name in Name::value_variants() {
        if cli.only.is_empty() || cli.only.contains(name) {
            let mut rounds = Vec::new();
            for _ in 0..cli.rounds {
                rounds.push(measure(&bench, *name).await?);
            }
            report.add(rounds);
        }
    }
    report.print(cli.json)?;
    Ok(if report.nothing_went_wrong() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn measure(bench: &Bench, name: Name) -> anyhow::Result<report::Round> {
    match name {
        Name::Overhead => figures::overhead::measure(bench).await,
        Name::Throughput => figures::throughput::measure(bench).await,
        Name::Crowd => figures::crowd::measure(bench).await,
        Name::Crash => figures::crash::measure(bench).await,
        Name::Footprint => figures::footprint::measure(bench).await,
        Name::Start => figures::start::measure(bench).await,
        Name::History => figures::history::measure(bench).await,
        Name::Search => figures::search::measure(bench).await,
        Name::Prompt => figures::prompt::measure(bench).await,
    }
}
