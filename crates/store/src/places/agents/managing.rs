//! Agents in an owner's hands: looked at with where they come from, made, and deleted. An agent of `bot.toml` goes with
//! its section there.

use clifford_core::{
    clock::Timestamp,
    id::AgentId,
    places::{AgentSource, Mode},
    row::FromRow,
    value::args,
};
use serde::Serialize;

use super::prompts;
use crate::{Conn, StoreError, Tx};

/// An agent as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Agent)]
pub struct ManagedAgent {
    /// Its id.
    #[schema(value_type = String)]
    pub id: AgentId,
    /// Its name, unique.
    pub name: String,
    /// The agent's persona, in its system prompt.
    pub prompt: String,
    /// The version of that prompt.
    pub prompt_version: i64,
    /// How it answers.
    pub mode: Mode,
    /// Whether it takes runs.
    pub enabled: bool,
    /// It takes what names no other agent.
    pub is_default: bool,
    /// Where it comes from. One of `bot.toml` is changed there.
    pub source: AgentSource,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String)]
    pub updated_at: Timestamp,
}

const SELECT: &str = "SELECT id, name, prompt, mode, enabled, is_default, source, created_at, updated_at,
     COALESCE((SELECT MAX(p.version) FROM agent_prompts p WHERE p.agent_id = agents.id), 1) AS prompt_version
     FROM agents WHERE deleted_at IS NULL";

/// Every agent, by name.
pub async fn list(conn: &mut Conn) -> Result<Vec<ManagedAgent>, StoreError> {
    conn.fetch_all(format!("{SELECT} ORDER BY name"), args![]).await
}

/// One agent that is not deleted.
pub async fn get(conn: &mut Conn, id: AgentId) -> Result<Option<ManagedAgent>, StoreError> {
    conn.fetch_optional(format!("{SELECT} AND id = $1"), args![id]).await
}

/// An agent that is to be made.
#[derive(Clone, Debug)]
pub struct NewAgent {
    /// Its name.
    pub name: String,
    /// Its prompt.
    pub prompt: String,
    /// How it answers.
    pub mode: Mode,
    /// Whether it takes runs.
    pub enabled: bool,
}

/// Makes an agent. One that had this name and was deleted is that agent again, with the versions of its prompt.
///
/// # Errors
/// [`StoreError::Conflict`]: an agent has this name; the store's.
pub async fn create(tx: &mut Tx, new: &NewAgent, now: Timestamp) -> Result<AgentId, StoreError> {
    let deleted: Option<(AgentId,)> = tx
        .fetch_optional(
            "UPDATE agents SET mode = $2, enabled = $3, source = 'owner', deleted_at = NULL, updated_at = $4
             WHERE name = $1 AND deleted_at IS NOT NULL RETURNING id",
            args![&new.name, new.mode, new.enabled, now],
        )
        .await?;
    if let Some((id,)) = deleted {
        prompts::set(tx, id, &new.prompt, None, now).await?;
        return Ok(id);
    }
    let id = AgentId::new();
    tx.execute(
        "INSERT INTO agents (id, name, prompt, mode, enabled, is_default, source, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'owner', $7, $7)",
        args![id, &new.name, &new.prompt, new.mode, new.enabled, false, now],
    )
    .await?;
    prompts::in_use(tx, id).await?;
    Ok(id)
}

/// Deletes an agent: it takes no more runs, and what named it has the default one. Its runs know it still.
///
/// # Errors
/// [`StoreError::WrongState`]: it stands in `bot.toml`. [`StoreError::NotFound`]: there is none; the store's.
pub async fn delete(tx: &mut Tx, id: AgentId, now: Timestamp) -> Result<(), StoreError> {
    let Some(agent) = get(tx, id).await? else {
        return Err(StoreError::NotFound(format!("agent {id}")));
    };
    if agent.source == AgentSource::Config {
        let why = format!(
            "{} stands in bot.toml: take it out there, and delete it after the next start",
            agent.name
        );
        return Err(StoreError::WrongState(why));
    }
    tx.execute(
        "UPDATE channels SET agent_id = NULL, updated_at = $2 WHERE agent_id = $1",
        args![id, now],
    )
    .await?;
    tx.execute(
        "UPDATE triggers SET agent_id = NULL, updated_at = $2 WHERE agent_id = $1",
        args![id, now],
    )
    .await?;
    tx.execute(
        "DELETE FROM settings WHERE scope = $1 OR (name = 'agent' AND value = $2)",
        args![id.to_string(), agent.name],
    )
    .await?;
    tx.execute(
        "UPDATE agents SET enabled = $1, deleted_at = $2, updated_at = $2 WHERE id = $3",
        args![false, now, id],
    )
    .await?;
    Ok(())
}
