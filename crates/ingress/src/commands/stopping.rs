//! `/stop`: ends what is at work in the conversation; and the button of a status message, which ends one run.

use clifford_core::{
    clock::Timestamp,
    id::{RunId, WorkerId},
    people::{User, UserRole},
    places::Channel,
    run::sentences,
};
use clifford_delivery::outbound;
use clifford_engine::run::cancel;
use clifford_store::{StoreError, Tx, contexts, messages, runs};

use super::Done;

const STOPPED: &str = "Stopped.";
const NOTHING: &str = "There is nothing to stop.";
const OVER: &str = "This has ended already.";
const NOT_THEIRS: &str = "Only the person who asked for this, and those who manage this place, can stop it.";

/// The run that a button names.
pub(super) fn named(argument: &str) -> Option<RunId> {
    argument.trim().parse().ok()
}

pub(super) async fn stop(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    manages: bool,
    now: Timestamp,
) -> Result<Done, StoreError> {
    match named(argument) {
        Some(run) => one(tx, run, channel, user, manages, now).await,
        None => all(tx, channel, now).await,
    }
}

async fn all(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let Some(context) = channel.active_context_id else {
        return Ok(Done::say(NOTHING));
    };
    // In the order in which ingress and a run's end lock: the context, then its runs.
    contexts::lock(tx, context).await?;
    let mut cancelled = Vec::new();
    for run in runs::unended_in(tx, context).await? {
        cancelled.extend(cancel::tree(tx, run.id, "stopped in chat", now).await?);
    }
    let dropped = messages::drop_queued(tx, context).await?;
    for message in &dropped {
        outbound::resolve_placeholder(tx, message, sentences::STOPPED_BEFORE, now).await?;
    }
    let is_nothing = cancelled.is_empty() && dropped.is_empty();
    Ok(Done {
        cancelled,
        ..Done::say(if is_nothing { NOTHING } else { STOPPED })
    })
}

/// Ends one run: its person may, and who manages the place that it answers in. What was written meanwhile is answered.
async fn one(
    tx: &mut Tx,
    id: RunId,
    channel: &Channel,
    user: &User,
    manages: bool,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let Some(run) = runs::get(tx, id).await? else {
        return Ok(refusal(OVER));
    };
    let is_here = run.channel_id == Some(channel.id);
    let may = run.user_id == Some(user.id) || user.role == UserRole::Owner || (manages && is_here);
    if !may {
        return Ok(refusal(NOT_THEIRS));
    }
    // The next claim goes on with what was written meanwhile.
    let nobody = WorkerId::new();
    match cancel::commit(tx, &run, None, nobody, std::time::Duration::ZERO, now).await {
        Ok(cancelled) => Ok(Done {
            cancelled: cancelled.runs,
            work_to_claim: true,
            ..Done::say(STOPPED)
        }),
        Err(StoreError::WrongState(_)) => Ok(refusal(OVER)),
        Err(error) => Err(error),
    }
}

fn refusal(text: &'static str) -> Done {
    Done {
        refusal: Some(text),
        ..Done::say(text)
    }
}
