//! Load generator and limits: the cost of Clifford, its growth, and its invariants when everything around it fails
//! ([`storm`]).
//!
//! ```text
//! cargo run --release -p clifford-bench                            every figure, as a table: the same as `-- load`
//! cargo run --release -p clifford-bench -- load --only throughput  one of them
//! cargo run --release -p clifford-bench -- load --json --svg FILE  one JSON object, and a chart
//! cargo run -p clifford-bench -- load --short                      under a minute: what must hold on any machine
//! cargo run --release -p clifford-bench -- drafts               a reply that is watched: linear, or not
//! cargo run --release -p clifford-bench -- worker               work in a worker process
//! cargo run --release -p clifford-bench -- soak --minutes 60       what grows while the bot works on and on
//! cargo run --release -p clifford-bench -- storm                   10,000 messages and 100 kills
//! cargo run --release -p clifford-bench -- recall                  what a search finds of what it should
//! cargo run --release -p clifford-bench -- window                  what fits models of any window
//! cargo run -p clifford-bench -- policy                            what is asked, and what attacks do
//! ```
//!
//! It starts the real binary (`clifford serve`, built in the same profile) against fakes of the platforms and of a
//! model, all on loopback, with a new SQLite database and `synchronous = full`. The people's side measures: from the
//! moment in which an update is there for the bot to fetch, to the moment in which the platform has taken the answer.
//!
//! The exit code is 1 if something is wrong whatever the machine (a message lost, answered twice or out of order, a
//! cost that grows), and 2 if something could not be measured at all.

mod bare;
mod chart;
mod figures;
mod load;
mod policy;
mod process;
mod recall;
mod replies;
mod report;
mod soak;
mod storm;
mod traffic;
mod window;
mod world;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

/// Measures Clifford, and tries what it withstands.
#[derive(Debug, Parser)]
#[command(name = "clifford-bench", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command: load.
    #[command(flatten)]
    load: load::Options,
}

/// The measurement or storm to run.
#[derive(Debug, Subcommand)]
enum Command {
    /// Measures the cost of Clifford, next to that of the same calls and commits without it.
    Load(load::Options),
    /// Measures a reply that is watched while it grows: `load --only drafts`.
    Drafts(load::Options),
    /// Measures work in a worker process: `load --only worker`.
    Worker(load::Options),
    /// Watches for growth while the bot works on and on.
    Soak(soak::Options),
    /// Kills it again and again while everything around it fails, and looks whether anything is lost.
    Storm(storm::Options),
    /// Looks how many questions find their answer in long conversations, whose, and how fast.
    Recall(recall::Options),
    /// Whether every request fits its model: windows, histories and messages of any length.
    Window(window::Options),
    /// Plays honest tasks and attacks by the rules about tool calls: no attack may work, and little may be asked.
    Policy(policy::Options),
    /// Be the bare loop.
    #[command(hide = true)]
    Bare {
        /// The file with its orders.
        orders: PathBuf,
    },
}

/// The setup of a measurement.
#[derive(Clone, Debug, Args)]
struct Target {
    /// The binary to measure, instead of building and taking the one next to this one.
    #[arg(long, value_name = "PATH")]
    clifford: Option<PathBuf>,
    /// Where databases are made: on the disk that is to be measured.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    clifford_telemetry::runtime::raise_open_files();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")
        .and_then(|runtime| runtime.block_on(run(cli)));
    outcome.unwrap_or_else(|error| failed(&error))
}

#[expect(clippy::print_stderr, reason = "errors of a command belong on standard error")]
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("clifford-bench: {error:#}");
    ExitCode::from(2)
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let holds = match cli.command.unwrap_or(Command::Load(cli.load)) {
        Command::Load(options) => load::run(options).await?,
        Command::Drafts(options) => load::run(options.only(load::Name::Drafts)).await?,
        Command::Worker(options) => load::run(options.only(load::Name::Worker)).await?,
        Command::Soak(options) => soak::run(options).await?,
        Command::Recall(options) => recall::run(options).await?,
        Command::Storm(options) => return storm::run(options).await,
        Command::Window(options) => window::run(options).await?,
        Command::Policy(options) => policy::run(options)?,
        Command::Bare { orders } => {
            bare::run(&orders).await?;
            true
        }
    };
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
