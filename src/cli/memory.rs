//! `clifford memory`: the memory items of people. Works alongside a server on the same database.

mod change;
mod jobs;
mod list;

use std::process::ExitCode;

use clifford_core::people::User;
use clifford_store::{
    Conn,
    memory::{
        admin::{self as memory_admin, Item},
        items::Viewer,
    },
};

use super::{
    examples,
    output::{self, Format},
    people,
    setup::Globals,
};

/// Arguments of `memory`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford memory list Ada",
    "clifford memory add Ada preferences.drink \"green tea\"",
    "clifford memory set telegram:7 preferences.drink coffee",
    "clifford memory pin Ada drink",
    "clifford memory unpin Ada drink",
    "clifford memory share Ada drink",
    "clifford memory private Ada drink",
    "clifford memory forget Ada all --yes",
    "clifford memory jobs Ada",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the memory items of a person.
    List(list::Args),
    /// Add a memory item for a person.
    Add(change::Add),
    /// Change an item, pinned or not.
    Set(change::Set),
    /// Keep an item as it is: only its person changes it.
    Pin(Which),
    /// Let an item change again.
    Unpin(Which),
    /// Let the bot use an item wherever its person speaks to it.
    Share(Which),
    /// Let the bot use an item in private only.
    Private(Which),
    /// Delete an item for good, or `all` of them.
    Forget(change::Forget),
    /// Show past and pending jobs of the memory writer.
    Jobs(jobs::Args),
}

/// One item of a person.
#[derive(Debug, clap::Args)]
struct Which {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// The item's key, or `module.key`.
    key: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list::run(&db, args).await,
        Command::Add(args) => change::add(&db, args).await,
        Command::Set(args) => change::set(&db, args).await,
        Command::Pin(which) => change::mark(&db, &which, change::Mark::Pinned).await,
        Command::Unpin(which) => change::mark(&db, &which, change::Mark::NotPinned).await,
        Command::Share(which) => change::mark(&db, &which, change::Mark::Shared).await,
        Command::Private(which) => change::mark(&db, &which, change::Mark::Private).await,
        Command::Forget(args) => change::forget(&db, args).await,
        Command::Jobs(args) => jobs::run(&db, args).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

/// The item of a person that a key stands for: the active one, else an archived one.
async fn find(conn: &mut Conn, user: &User, key: &str) -> anyhow::Result<Item> {
    let items = memory_admin::seen_by(conn, user.id, Viewer::Private).await?;
    let (module, key_alone) = match key.split_once('.') {
        Some((module, key)) => (Some(module), key),
        None => (None, key),
    };
    let mut meant: Vec<Item> = items
        .into_iter()
        .filter(|item| item.key == key_alone && module.is_none_or(|module| item.module == module))
        .collect();
    // The active one stands before those that it replaced.
    meant.dedup_by(|a, b| a.module == b.module);
    if meant.len() > 1 {
        let names: Vec<_> = meant.iter().map(name).collect();
        anyhow::bail!("there are several of that key: take one of {}", names.join(", "));
    }
    meant.pop().ok_or_else(|| {
        anyhow::anyhow!(
            "nothing is known of {} by the key `{key}`; `clifford memory list {}` shows what is",
            output::cell(&user.name),
            user.id
        )
    })
}

/// An item's name, on one line.
fn name(item: &Item) -> String {
    output::cell(&format!("{}.{}", item.module, item.key))
}
