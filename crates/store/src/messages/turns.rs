//! The turns of a conversation, as a prompt shows them.

use std::borrow::Cow;

use clifford_core::{
    id::{ContextId, MessageId, RunId, UserId},
    json_text::JsonText,
    messages::{Direction, Gap, undelivered},
    policy::labels::Readers,
    row::FromRow,
    value::args,
};
use serde_json::Value as Json;

use super::{
    long_text::{self, LongText},
    replies::IN_HISTORY,
};
use crate::{Conn, StoreError, db::conn::Statement, withheld};

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its message's id; none, where nobody asks for it.
    pub id: Option<MessageId>,
    /// Its direction.
    pub direction: Direction,
    /// The text, with what it answers.
    pub content: String,
    /// The unread middle of a long text.
    pub gap: Option<Gap>,
    /// The words of others that it may hold.
    pub foreign: Foreign,
    /// The people who may read it, if a run said it that was told words which not everybody may read.
    pub readers: Option<Readers>,
}

/// The key in the metadata of a message that tells who may read it.
pub const READERS: &str = "readers";
/// The key in the metadata of an answer of a run that had others' words before its eyes, with `false`: it repeats none
/// of them.
pub const FOREIGN: &str = "foreign";

/// The key in the metadata of a message of a run that failed: it is no answer, and tells why there is none.
pub const REFUSAL: &str = "refusal";

/// The words of others than a run's person that a turn may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foreign {
    /// None.
    #[default]
    None,
    /// It is an answer of a run that had read words from outside, and may say the same.
    Answer,
    /// Somebody else wrote it.
    Others,
}

impl Turn {
    /// The part that was read, with a mark in place of the gap.
    pub fn text(&self) -> Cow<'_, str> {
        match self.gap {
            None => Cow::Borrowed(&self.content),
            Some(Gap { at, missing }) => {
                let (head, tail) = self.content.split_at(self.content.floor_char_boundary(at));
                Cow::Owned(format!("{head} [… {missing} characters are left out here …] {tail}"))
            }
        }
    }
}

/// A turn as it is stored.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct TurnRow {
    id: MessageId,
    direction: Direction,
    user_id: Option<UserId>,
    tainted: i64,
    metadata: Option<JsonText<Json>>,
    #[row(flatten)]
    text: LongText,
    quote: Option<JsonText<Json>>,
    /// Why it did not reach the person, or not whole.
    undelivered: Option<String>,
    run_id: Option<RunId>,
}

/// Behind a question of somebody else that another run is answering.
const BEING_ANSWERED: &str = " [this is being answered already]";

impl TurnRow {
    /// The turn. `alone`: the person who alone speaks there for themselves; what anybody else wrote is others' words,
    /// and so is anywhere what nobody known wrote, as in imported chats. `at_work`: the runs that work alongside this
    /// one.
    pub(crate) fn turn(self, alone: Option<UserId>, at_work: &[RunId]) -> Turn {
        let (mut content, mut gap) = self.text.with_quote(self.quote.as_ref(), IN_HISTORY);
        if let Some(why) = &self.undelivered {
            let mark = undelivered(why);
            content.insert_str(0, &mark);
            if let Some(gap) = &mut gap {
                gap.at += mark.len();
            }
        }
        if self.direction == Direction::Inbound && self.run_id.is_some_and(|run| at_work.contains(&run)) {
            content.push_str(BEING_ANSWERED);
        }
        let is_unknown = self.user_id.is_none();
        let is_others =
            self.direction == Direction::Inbound && (is_unknown || alone.is_some() && self.user_id != alone);
        Turn {
            id: Some(self.id),
            direction: self.direction,
            content,
            gap,
            readers: readers(self.metadata.as_ref()),
            foreign: match self.tainted {
                0 if is_others => Foreign::Others,
                0 => Foreign::None,
                _ => answer(self.metadata.as_ref()),
            },
        }
    }
}

/// The words of others that an answer of a tainted run may hold, by its metadata.
pub(crate) fn answer(metadata: Option<&JsonText<Json>>) -> Foreign {
    match metadata.and_then(|metadata| metadata.0.get(FOREIGN)) {
        Some(Json::Bool(false)) => Foreign::None,
        _ => Foreign::Answer,
    }
}

/// The people who may read a message, by its metadata.
pub(crate) fn readers(metadata: Option<&JsonText<Json>>) -> Option<Readers> {
    let readers = metadata?.0.get(READERS)?.clone();
    serde_json::from_value(readers).ok()
}

/// Whether a message is an answer of a run that had read words from outside, as a column; one of no run that is still
/// known is, if any run of its conversation had. `of`: the message's table.
pub(crate) fn is_tainted(of: &str) -> String {
    format!(
        "CAST(CASE WHEN {of}.direction = 'outbound' AND (
             EXISTS (SELECT 1 FROM runs r WHERE r.id = {of}.run_id AND r.tainted)
             OR ({of}.run_id IS NULL AND EXISTS (SELECT 1 FROM runs r WHERE r.context_id = {of}.context_id AND r.tainted)))
         THEN 1 ELSE 0 END AS BIGINT) AS tainted"
    )
}

/// The newest turns of a context that were there before a run, oldest first; the run's own are not among them.
pub async fn conversation(
    conn: &mut Conn,
    context: ContextId,
    run: RunId,
    limit: u32,
) -> Result<Vec<Turn>, StoreError> {
    let (sql, args) = ask_conversation(context, run, limit);
    let turns: Vec<TurnRow> = conn.fetch_all(sql, args).await?;
    Ok(turns.into_iter().rev().map(|row| row.turn(None, &[])).collect())
}

/// The same as a question, newest first.
pub(crate) fn ask_conversation(context: ContextId, run: RunId, limit: u32) -> Statement {
    let (text, is_open, tainted) = (
        long_text::columns("content"),
        withheld::is_open(""),
        is_tainted("messages"),
    );
    (
        format!(
            "SELECT id, direction, user_id, run_id, {tainted}, metadata, {text}, quote,
                 CASE WHEN direction = 'outbound' AND status = 'failed' THEN COALESCE(error, '') END AS undelivered
             FROM messages
             WHERE context_id = $1 AND id < $2 AND (run_id IS NULL OR run_id <> $2) AND status <> 'queued'
                 AND deleted_at IS NULL AND {is_open}
                 AND id > COALESCE((SELECT compacted_through FROM contexts WHERE id = $1), '')
             ORDER BY id DESC LIMIT $3"
        ),
        args![context, run, limit],
    )
}
