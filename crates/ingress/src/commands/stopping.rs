//! `/stop`: ends what is at work in the conversation; and the button of a status message, which ends one run.

use clifford_core::{clock::Timestamp, id::RunId, people::UserRole, runs::CancelReason};
use clifford_delivery::outbound;
use clifford_engine::run::{
    cancel,
    follow_up::{Begins, follow_up_in},
};
use clifford_store::{StoreError, Tx, contexts, messages, runs};
use clifford_text::{Answer, Outcome};

use super::{CommandContext, Done};
use crate::awaited::is_awaited;

/// The run that a button names.
pub(super) fn named(argument: &str) -> Option<RunId> {
    argument.trim().parse().ok()
}

pub(super) async fn stop(
    tx: &mut Tx,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    match named(argument) {
        Some(run) => stop_run(tx, run, given, now).await,
        None => stop_all(tx, given, now).await,
    }
}

/// Ends what is at work in the conversation, and drops what waits there. In a shared place that is what is done for this
/// person; for everybody, if they manage it.
async fn stop_all(tx: &mut Tx, given: CommandContext<'_>, now: Timestamp) -> Result<Done, StoreError> {
    let CommandContext {
        channel,
        user,
        manages,
        lang,
        ..
    } = given;
    let parallel = given.defaults.shared_parallel;
    let Some(context) = channel.active_context_id else {
        return Ok(Done::say(lang.say(Answer::NothingToStop)));
    };
    // In the order in which ingress and a run's end lock: the context, then its runs.
    contexts::lock(tx, context).await?;
    let of = Some(user.id).filter(|_| !channel.is_private() && !manages && user.role != UserRole::Owner);
    let mut stopped = runs::unended_in(tx, context).await?;
    stopped.retain(|run| of.is_none() || run.user_id == of);
    let (mut cancelled, mut awaited) = (Vec::new(), Vec::new());
    for run in &stopped {
        let ended = cancel::tree(tx, run.id, CancelReason::Stopped, now).await?;
        if !ended.is_empty() && is_awaited(run, channel.id) {
            awaited.push(run.clone());
        }
        cancelled.extend(ended);
    }
    let dropped = messages::drop_queued(tx, context, of).await?;
    for message in &dropped {
        outbound::resolve_placeholder(tx, message, Outcome::StoppedBefore, now).await?;
    }
    // Others who wait are answered in the place of those that were stopped.
    let mut work_to_claim = false;
    for run in &stopped {
        let begins = Begins::by_anybody(parallel);
        work_to_claim |= follow_up_in(tx, context, run.agent_id, begins, now).await?.is_some();
    }
    let is_nothing = cancelled.is_empty() && dropped.is_empty();
    Ok(Done {
        cancelled,
        awaited,
        work_to_claim,
        ..Done::say(lang.say(match is_nothing {
            true => Answer::NothingToStop,
            false => Answer::Stopped,
        }))
    })
}

/// Ends one run: its person may, and who manages the place that it answers in. Messages that came meanwhile are
/// answered.
async fn stop_run(tx: &mut Tx, id: RunId, given: CommandContext<'_>, now: Timestamp) -> Result<Done, StoreError> {
    let CommandContext {
        channel,
        user,
        manages,
        lang,
        ..
    } = given;
    let parallel = given.defaults.shared_parallel;
    let Some(run) = runs::get(tx, id).await? else {
        return Ok(Done::refuse(lang.say(Answer::EndedAlready)));
    };
    let is_here = run.channel_id == Some(channel.id);
    let may = run.user_id == Some(user.id) || user.role == UserRole::Owner || (manages && is_here);
    if !may {
        return Ok(Done::refuse(lang.say(Answer::NotYoursToStop)));
    }
    // The next claim goes on with what was written meanwhile.
    match cancel::commit(tx, &run, None, Begins::by_anybody(parallel), now).await {
        Ok(cancelled) => Ok(Done {
            cancelled: cancelled.runs,
            awaited: Some(run)
                .filter(|run| is_awaited(run, channel.id))
                .into_iter()
                .collect(),
            work_to_claim: true,
            ..Done::say(lang.say(Answer::Stopped))
        }),
        Err(StoreError::WrongState(_)) => Ok(Done::refuse(lang.say(Answer::EndedAlready))),
        Err(error) => Err(error),
    }
}
