//! The rows of the memory writer: the standing of a conversation, its messages piece by piece, a person's items.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, JobId, MessageId, SpaceId, UserId},
    json_text::{JsonText, to_json},
    memory::{
        rows::{Change, Item, SourceMessage},
        segment,
    },
    messages::Direction,
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx, withheld};

/// Where a conversation stands.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ConversationState {
    /// The channel where it began.
    pub channel_id: ChannelId,
    /// The person of a private conversation.
    pub user_id: Option<UserId>,
    /// The space of a shared one.
    pub space_id: Option<SpaceId>,
    /// The summary of its compacted messages.
    pub summary: Option<String>,
    /// The people whose words the summary holds.
    pub summary_of: Option<JsonText<Vec<UserId>>>,
    /// The last message that the summary covers.
    pub compacted_through: Option<MessageId>,
    /// The last message that was read for what is to be remembered.
    pub remembered_through: Option<MessageId>,
}

/// Where a conversation stands. `None`: it is gone.
pub async fn standing(conn: &mut Conn, context: ContextId) -> Result<Option<ConversationState>, StoreError> {
    conn.fetch_optional(
        "SELECT channel_id, user_id, space_id, summary, summary_of, compacted_through, remembered_through
         FROM contexts WHERE id = $1",
        args![context],
    )
    .await
}

/// The next messages of a conversation behind `after`, up to and with `through`, oldest first. Of a text that is longer than
/// what is read at a time, the beginning: no prompt shows more of it.
pub async fn next(
    conn: &mut Conn,
    context: ContextId,
    after: Option<MessageId>,
    through: Option<MessageId>,
    limit: u32,
) -> Result<Vec<SourceMessage>, StoreError> {
    conn.fetch_all(
        format!(
            "SELECT id, direction, user_id, SUBSTR(content, 1, {}) AS content, status = 'failed' AS failed FROM messages
             WHERE context_id = $1 AND ($2 IS NULL OR id > $2) AND ($3 IS NULL OR id <= $3) AND deleted_at IS NULL
                 AND {}
             ORDER BY id LIMIT $4",
            segment::MOST_CHARACTERS + 1,
            withheld::is_open("")
        ),
        args![context, after, through, limit],
    )
    .await
}

/// The last message of a conversation, if a person has said something in it that was not read yet.
pub async fn unread_through(conn: &mut Conn, context: ContextId) -> Result<Option<MessageId>, StoreError> {
    let row: Option<(MessageId,)> = conn
        .fetch_optional(
            "SELECT id FROM messages WHERE context_id = $1 AND EXISTS (
                 SELECT 1 FROM messages m JOIN contexts c ON c.id = m.context_id WHERE m.context_id = $1
                 AND m.direction = 'inbound' AND m.id > COALESCE(c.remembered_through, ''))
             ORDER BY id DESC LIMIT 1",
            args![context],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Whether a conversation is about to be compacted.
pub async fn is_compacting(conn: &mut Conn, context: ContextId) -> Result<bool, StoreError> {
    let row: Option<(String,)> = conn
        .fetch_optional(
            "SELECT id FROM jobs WHERE context_id = $1 AND mode = 'compact' AND status = 'pending'",
            args![context],
        )
        .await?;
    Ok(row.is_some())
}

/// A message in the order of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct MessagePosition {
    /// Its id.
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
}

const NOT_COMPACTED: &str = "FROM messages WHERE context_id = $1
     AND id > COALESCE((SELECT compacted_through FROM contexts WHERE id = $1), '')
     AND id < COALESCE((SELECT MIN(id) FROM messages WHERE context_id = $1 AND status = 'queued'), 'z')";

/// The older half of a conversation, without what waits to be answered, and the message behind it; oldest first.
pub async fn older_half(conn: &mut Conn, context: ContextId) -> Result<Vec<MessagePosition>, StoreError> {
    let all: (i64,) = conn
        .fetch_one(format!("SELECT COUNT(*) {NOT_COMPACTED}"), args![context])
        .await?;
    conn.fetch_all(
        format!("SELECT id, direction {NOT_COMPACTED} ORDER BY id LIMIT $2"),
        args![context, all.0 / 2 + 1],
    )
    .await
}

