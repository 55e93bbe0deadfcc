//! `clifford agents`: the agents of bot.toml, as the database knows them. Works beside a server on the same database.

use std::process::ExitCode;

use anyhow::anyhow;
use clifford_core::id::AgentId;
use clifford_store::{
    Db,
    places::agents::{self, Agent},
};

use super::{
    examples,
    ids::IdArg,
    output::{self, Format},
    setup::Globals,
};

/// Arguments of `agents`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford agents list",
    "clifford agents show 0198f2c4",
    "clifford channels set 0190d7b2 --agent 0198f2c4",
    "",
    "Agents are made and changed in bot.toml: [agent] is the default one, [[agents]] are further ones.",
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
        /// The agent's name, its id, as `clifford agents list` shows it, or the beginning of that.
        agent: String,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(format) => list(&db, format).await,
        Command::Show { agent, format } => show(&db, &agent, format).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, format: Format) -> anyhow::Result<()> {
    let found = agents::list(&mut db.read().await?).await?;
    if format.json {
        return output::json(&found);
    }
    let rows = found.iter().map(|agent| {
        [
            agent.id.to_string(),
            output::head(&agent.name, 40),
            agent.mode.to_string(),
            state(agent),
            if agent.is_default { "default" } else { "" }.to_owned(),
        ]
    });
    output::table(
        ["AGENT", "NAME", "MODE", "STATE", ""],
        rows.collect(),
        "no agents found",
    )
}

fn state(agent: &Agent) -> String {
    output::state(if agent.enabled { "on" } else { "off" })
}

async fn show(db: &Db, wanted: &str, format: Format) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let all = agents::list(&mut conn).await?;
    let agent = match all.into_iter().find(|agent| agent.name == wanted) {
        Some(agent) => agent,
        None => {
            let missing = || anyhow!("there is no agent `{wanted}`; `clifford agents list` shows them");
            let id = wanted.parse::<IdArg<AgentId>>().map_err(|_| missing())?;
            let id = id.find(&mut conn).await?;
            agents::get(&mut conn, id).await?.ok_or_else(missing)?
        }
    };
    drop(conn);
    if format.json {
        return output::json(&agent);
    }
    output::fields(&[
        format!("agent    {}", agent.id),
        format!("name     {}", agent.name),
        format!("mode     {}", agent.mode),
        format!("state    {}", state(&agent)),
        format!("default  {}", if agent.is_default { "yes" } else { "no" }),
    ])?;
    output::print(&format!("\n{}", agent.prompt))
}
