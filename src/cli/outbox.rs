//! `clifford outbox`: messages that wait to be delivered, or were given up. Works alongside a server on the same
//! database.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clifford_core::id::{ChannelId, MessageId};
use clifford_store::{
    Conn, Db,
    messages::undelivered::{self, Filter, Undelivered},
};
use serde_json::json;

use super::{
    examples,
    ids::{self, IdArg},
    output::{self, Format},
    setup::Globals,
    words,
};

/// The reason of what is given up here.
const GIVEN_UP: &str = "given up by the operator";

/// Arguments of `outbox`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford outbox list",
    "clifford outbox list --failed",
    "clifford outbox show 0198f2c4",
    "clifford outbox resend 0198f2c4",
    "clifford outbox give-up 0198f2c4",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List messages that wait or were given up, newest first.
    List(List),
    /// Show a message, and why it was not delivered.
    Show(Which),
    /// Send a message again that was given up.
    Resend(Which),
    /// Give up a message that waits; it is not sent any more.
    GiveUp(Which),
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford outbox list --waiting",
    "clifford outbox list --failed --channel 0198f2c4 --json",
))]
struct List {
    /// Only those that were given up.
    #[arg(long, conflicts_with = "waiting")]
    failed: bool,
    /// Only those that still wait.
    #[arg(long)]
    waiting: bool,
    /// Only those for this channel (its id).
    #[arg(long)]
    channel: Option<IdArg<ChannelId>>,
    /// Only those that are older than this one (its id).
    #[arg(long, value_name = "MESSAGE")]
    before: Option<IdArg<MessageId>>,
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The message's id, as `clifford outbox list` shows it, or its beginning.
    message: IdArg<MessageId>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list(&db, &args).await,
        Command::Show(which) => show(&db, &which).await,
        Command::Resend(which) => resend(&db, &which).await,
        Command::GiveUp(which) => give_up(&db, &which).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let filter = Filter {
        failed: (args.failed || args.waiting).then_some(args.failed),
        channel: ids::optional(&mut conn, args.channel.as_ref()).await?,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
        ..Filter::default()
    };
    let found = undelivered::page(&mut conn, filter, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found.iter().map(|message| {
        [
            message.id.to_string(),
            output::state(message.status.as_str()),
            place(message),
            output::ago(message.created_at),
            message.attempts.to_string(),
            output::head(message.error.as_deref().unwrap_or_default(), 60),
            output::head(&message.content, 40),
        ]
    });
    output::table(
        ["MESSAGE", "STATUS", "CHANNEL", "SINCE", "TRIES", "WHY", "TEXT"],
        rows.collect(),
        "no undelivered messages found",
    )?;
    more.tell();
    Ok(())
}

fn place(message: &Undelivered) -> String {
    let name = message.channel_name.as_deref().unwrap_or_default();
    output::head(format!("{} {name}", message.platform).trim(), 30)
}

async fn find(conn: &mut Conn, which: &Which) -> anyhow::Result<Undelivered> {
    let id = which.message.find(conn).await?;
    let found = undelivered::get(conn, id).await?;
    found.ok_or_else(|| {
        anyhow!("message {id} neither waits nor was given up; `clifford outbox list` shows those that do")
    })
}

async fn show(db: &Db, which: &Which) -> anyhow::Result<()> {
    let message = find(&mut db.read().await?, which).await?;
    if which.format.json {
        return output::json(&message);
    }
    let mut lines = vec![
        format!("message  {}", message.id),
        format!("status   {}", output::state(message.status.as_str())),
        format!("channel  {} {}", message.channel_id, place(&message)),
        format!("since    {}", output::when(message.created_at)),
        format!("tries    {}", message.attempts),
    ];
    lines.extend(message.error.as_ref().map(|why| format!("why      {why}")));
    lines.extend(message.run_id.map(|run| format!("run      {run}")));
    lines.extend(message.late_since.map(|at| format!("late     {}", output::when(at))));
    lines.extend((message.quarantined_at).map(|at| format!("set aside since {}", output::when(at))));
    output::fields(&lines)?;
    output::print(&format!("\n{}", message.content))
}

async fn resend(db: &Db, which: &Which) -> anyhow::Result<()> {
    let id = find(&mut db.read().await?, which).await?.id;
    let again = db.write(move |tx| Box::pin(undelivered::send_again(tx, id))).await?;
    if !again {
        bail!("message {id} cannot be sent again: it still waits, or nothing is left of the files that it was");
    }
    print_outcome(
        which,
        id,
        "pending",
        "waits to be sent; a server sends it as soon as it looks for work",
    )
}

async fn give_up(db: &Db, which: &Which) -> anyhow::Result<()> {
    let id = find(&mut db.read().await?, which).await?.id;
    let given_up = db
        .write(move |tx| Box::pin(undelivered::give_up(tx, id, GIVEN_UP)))
        .await?;
    if !given_up {
        bail!("message {id} does not wait any more");
    }
    print_outcome(which, id, "failed", "given up; it is not sent any more")
}

fn print_outcome(which: &Which, id: MessageId, status: &str, words: &str) -> anyhow::Result<()> {
    if which.format.json {
        return output::json(&json!({ "id": id, "status": status }));
    }
    output::print(&format!("{id}: {words}"))
}
