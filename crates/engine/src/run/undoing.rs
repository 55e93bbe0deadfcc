//! Takes back what a run changed of its person's own things: by their word, within an hour, once.
//!
//! A tool hands back with its result how its call is taken back (`ToolContext::undoable`), and the step keeps it. The first
//! message behind such a call has a button for it. The result is told in a message of the run's conversation that is
//! not sent: the next prompt shows it, and its key keeps the same calls from being taken back twice.

use std::time::Duration;

use clifford_chat::outbound::Address;
use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MessageId, RunId, UserId},
    run::{
        step::{Step, StepKind},
        undo::{UNDOABLE_SECONDS, Undo},
    },
    runs::Run,
};
use clifford_store::{
    Conn, Db, StoreError, Tx, contexts,
    messages::{self, NewOutbound},
    runs::{self, steps, tree as run_tree},
};
use clifford_text::{Answer, Lang};
use clifford_tools::undoing::{self, UndoReport};

/// The person who takes something back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undoer {
    /// A person: what runs did for them, and nobody else's.
    User(UserId),
    /// The operator of this Clifford.
    Operator,
}

/// Its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The things that are as they were before, and those that stay as they are, and why.
    Done {
        /// As it was.
        undone: Vec<UndoReport>,
        /// As it is.
        kept: Vec<UndoReport>,
    },
    /// The run changed nothing that can be taken back.
    Nothing,
    /// It was taken back before.
    Already,
    /// It is too long ago.
    TooLate,
    /// It was done for somebody else.
    NotTheirs,
}

impl Undone {
    /// It in a sentence, as operators and models read it.
    pub fn sentence(&self) -> String {
        self.text(Lang::English)
    }

    /// It in a sentence.
    pub fn text(&self, lang: Lang) -> String {
        lang.say(match self {
            Self::Done { undone, kept } => {
                let part = |parts: &[UndoReport], said: fn(String) -> Answer| {
                    let parts: Vec<_> = parts.iter().map(|part| part.text(lang)).collect();
                    (!parts.is_empty()).then(|| lang.say(said(parts.join("; "))))
                };
                let undone = part(undone, |what| Answer::Undone { what });
                let kept = part(kept, |what| Answer::NotUndone { what });
                return undone.into_iter().chain(kept).collect::<Vec<_>>().join(" ");
            }
            Self::Nothing => Answer::NothingToUndo,
            Self::Already => Answer::UndoneAlready,
            Self::TooLate => Answer::UndoTooLate,
            Self::NotTheirs => Answer::UndoNotYours,
        })
    }
}

/// A call that can be taken back.
struct Undoable {
    run: RunId,
    seq: u32,
    at: Timestamp,
    undo: Undo,
}

/// Takes back what a run and its subagents changed within the last hour, the last change first.
pub async fn undo(tx: &mut Tx, run: &Run, whose: Undoer, now: Timestamp) -> Result<Undone, StoreError> {
    let (Some(user), Some(channel)) = (run.user_id, run.channel_id) else {
        return Ok(Undone::Nothing);
    };
    if whose != Undoer::Operator && whose != Undoer::User(user) {
        return Ok(Undone::NotTheirs);
    }
    // One at a time takes it back.
    if let Some(context) = run.context_id {
        contexts::lock(tx, context).await?;
    }
    let all = undoable(tx, run).await?;
    if all.is_empty() {
        return Ok(Undone::Nothing);
    }
    let mut open = Vec::new();
    for call in all {
        // Effects that a later call took along were taken back, too.
        if messages::keyed(tx, channel, &key(&call)).await?.is_some() {
            open.clear();
        } else {
            open.push(call);
        }
    }
    if open.is_empty() {
        return Ok(Undone::Already);
    }
    open.retain(|call| now.since(call.at) < Duration::from_secs(UNDOABLE_SECONDS));
    let Some(last) = open.last().map(key) else {
        return Ok(Undone::TooLate);
    };
    let (mut undone, mut kept) = (Vec::new(), Vec::new());
    for call in open.iter().rev() {
        match undoing::take_back(tx, user, &call.undo, now).await? {
            Ok(told) => undone.push(told),
            Err(why) => kept.push(why),
        }
    }
    let done = Undone::Done { undone, kept };
    let told = NewOutbound {
        id: MessageId::new(),
        channel_id: channel,
        context_id: run.context_id,
        user_id: Some(user),
        run_id: Some(run.id),
        content: format!("(The user asked me to undo this.) {}", done.sentence()),
        attachments: None,
        metadata: None,
        edits: None,
        address: run.address().cloned().unwrap_or_else(nowhere),
        parts: Vec::new(),
        lease: None,
        marks_first: false,
    };
    messages::insert_keyed(tx, &told, &last, now).await?;
    Ok(done)
}

