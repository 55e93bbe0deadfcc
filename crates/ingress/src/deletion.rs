//! Messages that were deleted on their platform: they leave prompts and search, and get no answer any more.
//!
//! The row stays, and says when. A run that has nothing else to answer and has said nothing ends quietly; one that has
//! more begins again without it, unless it has taken it up already.

use clifford_chat::inbound::{Accepted, Deleted};
use clifford_core::{clock::Timestamp, id::RunId, messages::MessageStatus, places::ChannelKind};
use clifford_engine::run::{cancel, follow_up::Begins};
use clifford_store::{
    StoreError, Tx, contexts,
    messages::{self, quoting},
    places::channels,
    runs::{self, Lease, RunClaim},
};

use super::{IngressService, edit};

/// The consequences of a deletion, after its commit.
#[derive(Default)]
struct Followed {
    /// Runs that ended, each with the claim that held it.
    cancelled: Vec<RunClaim>,
    /// Runs that this worker holds and is to begin, each with when, if not at once.
    begin: Vec<(Lease, Option<Timestamp>)>,
    /// Claims of runs that begin again.
    interrupted: Vec<RunClaim>,
}

impl IngressService {
    pub(super) async fn deleted(&self, deleted: Deleted) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        self.context
            .ambient
            .remove(deleted.platform, &deleted.place, &deleted.ids);
        let begins = self.context.begins();
        let followed = self
            .db
            .write(move |tx| Box::pin(store(tx, deleted, begins, now)))
            .await?;
        for claim in followed.interrupted {
            self.runs.interrupt(claim);
        }
        for claim in followed.cancelled {
            self.runs.interrupt(claim);
            self.context.delivery.cancelled(claim.run);
        }
        for (lease, not_before) in followed.begin {
            match not_before.filter(|at| *at > now) {
                Some(at) => self.runs.start_later(lease, at),
                None => self.runs.start_held(lease),
            }
        }
        Ok(Accepted::Stored)
    }
}

async fn store(tx: &mut Tx, deleted: Deleted, begins: Begins, now: Timestamp) -> Result<Followed, StoreError> {
    let mut followed = Followed::default();
    let here = channels::by_place(tx, deleted.platform, &deleted.place).await?;
    for id in &deleted.ids {
        let Some((_, found)) = edit::find(tx, (deleted.platform, &deleted.place), here.as_ref(), id).await? else {
            continue;
        };
        if let Some(context) = found.context_id {
            contexts::lock(tx, context).await?;
        }
        // A run may have taken it up until it was locked.
        let Some(known) = messages::get(tx, found.id).await? else {
            continue;
        };
        if !messages::deleted(tx, known.id, now).await? {
            continue;
        }
        if let (MessageStatus::Received, Some(run)) = (known.status, known.run_id) {
            unasked(tx, run, &mut followed, begins, now).await?;
        }
    }
    // Answers to a deleted message quote it, whether or not it was stored itself.
    let mut quoting = Vec::new();
    if let Some(channel) = here {
        quoting = quoting::remove(tx, channel.id, &deleted.ids).await?;
    }
    for id in &deleted.ids {
        // A thread may have the id of the message at which it begins, as on Discord: the first words there quote it.
        let thread = channels::by_place(tx, deleted.platform, id).await?;
        if let Some(thread) = thread.filter(|thread| thread.kind == ChannelKind::Thread) {
            quoting.extend(quoting::remove(tx, thread.id, std::slice::from_ref(id)).await?);
        }
    }
    for run in quoting {
        asked_again(tx, run, &mut followed, begins, now).await?;
    }
    Ok(followed)
}

/// Lets a run that has made no step begin again with what is left of its input. `false`: nothing is left.
async fn asked_again(
    tx: &mut Tx,
    id: RunId,
    followed: &mut Followed,
    begins: Begins,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let input = messages::input_of(tx, id, None).await?;
    let left: Vec<_> = input.into_iter().map(|(_, text)| text).collect();
    if left.is_empty() {
        return Ok(false);
    }
    let again = runs::begin_again(
        tx,
        id,
        &left.join("\n"),
        begins.worker,
        now.after(begins.lease_for),
        now,
    )
    .await?;
    if let Some(again) = again {
        followed.interrupted.push(RunClaim::before(&again));
        let lease = Lease {
            run: id,
            owner: begins.worker,
            epoch: again.epoch,
        };
        followed.begin.push((lease, again.wake_at));
    }
    Ok(true)
}

/// Handles a run one of whose messages was deleted.
async fn unasked(
    tx: &mut Tx,
    id: RunId,
    followed: &mut Followed,
    begins: Begins,
    now: Timestamp,
) -> Result<(), StoreError> {
    if asked_again(tx, id, followed, begins, now).await? {
        return Ok(());
    }
    let Some(run) = runs::get(tx, id).await?.filter(|run| !run.status.is_ended()) else {
        return Ok(());
    };
    // A person who has part of an answer may get the rest.
    if !messages::said_by(tx, id).await?.is_empty() {
        return Ok(());
    }
    let cancelled = cancel::commit(tx, &run, None, begins, now).await?;
    followed.cancelled.extend(cancelled.runs);
    followed.begin.extend(cancelled.follow_up.map(|lease| (lease, None)));
    Ok(())
}
