//! The runs that this process works on, each in a task of its own.

pub(crate) mod control;
pub(crate) mod suspects;

use std::{sync::Arc, time::Duration};

use clifford_chat::outbound::Mark;
use clifford_core::{clock::Timestamp, runs::RunStatus};
use clifford_store::{
    StoreError,
    runs::{self, BeginOutcome, Lease, RunClaim},
};
use dashmap::DashMap;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{
    Context,
    run::{Starter, perform, unread},
    work::Work,
};

/// How long to wait when the database is away.
const RETRY: Duration = Duration::from_secs(1);

/// The runs of this process: those at work, those that wait for a permit, and the tokens that stop them.
pub struct Runs {
    /// The context they share.
    pub context: Arc<Context>,
    /// One for each run at work at once.
    permits: Arc<Semaphore>,
    /// Tokens by claim: cancelled when it has lost its run.
    cancellations: DashMap<RunClaim, CancellationToken>,
}

impl std::fmt::Debug for Runs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs")
            .field("context", &self.context)
            .field("permits", &self.permits)
            .finish_non_exhaustive()
    }
}

impl Starter for Arc<Runs> {
    fn start(&self, lease: Lease) {
        self.start_held(lease);
    }
}

impl Runs {
    /// No runs yet.
    pub fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(context.settings.engine().max_concurrent_runs)),
            context,
            cancellations: DashMap::new(),
        })
    }

    /// How many more runs could be at work now.
    pub fn free_permits(&self) -> usize {
        self.permits.available_permits()
    }

    /// Works on a run that this process holds, in a task of its own.
    pub fn start(self: &Arc<Self>, work: Work) {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            // Thousands may wait for a permit: what each needs is read when it has one.
            return self.start_held(work.lease);
        };
        let held = self.hold(work.lease);
        self.context.process.tasks.spawn(async move {
            let _permit = permit;
            held.work_on(work).await;
        });
    }

    /// Works on a run that this process holds and that begins at a time that may move.
    pub fn start_later(self: &Arc<Self>, lease: Lease, mut at: Timestamp) {
        let held = self.hold(lease);
        // The time of waiting counts from now, even if the clock is adjusted meanwhile.
        let mut now = self.context.clock.now();
        self.context.process.tasks.spawn(async move {
            let cx = &held.runs.context;
            loop {
                let wait = at.since(now);
                tokio::select! {
                    () = cx.process.stop.cancelled() => return,
                    () = tokio::time::sleep(wait) => {}
                }
                // Begun in one step, so that nothing joins its input after that was read.
                now = cx.clock.now().max(at);
                let begun = cx
                    .db
                    .write(move |tx| Box::pin(async move { runs::begin(tx, &lease, now).await }))
                    .await;
                match begun {
                    Ok(BeginOutcome::Now) => {
                        let runs = Arc::clone(&held.runs);
                        // Else it would remove the cancellation of the next one.
                        drop(held);
                        return runs.start_held(lease);
                    }
                    Ok(BeginOutcome::NotBefore(later)) => at = later,
                    Ok(BeginOutcome::NotOurs) => return,
                    Err(error) => {
                        tracing::warn!(run_id = %lease.run, %error, "run waits for the database");
                        at = now.after(RETRY);
                    }
                }
            }
        });
    }

    /// Works on a run that this process holds, and that must be read first.
    pub fn start_held(self: &Arc<Self>, lease: Lease) {
        let held = self.hold(lease);
        self.context.process.tasks.spawn(async move {
            // Never closed, so a permit is always had in the end.
            let _permit = Arc::clone(&held.runs.permits).acquire_owned().await;
            held.runs.context.wait_for_suspects(lease).await;
            Box::pin(held.read_and_work_on()).await;
        });
    }

    /// From now on the task of this claim can be told to stop: before it has a permit, too.
    pub(super) fn hold(self: &Arc<Self>, lease: Lease) -> Held {
        let cancelled = self.context.process.stop.child_token();
        self.cancellations.insert(lease.claim(), cancelled.clone());
        Held {
            runs: Arc::clone(self),
            lease,
            cancelled,
        }
    }

    /// Whether a task of this process works on this claim, or waits to.
    pub fn is_in_flight(&self, lease: &Lease) -> bool {
        self.cancellations.contains_key(&lease.claim())
    }

    /// Tells the task of an earlier claim in this process, if there is one, that the run is not its any more.
    pub fn interrupt(&self, claim: RunClaim) {
        if let Some(token) = self.cancellations.get(&claim) {
            token.cancel();
        }
    }

    /// Whether nobody goes on with a run that was released: it was cancelled, by whomever, and not claimed before.
    async fn is_given_up(&self, lease: &Lease) -> Result<bool, StoreError> {
        let run = runs::get(&mut self.context.db.read().await?, lease.run).await?;
        Ok(run.is_none_or(|run| run.status == RunStatus::Cancelled && run.epoch == lease.epoch + 1))
    }
}

/// A claim that a task works on or waits with.
pub(super) struct Held {
    pub(super) runs: Arc<Runs>,
    pub(super) lease: Lease,
    pub(super) cancelled: CancellationToken,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.runs.cancellations.remove(&self.lease.claim());
    }
}

impl Held {
    pub(super) async fn read_and_work_on(&self) {
        match self.runs.context.load_patiently(self.lease).await {
            // While it waited for its permit it may have become somebody else's, or ended.
            Ok(Some(work)) if work.run.epoch == self.lease.epoch => self.work_on(work).await,
            Ok(_) => {}
            Err(error) => {
                unread::end(
                    &self.runs.context,
                    &self.runs,
                    self.lease,
                    &error.to_string(),
                    &self.cancelled,
                )
                .await
            }
        }
    }

    async fn work_on(&self, work: Work) {
        let cx = &self.runs.context;
        let run = work.run.id;
        let epoch = work.lease.epoch;
        let to = work.reply_to();
        if let Some(to) = &to {
            cx.delivery.busy(to, run, epoch);
            cx.delivery.mark(to, Mark::Working);
        }
        let rest = Box::pin(perform::drive(cx, &self.runs, work, &self.cancelled)).await;
        if let (Some(to), perform::Exit::Released) = (&to, rest) {
            // If that cannot be read, the next holder finds the draft.
            if self.runs.is_given_up(&self.lease).await.unwrap_or(false) {
                cx.delivery.done(to, run, epoch);
            } else {
                cx.delivery.release(to, run, epoch);
            }
        }
    }
}
