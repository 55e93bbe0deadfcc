//! Messages, in and out. An outbound message is its own outbox row, with a row a part.

pub mod changes;
pub mod conversation;
pub mod inbound_attempts;
pub(crate) mod long_text;
pub mod one_message;
pub mod outbox;
pub mod queue_depth;
pub mod quoting;
pub mod replies;
pub mod status_messages;
mod turns;
pub mod undelivered;
pub mod unreadable;
pub(crate) mod views;
pub(crate) mod waiting;

use clifford_chat::{
    inbound::Attachment,
    outbound::{Address, Part},
    platform::Platform,
};
pub use clifford_core::messages::Gap;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId, WorkerId},
    json_text::{JsonText, to_json},
    messages::{Direction, MessageStatus, Quote},
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{
    Conn, StoreError, Tx,
    removal::{CHUNK, places},
};
use crate::messages::replies::with_quote;
pub(super) use crate::messages::turns::{TurnRow, answer, ask_conversation, is_tainted, readers};
pub(super) use crate::messages::waiting::ask_queued;
pub use crate::messages::{
    turns::{FOREIGN, Foreign, READERS, REFUSAL, Turn, conversation},
    views::{Keyed, behind, keyed, messages_of_run, page, private_page, said_aside, said_by},
    waiting::{Queued, drop_queued, queue, queued},
};

/// A message.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its id.
    #[schema(value_type = String)]
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
    /// Where.
    #[schema(value_type = String)]
    pub channel_id: ChannelId,
    /// In which conversation.
    #[schema(value_type = Option<String>)]
    pub context_id: Option<ContextId>,
    /// The person; of an outbound message: the person whom it answers.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The run that it became or came from.
    #[schema(value_type = Option<String>)]
    pub run_id: Option<RunId>,
    /// The text: of an outbound message, Markdown.
    pub content: String,
    /// Files.
    #[schema(value_type = Option<Object>)]
    pub attachments: Option<JsonText<Json>>,
    /// Further metadata.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<JsonText<Json>>,
    /// The platform's id of it.
    pub platform_message_id: Option<String>,
    /// Where it stands.
    pub status: MessageStatus,
    /// Why it was not delivered.
    pub error: Option<String>,
    /// When it was stored.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it was deleted where it was written, or, of an answer, when its question was asked anew.
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

pub(super) const SELECT: &str = "SELECT id, direction, channel_id, context_id, user_id, run_id, content, attachments, metadata, \
                      platform_message_id, status, error, created_at, deleted_at FROM messages";

/// An inbound message to be stored.
#[derive(Clone, Debug)]
pub struct NewInbound {
    /// Its id.
    pub id: MessageId,
    /// Where.
    pub channel_id: ChannelId,
    /// In which conversation.
    pub context_id: Option<ContextId>,
    /// Its author.
    pub user_id: UserId,
    /// The run that it becomes.
    pub run_id: Option<RunId>,
    /// The text; in a shared channel with its speaker's name.
    pub content: String,
    /// Files.
    pub attachments: Vec<Attachment>,
    /// The message that it answers.
    pub quote: Option<Quote>,
    /// The author of the quote, if that is another person.
    pub quoted_user_id: Option<UserId>,
    /// The platform's id of it.
    pub platform_message_id: Option<String>,
    /// The sender's own key against storing it twice.
    pub idempotency_key: Option<String>,
    /// The SHA-256 of what came with that key.
    pub request_hash: Option<String>,
    /// The album that it is a piece of.
    pub album: Option<String>,
    /// Where it stands.
    pub status: MessageStatus,
    /// When it was sent, by the platform's clock.
    pub sent_at: Timestamp,
}

impl NewInbound {
    /// The message as a run is asked it: with what it answers.
    pub fn asked(&self) -> String {
        match &self.quote {
            Some(quote) => quote.before(&self.content, usize::MAX),
            None => self.content.clone(),
        }
    }
}

