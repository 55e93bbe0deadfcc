//! Sleeps, cron triggers and retries that come due.
//!
//! A wake is only a row with a time. This module finds the rows whose time has come and makes their runs
//! claimable again; it never executes anything itself.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::RunId,
    schedule::{due as schedule, trigger::Due},
};
use clifford_store::{
    Db, StoreError, Tx,
    db::notify,
    runs::{
        self,
        queue::{self as run_queue, Sleeper},
    },
    triggers,
};

/// How many runs are looked up at once.
const BATCH: u32 = 200;

/// Makes every waiting run whose `wake_at` has passed claimable, and returns how many there were.
///
/// Safe to call from several processes: a run is woken by the first to update its row. A run whose context has another
/// one at work is woken when that one has ended. A run that sleeps by cron and skips missed times sleeps on, if nobody
/// was there for longer than `grace`.
pub async fn wake_due(db: &Db, grace: Duration, now: Timestamp) -> Result<usize, StoreError> {
    let (mut woken, mut last) = (0, None);
    loop {
        let due = run_queue::due(&mut db.read().await?, now, last, BATCH).await?;
        let found = due.len();
        // A run that cannot be woken yet does not hold up those that came due later.
        last = due.last().copied();
        for Sleeper { id: run, .. } in due {
            // Each in a transaction of its own: one that is refused does not hold up the others.
            match db.write(move |tx| Box::pin(wake_one(tx, run, grace, now))).await {
                Ok(was_woken) => woken += usize::from(was_woken),
                Err(StoreError::Conflict(_)) => {}
                Err(error) => tracing::warn!(run_id = %run, %error, "failed to wake a run, retrying"),
            }
        }
        if found < usize::try_from(BATCH).unwrap_or(usize::MAX) {
            return Ok(woken);
        }
    }
}

async fn wake_one(tx: &mut Tx, run: RunId, grace: Duration, now: Timestamp) -> Result<bool, StoreError> {
    // Its cron expression is about its sleeps; for a person or for subagents it waits by other rules.
    let sleeps = (runs::get(tx, run).await?).is_some_and(|run| run.wake_reason.as_deref() == Some("sleep"));
    let trigger = match sleeps {
        true => triggers::of_run(tx, run).await?,
        false => None,
    };
    let due = (trigger.as_ref()).and_then(|trigger| Some((trigger, trigger.next_at.filter(|at| *at <= now)?)));
    if let Some((trigger, at)) = due {
        let plan = schedule::plan(trigger, at, now, grace);
        // A time that has fired is due again only after a clock that was set back.
        let due = Due { id: trigger.id, at };
        if let Some(next) = plan.next
            && (!plan.fires || triggers::has_fired(tx, due).await?)
        {
            triggers::reschedule_wake(tx, run, next, now).await?;
            return Ok(false);
        }
    }
    if !runs::wake(tx, run, "time", now).await? {
        return Ok(false);
    }
    if let Some((trigger, at)) = due {
        triggers::wake_fired(tx, Due { id: trigger.id, at }, now).await?;
    }
    notify::work(tx).await?;
    Ok(true)
}
