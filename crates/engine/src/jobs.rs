//! Does jobs: durable work that belongs to no run. A job that fails is tried again, later each time; nothing waits
//! for it. `jobs/job.rs` says what a job is, `jobs/registry.rs` lists the jobs, and each has a file of its own. Jobs
//! use runs and memory; neither knows of jobs.
//!
//! **Two kinds.** A job is a row of `jobs`: something made it necessary, and it is done once. A maintenance job
//! (`jobs/maintenance.rs`) is done again and again; its row in `maintenance_jobs` is always the same.
//!
//! **A true loop.** [`run`] claims what comes due and works on it, so it is no job itself. It works on one job of each
//! kind at a time: an erasure waits for no model that hangs over a memory write.

pub mod erase;
pub mod export;
mod job;
pub mod maintenance;
pub(crate) mod memory_write;
pub(crate) mod registry;

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use clifford_core::{
    clock::Timestamp,
    quarantine::{Mark, Verdict},
    work::{JobKind, Kind},
};
use clifford_store::{
    Db, StoreError,
    jobs::{self, Job as Row, JobLease},
};
use clifford_telemetry::{
    failpoint::{self as crash, Way},
    measures,
    quarantine::isolation::Key,
    spans,
};
use futures::{FutureExt as _, future};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tracing::{Instrument, Span};

pub use self::job::{Attempts, Claimed, Job, JobError};
use crate::{Context, Runs};

/// How often to look where nothing notifies.
const POLL: Duration = Duration::from_secs(1);
/// The wait before the second attempt; each wait after that is twice as long.
const BACKOFF: Duration = Duration::from_secs(10);
/// The longest of these waits.
const LONGEST_BACKOFF: Duration = Duration::from_secs(3600);
/// The wait before the database is told again that a job is put off; each wait after that is twice as long.
const TELL_AGAIN: Duration = Duration::from_millis(500);
/// The longest of these waits.
const LONGEST_TELL_AGAIN: Duration = Duration::from_secs(30);
/// How often a job is tried whose failure does not pass by itself.
const ATTEMPTS: i64 = 12;
/// The same where the model's answer is of no use: each try is paid for.
const ATTEMPTS_TO_READ: i64 = 3;

/// Does what comes due until `stop`, one job of each kind at a time.
pub async fn run(runs: Arc<Runs>, stop: CancellationToken) {
    let lanes: Vec<_> = JobKind::ALL.iter().map(|kind| (*kind, Notify::new())).collect();
    let at_work = lanes.iter().map(|(kind, made)| work_in_turn(&runs, *kind, made, &stop));
    tokio::select! {
        _ = future::join_all(at_work) => {}
        never = notify_all(&runs.context, &lanes) => match never {},
    }
}

/// Hands on to each lane that a job was made.
async fn notify_all(cx: &Context, lanes: &[(JobKind, Notify)]) -> Infallible {
    loop {
        cx.notify.jobs.notified().await;
        lanes.iter().for_each(|(_, made)| made.notify_one());
    }
}

