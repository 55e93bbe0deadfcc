//! `clifford triggers`: reminders, runs by the clock, webhooks. Works alongside a server on the same database.

mod add;
mod change;
mod list;

use std::process::ExitCode;

use clifford_core::{
    id::TriggerId,
    schedule::{told, trigger::Trigger},
};
use clifford_store::{Conn, triggers};
use clifford_text::Lang;

use super::{examples, ids::IdArg, output::Format, setup::Globals};

/// Arguments of `triggers`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford triggers list --kind reminder",
    "clifford triggers add \"tell me the news\" --when \"every weekday at 8\" --channel CHANNEL",
    "clifford triggers add \"drink water\" --reminder --user Ada --when \"in 20 minutes\"",
    "clifford triggers add \"look into this alarm\" --webhook alarm --channel CHANNEL",
    "clifford triggers show alarm",
    "clifford triggers disable alarm",
    "clifford triggers enable alarm",
    "clifford triggers remove alarm",
    "clifford triggers fire alarm",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List triggers, the newest first.
    List(list::Args),
    /// Show a trigger with its newest firings.
    Show(Which),
    /// Add a trigger; the secret of a webhook is shown this once.
    Add(Box<add::Args>),
    /// Delete a trigger.
    Remove(Which),
    /// Let a trigger fire again.
    Enable(Which),
    /// Keep a trigger from firing.
    Disable(Which),
    /// Fire a trigger now; its schedule stays as it is.
    Fire(Which),
}

/// One trigger.
#[derive(Debug, clap::Args)]
struct Which {
    /// The trigger: its name, its id, or the beginning of that.
    trigger: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    if let Command::Add(args) = args.command {
        return Box::pin(add::run(globals, *args)).await.map(|()| ExitCode::SUCCESS);
    }
    // Faults of the settings come before those of the database.
    let parallel = match &args.command {
        Command::Fire(_) => globals.load()?.config.ingress.shared_parallel,
        _ => 0,
    };
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list::run(&db, &args).await,
        Command::Show(which) => list::show(&db, &which).await,
        Command::Remove(which) => change::remove(&db, &which).await,
        Command::Enable(which) => change::enable(&db, &which, true).await,
        Command::Disable(which) => change::enable(&db, &which, false).await,
        Command::Fire(which) => change::fire(&db, &which, parallel).await,
        Command::Add(_) => Ok(()),
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

/// The trigger that is meant: by its id or its name.
async fn find(conn: &mut Conn, wanted: &str) -> anyhow::Result<Trigger> {
    // A name may look like the beginning of an id.
    let named = triggers::by_name(conn, wanted).await?;
    let found = match (named, wanted.parse::<IdArg<TriggerId>>()) {
        (None, Ok(id)) => {
            let id = id.find(conn).await?;
            triggers::get(conn, id).await?
        }
        (named, _) => named,
    };
    found.ok_or_else(|| anyhow::anyhow!("there is no trigger `{wanted}`; `clifford triggers list` shows them"))
}

/// When a trigger fires next, in words.
fn next(trigger: &Trigger) -> String {
    match (trigger.next_at, trigger.enabled, trigger.webhook) {
        (_, false, _) => "off".to_owned(),
        (Some(at), ..) => format!(
            "{} ({})",
            told::moment(at, &trigger.time_zone, Lang::English),
            trigger.time_zone
        ),
        (None, true, true) => "when it is called".to_owned(),
        (None, true, false) => "over".to_owned(),
    }
}
