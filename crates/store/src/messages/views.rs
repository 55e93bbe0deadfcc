//! Messages for callers of the API: in pages, by a sender's key, and with the questions of runs.

use clifford_core::{
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    row::FromRow,
    value::args,
};

use crate::{
    Conn, StoreError,
    messages::{Message, SELECT},
};

/// A page of messages, newest first: of a channel, of a conversation with what its runs ask there, or of all.
pub async fn page(
    conn: &mut Conn,
    channel: Option<ChannelId>,
    context: Option<ContextId>,
    before: Option<MessageId>,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let Some(context) = context else {
        let conditions = [
            ("channel_id =", channel.map(clifford_core::value::Value::from)),
            ("id <", before.map(clifford_core::value::Value::from)),
        ];
        let (sql, args) = crate::db::page::ask(SELECT, Vec::new(), conditions, limit);
        return conn.fetch_all(sql, args).await;
    };
    let mut args = args![context, limit];
    let mut only = String::new();
    let conditions = [
        ("m.channel_id =", channel.map(clifford_core::value::Value::from)),
        ("m.id <", before.map(clifford_core::value::Value::from)),
    ];
    for (condition, value) in conditions {
        if let Some(value) = value {
            args.push(value);
            only.push_str(&format!(" AND {condition} ${}", args.len()));
        }
    }
    // A question belongs to no conversation: it is found by its run, among what was said aside in that channel.
    let sql = format!(
        "{SELECT} WHERE id IN (
             SELECT id FROM (SELECT m.id FROM messages m WHERE m.context_id = $1{only} ORDER BY m.id DESC LIMIT $2) AS said
             UNION ALL
             SELECT id FROM (SELECT m.id FROM messages m JOIN runs r ON r.id = m.run_id
                             WHERE m.channel_id = (SELECT channel_id FROM contexts WHERE id = $1)
                             AND m.direction = 'outbound' AND m.context_id IS NULL AND r.context_id = $1{only}
                             ORDER BY m.id DESC LIMIT $2) AS asked)
         ORDER BY id DESC LIMIT $2"
    );
    conn.fetch_all(sql, args).await
}

/// The message of a conversation that stands so many places behind another one. `None`: there are not that many.
pub async fn behind(
    conn: &mut Conn,
    context: ContextId,
    message: MessageId,
    places: u32,
) -> Result<Option<MessageId>, StoreError> {
    let sql = "SELECT id FROM messages WHERE context_id = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3";
    let row: Option<(MessageId,)> = conn.fetch_optional(sql, args![context, message, places]).await?;
    Ok(row.map(|row| row.0))
}

/// The outbound messages of a channel that belong to no conversation and came after another message, the oldest first.
pub async fn said_aside(
    conn: &mut Conn,
    channel: ChannelId,
    after: MessageId,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE channel_id = $1 AND direction = 'outbound' AND context_id IS NULL AND id > $2 ORDER BY id LIMIT $3"
    );
    conn.fetch_all(sql, args![channel, after, limit]).await
}

/// A page of the messages in a person's private channels, newest first.
pub async fn private_page(
    conn: &mut Conn,
    user: UserId,
    before: Option<MessageId>,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    conn.fetch_all(
        format!(
            "{SELECT} WHERE channel_id IN (SELECT id FROM channels WHERE kind = 'private' AND user_id = $1)
             AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3"
        ),
        args![user, before, limit],
    )
    .await
}

/// A message as its sender's key finds it again.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Keyed {
    /// Its id.
    pub id: MessageId,
    /// The run that it became.
    pub run_id: Option<RunId>,
    /// The SHA-256 of what came with the key; none: an older version stored it.
    pub request_hash: Option<String>,
}

/// The message of a sender's key.
pub async fn keyed(conn: &mut Conn, channel: ChannelId, key: &str) -> Result<Option<Keyed>, StoreError> {
    conn.fetch_optional(
        "SELECT id, run_id, request_hash FROM messages WHERE channel_id = $1 AND idempotency_key = $2",
        args![channel, key],
    )
    .await
}

/// The messages of a run, in order.
pub async fn said_by(conn: &mut Conn, run: RunId) -> Result<Vec<Message>, StoreError> {
    conn.fetch_all(
        format!("{SELECT} WHERE run_id = $1 AND direction = 'outbound' ORDER BY id"),
        args![run],
    )
    .await
}

/// The messages that the caller of a run sees, in order: its own, and the questions of it and its subagents.
pub async fn messages_of_run(conn: &mut Conn, run: RunId) -> Result<Vec<Message>, StoreError> {
    conn.fetch_all(
        format!(
            "{SELECT} WHERE direction = 'outbound' AND (run_id = $1 OR (context_id IS NULL AND run_id IN
                 (SELECT id FROM runs WHERE root_run_id = $1 AND parent_run_id IS NOT NULL))) ORDER BY id"
        ),
        args![run],
    )
    .await
}
