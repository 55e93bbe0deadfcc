//! Edits: a message gets its new text, in history, memory and search. One that was not answered yet is answered by it.

use std::time::Duration;

use clifford_chat::{
    inbound::{Attachment, Edit},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{RunId, WorkerId},
    messages::{Direction, MessageStatus},
    people::User,
    places::{Channel, WhenBusy},
    runs::CancelReason,
    settings::RateLimit,
};
use clifford_engine::{run::cancel, work::Task};
use clifford_store::{
    StoreError, Tx, contexts,
    messages::{self, Message},
    people::users,
    places::{channels, place_settings::PlaceSettings},
    runs::{self, Lease, NewRun, RunClaim, lanes, steps},
};

use super::{
    IngressService,
    message::{self, VOICE, limits},
};

/// The rules of edits.
#[derive(Clone)]
pub(super) struct EditRules {
    /// The limits of messages that hold for the author: an edit of what is being answered costs what a message does.
    pub limits: Vec<RateLimit>,
    /// How long an edit takes the place of a question that is being answered.
    pub within: Duration,
    /// The defaults for places without settings of their own.
    pub defaults: PlaceSettings,
    /// The worker that goes on with the run, until when.
    pub worker: WorkerId,
    pub until: Timestamp,
    pub now: Timestamp,
}

/// The consequences of an edit, after its commit.
pub(super) struct Edited {
    /// Runs that are interrupted, each with the claim that held it.
    pub interrupted: Vec<RunClaim>,
    /// They ended, and are not only begun again.
    pub is_over: bool,
    /// The run that answers the new text, and when it may begin, if not at once.
    pub begin: Lease,
    pub not_before: Option<Timestamp>,
}

impl IngressService {
    /// Stops what an edit interrupted, and begins what answers it.
    pub(super) fn after_edit(&self, edited: Edited, now: Timestamp) {
        if edited.is_over {
            // The questions of those runs are to be changed.
            self.context.notify.runs.notify_one();
        }
        for claim in edited.interrupted {
            self.runs.interrupt(claim);
            if edited.is_over {
                self.context.delivery.cancelled(claim.run);
            }
        }
        match edited.not_before.filter(|at| *at > now) {
            Some(at) => self.runs.start_later(edited.begin, at),
            None => self.runs.start_held(edited.begin),
        }
    }
}

/// Stores an edit. A run that has made no step restarts with the new text. One that has gives way to another, if the
/// question is new enough and newer messages interrupt there. Otherwise the new text only becomes part of the history: if a
/// run has taken the message up or answered it, or if its author is over their limits, of which nobody is told. Nothing is
/// stored if the text is unchanged, its author is another person, or the message was deleted. An edit that nothing answers
/// counts against no limit.
pub(super) async fn store(tx: &mut Tx, edit: Edit, rules: EditRules) -> Result<Option<Edited>, StoreError> {
    let now = rules.now;
    let here = channels::by_place(tx, edit.place.platform, &edit.place.external_id).await?;
    let place = (edit.place.platform, edit.place.external_id.as_str());
    let Some((channel, found)) = find(tx, place, here.as_ref(), &edit.id).await? else {
        return Ok(None);
    };
    let author = users::by_identity(tx, edit.place.platform, &edit.speaker.id).await?;
    let Some(author) = author.filter(|author| found.user_id == Some(author.id)) else {
        return Ok(None);
    };
    if let Some(context) = found.context_id {
        contexts::lock(tx, context).await?;
    }
    // A run may have taken it up until it was locked.
    let Some(known) = messages::get(tx, found.id).await? else {
        return Ok(None);
    };
    let attached = attachments(&known);
    let text = message::with_attachments(&edit.text, &attached);
    let text = message::spoken(&channel, &edit.speaker.name, &text);
    if text == known.content || known.direction != Direction::Inbound || known.deleted_at.is_some() {
        return Ok(None);
    }
    let edited = match (known.status, known.run_id) {
        (MessageStatus::Received, Some(run)) => {
            answered_anew(tx, (&author, &channel), (&known, run), &text, rules).await?
        }
        _ => None,
    };
    // The words that were spoken stand in the row, and an edit tells of none.
    let is_spoken = attached.iter().any(|attachment| attachment.kind == VOICE);
    if !is_spoken || edited.is_some() || known.status == MessageStatus::Queued {
        messages::edit(tx, known.id, &text, now).await?;
    }
    Ok(edited)
}

