//! Deletes rows past their retention: runs and jobs that ended, their steps and prompts before them, messages of closed
//! conversations, usage. So the database stays as large as what happens in that time, however long the bot lives.
//!
//! Prompts are found by a mark of their steps. An older version sets none, nor does an import: so a process marks what is
//! there once, before its first sweep that deletes prompts.
//!
//! A run without its steps has one in their place, and a request without its prompt a time: so everything that reads
//! steps finds that they were deleted, and when.

use std::{sync::atomic::Ordering, time::Duration};

use async_trait::async_trait;
use clifford_core::{clock::Timestamp, work::MaintenanceKind};
use clifford_store::{BoxFuture, Db, StoreError, Tx, retention};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// The longest time between two sweeps, and the shortest.
const SELDOM: Duration = Duration::from_secs(300);
const OFTEN: Duration = Duration::from_secs(1);
/// How many rows, or runs with all that is theirs, are deleted in one transaction: few, since others wait for it.
const BATCH: u32 = 100;

/// A month of 31 days, and a day for time zones.
const LONGEST_MONTH: Duration = Duration::from_secs(32 * 86_400);

/// How long each kind is kept; `None`: for ever. Not the section `[retention]` itself, since budgets have their say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    /// Runs and jobs, since they ended.
    pub runs: Option<Duration>,
    /// The steps of runs, since they ended; `None`: as long as the runs.
    pub steps: Option<Duration>,
    /// The recorded prompts of runs, since they ended; `None`: as long as the steps.
    pub prompts: Option<Duration>,
    /// Messages, since their conversation was closed.
    pub messages: Option<Duration>,
    /// The usage of a model call, since it was made.
    pub usage: Option<Duration>,
}

/// How many of each kind were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Runs, with their subagents' runs.
    pub runs: usize,
    /// Runs that stay without their steps.
    pub steps: usize,
    /// Recorded prompts of steps that stay.
    pub prompts: usize,
    /// Jobs.
    pub jobs: usize,
    /// Messages.
    pub messages: usize,
    /// Rows of usage.
    pub usage: usize,
}

/// A deletion by age: the store's functions have the same shape.
type Delete = for<'a> fn(&'a mut Tx, Timestamp, u32) -> BoxFuture<'a, Result<usize, StoreError>>;

/// The job that deletes what was kept for long enough.
#[derive(Clone, Copy, Debug)]
pub struct RetentionSweep;

#[async_trait]
impl MaintenanceJob for RetentionSweep {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::Retention
    }

    fn every(&self, settings: &EngineSettings) -> Option<Duration> {
        Lifetimes::of(settings).every()
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let (lifetimes, now) = (Lifetimes::of(&cx.settings), cx.clock.now());
        if lifetimes.prompts.is_some() && !cx.prompts_marked.load(Ordering::Relaxed) {
            mark_prompts(&cx.db, now).await?;
            cx.prompts_marked.store(true, Ordering::Relaxed);
        }
        let deleted = lifetimes.apply(&cx.db, now).await?;
        if deleted != Deleted::default() {
            tracing::debug!(?deleted, "finished the retention sweep");
        }
        Ok(())
    }
}

impl Lifetimes {
    /// As it is set. Usage is kept as long as a budget may count it: since its month began.
    pub fn of(settings: &EngineSettings) -> Self {
        let usage = settings.retention.usage();
        Self {
            runs: settings.retention.runs(),
            steps: settings.retention.steps(),
            prompts: settings.retention.prompts(),
            messages: settings.retention.messages(),
            usage: match settings.budgets.is_empty() {
                true => usage,
                false => usage.map(|kept| kept.max(LONGEST_MONTH)),
            },
        }
    }

    /// How long to wait between two sweeps: as short as what is kept shortest asks for. `None`: all is kept for ever.
    fn every(&self) -> Option<Duration> {
        let all = [self.runs, self.steps, self.prompts, self.messages, self.usage];
        let shortest = all.into_iter().flatten().min();
        shortest.map(|shortest| (shortest / 10).clamp(OFTEN, SELDOM))
    }

