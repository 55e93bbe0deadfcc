//! The memory writer: reads a conversation piece by piece, asks the model what to remember of each person, and what to
//! tell of the messages that leave. Each piece is one commit, so that a crash repeats at most one. Where its summary cannot
//! be read, what was remembered is committed alone: only the summary is asked for again.

mod asking;

use std::collections::HashMap;

use async_trait::async_trait;
use clifford_chat::inbound::is_of_others;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MemoryItemId, MessageId, SpaceId, UserId},
    memory::{
        operations::{self, Reading},
        result::{Progress, Unread},
        rows::{Item, SourceMessage},
        rules::{self, WriteScope},
        segment, summary, write_prompt,
    },
    prompt::{fit, weight::Form},
    work::{JobKind, WriteMode},
};
use clifford_llm_api::model::ModelError;
use clifford_store::{
    StoreError, Tx, contexts,
    jobs::{self, Job as Row, JobLease},
    memory::{
        items,
        write::{self as memory_write, ConversationState, Summary, Words},
    },
    places::{channels, settings},
};
use clifford_telemetry::failpoint::{self as crash, Point};
use serde_json::Value;

use self::asking::{WriterCallContext, complete, window};
use super::{Claimed, Job, JobError};
use crate::Context;

/// How often a job is tried before a message is left out that may be what its provider will not read.
const ATTEMPTS_WITH_ALL: i64 = 3;

/// The job that remembers what was said in a conversation.
#[derive(Clone, Copy, Debug)]
pub struct MemoryWrite;

#[async_trait]
impl Job for MemoryWrite {
    fn kind(&self) -> JobKind {
        JobKind::MemoryWrite
    }

    /// Items written before an error stay.
    async fn run(&self, claimed: &Claimed) -> Result<(), JobError> {
        write(claimed.context(), &claimed.row, claimed.lease).await
    }
}

/// The payload of a memory write.
#[derive(Clone, Copy, Debug)]
struct Payload {
    /// The conversation.
    context: ContextId,
    /// Whether its older half leaves it.
    compacts: bool,
    /// The last message to read.
    through: Option<MessageId>,
}

impl Payload {
    /// The payload of a row; `None`: its conversation is gone.
    fn of(row: &Row) -> Option<Self> {
        Some(Self {
            context: row.context_id?,
            compacts: row.mode == Some(WriteMode::Compact),
            through: row.through,
        })
    }
}

