//! The consequences of a run's end: its parent is woken, and messages that people wrote meanwhile begin the next run.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, WorkerId},
    run::sentences,
    runs::Run,
};
use clifford_delivery::outbound;
use clifford_store::{
    StoreError, Tx, messages,
    places::{agents, channels},
    runs::{self, Lease, tree as run_tree},
};

use crate::work::Task;

/// Makes a run's parent claimable, if it waits for this run and nothing else; later, if its conversation has
/// another run at work. Two subagents that end at once each lock the parent first, so that the later one sees
/// the earlier.
pub async fn wake_parent(tx: &mut Tx, ended: &Run, now: Timestamp) -> Result<bool, StoreError> {
    let Some(parent) = ended.parent_run_id else {
        return Ok(false);
    };
    runs::lock(tx, parent, now).await?;
    match run_tree::awaited(tx, parent).await? {
        Some((wake_on, unended)) if unended == 0 || wake_on == "first" => {
            let woken = runs::wake(tx, parent, "subagents", now).await?;
            if !woken {
                runs::wake_when_free(tx, parent, now).await?;
            }
            Ok(woken)
        }
        _ => Ok(false),
    }
}

/// One new run for all messages that the next person wrote in a context while another run was at work, in order. It
/// answers where the last of their messages was written. Messages of other people, and those in another channel that
/// shares the context, are answered by runs of their own, one after another, in the order of each person's first
/// message. The agent of its channel does it, else the one of the run that ended.
pub async fn follow_up_in(
    tx: &mut Tx,
    context: ContextId,
    ended: AgentId,
    worker: WorkerId,
    lease_for: Duration,
    now: Timestamp,
) -> Result<Option<(Run, Lease)>, StoreError> {
    let queued = messages::queued(tx, context).await?;
    begin(tx, context, queued, ended, worker, lease_for, now).await
}

/// The same for messages that were read already.
pub(super) async fn begin(
    tx: &mut Tx,
    context: ContextId,
    mut queued: Vec<messages::Queued>,
    ended: AgentId,
    worker: WorkerId,
    lease_for: Duration,
    now: Timestamp,
) -> Result<Option<(Run, Lease)>, StoreError> {
    if let Some((place, person)) = queued.first().map(|first| (first.channel_id, first.user_id)) {
        queued.retain(|message| message.channel_id == place && message.user_id == person);
    }
    let Some((last, earlier)) = queued.split_last() else {
        return Ok(None);
    };
    for message in earlier {
        outbound::resolve_placeholder(tx, message, sentences::ANSWERED_WITH_LATER, now).await?;
    }
    let channel = channels::get(tx, last.channel_id).await?;
    let agent = (agents::for_channel(tx, channel.as_ref()).await?).map_or(ended, |agent| agent.id);
    let mode = match last.mode() {
        Some(mode) => mode,
        None => agents::mode_in(tx, agent, last.channel_id).await?,
    };
    let task = Task {
        agent,
        channel: Some(last.channel_id),
        user: last.user_id,
        context: Some(context),
        mode,
        input: queued
            .iter()
            .map(messages::Queued::asked)
            .collect::<Vec<_>>()
            .join("\n"),
        address: last.address.clone().map(|address| address.0),
        platform_roles: last.platform_roles(),
        not_before: None,
    };
    let run = runs::insert(tx, &task.into_run(Some((worker, now.after(lease_for)))), now).await?;
    for message in &queued {
        messages::give_to_run(tx, message.id, run.id).await?;
    }
    let lease = Lease {
        run: run.id,
        owner: worker,
        epoch: run.epoch,
    };
    Ok(Some((run, lease)))
}
