//! Does maintenance: what is done again and again, and by one process at a time.
//!
//! Each maintenance job has a file here and a line in `registry.rs`. Its row in `maintenance_jobs` says when it is due,
//! which process does it, and how it went. A process sleeps until the next of these rows is due, claims it as any other
//! work, and renews its lease until the job ends. `due.rs` says when it is due again.
//!
//! **A true loop.** It is the scheduler of these jobs, so it is no job itself.
//!
//! **Versions.** Versions without the table do the same work in each process. That is safe alongside this: every
//! maintenance job may be done twice, and by two at once.

pub(crate) mod budget_periods;
pub(crate) mod compacted_messages;
pub(crate) mod deleted_files;
pub(crate) mod due;
pub(crate) mod ended_reminders;
pub(crate) mod idle_conversations;
pub mod left_spaces;
pub(crate) mod rate_limits;
pub(crate) mod registry;
pub mod retention;
pub(crate) mod search_index;
pub(crate) mod webhook_signatures;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_core::{clock::Timestamp, work::MaintenanceKind};
use clifford_store::{
    Conn, Db, StoreError,
    maintenance::{self, Claimed, MaintenanceLease, Record},
};
use clifford_telemetry::{
    failpoint::{self as crash, Way},
    measures,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{JobError, LONGEST_TELL_AGAIN, POLL, TELL_AGAIN, caught};
use crate::{Context, EngineSettings};

/// The longest sleep: what other processes change is noticed after that.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// The maintenance jobs that failed the last time, of those that are on in these settings.
pub async fn failing(conn: &mut Conn, settings: &EngineSettings) -> Result<Vec<Record>, StoreError> {
    let is_on = |record: &Record| {
        let mut jobs = registry::ALL.iter();
        jobs.any(|job| job.kind().as_str() == record.name && job.every(settings).is_some())
    };
    let mut records = maintenance::all(conn).await?;
    records.retain(|record| record.is_failing() && is_on(record));
    Ok(records)
}

/// How a failing maintenance job stands, in a line.
pub fn describe(record: &Record) -> String {
    let times = match record.failures_in_a_row {
        1 => "once".to_owned(),
        times => format!("{times} times in a row"),
    };
    let at = record
        .last_failed_at
        .map(|at| format!(", last at {at}"))
        .unwrap_or_default();
    let why = record.last_error.as_deref().unwrap_or("unknown");
    format!("{} failed {times}{at}: {why}", record.name)
}

/// A maintenance job. Each has a file of its own, and a line in `registry.rs`.
#[async_trait]
pub trait MaintenanceJob: fmt::Debug + Send + Sync {
    /// The row that is its own.
    fn kind(&self) -> MaintenanceKind;

    /// How long after its end it is due again. `None`: the settings turn it off.
    fn every(&self, settings: &EngineSettings) -> Option<Duration>;

    /// Whether there is something to do, where that costs one short read: nothing is written for a job that would do
    /// nothing.
    async fn has_work(&self, _cx: &Context) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Does it. It may be interrupted at any `.await`, and done again from the start.
    async fn run(&self, cx: &Context) -> Result<(), StoreError>;
}

/// Does what comes due until `stop`, each job in a task of its own: one that takes long holds no other up.
pub async fn run(cx: Arc<Context>, stop: CancellationToken) {
    let mut schedule = Schedule::new(cx, stop);
    while !schedule.stop.is_cancelled() {
        let now = schedule.cx.clock.now();
        let next = match schedule.look(now).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "failed to claim maintenance jobs");
                now.after(POLL)
            }
        };
        let sleep = next.since(schedule.cx.clock.now()).min(LONGEST_SLEEP);
        tokio::select! {
            () = schedule.stop.cancelled() => {}
            () = tokio::time::sleep(sleep) => {}
            Some(ended) = schedule.working.join_next() => schedule.ended(ended.ok()),
        }
    }
    // Each gives its job back.
    while schedule.working.join_next().await.is_some() {}
}

