//! Agents: a prompt with its settings. Those of the configuration are brought in at every start.

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId},
    places::Mode,
    value::args,
};
use serde::Serialize;
use sqlx::FromRow;

use crate::{Conn, StoreError, Tx};

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    #[schema(value_type = String)]
    pub id: AgentId,
    /// Its name, unique.
    pub name: String,
    /// Who it is, in its system prompt.
    pub prompt: String,
    /// How it answers.
    pub mode: Mode,
    /// Whether it takes runs.
    pub enabled: bool,
    /// It takes what names no other agent.
    pub is_default: bool,
}

pub(crate) const COLUMNS: &str = "id, name, prompt, mode, enabled, is_default";

/// Brings an agent of the configuration in, by its name.
pub async fn put(tx: &mut Tx, agent: &Agent, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agents (id, name, prompt, mode, enabled, is_default, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
         ON CONFLICT (name) DO UPDATE SET prompt = excluded.prompt, mode = excluded.mode,
             enabled = excluded.enabled, is_default = excluded.is_default, updated_at = excluded.updated_at",
        args![
            agent.id,
            &agent.name,
            &agent.prompt,
            agent.mode,
            agent.enabled,
            agent.is_default,
            now
        ],
    )
    .await?;
    Ok(())
}

/// Sets how an agent answers.
pub async fn set_mode(tx: &mut Tx, id: AgentId, mode: Mode, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE agents SET mode = $1, updated_at = $2 WHERE id = $3",
        args![mode, now, id],
    )
    .await?;
    Ok(())
}

/// Turns an agent on or off.
pub async fn set_enabled(tx: &mut Tx, id: AgentId, enabled: bool, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE agents SET enabled = $1, updated_at = $2 WHERE id = $3",
        args![enabled, now, id],
    )
    .await?;
    Ok(())
}

/// Takes agents that are not in the configuration any more out of service.
pub async fn disable_except(tx: &mut Tx, names: &[String], now: Timestamp) -> Result<(), StoreError> {
    let known: Vec<Agent> = list(tx).await?;
    for agent in known
        .into_iter()
        .filter(|agent| agent.enabled && !names.contains(&agent.name))
    {
        tx.execute(
            "UPDATE agents SET enabled = $1, is_default = $1, updated_at = $2 WHERE id = $3",
            args![false, now, agent.id],
        )
        .await?;
    }
    Ok(())
}

/// Every agent, by name.
pub async fn list(conn: &mut Conn) -> Result<Vec<Agent>, StoreError> {
    conn.fetch_all(format!("SELECT {COLUMNS} FROM agents ORDER BY name"), args![])
        .await
}

/// One agent.
pub async fn get(conn: &mut Conn, id: AgentId) -> Result<Option<Agent>, StoreError> {
    conn.fetch_optional(
        "SELECT id, name, prompt, mode, enabled, is_default FROM agents WHERE id = $1",
        args![id],
    )
    .await
}

/// The agent of a channel: its own if that is enabled, else the default one, else none.
pub async fn for_channel(conn: &mut Conn, own: Option<AgentId>) -> Result<Option<Agent>, StoreError> {
    conn.fetch_optional(for_channel_sql("$1", COLUMNS), args![own]).await
}

/// How an agent answers in a channel: by chat, if either of them does.
pub async fn mode_in(conn: &mut Conn, agent: AgentId, channel: ChannelId) -> Result<Mode, StoreError> {
    let chats = conn
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM agents a, channels c
             WHERE a.id = $1 AND c.id = $2 AND (a.mode = 'chat' OR c.mode = 'chat')",
            args![agent, channel],
        )
        .await?;
    Ok(if chats { Mode::Chat } else { Mode::Run })
}

/// The same as a query for some columns, where `own` is the SQL of the channel's own agent.
pub(crate) fn for_channel_sql(own: &str, columns: &str) -> String {
    format!(
        "SELECT {columns} FROM agents WHERE enabled AND (id = {own} OR is_default)
         ORDER BY CASE WHEN is_default THEN 1 ELSE 0 END, name LIMIT 1"
    )
}