/// Does the jobs of a kind, one at a time.
async fn work_in_turn(runs: &Arc<Runs>, kind: JobKind, made: &Notify, stop: &CancellationToken) {
    let cx = &runs.context;
    while !stop.is_cancelled() {
        match claim(cx, kind).await {
            Ok(Some((row, lease))) => {
                let runs = Arc::clone(runs);
                let claimed = Claimed { runs, row, lease };
                tokio::select! {
                    // It goes on at the next start, or in another process.
                    () = stop.cancelled() => return release(cx, lease).await,
                    () = examine(&claimed) => {}
                }
                continue;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "failed to claim jobs"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = made.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

async fn claim(cx: &Context, kind: JobKind) -> Result<Option<(Row, JobLease)>, StoreError> {
    let window = cx.process.window();
    // Most of the time there is nothing, which a reader can tell.
    let next = jobs::next_due(&mut cx.db.read().await?, kind, window).await?;
    if next.is_none_or(|at| at > window.now) {
        return Ok(None);
    }
    cx.db.write(move |tx| Box::pin(jobs::claim(tx, kind, window))).await
}

/// Works on a claimed job as the deaths of those that held it before say.
async fn examine(claimed: &Claimed) {
    let (cx, row, lease) = (claimed.context(), &claimed.row, claimed.lease);
    let (deaths, evidence) = (row.deaths, row.evidence());
    match cx.settings.engine().deaths().verdict(evidence) {
        Verdict::Innocent => {
            cx.isolation.pass().await;
            work_on(claimed).await;
        }
        Verdict::Suspect => {
            tracing::warn!(job_id = %row.id, deaths, "working on a suspected job in isolation");
            let suspect = cx.isolation.suspect(key(lease), evidence.mark_at_work());
            let keeper = cx.process.tasks.spawn(keep_turns_short(Arc::clone(cx), lease));
            let keeper = AbortOnDropHandle::new(keeper);
            work_on(claimed).await;
            drop((keeper, suspect));
            cx.notify.runs.notify_one();
        }
        Verdict::Guilty => {
            tracing::error!(job_id = %row.id, deaths, "job quarantined: the process died each time that it worked on it");
            measures::quarantined(Kind::Job);
            let why = format!(
                "quarantined: {deaths} processes died that held it, the last one while it worked on nothing else; \
                 `clifford quarantine retry {}` tries again",
                row.id
            );
            let now = cx.clock.now();
            let written = cx
                .db
                .write(move |tx| Box::pin(async move { jobs::quarantine(tx, &lease, &why, now).await }))
                .await;
            if let Err(error) = written {
                tracing::warn!(job_id = %row.id, %error, "failed to quarantine a job, whose lease lapses by itself");
            }
        }
    }
}

fn key(lease: JobLease) -> Key {
    (lease.job.to_string(), lease.epoch)
}

/// A suspect is about to be worked on: its row says so before. Nothing happens to any other job.
pub(crate) async fn enter_isolation(cx: &Context, lease: JobLease) -> Result<(), StoreError> {
    if cx.isolation.is_suspect(|| key(lease))
        && let Some((at_work, turn)) = cx.isolation.enter(&key(lease)).await
    {
        mark(cx, lease, at_work).await?;
        cx.isolation.begin(&key(lease), turn);
    }
    Ok(())
}

/// Each turn of a suspect that others wait for ends after a while: its row says so before they begin.
async fn keep_turns_short(cx: Arc<Context>, lease: JobLease) {
    while !cx.process.stop.is_cancelled() {
        let turn = cx.isolation.overdue(&key(lease)).await;
        if let Err(error) = mark(&cx, lease, Mark::Waiting).await {
            tracing::warn!(job_id = %lease.job, %error, "failed to mark a suspected job");
        }
        drop(turn);
        cx.notify.runs.notify_one();
    }
}

/// A suspect is about to wait for its model: everything else goes on. Nothing happens to any other job.
pub(crate) async fn leave_isolation(cx: &Context, lease: JobLease) -> Result<(), StoreError> {
    if cx.isolation.is_suspect(|| key(lease)) {
        mark(cx, lease, Mark::Waiting).await?;
        cx.isolation.leave(&key(lease));
        cx.notify.runs.notify_one();
    }
    Ok(())
}

async fn mark(cx: &Context, lease: JobLease, mark: Mark) -> Result<(), StoreError> {
    let now = cx.clock.now();
    let marked = cx
        .db
        .write(move |tx| Box::pin(async move { jobs::mark(tx, &lease, mark, now).await }));
    marked.await
}

async fn work_on(claimed: &Claimed) {
    let span = spans::job(claimed.row.id, claimed.row.kind);
    Box::pin(work_within(claimed).instrument(span)).await;
}

async fn work_within(claimed: &Claimed) {
    let (cx, lease) = (claimed.context(), claimed.lease);
    let (kind, attempts) = (claimed.row.kind, claimed.row.attempts);
    let job = registry::find(kind);
    let work = caught(async {
        enter_isolation(cx, lease).await?;
        crash::strike(Way::Job, || kind.to_string());
        job.ok_or(JobError::Unregistered(kind))?.run(claimed).await
    });
    let done = tokio::select! {
        done = work => done,
        never = renew_lease(cx, lease) => match never {},
    };
    let label = if done.is_ok() { "done" } else { "rescheduled" };
    measures::job_done(kind, label);
    Span::current().record("outcome", label);
    let Err(error) = done else { return };
    let now = cx.clock.now();
    let due_at = match &error {
        JobError::NotYet(at) => Some(*at),
        _ if attempts >= most_attempts(&error) && is_limited(job) && !error.may_pass() => None,
        _ => Some(now.after(backoff(attempts))),
    };
    match due_at {
        Some(_) if matches!(error, JobError::NotYet(_)) => {}
        Some(_) => tracing::warn!(job_id = %lease.job, error = error.class(), attempts, "job failed, retrying later"),
        None => tracing::error!(job_id = %lease.job, error = error.class(), attempts, "job failed permanently"),
    }
    if matches!(error, JobError::Panicked) {
        measures::panicked();
    }
    // The model's words stand in the job's row.
    tracing::debug!(job_id = %lease.job, %error, "job failed (details)");
    reschedule(&cx.db, lease, &error, due_at, now).await;
}

const fn most_attempts(error: &JobError) -> i64 {
    match error {
        JobError::Unreadable(_) => ATTEMPTS_TO_READ,
        _ => ATTEMPTS,
    }
}

fn is_limited(job: Option<&dyn Job>) -> bool {
    job.is_none_or(|job| job.attempts() == Attempts::Limited)
}

/// A panic is the failure of its job, not the end of all job work.
async fn caught(work: impl Future<Output = Result<(), JobError>>) -> Result<(), JobError> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or(Err(JobError::Panicked))
}

/// Renews the lease of a claimed job, three times in the life of one, for as long as it is this worker's. Whether it
/// still is, each write of the work finds out by itself.
async fn renew_lease(cx: &Context, lease: JobLease) -> Infallible {
    let every = (cx.settings.engine().lease / 3).max(Duration::from_millis(100));
    loop {
        tokio::time::sleep(every).await;
        let (clock, lasts) = (Arc::clone(&cx.clock), cx.settings.engine().lease);
        let renewed = cx
            .db
            .write(move |tx| Box::pin(async move { jobs::renew(tx, &lease, clock.now().after(lasts)).await }))
            .await;
        match renewed {
            Ok(true) => {}
            Ok(false) => return std::future::pending().await,
            Err(error) => tracing::warn!(job_id = %lease.job, %error, "failed to renew a job lease"),
        }
    }
}

/// Gives a job back that was interrupted: it was not tried, and may be claimed at once.
async fn release(cx: &Context, lease: JobLease) {
    let now = cx.clock.now();
    let given = cx
        .db
        .write(move |tx| Box::pin(async move { jobs::wait(tx, &lease, now, now).await }))
        .await;
    match given {
        // It had just ended.
        Ok(()) | Err(StoreError::NotFound(_)) => {}
        Err(error) => {
            tracing::warn!(job_id = %lease.job, %error, "failed to release a job, whose lease lapses by itself")
        }
    }
}

/// Gives a job back, however long it takes until the database hears of it.
async fn reschedule(db: &Db, lease: JobLease, error: &JobError, due_at: Option<Timestamp>, now: Timestamp) {
    let (waits_for, reason) = match error {
        JobError::NotYet(at) => (Some(*at), String::new()),
        error => (None, error.to_string()),
    };
    let mut wait = TELL_AGAIN;
    loop {
        let reason = reason.clone();
        let told = db
            .write(move |tx| {
                Box::pin(async move {
                    match waits_for {
                        Some(at) => jobs::wait(tx, &lease, at, now).await,
                        None => jobs::reschedule(tx, &lease, &reason, due_at, now).await,
                    }
                })
            })
            .await;
        match told {
            Ok(()) => return,
            Err(StoreError::NotFound(_)) => {
                tracing::warn!(job_id = %lease.job, "job not rescheduled: another worker holds it");
                return;
            }
            Err(error) => tracing::warn!(job_id = %lease.job, %error, "failed to reschedule a job, retrying"),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_TELL_AGAIN);
    }
}

fn backoff(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 16) - 1).unwrap_or(0);
    (BACKOFF * 2_u32.pow(doublings)).min(LONGEST_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_twice_as_long_as_the_one_before_up_to_an_hour() {
        let waits: Vec<_> = [1, 2, 3, 10, 100].map(|attempts| backoff(attempts).as_secs()).into();
        assert_eq!(waits, [10, 20, 40, 3600, 3600]);
    }

    #[tokio::test]
    async fn a_panic_is_the_failure_of_its_job() {
        let done = caught(async { panic!("a bug") }).await;
        assert!(matches!(done, Err(JobError::Panicked)));
        assert!(caught(async { Ok(()) }).await.is_ok());
    }
}
