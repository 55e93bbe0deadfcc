//! `load`: the cost of Clifford, next to that of the same calls and commits without it.
//!
//! # How to read it
//!
//! *bare* is a bare loop, [`crate::bare`]: an async program in a process of its own that makes the same HTTP calls
//! with the same bodies (recorded from Clifford) and the same three commits a message (grouped as Clifford
//! groups them), and does nothing else. It says what the machine can do at the moment; *ratio* is Clifford's
//! figure divided by it. The load generator and the fakes share the machine with what they measure, so the
//! figures of a busy machine say little: the load average is printed with them.
//!
//! A limit of time or size that does not hold is shown and is no failure, since it may be the machine's. Invariants on
//! any machine: no message is lost, answered twice or out of order, and no turn costs more because of a long history.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{
    Target, chart,
    figures::{self, Bench},
    process,
    report::{Report, Round},
};

/// Options of `load`.
#[derive(Debug, Args)]
pub struct Options {
    /// Measure only this.
    #[arg(long, value_name = "NAME")]
    only: Vec<Name>,
    /// Less of everything, once: enough to see whether something is wrong whatever the machine.
    #[arg(long)]
    short: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Draw a chart of how long answers take and of what a long past costs.
    #[arg(long, value_name = "PATH")]
    svg: Option<PathBuf>,
    /// How often each figure is taken; the median counts. Without it: 3 times, once with --short.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    #[command(flatten)]
    target: Target,
}

/// The measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// The cost of one message, one at a time.
    Overhead,
    /// How many replies a second, with 20 users in flight.
    Throughput,
    /// 200 users at once, and a model that takes a second.
    Crowd,
    /// 200 first answers by a Bot API that allows bursts, and by one that does not.
    Pacing,
    /// 10,000 conversations that wait for a model at the same time.
    Waiting,
    /// 50 messages in flight at `kill -9`.
    Crash,
    /// Memory, processor and disk, with nothing to do.
    Footprint,
    /// Memory in 1,000 servers of Discord.
    Servers,
    /// From the start to the first poll.
    Start,
    /// The extra cost of a conversation of 10,000 messages over one of 100.
    History,
    /// The extra cost of a database of 1,000,000 messages over one of 1,000.
    Database,
    /// Search in 100,000 messages.
    Search,
    /// An import of 1,000,000 messages.
    Import,
    /// Tokens of a prompt, and how much of it stays the same.
    Prompt,
    /// The cost of a reply that is watched while it grows.
    Drafts,
    /// The cost of work in a worker process.
    Worker,
}

impl Name {
    /// Whether the short form has it: what could be wrong whatever the machine.
    const fn is_short(self) -> bool {
        !matches!(
            self,
            Self::Footprint | Self::Servers | Self::Start | Self::Search | Self::Import
        )
    }
}

impl Options {
    /// The same, of one thing alone.
    #[must_use]
    pub fn only(self, name: Name) -> Self {
        Self {
            only: vec![name],
            ..self
        }
    }
}

/// Measures; returns whether everything is right that does not depend on the machine.
///
/// # Errors
/// Something could not be measured.
pub async fn run(options: Options) -> anyhow::Result<bool> {
    let bench = Bench::new(process::binary(options.target.clifford).await?, options.target.dir)?.short(options.short);
    let mut report = Report::new();
    for name in Name::value_variants() {
        let wanted = match options.only.is_empty() {
            true => !options.short || name.is_short(),
            false => options.only.contains(name),
        };
        if wanted {
            let mut rounds = Vec::new();
            for _ in 0..options.rounds.unwrap_or(if options.short { 1 } else { 3 }) {
                rounds.push(measure(&bench, *name).await?);
            }
            report.add(rounds);
        }
    }
    report.print(options.json)?;
    if let Some(path) = &options.svg {
        chart::draw(path, report.curves())?;
    }
    Ok(report.nothing_went_wrong())
}

async fn measure(bench: &Bench, name: Name) -> anyhow::Result<Round> {
    match name {
        Name::Overhead => figures::overhead::measure(bench).await,
        Name::Throughput => figures::throughput::measure(bench).await,
        Name::Crowd => figures::crowd::measure(bench).await,
        Name::Pacing => figures::pacing::measure(bench).await,
        Name::Waiting => figures::waiting::measure(bench).await,
        Name::Crash => figures::crash::measure(bench).await,
        Name::Footprint => figures::footprint::measure(bench).await,
        Name::Servers => figures::servers::measure(bench).await,
        Name::Start => figures::start::measure(bench).await,
        Name::History => figures::history::measure(bench).await,
        Name::Database => figures::database::measure(bench).await,
        Name::Search => figures::search::measure(bench).await,
        Name::Import => figures::import::measure(bench).await,
        Name::Prompt => figures::prompt::measure(bench).await,
        Name::Drafts => figures::drafts::measure(bench).await,
        Name::Worker => figures::worker::measure(bench).await,
    }
}