/// A job of this process, and when to look at it.
#[derive(Debug)]
struct Slot {
    job: &'static dyn MaintenanceJob,
    every: Duration,
    not_before: Timestamp,
    is_at_work: bool,
}

/// The maintenance jobs of this process.
struct Schedule {
    cx: Arc<Context>,
    stop: CancellationToken,
    slots: Vec<Slot>,
    working: JoinSet<MaintenanceKind>,
    is_registered: bool,
}

impl Schedule {
    fn new(cx: Arc<Context>, stop: CancellationToken) -> Self {
        let slots = registry::ALL.iter().filter_map(|job| {
            Some(Slot {
                job: *job,
                every: job.every(&cx.settings)?,
                not_before: Timestamp(0),
                is_at_work: false,
            })
        });
        Self {
            slots: slots.collect(),
            cx,
            stop,
            working: JoinSet::new(),
            is_registered: false,
        }
    }

    /// Begins what is due, and returns when to look again.
    async fn look(&mut self, now: Timestamp) -> Result<Timestamp, StoreError> {
        if !self.is_registered {
            self.register(now).await?;
        }
        let rows = maintenance::all(&mut self.cx.db.read().await?).await?;
        let mut next = now.after(LONGEST_SLEEP);
        for place in 0..self.slots.len() {
            if !self.slots[place].is_at_work {
                let at = self.look_at(place, &rows, now).await?;
                next = next.min(at);
            }
        }
        Ok(next)
    }

    /// Makes the jobs known. Each is due one interval from now at the latest, so that settings that shorten it apply.
    async fn register(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let slots = self.slots.iter();
        let jobs: Vec<_> = slots.map(|slot| (slot.job.kind(), now.after(slot.every))).collect();
        let registered = self.cx.db.write(move |tx| {
            Box::pin(async move {
                for (job, due_at) in jobs {
                    maintenance::register(tx, job, due_at).await?;
                }
                Ok(())
            })
        });
        registered.await?;
        self.is_registered = true;
        Ok(())
    }

    /// Begins one job, if it is due and no other process does it. Returns when to look at it again.
    async fn look_at(&mut self, place: usize, rows: &[Record], now: Timestamp) -> Result<Timestamp, StoreError> {
        let slot = &mut self.slots[place];
        let (job, every) = (slot.job, slot.every);
        let row = rows.iter().find(|row| row.name == job.kind().as_str());
        let Some(row) = row.filter(|row| !due::is_out_of_reach(row.due_at, every, now)) else {
            self.is_registered = false;
            return Ok(now.after(POLL));
        };
        slot.not_before = due::not_before(slot.not_before, every, now);
        let at = due::claimable(row.due_at, row.lease_until).max(slot.not_before);
        if at > now {
            return Ok(at);
        }
        if !job.has_work(&self.cx).await? {
            slot.not_before = now.after(every);
            return Ok(slot.not_before);
        }
        let (window, kind) = (self.cx.process.window(), job.kind());
        let claimed = self
            .cx
            .db
            .write(move |tx| Box::pin(maintenance::claim(tx, kind, window)));
        if let Some(claimed) = claimed.await? {
            slot.is_at_work = true;
            let work = work(Arc::clone(&self.cx), job, every, claimed, self.stop.clone());
            self.working.spawn(work);
        }
        // Where another process was first, its lease may be unknown here.
        slot.not_before = now.after(POLL);
        Ok(slot.not_before)
    }

    /// A task ended. One of which nothing is known was torn down, which ends all of them.
    fn ended(&mut self, job: Option<MaintenanceKind>) {
        for slot in &mut self.slots {
            if job.is_none_or(|job| slot.job.kind() == job) {
                slot.is_at_work = false;
            }
        }
    }
}