async fn write(cx: &Context, job: &Row, lease: JobLease) -> Result<(), JobError> {
    crash::reach(Point::JobClaimed);
    let payload = Payload::of(job);
    let mut progress = Progress::of(job.result.as_ref().map(|result| &result.0));
    let at_once = usize::try_from(cx.settings.memory.writer_max_messages).unwrap_or(usize::MAX);
    let mut most = at_once;
    loop {
        let Some(piece) = next_piece(cx, payload, most).await? else {
            return finish(cx, lease, progress).await;
        };
        let written = match ask(cx, &piece, lease, &mut progress).await {
            // It may be too long for this model, or one message may spoil it.
            Err(JobError::Model(
                ModelError::TooLong { .. } | ModelError::BadRequest { .. } | ModelError::Refused { .. },
            )) if piece.said.len() > 1 => {
                most = piece.said.len() / 2;
                continue;
            }
            Err(JobError::Model(error)) if passes_over(&error, job, &progress) => {
                // The message itself stands in the job's row.
                tracing::warn!(error = error.class(), message_id = %piece.through, "memory writer skipped a message");
                progress.unread.push(Unread {
                    message: piece.through,
                    reason: error.to_string(),
                });
                most = at_once;
                Written {
                    wishes: Vec::new(),
                    summary: piece.compacts.then(|| piece.told(None, &[])),
                    unreadable: None,
                }
            }
            asked => asked?,
        };
        crash::reach(Point::MemoryReplied);
        let unreadable = written.unreadable.clone();
        progress.messages += if unreadable.is_none() { piece.said.len() } else { 0 };
        let is_last = piece.is_last;
        progress = cx
            .db
            .write({
                let write = Write {
                    piece,
                    written,
                    lease,
                    deletes_at_once: cx.settings.memory.retain_compacted.is_zero(),
                    now: cx.clock.now(),
                };
                move |tx| Box::pin(write.commit(tx, progress))
            })
            .await?;
        crash::reach(Point::MemoryWritten);
        if let Some(why) = unreadable {
            return Err(JobError::Unreadable(why));
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Whether it is the message that its provider will not read, so that the job goes on without it. A provider that
/// reads nothing at all may be set up wrongly: it costs a job one message at most.
fn passes_over(error: &ModelError, job: &Row, progress: &Progress) -> bool {
    match error {
        ModelError::TooLong { .. } | ModelError::Refused { .. } => true,
        ModelError::BadRequest { .. } => {
            progress.calls > 0 || job.attempts >= ATTEMPTS_WITH_ALL && progress.unread.is_empty()
        }
        _ => false,
    }
}

/// Ends a job that has nothing (more) to do.
async fn finish(cx: &Context, lease: JobLease, progress: Progress) -> Result<(), JobError> {
    let now = cx.clock.now();
    let result = progress.to_json();
    cx.db
        .write(move |tx| {
            Box::pin(async move {
                jobs::hold(tx, &lease, now).await?;
                jobs::finish(tx, &lease, &result, now).await
            })
        })
        .await?;
    Ok(())
}

/// A piece of a conversation, with all that is needed to write it.
struct Piece {
    context: ContextId,
    channel: ChannelId,
    /// The space of that channel.
    placed_in: Option<SpaceId>,
    /// The person of the conversation, if it is one person's alone.
    owner: Option<UserId>,
    compacts: bool,
    standing: ConversationState,
    said: Vec<SourceMessage>,
    /// Its last message.
    through: MessageId,
    is_last: bool,
    /// Nothing is remembered there, or of nobody.
    forgets: bool,
    /// Others may have had a part in its words.
    holds_outside: bool,
    private: bool,
    space: Option<SpaceId>,
}

impl Piece {
    /// The person on whose behalf a call for it is made.
    const fn asked_for(&self, lease: JobLease, user: Option<UserId>) -> WriterCallContext {
        WriterCallContext {
            lease,
            user,
            channel: self.channel,
            space: self.placed_in,
        }
    }

    /// The summary once it covers these messages too, with this text; `None`: with the present one.
    fn told(&self, text: Option<String>, said: &[&SourceMessage]) -> Summary {
        let before = self.standing.summary_of.as_ref().map(|people| people.0.as_slice());
        Summary {
            text: text.or_else(|| self.standing.summary.clone()).unwrap_or_default(),
            of: summary::people(before, said),
            through: self.through,
        }
    }
}

async fn next_piece(cx: &Context, payload: Option<Payload>, most: usize) -> Result<Option<Piece>, JobError> {
    let Some(Payload {
        context,
        compacts,
        through,
    }) = payload
    else {
        return Ok(None);
    };
    let mut conn = cx.db.read().await?;
    let Some(standing) = memory_write::standing(&mut conn, context).await? else {
        return Ok(None);
    };
    let Some(channel) = channels::get(&mut conn, standing.channel_id).await? else {
        return Ok(None);
    };
    let after = if compacts {
        standing.compacted_through
    } else {
        standing.remembered_through
    };
    // One more tells whether there is more.
    let limit = u32::try_from(most.saturating_add(1)).unwrap_or(u32::MAX);
    let mut said = memory_write::next(&mut conn, context, after, through, limit).await?;
    let room = fit::at_once(window(cx));
    let length = segment::length(&said, most, room, |text| Form::Json.weigh(text));
    let is_last = length == said.len();
    said.truncate(length);
    let Some(last) = said.last() else {
        return Ok(None);
    };
    let settings = cx
        .settings
        .defaults()
        .of(&mut conn, channel.space_id, channel.id)
        .await?;
    let private = channel.is_private();
    let holds_outside = said.iter().any(|said| is_of_others(&said.content))
        || memory_write::has_tainted(&mut conn, context, after, last.id).await?;
    Ok(Some(Piece {
        context,
        channel: channel.id,
        placed_in: channel.space_id,
        owner: channel.user_id,
        compacts,
        through: last.id,
        said,
        is_last,
        // Facts said among others belong to their space; without a space, nobody could be shown them.
        forgets: !settings.memory || !private && channel.space_id.is_none(),
        holds_outside,
        private,
        space: channel.space_id.filter(|_| !private),
        standing,
    }))
}

/// The changes wanted for one person's items.
struct Wish {
    user: UserId,
    readings: Vec<Reading>,
    named: HashMap<String, MemoryItemId>,
    /// The words that it was made of.
    words: Words,
}

/// The model's output for a piece.
struct Written {
    wishes: Vec<Wish>,
    summary: Option<Summary>,
    /// Why the summary could not be read: the piece is not done.
    unreadable: Option<String>,
}

async fn ask(cx: &Context, piece: &Piece, lease: JobLease, progress: &mut Progress) -> Result<Written, JobError> {
    let mut wishes = Vec::new();
    let by_person = segment::by_person(&piece.said, piece.standing.remembered_through);
    for (user, said) in by_person.into_iter().filter(|_| !piece.forgets) {
        let mut conn = cx.db.read().await?;
        let wanted = settings::get(&mut conn, &user.to_string(), "memory").await?;
        if wanted.as_deref() == Some("false") {
            continue;
        }
        let mut known = memory_write::items(&mut conn, user).await?;
        let is_tainted = items::has_tainted(&mut conn, user).await?;
        drop(conn);
        known.retain(|item| sees(piece.private, piece.space, item));
        let request = write_prompt::request(&known, &said);
        let completion = complete(cx, &piece.asked_for(lease, Some(user)), request, progress).await?;
        wishes.push(Wish {
            user,
            readings: operations::read(&completion.text).map_err(JobError::Unreadable)?,
            named: write_prompt::names(&known),
            words: match piece.holds_outside || is_tainted {
                true => Words::Others,
                false => Words::Own,
            },
        });
    }
    let summary = match piece.compacts {
        true => Some(summarise(cx, piece, lease, progress).await),
        false => None,
    };
    // What was answered and paid for is kept. Without any, there is nothing to keep.
    if let Some(Err(JobError::Unreadable(why))) = &summary
        && !wishes.is_empty()
    {
        let unreadable = Some(why.clone());
        return Ok(Written {
            wishes,
            summary: None,
            unreadable,
        });
    }
    Ok(Written {
        wishes,
        summary: summary.transpose()?,
        unreadable: None,
    })
}

async fn summarise(cx: &Context, piece: &Piece, lease: JobLease, progress: &mut Progress) -> Result<Summary, JobError> {
    let so_far = piece.standing.summary.as_deref();
    let said = segment::delivered(&piece.said);
    if said.is_empty() {
        return Ok(piece.told(None, &said));
    }
    let whose = piece.asked_for(lease, piece.owner);
    let completion = complete(cx, &whose, summary::request(so_far, &said), progress).await?;
    let text = summary::read(&completion.text).map_err(JobError::Unreadable)?;
    Ok(piece.told(Some(text), &said))
}

/// Whether an item is known where a conversation is.
fn sees(private: bool, space: Option<SpaceId>, item: &Item) -> bool {
    private || item.shareable || space.is_some() && item.origin_space == space
}

/// All that the commit of a piece writes.
struct Write {
    piece: Piece,
    written: Written,
    lease: JobLease,
    deletes_at_once: bool,
    now: Timestamp,
}

impl Write {
    async fn commit(self, tx: &mut Tx, mut progress: Progress) -> Result<Progress, StoreError> {
        let Self { piece, now, .. } = &self;
        // As by the end of a run: the conversation is locked before the job.
        contexts::lock(tx, piece.context).await?;
        jobs::hold(tx, &self.lease, *now).await?;
        // In the order of their ids, as everywhere where several people are locked.
        for wish in &self.written.wishes {
            // Changes to the items while the model was at work stand.
            memory_write::lock(tx, wish.user).await?;
            let items = memory_write::items(tx, wish.user).await?;
            let outcome = {
                let place = WriteScope {
                    sees: &|item| sees(piece.private, piece.space, item),
                    private: piece.private,
                    space: piece.space,
                    named: &wish.named,
                };
                rules::apply(items, &wish.readings, &place, *now, MemoryItemId::new)
            };
            memory_write::change(
                tx,
                wish.user,
                Some(piece.context),
                piece.space,
                wish.words,
                &outcome.changes,
            )
            .await?;
            progress.note(wish.user, outcome);
        }
        memory_write::remembered(tx, piece.context, piece.through).await?;
        if let Some(summary) = &self.written.summary {
            memory_write::compacted(tx, piece.context, summary).await?;
            let left_out = progress
                .unread
                .last()
                .is_some_and(|unread| unread.message == piece.through);
            progress.summarised += if left_out { 0 } else { piece.said.len() };
        }
        let result: Value = progress.to_json();
        if piece.is_last && self.written.unreadable.is_none() {
            jobs::finish(tx, &self.lease, &result, *now).await?;
        } else {
            jobs::save_progress(tx, &self.lease, &result).await?;
        }
        if self.deletes_at_once && piece.compacts && self.written.unreadable.is_none() {
            memory_write::delete_compacted(tx, piece.context, piece.through, u32::MAX).await?;
            if piece.is_last {
                memory_write::purged(tx, self.lease.job, *now).await?;
            }
        }
        Ok(progress)
    }
}