/// Notes that a conversation was read up to a message.
pub async fn remembered(tx: &mut Tx, context: ContextId, through: MessageId) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE contexts SET remembered_through = $1
         WHERE id = $2 AND (remembered_through IS NULL OR remembered_through < $1)",
        args![through, context],
    )
    .await
}

/// The beginning of a conversation, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The summary.
    pub text: String,
    /// The people whose words it holds.
    pub of: Vec<UserId>,
    /// The last message that it tells.
    pub through: MessageId,
}

/// Lets a summary stand for the beginning of a conversation. Its turns are those that stayed.
pub async fn compacted(tx: &mut Tx, context: ContextId, summary: &Summary) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE contexts SET summary = $1, summary_of = $2, compacted_through = $3,
             turn_count = (SELECT COUNT(*) FROM messages
                           WHERE context_id = $4 AND direction = 'inbound' AND status = 'received' AND id > $3)
         WHERE id = $4",
        args![&summary.text, to_json(&summary.of), summary.through, context],
    )
    .await
}

/// Keeps a person's items to this transaction until it ends: called before [`items`] where they are written then.
/// A conversation is locked before its people.
pub async fn lock(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    // SQLite has one writer at a time.
    if tx.is_postgres() {
        tx.exists(
            "SELECT updated_at FROM users WHERE id = $1 FOR NO KEY UPDATE",
            args![user],
        )
        .await?;
    }
    Ok(())
}

/// A person's active items, all of them, in the order of prompts.
pub async fn items(conn: &mut Conn, user: UserId) -> Result<Vec<Item>, StoreError> {
    conn.fetch_all(
        "SELECT id, module, key, value, level, confidence, origin_space, shareable, pinned, created_at, last_seen_at
         FROM memory_items WHERE user_id = $1 AND NOT archived ORDER BY level, pinned DESC, last_seen_at DESC, id",
        args![user],
    )
    .await
}

/// Whether answers of runs that had read words from outside stand in a piece of a conversation: behind one message, up
/// to and with another.
pub async fn has_tainted(
    conn: &mut Conn,
    context: ContextId,
    after: Option<MessageId>,
    through: MessageId,
) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM messages m
         WHERE m.context_id = $1 AND ($2 IS NULL OR m.id > $2) AND m.id <= $3 AND m.direction = 'outbound'
             AND COALESCE(m.metadata, '') NOT LIKE '%\"foreign\":false%'
             AND (EXISTS (SELECT 1 FROM runs r WHERE r.id = m.run_id AND r.tainted)
                  OR (m.run_id IS NULL AND EXISTS (SELECT 1 FROM runs r WHERE r.context_id = $1 AND r.tainted)))
         LIMIT 1";
    conn.exists(sql, args![context, after, through]).await
}

/// The words that a memory write was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// The person's alone, and what a run said that had read nobody else's.
    Own,
    /// Others may have had a part in them.
    Others,
}

