//! Leases: renewed while their worker lives, so that another may take over when it does not.
//!
//! **Several processes.** A lease says whose something is, an `epoch` or the owner in each write that it still is.
//! Leases end by the wall clock; `store/leases/clock_guard.rs` compares it with the clock that only counts, and holds
//! back where it was put. A process that was stopped finds out by its next write, or before it sends
//! (`outbox::ensure_lease`). A commit whose answer was lost may have been written: what the rows say that a process holds is
//! compared with what it has in flight (`scheduler/lease.rs`), and given back if nobody works on it. Platforms with
//! several connections (`Channel::shards`) have a lease for each; processes tell each other by leases that they are
//! there, and each takes its share (`delivery/receiver/share.rs`).

use std::{collections::HashSet, sync::Arc, time::Duration};

use clifford_core::id::MessageId;
use clifford_store::{
    StoreError,
    db::notify,
    leases::{clock_guard::Silent, skewed as skewed_leases},
    messages::outbox,
    runs::{
        Lease,
        queue::{self as run_queue, heartbeat},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    Context, Runs,
    triggers::rollback::{Rollback, plan_anew, shorten_waits},
};

/// Longer than anything is held that nobody renews: leases that end later were written by another time.
const LONGEST: Duration = Duration::from_secs(900);

/// The rows that this process holds without having them in flight.
#[derive(Debug, Default)]
struct Orphans {
    runs: HashSet<Lease>,
    messages: HashSet<MessageId>,
}

/// Renews every lease of this process until `stop`, and gives back what nobody works on.
pub async fn renew(runs: Arc<Runs>, stop: CancellationToken) {
    // Renewing waits for nothing else.
    tokio::join!(beat(&runs.context, &stop), tidy(&runs, &stop));
}

/// How often leases are renewed: three times in the life of one.
fn interval(cx: &Context) -> Duration {
    (cx.settings.engine().lease / 3).max(Duration::from_millis(100))
}

async fn beat(cx: &Context, stop: &CancellationToken) {
    let (worker, lease) = (cx.process.worker(), cx.settings.engine().lease);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(interval(cx)) => {}
        }
        let clock = Arc::clone(&cx.clock);
        // A lease lasts from the moment when it is written, however long that had to wait for a connection.
        let renewed = cx.db.write(move |tx| {
            Box::pin(async move {
                let until = clock.now().after(lease);
                heartbeat(tx, worker, until).await
            })
        });
        if let Err(error) = renewed.await {
            tracing::warn!(%error, "failed to renew leases");
        }
    }
}

/// A commit whose answer was lost may have been written: a claim, or a message to be sent, unknown to this process. A
/// row found so twice in a row is released, else its lease would be renewed for ever.
async fn tidy(runs: &Runs, stop: &CancellationToken) {
    let mut orphans = Orphans::default();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(interval(&runs.context)) => {}
        }
        match release(runs, &orphans).await {
            Ok(found) => orphans = found,
            Err(error) => tracing::warn!(%error, "failed to compare leases with work in flight"),
        }
    }
}

/// Looks once a lease for what dead processes hold by a clock that was stepped back since, and for triggers that such a
/// clock has planned, until `stop`. Not where
/// leases are renewed, which waits for nothing else.
///
/// This is no maintenance job: the lease of that job may be one of those that only this releases, and how long a lease
/// has stayed as it is, each process measures by its own monotonic clock.
pub async fn watch(cx: Arc<Context>, stop: CancellationToken) {
    let (mut silent, mut rollback) = (Silent::default(), Rollback::default());
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(cx.settings.engine().lease) => {}
        }
        if let Err(error) = give_up(&cx, &mut silent).await {
            tracing::warn!(%error, "failed to scan for leases left by a clock rollback");
        }
        if rollback.seen(cx.clock.now(), Instant::now()) {
            if let Err(error) = plan_anew(&cx).await {
                tracing::warn!(%error, "failed to plan triggers anew after a clock rollback");
            }
            if let Err(error) = shorten_waits(&cx).await {
                tracing::warn!(%error, "failed to shorten waits after a clock rollback");
            }
        }
    }
}

/// Gives back what nobody renews and what would run out only by a clock that was stepped back since.
async fn give_up(cx: &Context, silent: &mut Silent) -> Result<(), StoreError> {
    let lease = cx.settings.engine().lease;
    let beyond = cx.clock.now().after(LONGEST.max(lease * 2));
    let found = skewed_leases::find(&mut cx.db.read().await?, beyond).await?;
    for skewed in silent.of(found, Instant::now(), lease) {
        tracing::warn!(held = skewed.held, owner = %skewed.owner, "releasing stale leases of a dead worker");
        let given = cx.db.write(move |tx| {
            Box::pin(async move {
                skewed_leases::release(tx, &skewed, beyond).await?;
                notify::work(tx).await
            })
        });
        given.await?;
        cx.notify.runs.notify_one();
    }
    Ok(())
}

/// Gives back what was an orphan the last time and still is; returns those that are new.
async fn release(runs: &Runs, before: &Orphans) -> Result<Orphans, StoreError> {
    let cx = &runs.context;
    let worker = cx.process.worker();
    let mut conn = cx.db.read().await?;
    let leases = run_queue::held(&mut conn, worker).await?;
    let messages = outbox::held(&mut conn, worker).await?;
    drop(conn);
    let mut found = Orphans::default();
    for lease in leases.into_iter().filter(|lease| !runs.is_in_flight(lease)) {
        if before.runs.contains(&lease) {
            tracing::warn!(run_id = %lease.run, "releasing a run that this process holds but does not run");
            cx.db
                .write(move |tx| Box::pin(async move { run_queue::release(tx, &lease).await }))
                .await?;
            cx.notify.runs.notify_one();
        } else {
            found.runs.insert(lease);
        }
    }
    for message in messages
        .into_iter()
        .filter(|message| !cx.delivery.is_in_flight(*message))
    {
        if before.messages.contains(&message) {
            tracing::warn!(message_id = %message, "releasing a message that this process holds but does not send");
            cx.db
                .write(move |tx| Box::pin(outbox::release(tx, message, worker)))
                .await?;
            cx.notify.runs.notify_one();
        } else {
            found.messages.insert(message);
        }
    }
    Ok(found)
}
