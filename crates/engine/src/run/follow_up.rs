//! The consequences of a run's end: its parent is woken, and messages that people wrote meanwhile begin the next run.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, UserId, WorkerId},
    places::Channel,
    runs::{Run, WakeOn, WakeReason},
};
use clifford_delivery::outbound;
use clifford_store::{
    StoreError, Tx, contexts, messages,
    places::{agents, channels},
    runs::{self, Lease, NewRun, lanes, tree as run_tree},
};
use clifford_text::Outcome;

use crate::{Context, work::Task};

/// Makes a run's parent claimable, if it waits for this run and nothing else; later, if its conversation has
/// another run at work. Two subagents that end at once each lock the parent first, so that the later one sees
/// the earlier.
pub async fn wake_parent(tx: &mut Tx, ended: &Run, now: Timestamp) -> Result<bool, StoreError> {
    let Some(parent) = ended.parent_run_id else {
        return Ok(false);
    };
    runs::lock(tx, parent, now).await?;
    match run_tree::awaited(tx, parent).await? {
        Some((wake_on, unended)) if unended == 0 || wake_on == WakeOn::First => {
            let woken = runs::wake(tx, parent, WakeReason::Subagents, now).await?;
            if !woken {
                runs::wake_when_free(tx, parent, now).await?;
            }
            Ok(woken)
        }
        _ => Ok(false),
    }
}

/// The claim with which a waiting conversation goes on, and the most people who are answered at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begins {
    /// The worker that holds the new run.
    pub worker: WorkerId,
    /// For how long.
    pub lease_for: Duration,
    /// How many people of a shared place are answered at the same time.
    pub parallel: u32,
}

impl Begins {
    /// The next worker that looks for work; at once, if nothing else is at work there.
    pub fn by_anybody(parallel: u32) -> Self {
        Self {
            worker: WorkerId::new(),
            lease_for: Duration::ZERO,
            parallel,
        }
    }
}

impl Context {
    /// How this process begins what waits behind a run.
    pub fn begins(&self) -> Begins {
        Begins {
            worker: self.process.worker(),
            lease_for: self.settings.engine().lease,
            parallel: self.settings.ingress.shared_parallel,
        }
    }
}

/// One new run for all messages that the next person wrote in a context while another run was at work, in order. It
/// answers where the last of their messages was written. Messages of other people, and those in another channel that
/// shares the context, are answered by runs of their own, in the order of each person's first message:
/// as many at the same time as the place has lanes, and nobody by two. The agent of its channel does it, else the one
/// of the run that ended.
pub async fn follow_up_in(
    tx: &mut Tx,
    context: ContextId,
    ended: AgentId,
    begins: Begins,
    now: Timestamp,
) -> Result<Option<(Run, Lease)>, StoreError> {
    let queued = messages::queued(tx, context).await?;
    begin(tx, context, queued, ended, begins, now).await
}

/// The same for messages that were read already.
pub(super) async fn begin(
    tx: &mut Tx,
    context: ContextId,
    mut queued: Vec<messages::Queued>,
    ended: AgentId,
    begins: Begins,
    now: Timestamp,
) -> Result<Option<(Run, Lease)>, StoreError> {
    if queued.is_empty() {
        return Ok(None);
    }
    // A person who is being answered waits for the end of that.
    let at_work = lanes::at_work_in(tx, context).await?;
    queued.retain(|message| at_work.iter().all(|run| run.user_id != message.user_id));
    if let Some((place, person)) = queued.first().map(|first| (first.channel_id, first.user_id)) {
        queued.retain(|message| message.channel_id == place && message.user_id == person);
    }
    let Some((last, earlier)) = queued.split_last() else {
        return Ok(None);
    };
    let channel = channels::get(tx, last.channel_id).await?;
    if at_work.len() >= most_at_work(channel.as_ref(), begins.parallel) {
        return Ok(None);
    }
    for message in earlier {
        outbound::resolve_placeholder(tx, message, Outcome::AnsweredWithLater, now).await?;
    }
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
            .map(messages::Queued::as_input)
            .collect::<Vec<_>>()
            .join("\n"),
        address: last.address.clone().map(|address| address.0),
        platform_roles: last.platform_roles(),
        not_before: None,
    };
    let run = NewRun {
        lane: lanes::free_lane(&at_work),
        ..task.into_run(Some((begins.worker, now.after(begins.lease_for))))
    };
    let run = runs::insert(tx, &run, now).await?;
    for message in &queued {
        messages::give_to_run(tx, message.id, run.id).await?;
    }
    let lease = Lease {
        run: run.id,
        owner: begins.worker,
        epoch: run.epoch,
    };
    Ok(Some((run, lease)))
}

/// The lane of a run of a person that begins in a conversation, or goes on there: alongside others, if the place has a
/// lane in which nothing is at work, but never alongside one of the same person.
///
/// # Errors
/// [`StoreError::Conflict`]: it has to wait.
pub async fn lane_in(
    tx: &mut Tx,
    context: Option<ContextId>,
    channel: Option<&Channel>,
    user: Option<UserId>,
    parallel: u32,
) -> Result<i64, StoreError> {
    let Some(context) = context else { return Ok(0) };
    contexts::lock(tx, context).await?;
    let at_work = lanes::at_work_in(tx, context).await?;
    let is_theirs = user.is_some() && at_work.iter().any(|run| run.user_id == user);
    if is_theirs || at_work.len() >= most_at_work(channel, parallel) {
        return Err(StoreError::Conflict(format!("conversation {context} is busy")));
    }
    Ok(lanes::free_lane(&at_work))
}

/// How many runs may be at work in a conversation of a channel at the same time.
pub fn most_at_work(channel: Option<&Channel>, parallel: u32) -> usize {
    match channel {
        Some(channel) if !channel.is_private() => usize::try_from(parallel.max(1)).unwrap_or(usize::MAX),
        _ => 1,
    }
}
