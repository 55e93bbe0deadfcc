//! `clifford runs`: looks at runs, stops them and does them again. Works alongside a server on the same database.

mod change;
mod labels;
mod list;
mod replay;
mod rerun;
mod show;
mod tail;
mod words;

use std::{process::ExitCode, str::FromStr};

use clifford_core::{id::RunId, runs::Run};
use clifford_store::{
    Db, StoreError,
    runs::{Filter, views as run_views},
};

use super::{
    examples,
    ids::IdArg,
    output::Format,
    setup::{self, Globals},
};

/// Arguments of `runs`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford runs list --status failed",
    "clifford runs show last",
    "clifford runs tail last --json",
    "clifford runs cancel 0198f2c4",
    "clifford runs approve last",
    "clifford runs deny last",
    "clifford runs retry 0198f2c4",
    "clifford runs replay last",
    "clifford runs rerun last --from 3 --model MODEL",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List runs, the newest first.
    List(list::Args),
    /// Show a run with its steps.
    Show(Which),
    /// Stop a run and its subagents; its chat is told.
    Cancel(Which),
    /// Approve the call that a run asks for.
    Approve(Which),
    /// Deny the call that a run asks for.
    Deny(Which),
    /// Retry a failed or cancelled run as a new run.
    Retry(Which),
    /// Show the engine's state after each step.
    Replay(Which),
    /// Do a run once more from one of its steps on, and show the difference; nothing is sent or stored.
    Rerun(rerun::Args),
    /// Show a run's steps as they happen, until it ends.
    Tail(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The run's id, as `clifford runs list` shows it, or its beginning, or `last` for the newest.
    run: RunArg,
    #[command(flatten)]
    format: Format,
}

#[derive(Clone, Debug)]
enum RunArg {
    Last,
    Id(IdArg<RunId>),
}

impl FromStr for RunArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            id => id
                .parse()
                .map(Self::Id)
                .map_err(|why: String| format!("{why}, or `last`")),
        }
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let command = match args.command {
        Command::Rerun(args) => return Box::pin(rerun::run(globals, args)).await.map(|()| ExitCode::SUCCESS),
        command => command,
    };
    // Faults of the settings come before those of the database.
    let loaded = globals.load()?;
    let db = globals.database().await?;
    let outcome = match command {
        Command::List(args) => list::run(&db, args).await,
        Command::Show(which) => show::run(&db, &which).await,
        Command::Cancel(which) => change::cancel(&db, &which).await,
        Command::Approve(which) => change::confirm(&db, &which, true).await,
        Command::Deny(which) => change::confirm(&db, &which, false).await,
        Command::Retry(which) => change::retry(&db, &which, loaded.config.ingress.shared_parallel).await,
        Command::Replay(which) => replay::run(&db, &loaded, &which).await,
        Command::Tail(which) => tail::run(&db, &which).await,
        Command::Rerun(_) => anyhow::bail!("a rerun is done by an engine"),
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

impl Which {
    /// The run that is meant.
    async fn find(&self, db: &Db) -> anyhow::Result<Run> {
        let mut conn = db.read().await?;
        match &self.run {
            RunArg::Id(id) => {
                let id = id.find(&mut conn).await?;
                let found = run_views::get(&mut conn, id, setup::now()).await?;
                found.ok_or_else(|| anyhow::anyhow!("there is no run {id}; `clifford runs list` shows them"))
            }
            RunArg::Last => {
                let newest = run_views::page(&mut conn, &Filter::default(), 1, setup::now())
                    .await?
                    .pop();
                newest.ok_or_else(|| anyhow::anyhow!("there are no runs yet"))
            }
        }
    }
}

/// A run as it is now.
async fn again(db: &Db, id: RunId) -> Result<Run, StoreError> {
    let run = run_views::get(&mut db.read().await?, id, setup::now()).await?;
    run.ok_or_else(|| StoreError::NotFound(format!("run {id}")))
}
