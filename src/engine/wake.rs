//! Sleeps, cron triggers and retries that come due.
//!
//! A wake is only a row with a time. This module finds the rows whose time has come and makes their runs
//! claimable again; it never executes anything itself.

use crate::{
    clock::Timestamp,
    id::RunId,
    store::{Db, StoreError, Tx, notify, run_queue, runs, triggers},
};

/// The most runs that are woken at once.
const BATCH: u32 = 200;

/// Makes every waiting run whose `wake_at` has passed claimable, and returns how many there were.
///
/// Safe to call from several processes: a run is woken by whoever updates its row first. A run whose
/// context has another one at work is woken when that one has ended.
///
/// # Errors
/// The store's.
pub async fn wake_due(db: &Db, now: Timestamp) -> Result<usize, StoreError> {
    let due = run_queue::due(&mut db.read().await?, now, BATCH).await?;
    let mut woken = 0;
    for run in due {
        // Each in a transaction of its own: one that is refused does not hold up the others.
        match db.write(move |tx| Box::pin(wake_one(tx, run, now))).await {
            Ok(was_woken) => woken += usize::from(was_woken),
            Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(woken)
}

async fn wake_one(tx: &mut Tx, run: RunId, now: Timestamp) -> Result<bool, StoreError> {
    if !runs::wake(tx, run, "time", now).await? {
        return Ok(false);
    }
    if let Some(trigger) = triggers::of_run(tx, run).await? {
        triggers::fire(tx, trigger.id, trigger.next_at, now).await?;
    }
    notify::work(tx).await?;
    Ok(true)
}