/// Changes a person's items. New ones come from this conversation and belong to a space; none: they are private.
///
/// # Errors
/// [`StoreError::Conflict`]: somebody else stored an active item of the same key meanwhile.
pub async fn change(
    tx: &mut Tx,
    user: UserId,
    context: Option<ContextId>,
    space: Option<SpaceId>,
    words: Words,
    changes: &[Change],
) -> Result<(), StoreError> {
    let is_own = words == Words::Own;
    for change in changes {
        match change {
            Change::Add(item) => {
                tx.defer(
                    "INSERT INTO memory_items (id, user_id, level, module, key, value, confidence, context_id,
                         origin_space, shareable, pinned, archived, created_at, last_seen_at, own_at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10, $11, $12, $13)",
                    args![
                        item.id,
                        user,
                        item.level,
                        &item.module,
                        &item.key,
                        &item.value,
                        item.confidence,
                        context,
                        space,
                        false,
                        item.created_at,
                        item.last_seen_at,
                        if is_own { item.last_seen_at } else { Timestamp(0) }
                    ],
                )
                .await?;
            }
            Change::Update(item) => {
                tx.defer(
                    // An item from a tainted conversation keeps it as its source, even if another one repeats the fact.
                    "UPDATE memory_items SET level = $1, value = $2, confidence = $3,
                         context_id = CASE WHEN EXISTS (
                             SELECT 1 FROM runs r WHERE r.context_id = memory_items.context_id AND r.tainted)
                             THEN context_id ELSE $4 END,
                         origin_space = $5, shareable = $6, last_seen_at = $7,
                         own_at = CASE WHEN $10 OR (value = $2 AND own_at = last_seen_at) THEN $7
                             WHEN value = $2 AND own_at IS NULL THEN NULL ELSE 0 END
                     WHERE id = $8 AND user_id = $9 AND NOT archived AND NOT pinned",
                    args![
                        item.level,
                        &item.value,
                        item.confidence,
                        context,
                        item.origin_space,
                        item.shareable,
                        item.last_seen_at,
                        item.id,
                        user,
                        is_own
                    ],
                )
                .await?;
            }
            Change::Archive(id) => {
                tx.defer(
                    "UPDATE memory_items SET archived = $1 WHERE id = $2 AND user_id = $3 AND NOT pinned",
                    args![true, *id, user],
                )
                .await?;
            }
        }
    }
    Ok(())
}

/// A compaction whose messages are still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct CompactedSpan {
    /// Its job.
    pub id: JobId,
    /// The conversation.
    pub context_id: ContextId,
    /// The last message that left it.
    pub through: MessageId,
}

/// A page of the compactions that ended before a time and whose messages are still there, oldest first; `after`: the last one
/// of the page before.
pub async fn kept(
    conn: &mut Conn,
    ended_before: Timestamp,
    after: Option<JobId>,
    limit: u32,
) -> Result<Vec<CompactedSpan>, StoreError> {
    conn.fetch_all(
        "SELECT id, context_id, through FROM jobs WHERE mode = 'compact' AND status = 'done' AND purged_at IS NULL
         AND ended_at < $1 AND context_id IS NOT NULL AND through IS NOT NULL AND ($3 IS NULL OR id > $3)
         ORDER BY id LIMIT $2",
        args![ended_before, limit, after],
    )
    .await
}

/// Deletes messages that a summary tells, up to and with one, oldest first, with their parts and files; not what is
/// still to be sent, nor what belongs to a run that has not ended: it may still read its files. Returns how many there
/// were.
pub async fn delete_compacted(
    tx: &mut Tx,
    context: ContextId,
    through: MessageId,
    limit: u32,
) -> Result<usize, StoreError> {
    let gone: Vec<(MessageId,)> = tx
        .fetch_all(
            "SELECT id FROM messages WHERE context_id = $1 AND id <= $2
             AND id <= (SELECT compacted_through FROM contexts WHERE id = $1)
             AND status NOT IN ('queued', 'pending', 'sending')
             AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = messages.run_id
                             AND r.status IN ('pending', 'running', 'waiting'))
             ORDER BY id LIMIT $3",
            args![context, through, limit],
        )
        .await?;
    for (id,) in &gone {
        for sql in [
            "DELETE FROM message_parts WHERE message_id = $1",
            "DELETE FROM files WHERE message_id = $1",
            "DELETE FROM messages WHERE id = $1",
        ] {
            tx.defer(sql, args![*id]).await?;
        }
    }
    Ok(gone.len())
}

/// Notes of a compaction that its messages were deleted, if they all are.
pub async fn purged(tx: &mut Tx, job: JobId, now: Timestamp) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE jobs SET purged_at = $1 WHERE id = $2 AND NOT EXISTS (
             SELECT 1 FROM messages m WHERE m.context_id = jobs.context_id AND m.id <= jobs.through)",
        args![now, job],
    )
    .await
}
