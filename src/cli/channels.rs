//! `clifford channels`: the chats that the bot knows. Works alongside a server on the same database.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clifford_core::{
    id::{AgentId, ChannelId},
    places::Channel,
};
use clifford_store::{
    Conn, Db,
    places::{
        agents,
        channels::{self, Change},
        spaces,
    },
};

use super::{
    examples,
    ids::{self, IdArg},
    output::{self, Format},
    setup::{self, Globals},
    words,
};

/// The word that takes a channel's own agent away.
const DEFAULT: &str = "default";

/// Arguments of `channels`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford channels list --platform discord",
    "clifford channels show 0198f2c4",
    "clifford channels disable 0198f2c4",
    "clifford channels enable 0198f2c4",
    "clifford channels set 0198f2c4 --agent 0190d7b2",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List channels, newest first.
    List(List),
    /// Show a channel.
    Show(Which),
    /// Let the bot answer in a channel again.
    Enable(Which),
    /// Keep the bot from answering in a channel.
    Disable(Which),
    /// Change the name or the agent of a channel.
    Set {
        #[command(flatten)]
        which: Which,
        /// Its name in lists.
        #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
        name: Option<String>,
        /// Its own agent: an id, as `clifford agents list` shows it, or its beginning; or `default` for none of its
        /// own.
        #[arg(long)]
        agent: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford channels list",
    "clifford channels list --platform telegram --json",
))]
struct List {
    /// Only those of this platform, such as discord.
    #[arg(long)]
    platform: Option<String>,
    /// Only those that are older than this one (its id).
    #[arg(long, value_name = "CHANNEL")]
    before: Option<IdArg<ChannelId>>,
    /// The most to list.
    #[arg(long, default_value_t = 50, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The channel's id, as `clifford channels list` shows it, or its beginning.
    channel: IdArg<ChannelId>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = perform(&db, args.command).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn perform(db: &Db, command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(db, &args).await,
        Command::Show(which) => {
            let mut conn = db.read().await?;
            let channel = find(&mut conn, &which).await?;
            show(&mut conn, &channel, which.format).await
        }
        Command::Enable(which) => change(db, &which, enabled(true)).await,
        Command::Disable(which) => change(db, &which, enabled(false)).await,
        Command::Set { which, name, agent } => {
            if name.is_none() && agent.is_none() {
                bail!("nothing to change: give --name or --agent");
            }
            let agent = match agent {
                Some(agent) => Some(agent_of(&mut db.read().await?, &agent).await?),
                None => None,
            };
            let wanted = Change {
                name,
                agent,
                ..Change::default()
            };
            change(db, &which, wanted).await
        }
    }
}

fn enabled(enabled: bool) -> Change {
    Change {
        enabled: Some(enabled),
        ..Change::default()
    }
}

async fn find(conn: &mut Conn, which: &Which) -> anyhow::Result<Channel> {
    let id = which.channel.find(conn).await?;
    let found = channels::get(conn, id).await?;
    found.ok_or_else(|| anyhow!("there is no channel {id}; `clifford channels list` shows them"))
}

/// The agent that a channel is to have; none: the default one.
async fn agent_of(conn: &mut Conn, text: &str) -> anyhow::Result<Option<AgentId>> {
    if text == DEFAULT {
        return Ok(None);
    }
    let id = text.parse::<IdArg<AgentId>>().map_err(|why| anyhow!(why))?;
    let id = id.find(conn).await?;
    match agents::get(conn, id).await? {
        Some(agent) => Ok(Some(agent.id)),
        None => bail!("there is no agent {id}; `clifford agents list` shows them"),
    }
}

async fn change(db: &Db, which: &Which, change: Change) -> anyhow::Result<()> {
    let id = find(&mut db.read().await?, which).await?.id;
    let now = setup::now();
    db.write(move |tx| Box::pin(async move { channels::change(tx, id, &change, now).await }))
        .await?;
    let mut conn = db.read().await?;
    let channel = find(&mut conn, which).await?;
    show(&mut conn, &channel, which.format).await
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let mut before = ids::optional(&mut conn, args.before.as_ref()).await?;
    let most = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    while found.len() <= most {
        let page = channels::page(&mut conn, before, args.limit).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        let of_platform = |channel: &Channel| args.platform.as_ref().is_none_or(|name| *name == channel.platform);
        found.extend(page.into_iter().filter(of_platform));
    }
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let mut rows = Vec::with_capacity(found.len());
    for channel in &found {
        rows.push([
            channel.id.to_string(),
            channel.platform.clone(),
            kind(channel),
            output::head(channel.name.as_deref().unwrap_or("-"), 40),
            space_name(&mut conn, channel).await?,
            output::state(if channel.enabled { "on" } else { "off" }),
            channel.last_message_at.map(output::ago).unwrap_or_default(),
        ]);
    }
    output::table(
        ["CHANNEL", "PLATFORM", "KIND", "NAME", "SPACE", "STATE", "LAST MESSAGE"],
        rows,
        "no channels found; a chat is listed once somebody has written to the bot there",
    )?;
    more.tell();
    Ok(())
}

fn kind(channel: &Channel) -> String {
    channel.kind.to_string()
}

async fn space_name(conn: &mut Conn, channel: &Channel) -> anyhow::Result<String> {
    let Some(id) = channel.space_id else {
        return Ok(String::new());
    };
    let space = spaces::get(conn, id).await?;
    Ok(space
        .and_then(|space| space.name)
        .map_or_else(|| id.to_string(), |name| output::head(&name, 30)))
}

async fn show(conn: &mut Conn, channel: &Channel, format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(channel);
    }
    let state = match (&channel.disabled_reason, channel.enabled) {
        (_, true) => output::state("on"),
        (Some(why), false) => format!("{} ({why})", output::state("off")),
        (None, false) => output::state("off"),
    };
    let agent = agents::for_channel(conn, Some(channel)).await?;
    let mut lines = vec![
        format!("channel   {}", channel.id),
        format!("platform  {} ({})", channel.platform, channel.external_id),
        format!("kind      {}", kind(channel)),
        format!("name      {}", channel.name.as_deref().unwrap_or("-")),
        format!("state     {state}"),
    ];
    if let Some(space) = channel.space_id {
        lines.push(format!("space     {space} {}", space_name(conn, channel).await?));
    }
    lines.extend(channel.user_id.map(|user| format!("user      {user}")));
    lines.extend(agent.map(|agent| format!("agent     {} {}", agent.id, agent.name)));
    lines.extend(channel.active_context_id.map(|context| format!("context   {context}")));
    lines.extend(
        channel
            .last_message_at
            .map(|at| format!("last      {}", output::when(at))),
    );
    output::fields(&lines)
}
