//! The messages of a conversation: behind a message, before one, and one of them whole.

use clifford_core::{
    id::{ContextId, MessageId, RunId, UserId},
    json_text::JsonText,
    messages::{Direction, Gap},
    policy::labels::Readers,
    row::FromRow,
    value::args,
};
use serde_json::Value as Json;

use super::{
    long_text::{self, LongText},
    replies::IN_HISTORY,
    turns::{self, Foreign},
};
use crate::{Conn, StoreError, withheld};

/// A message of a conversation, with what it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMessage {
    /// Its id.
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
    /// Its author, or the person whom it answers.
    pub user_id: Option<UserId>,
    /// The text.
    pub content: String,
    /// The unread middle of a long text.
    pub gap: Option<Gap>,
    /// A run said it that had read words from outside, and may say the same.
    pub is_tainted: bool,
    /// The people who may read it, if it is an answer made of words that not all may read who read along.
    pub readers: Option<Readers>,
}

#[derive(FromRow)]
struct SaidRow {
    id: MessageId,
    direction: Direction,
    user_id: Option<UserId>,
    #[row(flatten)]
    text: LongText,
    quote: Option<JsonText<Json>>,
    tainted: i64,
    metadata: Option<JsonText<Json>>,
}

impl SaidRow {
    fn said(self, quoted: usize) -> ConversationMessage {
        let (content, gap) = self.text.with_quote(self.quote.as_ref(), quoted);
        ConversationMessage {
            id: self.id,
            direction: self.direction,
            user_id: self.user_id,
            content,
            gap,
            is_tainted: self.tainted != 0 && turns::answer(self.metadata.as_ref()) == Foreign::Answer,
            readers: turns::readers(self.metadata.as_ref()),
        }
    }
}

/// The messages of a context, with their texts by these columns.
fn select(text: &str) -> String {
    format!(
        "SELECT m.id, m.direction, m.user_id, {text}, m.quote, m.metadata,
             CAST(CASE WHEN r.tainted AND m.direction = 'outbound' THEN 1 ELSE 0 END AS BIGINT) AS tainted
         FROM messages m LEFT JOIN runs r ON r.id = m.run_id
         WHERE {KEPT} AND {} AND m.context_id = $1",
        withheld::is_open("m.")
    )
}

/// The messages that are neither queued nor deleted.
const KEPT: &str = "m.status <> 'queued' AND m.deleted_at IS NULL";
/// The messages behind one that are not a run's own.
const BEHIND: &str = "m.id > $2 AND (m.run_id IS NULL OR m.run_id <> $3)";

/// The newest messages of a context behind one that are not a run's own, oldest first.
pub async fn since(
    conn: &mut Conn,
    context: ContextId,
    run: RunId,
    after: MessageId,
    limit: u32,
) -> Result<Vec<ConversationMessage>, StoreError> {
    let select = select(&long_text::columns("m.content"));
    let sql = format!("{select} AND {BEHIND} ORDER BY m.id DESC LIMIT $4");
    let found: Vec<SaidRow> = conn.fetch_all(sql, args![context, after, run, limit]).await?;
    Ok(found.into_iter().rev().map(|row| row.said(IN_HISTORY)).collect())
}

/// How many those are: asked only where there are more than are read.
pub async fn count_since(conn: &mut Conn, context: ContextId, run: RunId, after: MessageId) -> Result<u64, StoreError> {
    let is_open = withheld::is_open("m.");
    let sql = format!("SELECT COUNT(*) FROM messages m WHERE {KEPT} AND {is_open} AND m.context_id = $1 AND {BEHIND}");
    let count: (i64,) = conn.fetch_one(sql, args![context, after, run]).await?;
    Ok(u64::try_from(count.0).unwrap_or_default())
}

/// One message of a context, if nobody deleted it.
pub async fn one(
    conn: &mut Conn,
    context: ContextId,
    id: MessageId,
) -> Result<Option<ConversationMessage>, StoreError> {
    let found: Option<SaidRow> = conn
        .fetch_optional(
            format!("{} AND m.id = $2", select(&long_text::whole("m.content"))),
            args![context, id],
        )
        .await?;
    Ok(found.map(|row| row.said(usize::MAX)))
}

/// How many messages of a context stand before one that no summary tells: asked only where there are more than are read.
pub(crate) async fn untold_before(conn: &mut Conn, context: ContextId, before: MessageId) -> Result<u64, StoreError> {
    let count: (i64,) = conn
        .fetch_one(
            format!(
                "SELECT COUNT(*) FROM messages
                 WHERE context_id = $1 AND id < $2 AND status <> 'queued' AND deleted_at IS NULL AND {}
                     AND id > COALESCE((SELECT compacted_through FROM contexts WHERE id = $1), '')",
                withheld::is_open("")
            ),
            args![context, before],
        )
        .await?;
    Ok(u64::try_from(count.0).unwrap_or_default())
}
