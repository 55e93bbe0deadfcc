//! `clifford runs`: looks at runs, stops them and does them again. Works beside a server on the same database.

mod change;
mod list;
mod replay;
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
    output::Format,
    setup::{self, Globals},
};

/// Arguments of `runs`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford runs list --status failed",
    "clifford runs show last",
    "clifford runs tail last --json",
    "clifford runs cancel 0198f2c4-…",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Lists runs, the newest first.
    List(list::Args),
    /// Shows a run with its steps.
    Show(Which),
    /// Stops a run and its subagents; its chat is told.
    Cancel(Which),
    /// Approves the call that a run asks for.
    Approve(Which),
    /// Denies the call that a run asks for.
    Deny(Which),
    /// Does a failed or cancelled run once more, as a new one.
    Retry(Which),
    /// Shows what the engine knew after each step.
    Replay(Which),
    /// Shows a run's steps as they happen, until it ends.
    Tail(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The run's id, as `clifford runs list` shows it, or `last` for the newest.
    run: Wanted,
    #[command(flatten)]
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    Last,
    Id(RunId),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            id => id
                .parse()
                .map(Self::Id)
                .map_err(|_| "write an id as `clifford runs list` shows it, or `last`".to_owned()),
        }
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    // Faults of the settings come before those of the database.
    let loaded = globals.load()?;
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list::run(&db, args).await,
        Command::Show(which) => show::run(&db, &which).await,
        Command::Cancel(which) => change::cancel(&db, &which).await,
        Command::Approve(which) => change::confirm(&db, &which, true).await,
        Command::Deny(which) => change::confirm(&db, &which, false).await,
        Command::Retry(which) => change::retry(&db, &which).await,
        Command::Replay(which) => replay::run(&db, &loaded, &which).await,
        Command::Tail(which) => tail::run(&db, &which).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

impl Which {
    /// The run that is meant.
    async fn find(&self, db: &Db) -> anyhow::Result<Run> {
        let mut conn = db.read().await?;
        let found = match self.run {
            Wanted::Id(id) => run_views::get(&mut conn, id, setup::now()).await?,
            Wanted::Last => run_views::page(&mut conn, &Filter::default(), 1, setup::now())
                .await?
                .pop(),
        };
        found.ok_or_else(|| match self.run {
            Wanted::Id(id) => anyhow::anyhow!("there is no run {id}; `clifford runs list` shows them"),
            Wanted::Last => anyhow::anyhow!("there are no runs yet"),
        })
    }
}

/// A run as it is now.
async fn again(db: &Db, id: RunId) -> Result<Run, StoreError> {
    let run = run_views::get(&mut db.read().await?, id, setup::now()).await?;
    run.ok_or_else(|| StoreError::NotFound(format!("run {id}")))
}
