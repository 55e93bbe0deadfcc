//! Sleeps, cron triggers and retries that come due.
//!
//! A wake is only a row with a time. This module finds the rows whose time has come and makes their runs
//! claimable again; it never executes anything itself.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::RunId,
    runs::{Run, RunKind, WakeReason},
    schedule::{due as schedule, trigger::Due},
};
use clifford_store::{
    Db, StoreError, Tx,
    db::notify,
    places::channels,
    runs::{
        self, lanes,
        queue::{self as run_queue, Sleeper},
    },
    triggers,
};

use crate::run::follow_up::lane_in;

/// How many runs are looked up at once.
const BATCH: u32 = 200;

/// Makes every waiting run whose `wake_at` has passed claimable, and returns how many there were.
///
/// Safe to call from several processes: a run is woken by the first to update its row. A run whose context has another
/// one at work is woken when that one has ended, or alongside it where the place has so many at work (`parallel`). A
/// run that sleeps by cron and skips missed times sleeps on, if nobody was there for longer than `grace`.
pub async fn wake_due(db: &Db, grace: Duration, parallel: u32, now: Timestamp) -> Result<usize, StoreError> {
    let (mut woken, mut last) = (0, None);
    loop {
        let due = run_queue::due(&mut db.read().await?, now, last, BATCH).await?;
        let found = due.len();
        // A run that cannot be woken yet does not hold up those that came due later.
        last = due.last().copied();
        for Sleeper { id: run, .. } in due {
            // Each in a transaction of its own: one that is refused does not hold up the others.
            match db
                .write(move |tx| Box::pin(wake_one(tx, run, grace, parallel, now)))
                .await
            {
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

async fn wake_one(tx: &mut Tx, id: RunId, grace: Duration, parallel: u32, now: Timestamp) -> Result<bool, StoreError> {
    // Its cron expression is about its sleeps; for a person or for subagents it waits by other rules.
    let run = runs::get(tx, id).await?;
    let sleeps = (run.as_ref()).is_some_and(|run| run.wake_reason == Some(WakeReason::Sleep));
    let trigger = match sleeps {
        true => triggers::of_run(tx, id).await?,
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
            triggers::reschedule_wake(tx, id, next, now).await?;
            return Ok(false);
        }
    }
    if let Some(run) = &run {
        take_free_lane(tx, run, parallel).await?;
    }
    if !runs::wake(tx, id, WakeReason::Time, now).await? {
        return Ok(false);
    }
    if let Some((trigger, at)) = due {
        triggers::wake_fired(tx, Due { id: trigger.id, at }, now).await?;
    }
    notify::work(tx).await?;
    Ok(true)
}

/// Others of its conversation may have been at work in the run's lane for long: it goes on alongside them if it may.
async fn take_free_lane(tx: &mut Tx, run: &Run, parallel: u32) -> Result<(), StoreError> {
    let (RunKind::Coordinator, Some(context), Some(channel)) = (run.kind, run.context_id, run.channel_id) else {
        return Ok(());
    };
    let channel = channels::get(tx, channel).await?;
    match lane_in(tx, Some(context), channel.as_ref(), run.user_id, parallel).await {
        Ok(lane) => lanes::change_lane(tx, run.id, lane).await,
        // It is woken when there is room for it.
        Err(StoreError::Conflict(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
