//! Leases: renewed while their worker lives, so that another may take over when it does not.
//!
//! **Several processes.** A lease says whose something is, an `epoch` or the owner in each write that it still is.
//! Leases end by the wall clock; `store/leases/takeover.rs` compares it with the clock that only counts, and holds
//! back where it was put. A process that was stopped finds out by its next write, or before it sends
//! (`outbox::keep`). A commit whose answer was lost may have been written: what the rows say that a process holds is
//! compared with what it has in hand (`scheduler/lease.rs`), and given back if nobody works on it. Platforms with
//! several connections (`Channel::shards`) have a lease for each; processes tell each other by leases that they are
//! there, and each takes its share (`delivery/receiver/share.rs`).

use std::{collections::HashSet, sync::Arc, time::Duration};

use clifford_core::id::MessageId;
use clifford_store::{
    StoreError,
    db::notify,
    leases::{skewed as strays, takeover::Silent},
    messages::outbox,
    runs::{
        Lease,
        queue::{self as run_queue, heartbeat},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Engine;

/// Longer than anything is held that nobody renews: leases that end later were written by another time.
const LONGEST: Duration = Duration::from_secs(900);

/// What this process holds by the rows, and has not in hand.
#[derive(Debug, Default)]
struct Orphans {
    runs: HashSet<Lease>,
    messages: HashSet<MessageId>,
}

/// Renews every lease of this process until `stop`, and gives back what nobody works on.
pub async fn renew(engine: Arc<Engine>, stop: CancellationToken) {
    // Renewing waits for nothing else.
    tokio::join!(beat(&engine, &stop), tidy(&engine, &stop));
}

/// How often leases are renewed: three times in the life of one.
fn interval(engine: &Engine) -> Duration {
    (engine.settings.lease / 3).max(Duration::from_millis(100))
}

async fn beat(engine: &Engine, stop: &CancellationToken) {
    let (worker, lease) = (engine.worker, engine.settings.lease);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(interval(engine)) => {}
        }
        let clock = Arc::clone(&engine.clock);
        // A lease lasts from the moment when it is written, however long that had to wait for a connection.
        let renewed = engine.db.write(move |tx| {
            Box::pin(async move {
                let until = clock.now().after(lease);
                heartbeat(tx, worker, until).await
            })
        });
        if let Err(error) = renewed.await {
            tracing::warn!(%error, "the leases could not be renewed");
        }
    }
}

/// A commit whose answer was lost may have been written: a claim, or a message to be sent, that nobody in this process
/// knows of. What is found so twice in a row is given back, else its lease would be renewed for ever.
async fn tidy(engine: &Engine, stop: &CancellationToken) {
    let mut orphans = Orphans::default();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(interval(engine)) => {}
        }
        match give_back(engine, &orphans).await {
            Ok(found) => orphans = found,
            Err(error) => tracing::warn!(%error, "what this process holds could not be compared with what it does"),
        }
    }
}

/// Looks once a lease for what dead processes hold by a clock that was put back since, until `stop`. Not where leases are
/// renewed, which waits for nothing else.
pub async fn watch(engine: Arc<Engine>, stop: CancellationToken) {
    let mut silent = Silent::default();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(engine.settings.lease) => {}
        }
        if let Err(error) = give_up(&engine, &mut silent).await {
            tracing::warn!(%error, "what was held by a clock that was put back could not be looked for");
        }
    }
}

/// Gives back what nobody renews and what would run out only by a clock that was put back since.
async fn give_up(engine: &Engine, silent: &mut Silent) -> Result<(), StoreError> {
    let lease = engine.settings.lease;
    let beyond = engine.clock.now().after(LONGEST.max(lease * 2));
    let found = strays::find(&mut engine.db.read().await?, beyond).await?;
    for stray in silent.of(found, Instant::now(), lease) {
        tracing::warn!(held = stray.held, owner = %stray.owner, "nobody renews what a process holds; it is given back");
        let given = engine.db.write(move |tx| {
            Box::pin(async move {
                strays::give_back(tx, &stray, beyond).await?;
                notify::work(tx).await
            })
        });
        given.await?;
        engine.bell.notify_one();
    }
    Ok(())
}

/// Gives back what was an orphan the last time and still is; returns those that are new.
async fn give_back(engine: &Engine, before: &Orphans) -> Result<Orphans, StoreError> {
    let worker = engine.worker;
    let mut conn = engine.db.read().await?;
    let runs = run_queue::held(&mut conn, worker).await?;
    let messages = outbox::held(&mut conn, worker).await?;
    drop(conn);
    let mut found = Orphans::default();
    for lease in runs.into_iter().filter(|lease| !engine.has_in_hand(lease)) {
        if before.runs.contains(&lease) {
            tracing::warn!(run = %lease.run, "a run that this process holds and does not know of is given back");
            engine
                .db
                .write(move |tx| Box::pin(async move { run_queue::give_back(tx, &lease).await }))
                .await?;
            engine.bell.notify_one();
        } else {
            found.runs.insert(lease);
        }
    }
    for message in messages
        .into_iter()
        .filter(|message| !engine.delivery.has_in_hand(*message))
    {
        if before.messages.contains(&message) {
            tracing::warn!(%message, "a message that this process holds and does not know of is given back");
            engine
                .db
                .write(move |tx| Box::pin(outbox::give_back(tx, message, worker)))
                .await?;
            engine.bell.notify_one();
        } else {
            found.messages.insert(message);
        }
    }
    Ok(found)
}