/// Has the run of a message answer its new text, or another in its place. `None`: it is too late, or too often.
async fn answered_anew(
    tx: &mut Tx,
    writer: (&User, &Channel),
    (known, run): (&Message, RunId),
    text: &str,
    rules: EditRules,
) -> Result<Option<Edited>, StoreError> {
    let now = rules.now;
    if runs::get(tx, run).await?.is_none_or(|run| run.status.is_ended()) {
        return Ok(None);
    }
    let limits = rules.limits.clone();
    if !limits::are_open(tx, &limits, writer, now.into()).await? {
        return Ok(None);
    }
    let input = messages::input_of(tx, run, Some((known.id, text))).await?;
    let input: Vec<_> = input.into_iter().map(|(_, text)| text).collect();
    let input = input.join("\n");
    let again = runs::begin_again(tx, run, &input, rules.worker, rules.until, now).await?;
    let edited = match again {
        Some(again) => Some(Edited {
            interrupted: vec![RunClaim::before(&again)],
            is_over: false,
            begin: Lease {
                run,
                owner: rules.worker,
                epoch: again.epoch,
            },
            not_before: again.wake_at,
        }),
        None if now.since(known.created_at) <= rules.within => instead(tx, writer.1, run, input, rules).await?,
        None => None,
    };
    if edited.is_some() {
        limits::take(tx, &limits, writer, now.into()).await?;
    }
    Ok(edited)
}

/// Cancels the run of a question that was edited, and starts another for the new text. A run that has slept is never
/// given up: a reminder would be lost with it.
async fn instead(
    tx: &mut Tx,
    channel: &Channel,
    id: RunId,
    input: String,
    rules: EditRules,
) -> Result<Option<Edited>, StoreError> {
    let now = rules.now;
    let here = rules.defaults.of(tx, channel.space_id, channel.id).await?;
    let at_work = runs::get(tx, id).await?.filter(|run| !run.status.is_ended());
    let Some(run) = at_work.filter(|_| here.when_busy == WhenBusy::Interrupt) else {
        return Ok(None);
    };
    if steps::has_slept(tx, id).await? {
        return Ok(None);
    }
    let interrupted = cancel::tree(tx, id, CancelReason::Edited, now).await?;
    let task = Task::in_place_of(&run, input);
    let lane = match run.context_id.filter(|_| !channel.is_private()) {
        Some(context) => lanes::free_lane(&lanes::at_work_in(tx, context).await?),
        None => 0,
    };
    let new = NewRun {
        lane,
        ..task.into_run(Some((rules.worker, rules.until)))
    };
    let new = runs::insert(tx, &new, now).await?;
    messages::hand_over(tx, id, new.id).await?;
    Ok(Some(Edited {
        interrupted,
        is_over: true,
        begin: Lease {
            run: new.id,
            owner: rules.worker,
            epoch: new.epoch,
        },
        not_before: None,
    }))
}

/// The message of a place that the platform knows by this id, and its channel: the place's own, or the thread that was
/// opened for the message, which has the message's id where it begins at one, or is a topic of the place.
pub(super) async fn find(
    tx: &mut Tx,
    (platform, place): (Platform, &str),
    here: Option<&Channel>,
    id: &str,
) -> Result<Option<(Channel, Message)>, StoreError> {
    if let Some(here) = here
        && let Some(found) = messages::by_platform_id(tx, here.id, id).await?
    {
        return Ok(Some((here.clone(), found)));
    }
    if let Some(thread) = channels::by_place(tx, platform, id).await?
        && let Some(found) = messages::by_platform_id(tx, thread.id, id).await?
    {
        return Ok(Some((thread, found)));
    }
    let Some(found) = messages::by_platform_id_in_topics(tx, platform, place, id).await? else {
        return Ok(None);
    };
    let topic = channels::get(tx, found.channel_id).await?;
    Ok(topic.map(|topic| (topic, found)))
}

/// The files that came with a message.
pub(super) fn attachments(message: &Message) -> Vec<Attachment> {
    let stored = message.attachments.as_ref().map(|attachments| attachments.0.clone());
    stored
        .and_then(|attachments| serde_json::from_value(attachments).ok())
        .unwrap_or_default()
}