    /// Deletes what was kept for long enough, a batch at a time, so that nobody waits for it.
    pub async fn apply(&self, db: &Db, now: Timestamp) -> Result<Deleted, StoreError> {
        let delete = async |kept: Option<Duration>, delete: Delete| match kept {
            Some(kept) => delete_in_batches(db, now.before(kept), delete).await,
            None => Ok(0),
        };
        Ok(Deleted {
            runs: delete(self.runs, |tx, before, limit| {
                Box::pin(retention::runs(tx, before, limit))
            })
            .await?,
            steps: match self.steps {
                Some(kept) => delete_steps(db, now.before(kept), now).await?,
                None => 0,
            },
            prompts: match self.prompts {
                Some(kept) => delete_prompts(db, now.before(kept), now).await?,
                None => 0,
            },
            jobs: delete(self.runs, |tx, before, limit| {
                Box::pin(retention::jobs(tx, before, limit))
            })
            .await?,
            messages: delete(self.messages, |tx, before, limit| {
                Box::pin(retention::messages(tx, before, limit))
            })
            .await?,
            usage: delete(self.usage, |tx, before, limit| {
                Box::pin(retention::usage(tx, before, limit))
            })
            .await?,
        })
    }
}

/// Deletes until there is nothing left to delete.
async fn delete_in_batches(db: &Db, before: Timestamp, delete: Delete) -> Result<usize, StoreError> {
    let mut deleted = 0;
    loop {
        match db.write(move |tx| delete(tx, before, BATCH)).await? {
            0 => return Ok(deleted),
            some => deleted += some,
        }
    }
}

/// Deletes the steps of runs, in one pass over them: runs that keep theirs are passed once.
async fn delete_steps(db: &Db, before: Timestamp, now: Timestamp) -> Result<usize, StoreError> {
    let (mut deleted, mut after) = (0, String::new());
    loop {
        let runs = retention::runs_with_steps(&mut db.read().await?, before, &after, BATCH).await?;
        let Some(last) = runs.last() else {
            return Ok(deleted);
        };
        after.clone_from(last);
        deleted += db
            .write(move |tx| Box::pin(async move { retention::steps(tx, &runs, before, now).await }))
            .await?;
    }
}

/// Marks recorded prompts that have no mark, a batch of runs at a time.
///
/// # Errors
/// Those of the database.
pub async fn mark_prompts(db: &Db, before: Timestamp) -> Result<(), StoreError> {
    let mut after = String::new();
    loop {
        let runs = retention::runs_with_unmarked_prompts(&mut db.read().await?, before, &after, BATCH).await?;
        let Some(last) = runs.last() else {
            return Ok(());
        };
        after.clone_from(last);
        db.write(move |tx| Box::pin(async move { retention::mark_prompts(tx, &runs).await }))
            .await?;
    }
}

/// Deletes recorded prompts until there is none left to delete.
async fn delete_prompts(db: &Db, before: Timestamp, now: Timestamp) -> Result<usize, StoreError> {
    let mut deleted = 0;
    loop {
        let some = db.write(move |tx| Box::pin(retention::prompts(tx, before, BATCH, now)));
        match some.await? {
            0 => return Ok(deleted),
            some => deleted += some,
        }
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::settings;

    use super::*;

    #[test]
    fn what_is_kept_shortest_says_how_often_to_look() {
        let runs = |seconds| Lifetimes {
            runs: Some(Duration::from_secs(seconds)),
            messages: Some(Duration::from_secs(86_400)),
            ..Lifetimes::default()
        };
        assert_eq!(Lifetimes::default().every(), None);
        assert_eq!(runs(86_400).every(), Some(SELDOM));
        assert_eq!(runs(600).every(), Some(Duration::from_secs(60)));
        assert_eq!(runs(2).every(), Some(OFTEN));
    }

    #[test]
    fn usage_outlives_the_month_of_a_budget() {
        let with = |budgets| EngineSettings {
            retention: settings::Retention {
                runs_days: 0.5,
                steps_days: 0.25,
                prompts_days: 0.0,
                messages_days: 0.0,
                usage_days: 1.0,
            },
            budgets,
            ..EngineSettings::default()
        };
        let expected = |usage| Lifetimes {
            runs: Some(Duration::from_secs(43_200)),
            steps: Some(Duration::from_secs(21_600)),
            prompts: None,
            messages: None,
            usage: Some(usage),
        };
        assert_eq!(Lifetimes::of(&with(Vec::new())), expected(Duration::from_secs(86_400)));
        let budgets = vec![settings::Budget::default()];
        assert_eq!(Lifetimes::of(&with(budgets)), expected(LONGEST_MONTH));
    }
}