/// Stores an inbound message, of which it is known that it is not there already: its channel is locked.
///
/// # Errors
/// [`StoreError::Conflict`], with the next statement or the commit: it is there.
pub async fn insert_inbound(tx: &mut Tx, message: &NewInbound, now: Timestamp) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO messages (id, direction, channel_id, context_id, user_id, run_id, content, attachments,
                 metadata, platform_message_id, idempotency_key, album, status, attempts, sent_at, created_at, quote,
                 quoted_user_id, request_hash)
             VALUES ($1, 'inbound', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, $14, $15, $16, $17)",
        args![
            message.id,
            message.channel_id,
            message.context_id,
            message.user_id,
            message.run_id,
            &message.content,
            (!message.attachments.is_empty()).then(|| to_json(&message.attachments)),
            message.run_id.map(run_metadata),
            message.platform_message_id.clone(),
            message.idempotency_key.clone(),
            message.album.clone(),
            message.status,
            message.sent_at,
            now,
            message.quote.as_ref().map(to_json),
            message.quoted_user_id,
            message.request_hash.clone()
        ],
    )
    .await
}

fn run_metadata(run: RunId) -> Json {
    json!({ "runId": run, "kind": "coordinator" })
}

/// An outbound message with its parts, rendered for its platform.
#[derive(Clone, Debug)]
pub struct NewOutbound {
    /// Its id.
    pub id: MessageId,
    /// Where.
    pub channel_id: ChannelId,
    /// In which conversation.
    pub context_id: Option<ContextId>,
    /// The person whom it answers.
    pub user_id: Option<UserId>,
    /// The run that said it.
    pub run_id: Option<RunId>,
    /// The text, Markdown.
    pub content: String,
    /// Files that go with it.
    pub attachments: Option<Json>,
    /// Further metadata.
    pub metadata: Option<Json>,
    /// The outbound message whose last text it replaces, in place of being a message of its own.
    pub edits: Option<MessageId>,
    /// Where it goes, in the platform's terms.
    pub address: Address,
    /// The parts, in order; none where a message counts as delivered when it is stored.
    pub parts: Vec<(String, Part)>,
    /// The worker that sends it, with the end of its lease; `None`: any worker may claim it.
    pub lease: Option<(WorkerId, Timestamp)>,
    /// The first part of what somebody holds is marked when it is tried, and not when it is stored: after a crash it
    /// counts as sent only if it may have been.
    pub marks_first: bool,
}

/// Stores an outbound message: `sending` if somebody holds it already, `pending` if not, `delivered` if
/// there is nothing to send.
pub async fn insert_outbound(tx: &mut Tx, message: &NewOutbound, now: Timestamp) -> Result<(), StoreError> {
    let status = match (message.parts.is_empty(), message.lease) {
        (true, _) => MessageStatus::Delivered,
        (false, Some(_)) => MessageStatus::Sending,
        (false, None) => MessageStatus::Pending,
    };
    tx.defer(
        "INSERT INTO messages (id, direction, channel_id, context_id, user_id, run_id, content, status, address,
             attempts, lease_owner, lease_until, sent_at, created_at, metadata, attachments, edits)
         VALUES ($1, 'outbound', $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11, $11, $12, $13, $14)",
        args![
            message.id,
            message.channel_id,
            message.context_id,
            message.user_id,
            message.run_id,
            &message.content,
            status,
            to_json(&message.address),
            message.lease.map(|(owner, _)| owner),
            message.lease.map(|(_, until)| until),
            now,
            message.metadata.clone(),
            message.attachments.clone(),
            message.edits
        ],
    )
    .await?;
    for (seq, (key, part)) in message.parts.iter().enumerate() {
        // Only the part that is on its way may have arrived when a process dies.
        let sending = seq == 0 && message.lease.is_some() && !message.marks_first;
        tx.defer(
            "INSERT INTO message_parts (message_id, seq, delivery_key, body, status) VALUES ($1, $2, $3, $4, $5)",
            args![
                message.id,
                seq,
                key,
                to_json(part),
                if sending {
                    MessageStatus::Sending
                } else {
                    MessageStatus::Pending
                }
            ],
        )
        .await?;
    }
    Ok(())
}

