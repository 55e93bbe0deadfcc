//! Where a conversation, or its older half, becomes a job of the memory writer.

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MessageId},
    messages::Direction,
    work::{JobKind, WriteMode},
};
use clifford_store::{
    Db, StoreError, Tx, contexts,
    jobs::{self, NewJob},
    memory::write::{self as memory_write, MessagePosition},
};
use clifford_telemetry::failpoint::{self as crash, Point};

/// Closes a conversation; what was said in it and not read yet will be remembered. `false`: it was closed already.
pub async fn close(tx: &mut Tx, context: ContextId, now: Timestamp) -> Result<bool, StoreError> {
    let closed = contexts::close(tx, context, now).await?;
    if closed && let Some(through) = memory_write::unread_through(tx, context).await? {
        jobs::insert(tx, write(WriteMode::Close, context, through, now), now).await?;
    }
    Ok(closed)
}

/// Closes the conversations in which no person spoke since a time and nothing is at work, each by itself, and returns
/// how many there were.
pub async fn close_idle(db: &Db, since: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    let idle = contexts::idle(&mut db.read().await?, since).await?;
    let mut closed = 0;
    for context in idle {
        let done = db
            .write(move |tx| Box::pin(close_if_idle(tx, context, since, now)))
            .await?;
        closed += u64::from(done);
    }
    Ok(closed)
}

/// Closes a conversation if nobody has spoken in it since a time and nothing is at work: what came meanwhile keeps it
/// open.
pub async fn close_if_idle(
    tx: &mut Tx,
    context: ContextId,
    since: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    Ok(contexts::is_still_idle(tx, context, since).await? && close(tx, context, now).await?)
}

/// Lets the older half of a conversation that has grown too long be told by a summary. `false`: that is under way, or
/// there is nothing to tell.
pub async fn compact(tx: &mut Tx, context: ContextId, now: Timestamp) -> Result<bool, StoreError> {
    if memory_write::is_compacting(tx, context).await? {
        return Ok(false);
    }
    let Some(through) = cut(&memory_write::older_half(tx, context).await?) else {
        return Ok(false);
    };
    let made = jobs::insert(tx, write(WriteMode::Compact, context, through, now), now).await?;
    crash::reach(Point::CompactionDue);
    Ok(made.is_some())
}

fn write(mode: WriteMode, context: ContextId, through: MessageId, now: Timestamp) -> NewJob {
    NewJob {
        kind: JobKind::MemoryWrite,
        mode: Some(mode),
        context_id: Some(context),
        user_id: None,
        through: Some(through),
        due_at: now,
    }
}

/// The last message that leaves, of the older half and the message behind it: what stays begins with a person's words
/// if that can be had.
fn cut(half: &[MessagePosition]) -> Option<MessageId> {
    let (_, leaving) = half.split_last()?;
    let before_question = half
        .windows(2)
        .rev()
        .find(|pair| matches!(pair, [_, next] if next.direction == Direction::Inbound))
        .and_then(<[MessagePosition]>::first);
    before_question.or(leaving.last()).map(|place| place.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conversation of messages in (`i`) and out (`o`), and which of them is the last that leaves.
    fn last_leaving(half: &str) -> Option<usize> {
        let places: Vec<_> = half
            .chars()
            .map(|way| MessagePosition {
                id: MessageId::new(),
                direction: if way == 'i' {
                    Direction::Inbound
                } else {
                    Direction::Outbound
                },
            })
            .collect();
        let id = cut(&places)?;
        places.iter().position(|place| place.id == id)
    }

    #[test]
    fn what_stays_begins_with_a_persons_words() {
        for (half, expected) in [
            ("", None),
            ("i", None),
            ("io", Some(0)),
            ("ioi", Some(1)),
            ("ioio", Some(1)),
            ("iioo", Some(0)),
            ("iooo", Some(2)),
            ("iii", Some(1)),
        ] {
            assert_eq!(last_leaving(half), expected, "{half}");
        }
    }
}