/// Does a claimed job, and records how it went.
async fn work(
    cx: Arc<Context>,
    job: &'static dyn MaintenanceJob,
    every: Duration,
    claimed: Claimed,
    stop: CancellationToken,
) -> MaintenanceKind {
    let (kind, lease) = (job.kind(), claimed.lease);
    let done = tokio::select! {
        () = stop.cancelled() => {
            release(&cx.db, lease).await;
            return kind;
        }
        () = lost(&cx, lease) => {
            tracing::warn!(job = %kind, "maintenance job abandoned: another process took its lease");
            return kind;
        }
        done = attempt(&cx, job, claimed.deaths) => done,
    };
    let now = cx.clock.now();
    let (due_at, error) = match done {
        Ok(()) => (now.after(every), None),
        Err(error) => (due::after_failure(now, claimed.failures_in_a_row), Some(error)),
    };
    measures::maintained(kind, if error.is_none() { "done" } else { "rescheduled" });
    if let Some(error) = &error {
        let failures = claimed.failures_in_a_row + 1;
        tracing::warn!(job = %kind, %error, failures, "maintenance job failed, retrying later");
    }
    if matches!(error, Some(Failure::Job(JobError::Panicked))) {
        measures::panicked();
    }
    let error = error.map(|error| cx.masker.mask(&error.to_string()).into_owned());
    record(&cx, lease, error, due_at, &stop).await;
    kind
}

/// Why a maintenance job was not done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("the process that did it last died before it ended")]
    Died,
}

/// A job that a process died of is put off, as one that failed: else it would take down one process after the other.
async fn attempt(cx: &Context, job: &dyn MaintenanceJob, deaths: i64) -> Result<(), Failure> {
    if deaths > 0 {
        return Err(Failure::Died);
    }
    let done = caught(async {
        cx.isolation.pass().await;
        crash::strike(Way::Job, || job.kind().to_string());
        Ok(job.run(cx).await?)
    });
    Ok(done.await?)
}

/// Renews the lease of a job at work, three times in the life of one, until another process has it.
async fn lost(cx: &Context, lease: MaintenanceLease) {
    let lasts = cx.settings.engine().lease;
    loop {
        tokio::time::sleep((lasts / 3).max(Duration::from_millis(100))).await;
        let clock = Arc::clone(&cx.clock);
        let renewed = cx
            .db
            .write(move |tx| Box::pin(async move { maintenance::renew(tx, &lease, clock.now().after(lasts)).await }));
        match renewed.await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(job = %lease.job, %error, "failed to renew the lease of a maintenance job"),
        }
    }
}

/// Gives a job back that was interrupted: it stays due.
async fn release(db: &Db, lease: MaintenanceLease) {
    let given = db.write(move |tx| Box::pin(async move { maintenance::release(tx, &lease).await }));
    if let Err(error) = given.await {
        tracing::warn!(job = %lease.job, %error, "failed to release a maintenance job, whose lease lapses by itself");
    }
}

/// Records how a job went, however long it takes until the database hears of it.
async fn record(
    cx: &Context,
    lease: MaintenanceLease,
    error: Option<String>,
    due_at: Timestamp,
    stop: &CancellationToken,
) {
    let mut wait = TELL_AGAIN;
    loop {
        let (error, now) = (error.clone(), cx.clock.now());
        let recorded = cx.db.write(move |tx| {
            Box::pin(async move {
                match error {
                    None => maintenance::succeeded(tx, &lease, due_at, now).await,
                    Some(error) => maintenance::failed(tx, &lease, &error, due_at, now).await,
                }
            })
        });
        match recorded.await {
            Ok(true) => return,
            Ok(false) => {
                tracing::warn!(job = %lease.job, "maintenance job not recorded: another process took its lease");
                return;
            }
            Err(error) => tracing::warn!(job = %lease.job, %error, "failed to record a maintenance job, retrying"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        wait = (wait * 2).min(LONGEST_TELL_AGAIN);
    }
}