/// One message.
pub async fn get(conn: &mut Conn, id: MessageId) -> Result<Option<Message>, StoreError> {
    Ok(conn
        .fetch_all(format!("{SELECT} WHERE id = $1"), args![id])
        .await?
        .pop())
}

/// The message that was stored under a sender's key.
pub async fn by_key(conn: &mut Conn, channel: ChannelId, key: &str) -> Result<Option<Message>, StoreError> {
    let sql = format!("{SELECT} WHERE channel_id = $1 AND idempotency_key = $2");
    Ok(conn.fetch_all(sql, args![channel, key]).await?.pop())
}

/// The inbound message of a platform's id.
pub async fn by_platform_id(conn: &mut Conn, channel: ChannelId, id: &str) -> Result<Option<Message>, StoreError> {
    let sql = format!("{SELECT} WHERE channel_id = $1 AND direction = 'inbound' AND platform_message_id = $2");
    Ok(conn.fetch_all(sql, args![channel, id]).await?.pop())
}

/// The inbound message of a platform's id in a topic of a place. It is looked for where ids are unique in the place with
/// all of its topics.
pub async fn by_platform_id_in_topics(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    id: &str,
) -> Result<Option<Message>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE direction = 'inbound' AND platform_message_id = $3 AND channel_id IN
             (SELECT id FROM channels WHERE platform = $1 AND external_id LIKE $2 || ':%')"
    );
    let found = conn.fetch_all(sql, args![platform.as_str(), place, id]).await?;
    Ok(found.into_iter().next())
}

/// Stores an outbound message under a key: there is one of that in its channel.
///
/// # Errors
/// [`StoreError::Conflict`]: there is one already.
pub async fn insert_keyed(tx: &mut Tx, message: &NewOutbound, key: &str, now: Timestamp) -> Result<(), StoreError> {
    insert_outbound(tx, message, now).await?;
    tx.execute(
        "UPDATE messages SET idempotency_key = $1 WHERE id = $2",
        args![key, message.id],
    )
    .await?;
    Ok(())
}

/// Gives a message to a run.
pub async fn give_to_run(tx: &mut Tx, id: MessageId, run: RunId) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE messages SET status = 'received', run_id = $1, metadata = $2 WHERE id = $3",
        args![run, run_metadata(run), id],
    )
    .await?;
    Ok(())
}

/// Gives what people wrote for one run to another: the same is done once more.
pub async fn hand_over(tx: &mut Tx, from: RunId, to: RunId) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE messages SET run_id = $1, metadata = $2 WHERE run_id = $3 AND direction = 'inbound'",
        args![to, run_metadata(to), from],
    )
    .await
}

/// Replaces the text of an inbound message.
pub async fn edit(tx: &mut Tx, id: MessageId, content: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE messages SET content = $1, edited_at = $2 WHERE id = $3",
        args![content, now, id],
    )
    .await?;
    Ok(())
}

/// The text of an inbound message has the words now that were spoken in it. Nobody edited it.
pub async fn reword(tx: &mut Tx, id: MessageId, content: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE messages SET content = $1 WHERE id = $2", args![content, id])
        .await?;
    Ok(())
}

/// Notes of an inbound message that it was deleted on its platform; what waited to be answered waits no more. `false`: it
/// was noted before.
pub async fn deleted(tx: &mut Tx, id: MessageId, now: Timestamp) -> Result<bool, StoreError> {
    let noted = tx
        .execute(
            "UPDATE messages SET deleted_at = $1, status = CASE WHEN status = 'queued' THEN 'history' ELSE status END
             WHERE id = $2 AND deleted_at IS NULL",
            args![now, id],
        )
        .await?;
    Ok(noted == 1)
}

