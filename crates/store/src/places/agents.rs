//! Agents: a prompt with its settings. Those of the configuration are brought in at every start; others are made by an
//! owner (`managing`), and every prompt keeps its versions (`prompts`).

pub mod managing;
pub mod prompts;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId},
    places::{Channel, Mode},
    row::FromRow,
    settings::Agent as Section,
    value::args,
};
use serde::Serialize;

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
    /// The agent's persona, in its system prompt.
    pub prompt: String,
    /// How it answers.
    pub mode: Mode,
    /// Whether it takes runs.
    pub enabled: bool,
    /// It takes what names no other agent.
    pub is_default: bool,
}

impl Agent {
    /// An agent of the configuration; one that is known by its name keeps its id.
    pub fn configured(section: &Section, is_default: bool) -> Self {
        Self {
            id: AgentId::new(),
            name: section.name.clone(),
            prompt: section.persona(),
            mode: section.mode,
            enabled: section.enabled,
            is_default,
        }
    }

    /// The same where the managers of a place set how it is answered there: by chat, if either says so.
    #[must_use]
    pub fn in_mode(self, set: Option<Mode>) -> Self {
        match set {
            Some(Mode::Chat) => Self {
                mode: Mode::Chat,
                ..self
            },
            Some(Mode::Run) | None => self,
        }
    }
}

pub(crate) const COLUMNS: &str = "id, name, prompt, mode, enabled, is_default";

/// Brings an agent of the configuration in, by its name. A prompt that an owner set since stays until that of the
/// configuration is another one.
pub async fn put(tx: &mut Tx, agent: &Agent, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agents (id, name, prompt, mode, enabled, is_default, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
         ON CONFLICT (name) DO UPDATE SET mode = excluded.mode, enabled = excluded.enabled,
             is_default = excluded.is_default, source = 'config', deleted_at = NULL, updated_at = excluded.updated_at",
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
    prompts::configure(tx, &agent.name, &agent.prompt, now).await
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

/// Takes agents that are not in the configuration any more out of service, and leaves them to the owner, who may turn
/// them on again or delete them.
pub async fn disable_except(tx: &mut Tx, names: &[String], now: Timestamp) -> Result<(), StoreError> {
    let known: Vec<(AgentId, String)> = tx
        .fetch_all("SELECT id, name FROM agents WHERE source = 'config'", args![])
        .await?;
    for (id, _) in known.into_iter().filter(|(_, name)| !names.contains(name)) {
        tx.execute(
            "UPDATE agents SET enabled = $1, is_default = $1, source = 'owner', updated_at = $2 WHERE id = $3",
            args![false, now, id],
        )
        .await?;
    }
    Ok(())
}

/// Every agent that is not deleted, by name.
pub async fn list(conn: &mut Conn) -> Result<Vec<Agent>, StoreError> {
    conn.fetch_all(
        format!("SELECT {COLUMNS} FROM agents WHERE deleted_at IS NULL ORDER BY name"),
        args![],
    )
    .await
}

/// One agent, deleted or not: runs that it did know it still.
pub async fn get(conn: &mut Conn, id: AgentId) -> Result<Option<Agent>, StoreError> {
    conn.fetch_optional(
        "SELECT id, name, prompt, mode, enabled, is_default FROM agents WHERE id = $1",
        args![id],
    )
    .await
}

/// The agent of a channel: its own if that is enabled, else the one that is set for it, of the channel that it is a
/// thread of, or of its space, else the default one, else none.
pub async fn for_channel(conn: &mut Conn, channel: Option<&Channel>) -> Result<Option<Agent>, StoreError> {
    let (own, id, parent, space) = channel.map_or((None, None, None, None), |channel| {
        (channel.agent_id, Some(channel.id), channel.parent_id, channel.space_id)
    });
    let sql = for_channel_sql(["$1", "$2", "$3", "$4"], COLUMNS);
    conn.fetch_optional(sql, args![own, id, parent, space]).await
}

/// How an agent answers in a channel: by chat, if either of them does.
pub async fn mode_in(conn: &mut Conn, agent: AgentId, channel: ChannelId) -> Result<Mode, StoreError> {
    let chats = conn
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM agents a, channels c
             WHERE a.id = $1 AND c.id = $2 AND (a.mode = 'chat' OR c.mode = 'chat' OR EXISTS (
                 SELECT 1 FROM channels p WHERE p.id = c.parent_id AND p.mode = 'chat') OR EXISTS (
                 SELECT 1 FROM settings s WHERE s.name = 'mode' AND s.value = 'chat' AND s.scope = COALESCE(
                     (SELECT n.scope FROM settings n WHERE n.name = 'mode' AND n.scope = c.id),
                     (SELECT n.scope FROM settings n WHERE n.name = 'mode' AND n.scope = c.parent_id), c.space_id)))",
            args![agent, channel],
        )
        .await?;
    Ok(if chats { Mode::Chat } else { Mode::Run })
}

/// The same as a query for some columns, where these are the SQL of the channel's own agent, of the channel's id, of its
/// parent's and of its space's.
pub(crate) fn for_channel_sql([own, channel, parent, space]: [&str; 4], columns: &str) -> String {
    let set = |scope: &str| {
        format!(
            "(SELECT o.id FROM agents o JOIN settings s ON s.name = 'agent' AND s.value = o.name
              WHERE o.enabled AND s.scope = {scope})"
        )
    };
    let (here, above, around) = (set(channel), set(parent), set(space));
    format!(
        "SELECT {columns} FROM agents WHERE id = COALESCE(
             (SELECT o.id FROM agents o WHERE o.enabled AND o.id = {own}), {here},
             (SELECT o.id FROM agents o JOIN channels p ON p.agent_id = o.id WHERE o.enabled AND p.id = {parent}),
             {above}, {around},
             (SELECT o.id FROM agents o WHERE o.enabled AND o.is_default ORDER BY o.name LIMIT 1))"
    )
}
