//! `clifford agents prompts` and `restore`: the versions of an agent's prompt.

use anyhow::anyhow;
use clifford_core::{id::AgentId, places::AgentSource};
use clifford_store::{
    Conn, Db,
    places::agents::prompts::{self, Prompt},
};

use super::{Which, find, print_agent};
use crate::cli::{output, setup};

/// The most versions that are listed.
const LISTED: u32 = 1000;

pub(super) async fn list(db: &Db, which: &Which) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let agent = find(&mut conn, &which.agent).await?;
    let found = prompts::page(&mut conn, agent.id, None, LISTED).await?;
    drop(conn);
    if which.format.json {
        return output::json(&found);
    }
    let rows = found.iter().map(|version| {
        [
            version.version.to_string(),
            match (version.restores, version.source) {
                (Some(old), _) => format!("version {old} again"),
                (None, AgentSource::Config) => "bot.toml".to_owned(),
                (None, AgentSource::Owner) => "owner".to_owned(),
            },
            output::ago(version.created_at),
            version.characters.to_string(),
        ]
    });
    output::table(
        ["VERSION", "FROM", "SINCE", "CHARACTERS"],
        rows.collect(),
        "no versions found; they are kept from the next start of `clifford serve` on",
    )
}

pub(super) async fn show(db: &Db, which: &Which, version: u32) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let id = find(&mut conn, &which.agent).await?.id;
    let prompt = get(&mut conn, id, version).await?;
    drop(conn);
    if which.format.json {
        return output::json(&prompt);
    }
    output::print(&prompt.prompt)
}

pub(super) async fn restore(db: &Db, which: &Which, version: u32) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let id = find(&mut conn, &which.agent).await?.id;
    let kept = get(&mut conn, id, version).await?;
    drop(conn);
    let now = setup::now();
    db.write(move |tx| Box::pin(async move { prompts::set(tx, id, &kept.prompt, Some(kept.version), now).await }))
        .await?;
    let agent = find(&mut db.read().await?, &id.to_string()).await?;
    let what = format!("has the prompt of version {version} again");
    print_agent(&agent, which.format, &what)
}

async fn get(conn: &mut Conn, agent: AgentId, version: u32) -> anyhow::Result<Prompt> {
    let found = prompts::get(conn, agent, i64::from(version)).await?;
    found.ok_or_else(|| anyhow!("there is no version {version}; `clifford agents prompts {agent}` lists them"))
}