/// Takes back what the last run that changed something did for a person in a conversation.
pub async fn undo_last(tx: &mut Tx, context: ContextId, user: UserId, now: Timestamp) -> Result<Undone, StoreError> {
    let since = now.before(Duration::from_secs(UNDOABLE_SECONDS));
    for run in runs::changed_since(tx, context, user, since).await? {
        match undo(tx, &run, Undoer::User(user), now).await? {
            Undone::Nothing => {}
            other => return Ok(other),
        }
    }
    Ok(Undone::Nothing)
}

/// Takes back what a run changed, from a process that may not work on it.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such run.
pub async fn from_outside(db: &Db, id: RunId, whose: Undoer, now: Timestamp) -> Result<Undone, StoreError> {
    db.write(move |tx| {
        Box::pin(async move {
            let run = runs::get(tx, id).await?;
            let run = run.ok_or_else(|| StoreError::NotFound(format!("run {id}")))?;
            undo(tx, &run, whose, now).await
        })
    })
    .await
}

/// The address of what is not sent.
fn nowhere() -> Address {
    Address {
        place: String::new(),
        private: true,
        reply_to: None,
        via: None,
    }
}

/// The calls of a run and its subagents that can be taken back, oldest first.
async fn undoable(conn: &mut Conn, run: &Run) -> Result<Vec<Undoable>, StoreError> {
    let mut tree = vec![run.id];
    let mut found = Vec::new();
    while let Some(id) = tree.pop() {
        let children = run_tree::children(conn, id).await?;
        tree.extend(children.iter().map(|child| child.id));
        let steps = match steps::of_run(conn, id).await {
            // A call that cannot be read cannot be taken back.
            Err(StoreError::Corrupt(_)) => continue,
            steps => steps?,
        };
        found.extend(steps.into_iter().filter_map(|step| of_step(id, step)));
    }
    found.sort_by_key(|call| (call.at, call.run, call.seq));
    Ok(found)
}

fn of_step(run: RunId, step: Step) -> Option<Undoable> {
    let StepKind::ToolResult(result) = step.kind else {
        return None;
    };
    Some(Undoable {
        run,
        seq: step.seq,
        at: step.at,
        undo: *result.undo?,
    })
}

/// The key of the message that tells of a call that was taken back, and of those before it.
fn key(call: &Undoable) -> String {
    format!("undo:{}:{}", call.run, call.seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_and_what_was_not_is_told_apart() {
        let forgotten = |key: &str| UndoReport::ItemForgotten(key.to_owned());
        let changed = |key: &str| UndoReport::ItemChanged(key.to_owned());
        let done = |undone: Vec<UndoReport>, kept: Vec<UndoReport>| Undone::Done { undone, kept }.sentence();
        assert_eq!(done(vec![forgotten("tea")], vec![]), "Undone: tea is forgotten.");
        assert_eq!(
            done(vec![], vec![changed("tea")]),
            "Not undone: tea was changed since, and stays as it is."
        );
        assert_eq!(
            done(vec![forgotten("a"), forgotten("b")], vec![changed("c")]),
            "Undone: a is forgotten; b is forgotten. Not undone: c was changed since, and stays as it is."
        );
    }
}
