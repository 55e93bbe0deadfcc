//! SQLite's one writer: transactions that are ready at the same moment share one commit.
//!
//! Each keeps its own fate: it runs in a savepoint, and one that fails leaves nothing behind and does not hold up the
//! others. Only a [mark](crate::Db::mark), which nothing but trouble of the database's own can fail, goes without one;
//! with it, all fail. No caller hears of success before the shared commit is on the disk.

use std::{panic::AssertUnwindSafe, time::Instant};

use clifford_telemetry::measures;
use futures::FutureExt;
use tokio::sync::{mpsc, oneshot};

use super::{
    local::{Local, Locals},
    write::{Outcome, Work},
};
use crate::{StoreError, Tx};

/// The most transactions in one commit: bounds how long the first of them waits.
const BATCH: usize = 64;
/// How many may wait before those who come next wait for a place.
const QUEUE: usize = 4096;

/// A transaction that waits for its turn.
struct Job {
    work: Work,
    /// Whether it may fail by itself.
    isolated: bool,
    reply: oneshot::Sender<Outcome>,
}

enum Order {
    Do(Job),
    /// Let the connection go; nothing comes after it.
    Close(oneshot::Sender<()>),
}

/// A handle to the writer's queue. The writer ends when the last handle is dropped.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Order>,
}

impl Writer {
    /// Starts the writer on a thread of its own: its statements and the disk hold up nothing else.
    pub(super) fn start(locals: &Locals) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let runtime = tokio::runtime::Handle::current();
        let (locals, first) = (locals.clone(), locals.connect()?);
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || runtime.block_on(drain(&locals, first, jobs)))
            .map_err(|error| StoreError::Unavailable(format!("no thread for the database's writer: {error}")))?;
        Ok(Self { queue })
    }

    /// Has `work` done in its turn, and waits until it is on the disk.
    pub(super) async fn order(&self, work: Work, isolated: bool) -> Outcome {
        let began = Instant::now();
        let stopped = || StoreError::Unavailable("the database's writer has stopped".to_owned());
        let (reply, outcome) = oneshot::channel();
        let order = Order::Do(Job { work, isolated, reply });
        self.queue.send(order).await.map_err(|_| stopped())?;
        let value = outcome.await.map_err(|_| stopped())??;
        measures::written(began);
        Ok(value)
    }

    /// Finishes what was ordered, and lets the connection go.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Order::Close(done)).await.is_ok() {
            closed.await.ok();
        }
    }
}

async fn drain(locals: &Locals, first: Local, mut orders: mpsc::Receiver<Order>) {
    let mut connection = Some(first);
    let mut waiting = Vec::with_capacity(BATCH);
    while orders.recv_many(&mut waiting, BATCH).await > 0 {
        let mut closed = None;
        let mut batch = Vec::with_capacity(waiting.len());
        for order in waiting.drain(..) {
            match order {
                Order::Do(job) => batch.push(job),
                Order::Close(done) => closed = Some(done),
            }
        }
        if !batch.is_empty() {
            let usable = match connection.take() {
                Some(connection) => Ok(connection),
                None => locals.connect(),
            };
            connection = match usable {
                Ok(usable) => commit_together(locals, usable, batch).await,
                Err(error) => {
                    refuse(batch.into_iter().map(|job| job.reply), &error);
                    None
                }
            };
        }
        if let Some(done) = closed {
            drop(connection);
            done.send(()).ok();
            return;
        }
    }
}

/// Runs a batch and commits it. Returns the connection, if it can be used again.
async fn commit_together(locals: &Locals, connection: Local, batch: Vec<Job>) -> Option<Local> {
    let alone = batch.len() == 1;
    let mut tx = Tx::local(connection);
    let mut done = Vec::with_capacity(batch.len());
    let mut broken = tx.begin().await.err();
    for job in batch {
        let outcome = match &broken {
            Some(reason) => Err(unavailable(reason)),
            None if alone => guarded(job.work, &mut tx).await,
            None if !job.isolated => {
                let outcome = guarded(job.work, &mut tx).await;
                if let Err(error) = &outcome {
                    broken = Some(unavailable(error));
                }
                outcome
            }
            None => in_savepoint(job.work, &mut tx, &mut broken).await,
        };
        done.push((job.reply, outcome));
    }
    let something_to_keep = broken.is_none() && done.iter().any(|(_, outcome)| outcome.is_ok());
    if something_to_keep {
        let began = Instant::now();
        // Checked last: a commit that is reported to its caller must be found again.
        let committed = match locals.in_place() {
            Ok(()) => tx.commit().await,
            Err(error) => Err(error),
        };
        match committed {
            Ok(()) => measures::committed(began),
            Err(error) => broken = Some(error),
        }
    }
    let committed = something_to_keep && broken.is_none();
    let trouble = broken
        .as_ref()
        .is_some_and(|reason| !matches!(reason, StoreError::Conflict(_)))
        || done.iter().any(|(_, outcome)| {
            matches!(
                outcome,
                Err(StoreError::Unavailable(_) | StoreError::Damaged(_) | StoreError::Corrupt(_))
            )
        });
    let usable = committed || tx.roll_back().await;
    // After trouble of the database's own (a full disk) a new connection has the best chance. It is there before the
    // old one ends: the last connection to close a file removes its log. Where the file is not in its place there is
    // none.
    let anew = trouble.then(|| locals.connect().ok()).flatten();
    for (reply, outcome) in done {
        let outcome = match &broken {
            Some(reason) => outcome.and_then(|_| Err(unavailable(reason))),
            None => outcome,
        };
        reply.send(outcome).ok();
    }
    anew.or(tx.into_local().filter(|_| usable))
}

/// A copy of what broke a shared transaction, for each of those who were in it.
fn unavailable(reason: &StoreError) -> StoreError {
    match reason {
        StoreError::Conflict(text) => StoreError::Conflict(text.clone()),
        StoreError::Unavailable(text) => StoreError::Unavailable(text.clone()),
        StoreError::Damaged(text) => StoreError::Damaged(text.clone()),
        other => StoreError::Unavailable(other.to_string()),
    }
}

async fn in_savepoint(work: Work, tx: &mut Tx, broken: &mut Option<StoreError>) -> Outcome {
    tx.savepoint().await?;
    let mut outcome = guarded(work, tx).await;
    if outcome.is_ok()
        && let Err(error) = tx.release().await
    {
        outcome = Err(error);
    }
    if outcome.is_err()
        && let Err(error) = tx.rollback_to().await
    {
        *broken = Some(unavailable(&error));
    }
    outcome
}

/// A panic in one transaction is its own failure, not the writer's end; and none that passes.
async fn guarded(work: Work, tx: &mut Tx) -> Outcome {
    AssertUnwindSafe(async { work(tx).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(StoreError::Corrupt("a write panicked; the log tells where".to_owned())))
}

fn refuse(replies: impl Iterator<Item = oneshot::Sender<Outcome>>, reason: &StoreError) {
    for reply in replies {
        reply.send(Err(unavailable(reason))).ok();
    }
}
