//! `clifford spaces`: the groups and servers that the bot is in. Works alongside a server on the same database.

use std::process::ExitCode;

use anyhow::anyhow;
use clifford_core::id::SpaceId;
use clifford_store::{
    Db,
    places::spaces::{self, Space},
};

use super::{
    examples,
    ids::{self, IdArg},
    output::{self, Format},
    setup::Globals,
    words,
};

/// Arguments of `spaces`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford spaces list",
    "clifford spaces show 0198f2c4",
    "clifford settings set space:0198f2c4 memory off",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List spaces, newest first.
    List {
        /// Only those that are older than this one (its id).
        #[arg(long, value_name = "SPACE")]
        before: Option<IdArg<SpaceId>>,
        /// The most to list.
        #[arg(long, default_value_t = 50, value_parser = words::up_to::<1000>)]
        limit: u32,
        #[command(flatten)]
        format: Format,
    },
    /// Show a space.
    Show {
        /// The space's id, as `clifford spaces list` shows it, or its beginning.
        space: IdArg<SpaceId>,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List { before, limit, format } => list(&db, before.as_ref(), limit, format).await,
        Command::Show { space, format } => show(&db, &space, format).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, before: Option<&IdArg<SpaceId>>, limit: u32, format: Format) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let before = ids::optional(&mut conn, before).await?;
    let found = spaces::page(&mut conn, before, output::one_more(limit)).await?;
    let (found, more) = output::page(found, limit, output::Way::Before);
    drop(conn);
    if format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found.iter().map(|space| {
        [
            space.id.to_string(),
            space.platform.clone(),
            output::head(space.name.as_deref().unwrap_or("-"), 40),
            space.channels.to_string(),
            state(space),
            output::ago(space.created_at),
        ]
    });
    output::table(
        ["SPACE", "PLATFORM", "NAME", "CHANNELS", "STATE", "SINCE"],
        rows.collect(),
        "no spaces found; a group or server is listed once the bot has seen a message there",
    )?;
    more.tell();
    Ok(())
}

fn state(space: &Space) -> String {
    output::state(if space.left_at.is_some() { "left" } else { "on" })
}

async fn show(db: &Db, wanted: &IdArg<SpaceId>, format: Format) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let id = wanted.find(&mut conn).await?;
    let space = spaces::get(&mut conn, id).await?;
    drop(conn);
    let space = space.ok_or_else(|| anyhow!("there is no space {id}; `clifford spaces list` shows them"))?;
    if format.json {
        return output::json(&space);
    }
    let mut lines = vec![
        format!("space     {}", space.id),
        format!("platform  {} ({})", space.platform, space.external_id),
        format!("name      {}", space.name.as_deref().unwrap_or("-")),
        format!("channels  {}", space.channels),
        format!("since     {}", output::when(space.created_at)),
    ];
    lines.extend(space.left_at.map(|at| format!("left      {}", output::when(at))));
    output::fields(&lines)
}
