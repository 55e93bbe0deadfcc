//! Messages that were stored or stand elsewhere, for those who look on: ids and states, without words.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    messages::{Direction, MessageStatus},
    row::FromRow,
    value::{Value, args},
};

use crate::{Conn, StoreError};

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ChangedMessage {
    /// The message.
    pub id: MessageId,
    /// In or out.
    pub direction: Direction,
    /// Its channel.
    pub channel_id: ChannelId,
    /// Its conversation.
    pub context_id: Option<ContextId>,
    /// Its person.
    pub user_id: Option<UserId>,
    /// The run that it belongs to.
    pub run_id: Option<RunId>,
    /// Where it stands.
    pub status: MessageStatus,
    /// When it was stored.
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT id, direction, channel_id, context_id, user_id, run_id, status, created_at FROM messages";

/// How many messages are looked up by one statement.
const AT_ONCE: usize = 500;

/// The messages from an id on, the oldest first.
pub async fn from(conn: &mut Conn, first: MessageId, limit: u32) -> Result<Vec<ChangedMessage>, StoreError> {
    conn.fetch_all(
        format!("{SELECT} WHERE id >= $1 ORDER BY id LIMIT $2"),
        args![first, limit],
    )
    .await
}

/// The messages that are to be delivered.
pub async fn under_way(conn: &mut Conn, limit: u32) -> Result<Vec<ChangedMessage>, StoreError> {
    conn.fetch_all(
        format!("{SELECT} WHERE direction = 'outbound' AND status IN ('pending', 'sending') LIMIT $1"),
        args![limit],
    )
    .await
}

/// These messages, as far as they are there.
pub async fn these(conn: &mut Conn, ids: &[MessageId]) -> Result<Vec<ChangedMessage>, StoreError> {
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(AT_ONCE) {
        let places: Vec<_> = (1..=ids.len()).map(|place| format!("${place}")).collect();
        let sql = format!("{SELECT} WHERE id IN ({})", places.join(", "));
        let values = ids.iter().copied().map(Value::from).collect();
        found.extend(conn.fetch_all::<ChangedMessage>(sql, values).await?);
    }
    Ok(found)
}