/// A message that a run answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The message.
    pub id: MessageId,
    /// Its words, with those that it quotes.
    pub text: String,
    /// Its author deleted it.
    pub is_deleted: bool,
}

/// The messages that a run answers, as [`input_of`] orders them, with those that were deleted since.
pub async fn answered_by(conn: &mut Conn, run: RunId) -> Result<Vec<Answered>, StoreError> {
    #[derive(FromRow)]
    struct Row {
        id: MessageId,
        content: String,
        quote: Option<JsonText<Json>>,
        deleted_at: Option<Timestamp>,
    }
    let held: Vec<Row> = conn
        .fetch_all(
            "SELECT id, content, quote, deleted_at FROM messages WHERE run_id = $1 AND direction = 'inbound'
             ORDER BY sent_at, LENGTH(COALESCE(platform_message_id, '')), platform_message_id, id",
            args![run],
        )
        .await?;
    let answered = held.into_iter().map(|row| Answered {
        id: row.id,
        text: with_quote(row.quote.as_ref(), &row.content, usize::MAX),
        is_deleted: row.deleted_at.is_some(),
    });
    Ok(answered.collect())
}

/// Whether one of some messages was deleted by its author, or is there no more.
pub async fn is_one_deleted(conn: &mut Conn, ids: &[MessageId]) -> Result<bool, StoreError> {
    let mut left = 0;
    for some in ids.chunks(CHUNK) {
        let sql = format!(
            "SELECT CAST(COUNT(*) AS BIGINT) FROM messages WHERE deleted_at IS NULL AND id IN ({})",
            places(some.len())
        );
        let (here,): (i64,) = conn
            .fetch_one(sql, some.iter().map(|id| Value::from(*id)).collect())
            .await?;
        left += usize::try_from(here).unwrap_or_default();
    }
    Ok(left < ids.len())
}

/// Whether a person wrote more in a conversation after a message.
pub async fn is_followed(conn: &mut Conn, context: ContextId, id: MessageId) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM messages
               WHERE context_id = $1 AND direction = 'inbound' AND id > $2 AND deleted_at IS NULL LIMIT 1";
    conn.exists(sql, args![context, id]).await
}

/// Takes back what a run and those below it said: its question is asked anew.
pub async fn withdraw(tx: &mut Tx, run: RunId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE messages SET deleted_at = $1 WHERE direction = 'outbound' AND deleted_at IS NULL
         AND run_id IN (SELECT id FROM runs WHERE root_run_id = $2)",
        args![now, run],
    )
    .await?;
    Ok(())
}

/// The newest message that a run holds: the one that it answers.
pub async fn last_asked(conn: &mut Conn, run: RunId) -> Result<Option<MessageId>, StoreError> {
    let row: Option<(MessageId,)> = conn
        .fetch_optional(
            "SELECT id FROM messages WHERE run_id = $1 AND direction = 'inbound' ORDER BY id DESC LIMIT 1",
            args![run],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Every message that a run holds and that was not deleted, as the run is asked it, in the order in which they were
/// written; of one of them the text is this.
pub async fn input_of(
    tx: &mut Tx,
    run: RunId,
    edited: Option<(MessageId, &str)>,
) -> Result<Vec<(MessageId, String)>, StoreError> {
    let held: Vec<(MessageId, String, Option<JsonText<Json>>)> = tx
        .fetch_all(
            "SELECT id, content, quote FROM messages WHERE run_id = $1 AND direction = 'inbound' AND deleted_at IS NULL
             ORDER BY sent_at, LENGTH(COALESCE(platform_message_id, '')), platform_message_id, id",
            args![run],
        )
        .await?;
    let asked = held.into_iter().map(|(id, content, quote)| {
        let text = match edited {
            Some((edited, text)) if edited == id => text,
            _ => content.as_str(),
        };
        let asked = with_quote(quote.as_ref(), text, usize::MAX);
        (id, asked)
    });
    Ok(asked.collect())
}
