//! Contexts: conversations.

pub mod lists;
pub mod sessions;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, SpaceId, UserId},
    places::Channel,
    row::FromRow,
    value::args,
};
use serde::Serialize;

use super::{Conn, StoreError, Tx};

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Its id.
    #[schema(value_type = String)]
    pub id: ContextId,
    /// The channel where it began.
    #[schema(value_type = String)]
    pub channel_id: ChannelId,
    /// The person of a private conversation.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The space of a shared one.
    #[schema(value_type = Option<String>)]
    pub space_id: Option<SpaceId>,
    /// Its name.
    pub name: Option<String>,
    /// Answered turns.
    pub turn_count: i64,
    /// When a person last spoke in it.
    #[schema(value_type = String)]
    pub last_user_interaction_at: Timestamp,
    /// When it was closed.
    #[schema(value_type = Option<String>)]
    pub closed_at: Option<Timestamp>,
    /// When it began.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

impl Context {
    /// Whether it can go on in a channel: where it began, and in private wherever its person is.
    pub fn may_go_on_in(&self, channel: &Channel) -> bool {
        let is_own = self.space_id.is_none() && self.user_id.is_some() && self.user_id == channel.user_id;
        self.channel_id == channel.id || (channel.is_private() && is_own)
    }
}

pub(super) const SELECT: &str = "SELECT id, channel_id, user_id, space_id, name, turn_count, \
                                 last_user_interaction_at, closed_at, created_at FROM contexts";

/// Begins a conversation in a channel and makes it the active one.
pub async fn begin(
    tx: &mut Tx,
    channel: &Channel,
    name: Option<&str>,
    now: Timestamp,
) -> Result<ContextId, StoreError> {
    let id = ContextId::new();
    tx.execute(
        "INSERT INTO contexts (id, channel_id, user_id, space_id, name, turn_count, last_user_interaction_at, created_at)
         VALUES ($1, $2, $3, $4, $5, 0, $6, $6)",
        args![id, channel.id, channel.user_id, channel.space_id, name, now],
    )
    .await?;
    crate::places::channels::set_active_context(tx, channel.id, Some(id)).await?;
    Ok(id)
}

/// One conversation.
pub async fn get(conn: &mut Conn, id: ContextId) -> Result<Option<Context>, StoreError> {
    Ok(conn
        .fetch_all(format!("{SELECT} WHERE id = $1"), args![id])
        .await?
        .pop())
}

/// A person spoke in it: it is open, and locked until the transaction ends.
pub async fn touch(tx: &mut Tx, id: ContextId, now: Timestamp) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE contexts SET last_user_interaction_at = $1, closed_at = NULL WHERE id = $2",
        args![now, id],
    )
    .await?;
    Ok(())
}

/// The model that was chosen for a conversation, by the name of the choice.
pub async fn model(conn: &mut Conn, id: ContextId) -> Result<Option<String>, StoreError> {
    let row: Option<(Option<String>,)> = conn
        .fetch_optional("SELECT model FROM contexts WHERE id = $1", args![id])
        .await?;
    Ok(row.and_then(|row| row.0))
}

/// Chooses the model of a conversation; `None`: the usual one.
pub async fn set_model(tx: &mut Tx, id: ContextId, model: Option<&str>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE contexts SET model = $1 WHERE id = $2",
        args![model.map(str::to_owned), id],
    )
    .await?;
    Ok(())
}

/// Locks a conversation until the transaction ends: what happens in it happens in order.
pub async fn lock(tx: &mut Tx, id: ContextId) -> Result<(), StoreError> {
    tx.defer("UPDATE contexts SET turn_count = turn_count WHERE id = $1", args![id])
        .await?;
    Ok(())
}

/// A channel's conversations, the latest first.
pub async fn of_channel(conn: &mut Conn, channel: ChannelId, limit: u32) -> Result<Vec<Context>, StoreError> {
    let sql = format!("{SELECT} WHERE channel_id = $1 ORDER BY last_user_interaction_at DESC, id DESC LIMIT $2");
    conn.fetch_all(sql, args![channel, limit]).await
}

/// A page of conversations, newest first.
pub async fn page(
    conn: &mut Conn,
    channel: Option<ChannelId>,
    user: Option<UserId>,
    before: Option<ContextId>,
    limit: u32,
) -> Result<Vec<Context>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE ($1 IS NULL OR channel_id = $1) AND ($2 IS NULL OR user_id = $2) AND ($3 IS NULL OR id < $3)
         ORDER BY id DESC LIMIT $4"
    );
    conn.fetch_all(sql, args![channel, user, before, limit]).await
}

/// Whether a place has an open conversation with messages, in which a person spoke since a time: the next message goes on
/// with it.
pub async fn goes_on(conn: &mut Conn, platform: Platform, place: &str, since: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM channels c JOIN contexts x ON x.id = c.active_context_id
               WHERE c.platform = $1 AND c.external_id = $2 AND x.last_user_interaction_at >= $3
               AND EXISTS (SELECT 1 FROM messages m WHERE m.context_id = x.id)";
    conn.exists(sql, args![platform.as_str(), place, since]).await
}

/// Closes a conversation. A channel where it was active has none then.
pub async fn close(tx: &mut Tx, id: ContextId, now: Timestamp) -> Result<bool, StoreError> {
    // A channel is locked before its contexts, as by a message that comes in.
    tx.execute(
        "UPDATE channels SET active_context_id = NULL WHERE active_context_id = $1",
        args![id],
    )
    .await?;
    let closed = tx
        .execute(
            "UPDATE contexts SET closed_at = $1 WHERE id = $2 AND closed_at IS NULL",
            args![now, id],
        )
        .await?;
    Ok(closed > 0)
}

/// Gives a conversation a name.
pub async fn rename(tx: &mut Tx, id: ContextId, name: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE contexts SET name = $1 WHERE id = $2", args![name, id])
        .await?;
    Ok(())
}

/// Counts an answered turn, and names the conversation after its first one if it has no name.
pub async fn count_turn(tx: &mut Tx, id: ContextId, name: &str) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE contexts SET turn_count = turn_count + 1, name = COALESCE(name, $1) WHERE id = $2",
        args![name, id],
    )
    .await?;
    Ok(())
}

const IS_IDLE: &str = "closed_at IS NULL AND last_user_interaction_at < $1
     AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.context_id = c.id AND r.status IN ('pending', 'running', 'waiting'))";

/// The conversations in which no person spoke since a time and no run is at work or sleeps, up to 200 of them.
pub async fn idle(conn: &mut Conn, since: Timestamp) -> Result<Vec<ContextId>, StoreError> {
    let idle: Vec<(ContextId,)> = conn
        .fetch_all(
            format!("SELECT id FROM contexts c WHERE {IS_IDLE} ORDER BY id LIMIT 200"),
            args![since],
        )
        .await?;
    Ok(idle.into_iter().map(|row| row.0).collect())
}

/// Whether a conversation is one of [`idle`], now that it is locked until the transaction ends.
pub async fn is_still_idle(tx: &mut Tx, id: ContextId, since: Timestamp) -> Result<bool, StoreError> {
    // A channel is locked before its contexts, as by a message that comes in.
    tx.defer(
        "UPDATE channels SET active_context_id = active_context_id WHERE active_context_id = $1",
        args![id],
    )
    .await?;
    lock(tx, id).await?;
    let found: Option<(ContextId,)> = tx
        .fetch_optional(
            format!("SELECT id FROM contexts c WHERE {IS_IDLE} AND id = $2"),
            args![since, id],
        )
        .await?;
    Ok(found.is_some())
}
