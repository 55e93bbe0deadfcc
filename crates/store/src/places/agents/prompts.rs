//! The versions of an agent's prompt. They are only added to: going back to one adds it again, and the newest is the
//! agent's prompt.
//!
//! Older versions of Clifford write a prompt without a version. So a write first keeps what it finds.

use clifford_core::{clock::Timestamp, id::AgentId, places::AgentSource, row::FromRow, value::args};
use serde::Serialize;

use crate::{Conn, StoreError, Tx};

/// A version of a prompt, without its text.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptVersion {
    /// Its number, from 1; the highest is in use.
    pub version: i64,
    /// Where it comes from.
    pub source: AgentSource,
    /// The version that it brought back.
    pub restores: Option<i64>,
    /// How long it is, in characters.
    pub characters: i64,
    /// When it came into use.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

/// A version of a prompt with its text.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Its number, from 1; the highest is in use.
    pub version: i64,
    /// Its text.
    pub prompt: String,
    /// Where it comes from.
    pub source: AgentSource,
    /// The version that it brought back.
    pub restores: Option<i64>,
    /// When it came into use.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT version, prompt, source, restores, created_at FROM agent_prompts";

/// A page of an agent's versions, the newest first.
pub async fn page(
    conn: &mut Conn,
    agent: AgentId,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<PromptVersion>, StoreError> {
    conn.fetch_all(
        "SELECT version, source, restores, CAST(LENGTH(prompt) AS BIGINT) AS characters, created_at FROM agent_prompts
         WHERE agent_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3",
        args![agent, before.unwrap_or(i64::MAX), limit],
    )
    .await
}

/// One version.
pub async fn get(conn: &mut Conn, agent: AgentId, version: i64) -> Result<Option<Prompt>, StoreError> {
    conn.fetch_optional(
        format!("{SELECT} WHERE agent_id = $1 AND version = $2"),
        args![agent, version],
    )
    .await
}

/// Gives an agent a prompt of an owner's. `restores`: the version that it is the text of.
///
/// # Errors
/// There is no such agent; the store's.
pub async fn set(
    tx: &mut Tx,
    agent: AgentId,
    prompt: &str,
    restores: Option<i64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    // The row is locked before its versions are looked at: numbers follow each other.
    let locked = tx
        .execute("UPDATE agents SET updated_at = $1 WHERE id = $2", args![now, agent])
        .await?;
    if locked == 0 {
        return Err(StoreError::NotFound(format!("agent {agent}")));
    }
    let before = in_use(tx, agent).await?;
    if before == prompt {
        return Ok(());
    }
    let new = New {
        prompt,
        source: AgentSource::Owner,
        restores,
    };
    add(tx, agent, new, now).await
}

/// Brings in the prompt that the configuration gives an agent of this name.
pub(super) async fn configure(tx: &mut Tx, name: &str, wanted: &str, now: Timestamp) -> Result<(), StoreError> {
    let row: Option<(AgentId,)> = tx
        .fetch_optional("SELECT id FROM agents WHERE name = $1", args![name])
        .await?;
    let Some((agent,)) = row else { return Ok(()) };
    in_use(tx, agent).await?;
    let told: Option<(String,)> = tx
        .fetch_optional(
            "SELECT prompt FROM agent_prompts WHERE agent_id = $1 AND source = 'config' ORDER BY version DESC LIMIT 1",
            args![agent],
        )
        .await?;
    if told.is_some_and(|(told,)| told == wanted) {
        return Ok(());
    }
    let new = New {
        prompt: wanted,
        source: AgentSource::Config,
        restores: None,
    };
    add(tx, agent, new, now).await
}

/// The prompt that an agent has, after it was kept as a version.
pub(super) async fn in_use(tx: &mut Tx, agent: AgentId) -> Result<String, StoreError> {
    let (prompt, source, at): (String, AgentSource, Timestamp) = tx
        .fetch_one(
            "SELECT prompt, source, updated_at FROM agents WHERE id = $1",
            args![agent],
        )
        .await?;
    let newest: Option<(String,)> = tx
        .fetch_optional(
            "SELECT prompt FROM agent_prompts WHERE agent_id = $1 ORDER BY version DESC LIMIT 1",
            args![agent],
        )
        .await?;
    if newest.is_none_or(|(newest,)| newest != prompt) {
        let found = New {
            prompt: &prompt,
            source,
            restores: None,
        };
        add(tx, agent, found, at).await?;
    }
    Ok(prompt)
}

/// A version that is to be added.
struct New<'a> {
    prompt: &'a str,
    source: AgentSource,
    restores: Option<i64>,
}

async fn add(tx: &mut Tx, agent: AgentId, new: New<'_>, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agent_prompts (agent_id, version, prompt, source, restores, created_at)
         SELECT $1, COALESCE(MAX(version), 0) + 1, $2, $3, $4, $5 FROM agent_prompts WHERE agent_id = $1",
        args![agent, new.prompt, new.source, new.restores, now],
    )
    .await?;
    tx.execute("UPDATE agents SET prompt = $1 WHERE id = $2", args![new.prompt, agent])
        .await?;
    Ok(())
}
