//! `clifford contexts`: conversations. Works alongside a server on the same database.

use std::process::ExitCode;

use anyhow::bail;
use clifford_core::id::{ChannelId, ContextId};
use clifford_store::{
    Conn, Db,
    contexts::{self, Context},
    jobs::{self, Job},
};
use serde_json::json;

use super::{
    examples,
    ids::{self, IdArg},
    output::{self, Format},
    people,
    setup::{self, Globals},
    words,
};

/// The longest name of a conversation.
const NAME: usize = 200;
/// How many jobs of a conversation are shown.
const JOBS: u32 = 5;

/// Arguments of `contexts`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford contexts list --user Ada",
    "clifford contexts show 0198f2c4",
    "clifford contexts rename 0198f2c4 \"The trip\"",
    "clifford contexts close 0198f2c4",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List conversations, the newest first.
    List(List),
    /// Show a conversation and its memory jobs.
    Show(Which),
    /// Give a conversation a name.
    Rename {
        /// The conversation's id, as `clifford contexts list` shows it.
        context: IdArg<ContextId>,
        /// Its name.
        name: String,
        #[command(flatten)]
        format: Format,
    },
    /// Close a conversation: the next message in its chat begins another.
    Close(Which),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only private ones of this person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// Only of this channel (its id).
    #[arg(long)]
    channel: Option<IdArg<ChannelId>>,
    /// Only those that are older than this one (its id).
    #[arg(long, value_name = "CONTEXT")]
    before: Option<IdArg<ContextId>>,
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The conversation's id, as `clifford contexts list` shows it.
    context: IdArg<ContextId>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list(&db, &args).await,
        Command::Show(which) => show(&db, &which).await,
        Command::Rename { context, name, format } => rename(&db, &context, name, format).await,
        Command::Close(which) => close(&db, &which).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(text) => Some(people::find(&mut conn, text).await?.id),
        None => None,
    };
    let channel = ids::optional(&mut conn, args.channel.as_ref()).await?;
    let before = ids::optional(&mut conn, args.before.as_ref()).await?;
    let found = contexts::page(&mut conn, channel, user, before, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .iter()
        .map(|context| {
            [
                context.id.to_string(),
                output::head(display_name(context), 40),
                output::state(state(context)),
                context.turn_count.to_string(),
                output::ago(context.last_user_interaction_at),
            ]
        })
        .collect();
    output::table(
        ["CONTEXT", "NAME", "STATE", "TURNS", "LAST SPOKEN IN"],
        rows,
        "no conversations found",
    )?;
    more.tell();
    Ok(())
}

async fn show(db: &Db, which: &Which) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let id = which.context.find(&mut conn).await?;
    let context = get(&mut conn, id).await?;
    let filter = jobs::Filter {
        context: Some(context.id),
        ..jobs::Filter::default()
    };
    let jobs = jobs::page(&mut conn, &filter, JOBS).await?;
    drop(conn);
    if which.format.json {
        return output::json(&json!({ "context": context, "jobs": jobs }));
    }
    let mut lines = lines(&context);
    lines.extend(jobs.iter().map(job_line));
    output::fields(&lines)
}

fn lines(context: &Context) -> Vec<String> {
    let mut lines = vec![
        format!("context  {}", context.id),
        format!("name     {}", display_name(context)),
        format!("state    {}", state(context)),
        format!("channel  {}", context.channel_id),
    ];
    lines.extend(context.user_id.map(|user| format!("user     {user}")));
    lines.extend(context.space_id.map(|space| format!("space    {space}")));
    lines.extend([
        format!("turns    {}", context.turn_count),
        format!("began    {}", output::when(context.created_at)),
        format!("spoken   {}", output::when(context.last_user_interaction_at)),
    ]);
    lines.extend(context.closed_at.map(|at| format!("closed   {}", output::when(at))));
    lines
}

fn job_line(job: &Job) -> String {
    let at = output::when(job.ended_at.unwrap_or(job.due_at));
    let result = job.result.as_ref().map(|result| result.0.to_string());
    let what = result.or_else(|| job.error.clone()).unwrap_or_default();
    let line = format!("job      {} {} {at} {}", job.kind, job.status, output::head(&what, 80));
    line.trim_end().to_owned()
}

async fn rename(db: &Db, which: &IdArg<ContextId>, name: String, format: Format) -> anyhow::Result<()> {
    if name.trim().is_empty() || name.chars().count() > NAME {
        bail!("a name has 1 to {NAME} characters");
    }
    let id = which.find(&mut db.read().await?).await?;
    get(&mut db.read().await?, id).await?;
    db.write(move |tx| Box::pin(async move { contexts::rename(tx, id, &name).await }))
        .await?;
    print_context(db, id, format).await
}

async fn close(db: &Db, which: &Which) -> anyhow::Result<()> {
    let (id, now) = (which.context.find(&mut db.read().await?).await?, setup::now());
    get(&mut db.read().await?, id).await?;
    let closed = db
        .write(move |tx| Box::pin(async move { clifford_engine::memory::closing::close(tx, id, now).await }))
        .await?;
    if !closed {
        bail!("conversation {id} is closed already");
    }
    print_context(db, id, which.format).await
}

/// Prints a conversation as it is now.
async fn print_context(db: &Db, id: ContextId, format: Format) -> anyhow::Result<()> {
    let context = get(&mut db.read().await?, id).await?;
    if format.json {
        return output::json(&context);
    }
    output::print(&format!(
        "{id}: {}, {}",
        output::cell(display_name(&context)),
        state(&context)
    ))
}

async fn get(conn: &mut Conn, id: ContextId) -> anyhow::Result<Context> {
    let context = contexts::get(conn, id).await?;
    context.ok_or_else(|| anyhow::anyhow!("there is no conversation {id}; `clifford contexts list` shows them"))
}

fn display_name(context: &Context) -> &str {
    context.name.as_deref().unwrap_or("(no name yet)")
}

fn state(context: &Context) -> &'static str {
    if context.closed_at.is_some() { "closed" } else { "open" }
}
