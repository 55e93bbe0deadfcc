//! SQLite's one writer: transactions that are ready at the same moment share one commit.
//!
//! Each keeps its own fate: it runs in a savepoint, and one that fails leaves nothing behind and does not
//! hold up the others. Nobody is told of success before the shared commit is on the disk.

use std::{any::Any, panic::AssertUnwindSafe};

use futures::FutureExt;
use sqlx::SqlitePool;
use tokio::sync::{mpsc, oneshot};

use super::{BoxFuture, StoreError, Tx};

/// The most transactions in one commit: bounds how long the first of them waits.
const BATCH: usize = 64;
/// How many may wait before those who come next wait for a place.
const QUEUE: usize = 4096;

/// Begins the first savepoint of a commit.
const FIRST: &str = "SAVEPOINT one";
/// Ends a savepoint and begins the next: one text, since each is a trip to the connection's thread and back.
/// The commit ends the last.
const NEXT: &str = "RELEASE one; SAVEPOINT one";

type Outcome = Result<Box<dyn Any + Send>, StoreError>;
type Work = Box<dyn for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Outcome> + Send>;

struct Job {
    work: Work,
    reply: oneshot::Sender<Outcome>,
}

/// A handle to the writer's queue. The writer ends when the last handle is dropped.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

impl Writer {
    #[expect(
        clippy::disallowed_methods,
        reason = "the task is owned by its queue: it ends when the last `Db` is dropped"
    )]
    pub(super) fn start(pool: SqlitePool) -> Self {
        let (queue, jobs) = mpsc::channel(QUEUE);
        tokio::spawn(drain(pool, jobs));
        Self { queue }
    }

    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    {
        let stopped = || StoreError::Unavailable("the database's writer has stopped".to_owned());
        let (reply, outcome) = oneshot::channel();
        let work: Work = Box::new(move |tx| {
            Box::pin(async move { work(tx).await.map(|value| Box::new(value) as Box<dyn Any + Send>) })
        });
        self.queue.send(Job { work, reply }).await.map_err(|_| stopped())?;
        let value = outcome.await.map_err(|_| stopped())??;
        value.downcast::<T>().map(|value| *value).map_err(|_| stopped())
    }
}

async fn drain(pool: SqlitePool, mut jobs: mpsc::Receiver<Job>) {
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        commit_together(&pool, batch.drain(..)).await;
    }
}

async fn commit_together(pool: &SqlitePool, batch: impl ExactSizeIterator<Item = Job>) {
    let alone = batch.len() == 1;
    let mut tx = match begin(pool).await {
        Ok(tx) => tx,
        Err(error) => {
            let reason = error.to_string();
            return refuse(batch.map(|job| job.reply), &reason);
        }
    };
    let mut done = Vec::with_capacity(batch.len());
    let mut broken = None;
    for job in batch {
        if broken.is_some() {
            done.push((
                job.reply,
                Err(StoreError::Unavailable(
                    "an earlier write broke the transaction".to_owned(),
                )),
            ));
            continue;
        }
        let outcome = if alone {
            guarded(job.work, &mut tx).await
        } else {
            in_savepoint(
                job.work,
                &mut tx,
                if done.is_empty() { FIRST } else { NEXT },
                &mut broken,
            )
            .await
        };
        done.push((job.reply, outcome));
    }
    let nothing_to_keep = done.iter().all(|(_, outcome)| outcome.is_err());
    if nothing_to_keep || broken.is_some() {
        drop(tx);
        let reason = broken.unwrap_or_default();
        for (reply, outcome) in done {
            let outcome = outcome.and_then(|_| Err(StoreError::Unavailable(reason.clone())));
            reply.send(outcome).ok();
        }
        return;
    }
    match tx.commit().await {
        Ok(()) => {
            for (reply, outcome) in done {
                reply.send(outcome).ok();
            }
        }
        Err(error) => refuse(done.into_iter().map(|(reply, _)| reply), &error.to_string()),
    }
}

/// Begins the shared transaction. SQLite itself rolls back when the disk is full, which leaves the connection's
/// count of open transactions wrong for ever: such a connection is closed, and the pool makes another.
async fn begin(pool: &SqlitePool) -> Result<Tx, sqlx::Error> {
    const BEGIN: &str = "BEGIN IMMEDIATE";
    match pool.begin_with(BEGIN).await {
        Err(sqlx::Error::InvalidSavePointStatement) => {
            pool.acquire().await?.close().await?;
            pool.begin_with(BEGIN).await.map(Tx::sqlite)
        }
        begun => begun.map(Tx::sqlite),
    }
}

async fn in_savepoint(work: Work, tx: &mut Tx, begin: &'static str, broken: &mut Option<String>) -> Outcome {
    if let Err(error) = tx.execute(begin, vec![]).await {
        *broken = Some(error.to_string());
        return Err(error);
    }
    let outcome = guarded(work, tx).await;
    if outcome.is_err()
        && let Err(error) = tx.execute("ROLLBACK TO one", vec![]).await
    {
        *broken = Some(error.to_string());
    }
    outcome
}

/// A panic in one transaction is its own failure, not the writer's end.
async fn guarded(work: Work, tx: &mut Tx) -> Outcome {
    AssertUnwindSafe(async { work(tx).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("a write panicked; see the log".to_owned())))
}

fn refuse(replies: impl Iterator<Item = oneshot::Sender<Outcome>>, reason: &str) {
    for reply in replies {
        reply.send(Err(StoreError::Unavailable(reason.to_owned()))).ok();
    }
}
