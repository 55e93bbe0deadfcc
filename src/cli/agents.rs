//! `clifford agents`: the agents of bot.toml and of the owner. Works alongside a server on the same database.

mod change;
mod prompts;

use std::process::ExitCode;

use anyhow::anyhow;
use clifford_core::{id::AgentId, places::AgentSource};
use clifford_store::{
    Conn, Db,
    places::agents::managing::{self, ManagedAgent},
};

use super::{
    examples,
    ids::IdArg,
    output::{self, Format},
    setup::Globals,
    words,
};

/// Arguments of `agents`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford agents list",
    "clifford agents show Ada",
    "clifford agents add Ada --prompt 'You are Ada, who answers briefly.'",
    "clifford agents set Ada --prompt-file ada.txt",
    "clifford agents prompts Ada",
    "clifford agents show Ada --version 1",
    "clifford agents restore Ada 1",
    "clifford agents remove Ada",
    "clifford channels set 0190d7b2 --agent 0198f2c4",
    "",
    "Agents of bot.toml ([agent] is the default one) are made and deleted there.",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List agents.
    List(Format),
    /// Show an agent with its prompt.
    Show {
        #[command(flatten)]
        which: Which,
        /// Show this version of its prompt.
        #[arg(long, value_name = "VERSION", value_parser = words::whole::<u32>)]
        version: Option<u32>,
    },
    /// Make an agent.
    Add(change::Add),
    /// Change an agent: its prompt, its mode, or whether it takes runs.
    Set(change::Set),
    /// Delete an agent. Its runs stay, and what named it has the default agent.
    Remove(Which),
    /// List the versions of an agent's prompt, the newest first.
    Prompts(Which),
    /// Go back to a version of an agent's prompt.
    Restore {
        #[command(flatten)]
        which: Which,
        /// The version, as `clifford agents prompts` shows it.
        #[arg(value_parser = words::whole::<u32>)]
        version: u32,
    },
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The agent's name, its id, as `clifford agents list` shows it, or the beginning of that.
    agent: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(format) => list(&db, format).await,
        Command::Show { which, version: None } => show(&db, &which).await,
        Command::Show {
            which,
            version: Some(version),
        } => prompts::show(&db, &which, version).await,
        Command::Add(add) => change::add(&db, add).await,
        Command::Set(set) => change::set(&db, set).await,
        Command::Remove(which) => change::remove(&db, &which).await,
        Command::Prompts(which) => prompts::list(&db, &which).await,
        Command::Restore { which, version } => prompts::restore(&db, &which, version).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, format: Format) -> anyhow::Result<()> {
    let found = managing::list(&mut db.read().await?).await?;
    if format.json {
        return output::json(&found);
    }
    let rows = found.iter().map(|agent| {
        [
            agent.id.to_string(),
            output::head(&agent.name, 40),
            agent.mode.to_string(),
            state(agent),
            source(agent).to_owned(),
            if agent.is_default { "default" } else { "" }.to_owned(),
        ]
    });
    output::table(
        ["AGENT", "NAME", "MODE", "STATE", "FROM", ""],
        rows.collect(),
        "no agents found",
    )
}

fn state(agent: &ManagedAgent) -> String {
    output::state(if agent.enabled { "on" } else { "off" })
}

fn source(agent: &ManagedAgent) -> &'static str {
    match agent.source {
        AgentSource::Config => "bot.toml",
        AgentSource::Owner => "owner",
    }
}

async fn show(db: &Db, which: &Which) -> anyhow::Result<()> {
    let agent = find(&mut db.read().await?, &which.agent).await?;
    if which.format.json {
        return output::json(&agent);
    }
    output::fields(&[
        format!("agent    {}", agent.id),
        format!("name     {}", agent.name),
        format!("mode     {}", agent.mode),
        format!("state    {}", state(&agent)),
        format!("from     {}", source(&agent)),
        format!("default  {}", if agent.is_default { "yes" } else { "no" }),
        format!("prompt   version {}", agent.prompt_version),
    ])?;
    output::print(&format!("\n{}", agent.prompt))
}

/// The agent that a name, an id or its beginning means.
async fn find(conn: &mut Conn, wanted: &str) -> anyhow::Result<ManagedAgent> {
    let all = managing::list(conn).await?;
    if let Some(agent) = all.into_iter().find(|agent| agent.name == wanted) {
        return Ok(agent);
    }
    let missing = || anyhow!("there is no agent `{wanted}`; `clifford agents list` shows them");
    let id = wanted.parse::<IdArg<AgentId>>().map_err(|_| missing())?;
    let id = id.find(conn).await?;
    managing::get(conn, id).await?.ok_or_else(missing)
}

/// Prints an agent that was made or changed.
fn print_agent(agent: &ManagedAgent, format: Format, what: &str) -> anyhow::Result<()> {
    if format.json {
        return output::json(agent);
    }
    output::print(&format!("{} ({}): {what}", agent.name, agent.id))
}
