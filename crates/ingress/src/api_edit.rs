//! Edits by API callers: the last message of a conversation gets another text, and is answered anew.
//!
//! On a platform an edit counts only until its message is answered, since an answer that everybody has read cannot be
//! taken back. In a conversation of the API's own it can: what the earlier run said is withdrawn, leaves prompts and
//! search, and stays in the record. What that run did stays done.

use clifford_chat::{
    inbound::{Place, Speaker},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MessageId, RunId, UserId, WorkerId},
    messages::{Direction, MessageStatus},
    runs::CancelReason,
};
use clifford_engine::{run::cancel, work::Task};
use clifford_store::{
    StoreError, Tx, contexts,
    messages::{self, Message},
    places::channels,
    runs::{self, Lease, RunClaim, steps},
};

use super::{
    IngressService,
    api::{ApiAccepted, ApiRefusal},
    edit::{self, Edited},
    message::{self, VOICE},
};

/// An edit through the API.
#[derive(Clone, Debug)]
pub struct ApiEdit {
    /// The message.
    pub message: MessageId,
    /// The author, who edits it.
    pub author: UserId,
    /// Its new text; the same as before has it answered once more.
    pub text: String,
    /// The caller's own place and account, for what is counted.
    pub place: Place,
    /// The caller.
    pub speaker: Speaker,
    /// Whether the limit of messages a minute holds for the caller.
    pub is_limited: bool,
}

/// The rules of edits.
#[derive(Clone, Copy)]
struct Rules {
    worker: WorkerId,
    until: Timestamp,
    now: Timestamp,
}

/// An edit that was stored.
struct Stored {
    message: Message,
    run: Option<RunId>,
    edited: Option<Edited>,
}

/// The stored edit, or the reason why nothing is stored.
type Outcome = Result<Stored, &'static str>;

impl IngressService {
    /// Edits the last message of a conversation of the caller's own, and has it answered anew.
    ///
    /// # Errors
    /// Why it is not edited.
    pub async fn api_edit(&self, edit: ApiEdit) -> Result<ApiAccepted, ApiRefusal> {
        let now = self.clock.now();
        if edit.is_limited {
            self.api_pace(&edit.place, &edit.speaker).await?;
        }
        let text = self.masked(edit.text);
        let (id, author) = (edit.message, edit.author);
        let begins = self.context.begins();
        let rules = Rules {
            worker: begins.worker,
            until: now.after(begins.lease_for),
            now,
        };
        let stored = self
            .db
            .write(move |tx| Box::pin(async move { store(tx, id, author, &text, rules).await }));
        let stored = match stored.await {
            Ok(outcome) => outcome.map_err(ApiRefusal::NotEdited)?,
            // Something else has just begun to answer there.
            Err(StoreError::Conflict(_)) => return Err(ApiRefusal::NotEdited(BUSY)),
            Err(error) => return Err(error.into()),
        };
        if let Some(edited) = stored.edited {
            self.after_edit(edited, now);
        }
        Ok(ApiAccepted {
            message: stored.message.id,
            run: stored.run,
            channel: stored.message.channel_id,
        })
    }
}

const BUSY: &str = "its conversation is busy; try again in a moment";
const NOT_OWN: &str = "only its author does that, in a conversation of their own";
const SPOKEN: &str = "it was said aloud; say it again";
const NOT_ASKED: &str = "no run answers it; write it again";
const FOLLOWED: &str = "more was said after it; only the last message is edited";
const SLEEPS: &str = "what it asked for waits for its time; stop that first";

async fn store(tx: &mut Tx, id: MessageId, author: UserId, text: &str, rules: Rules) -> Result<Outcome, StoreError> {
    let gone = || StoreError::NotFound(format!("message {id}"));
    let context = messages::get(tx, id).await?.ok_or_else(gone)?.context_id;
    if let Some(context) = context {
        contexts::lock(tx, context).await?;
    }
    // A run may have taken it up until it was locked.
    let known = messages::get(tx, id).await?.ok_or_else(gone)?;
    let channel = channels::get(tx, known.channel_id).await?.ok_or_else(gone)?;
    let is_own = known.direction == Direction::Inbound && known.user_id == Some(author) && known.deleted_at.is_none();
    let is_here = channel.platform().is_ok_and(|platform| platform == Platform::WEB) && channel.is_private();
    let Some(context) = context.filter(|_| is_own && is_here) else {
        return Ok(Err(NOT_OWN));
    };
    let attached = edit::attachments(&known);
    if attached.iter().any(|attachment| attachment.kind == VOICE) {
        return Ok(Err(SPOKEN));
    }
    if messages::is_followed(tx, context, id).await? {
        return Ok(Err(FOLLOWED));
    }
    let text = message::with_attachments(text, &attached);
    let outcome = match (known.status, known.run_id) {
        (MessageStatus::Queued, _) => {
            messages::edit(tx, id, &text, rules.now).await?;
            Ok(Stored {
                message: known,
                run: None,
                edited: None,
            })
        }
        (MessageStatus::Received, Some(run)) => again(tx, known, run, context, &text, rules).await?,
        _ => Err(NOT_ASKED),
    };
    if outcome.is_ok() {
        // It goes on from here, also if it was closed.
        contexts::touch(tx, context, rules.now).await?;
        channels::set_active_context(tx, channel.id, Some(context)).await?;
    }
    Ok(outcome)
}

/// Begins the run of a message again if it has made no step, and else another in its place.
async fn again(
    tx: &mut Tx,
    known: Message,
    id: RunId,
    context: ContextId,
    text: &str,
    rules: Rules,
) -> Result<Outcome, StoreError> {
    let now = rules.now;
    let input = messages::input_of(tx, id, Some((known.id, text))).await?;
    let input: Vec<_> = input.into_iter().map(|(_, text)| text).collect();
    let input = input.join("\n");
    let gone = || StoreError::NotFound(format!("run {id}"));
    let run = runs::get(tx, id).await?.ok_or_else(gone)?;
    let mut interrupted = Vec::new();
    if !run.status.is_ended() {
        let begun = runs::begin_again(tx, id, &input, rules.worker, rules.until, now).await?;
        if let Some(begun) = begun {
            messages::edit(tx, known.id, text, now).await?;
            let edited = Edited {
                interrupted: vec![RunClaim::before(&begun)],
                is_over: false,
                begin: lease(id, begun.epoch, rules),
                not_before: begun.wake_at,
            };
            return Ok(Ok(stored(known, id, edited)));
        }
        if steps::has_slept(tx, id).await? {
            return Ok(Err(SLEEPS));
        }
        interrupted = cancel::tree(tx, id, CancelReason::Edited, now).await?;
    }
    messages::withdraw(tx, id, now).await?;
    let task = Task {
        context: Some(context),
        ..Task::in_place_of(&run, input)
    };
    let new = task.into_run(Some((rules.worker, rules.until)));
    let new = runs::insert(tx, &new, now).await?;
    messages::hand_over(tx, id, new.id).await?;
    messages::edit(tx, known.id, text, now).await?;
    let edited = Edited {
        is_over: !interrupted.is_empty(),
        interrupted,
        begin: lease(new.id, new.epoch, rules),
        not_before: None,
    };
    Ok(Ok(stored(known, new.id, edited)))
}

const fn stored(message: Message, run: RunId, edited: Edited) -> Stored {
    Stored {
        message,
        run: Some(run),
        edited: Some(edited),
    }
}

const fn lease(run: RunId, epoch: i64, rules: Rules) -> Lease {
    Lease {
        run,
        owner: rules.worker,
        epoch,
    }
}
