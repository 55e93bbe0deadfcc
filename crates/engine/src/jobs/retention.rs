//! Deletes what was kept for long enough: runs and jobs that ended, messages of closed conversations, usage. So the
//! database stays as large as what happens in that time, however long the bot lives.

use std::time::Duration;

use clifford_core::clock::{SharedClock, Timestamp};
use clifford_store::{BoxFuture, Db, StoreError, Tx, retention};
use tokio_util::sync::CancellationToken;

/// The longest time between two looks, and the shortest.
const SELDOM: Duration = Duration::from_secs(300);
const OFTEN: Duration = Duration::from_secs(1);
/// How many rows, or runs with all that is theirs, are deleted in one transaction: few, since others wait for it.
const BATCH: u32 = 100;

/// How long each kind is kept; `None`: for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Runs and jobs, since they ended.
    pub runs: Option<Duration>,
    /// Messages, since their conversation was closed.
    pub messages: Option<Duration>,
    /// What a model call used, since it was made.
    pub usage: Option<Duration>,
}

/// How many of each kind were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Runs, with their subagents' runs.
    pub runs: usize,
    /// Jobs.
    pub jobs: usize,
    /// Messages.
    pub messages: usize,
    /// Rows of usage.
    pub usage: usize,
}

/// What can be deleted: the store's functions have the same shape.
type Delete = for<'a> fn(&'a mut Tx, Timestamp, u32) -> BoxFuture<'a, Result<usize, StoreError>>;

impl Retention {
    /// How long to wait between two looks: as often as what is kept shortest asks for.
    fn every(&self) -> Duration {
        let shortest = [self.runs, self.messages, self.usage].into_iter().flatten().min();
        shortest.map_or(SELDOM, |shortest| (shortest / 10).clamp(OFTEN, SELDOM))
    }

    /// Deletes what was kept for long enough, a batch at a time, so that nobody waits for it.
    pub async fn apply(&self, db: &Db, now: Timestamp) -> Result<Deleted, StoreError> {
        let delete = async |kept: Option<Duration>, delete: Delete| match kept {
            Some(kept) => all(db, now.before(kept), delete).await,
            None => Ok(0),
        };
        Ok(Deleted {
            runs: delete(self.runs, |tx, before, limit| {
                Box::pin(retention::runs(tx, before, limit))
            })
            .await?,
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
async fn all(db: &Db, before: Timestamp, delete: Delete) -> Result<usize, StoreError> {
    let mut deleted = 0;
    loop {
        match db.write(move |tx| delete(tx, before, BATCH)).await? {
            0 => return Ok(deleted),
            some => deleted += some,
        }
    }
}

/// Keeps to it until `stop`.
pub async fn run(db: Db, clock: SharedClock, retention: Retention, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(retention.every()) => {}
        }
        match retention.apply(&db, clock.now()).await {
            Ok(deleted) if deleted == Deleted::default() => {}
            Ok(deleted) => tracing::debug!(?deleted, "retention sweep done"),
            Err(error) => {
                tracing::warn!(%error, "retention sweep failed, retrying")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_shortest_says_how_often_to_look() {
        let runs = |seconds| Retention {
            runs: Some(Duration::from_secs(seconds)),
            messages: Some(Duration::from_secs(86_400)),
            usage: None,
        };
        assert_eq!(Retention::default().every(), SELDOM);
        assert_eq!(runs(86_400).every(), SELDOM);
        assert_eq!(runs(600).every(), Duration::from_secs(60));
        assert_eq!(runs(2).every(), OFTEN);
    }
}
