//! Finds work: runs and triggers whose time has come, runs that nobody holds, messages that nobody delivers.

pub mod lease;
pub mod wake;

use std::{sync::Arc, time::Duration};

use clifford_core::clock::Timestamp;
use clifford_store::{StoreError, db::notify, runs::queue as run_queue, triggers};
use tokio_util::sync::CancellationToken;

use super::Engine;
use crate::triggers::fire;

/// The net under bells and notifications.
const POLL: Duration = Duration::from_secs(1);
/// The most runs claimed at once.
const BATCH: usize = 256;

/// Claims and wakes until `stop`.
pub async fn run(engine: Arc<Engine>, stop: CancellationToken) {
    let mut listener = None;
    while !stop.is_cancelled() {
        if listener.is_none() {
            // Registered before the first look, so that nothing falls between.
            listener = notify::listen(&engine.db).await.ok().flatten();
        }
        let sleep = match look(&engine).await {
            Ok(Some(next)) => next.since(engine.clock.now()).min(POLL),
            Ok(None) => POLL,
            Err(error) => {
                tracing::warn!(%error, "looking for work failed");
                POLL
            }
        };
        let heard = async {
            match &mut listener {
                Some(listener) => listener.heard().await.is_ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = engine.bell.notified() => {}
            () = tokio::time::sleep(sleep) => {}
            still_there = heard => if !still_there {
                listener = None;
            },
        }
    }
}

/// Wakes and fires what is due, claims what nobody holds, and returns when to look again at the latest.
async fn look(engine: &Arc<Engine>) -> Result<Option<Timestamp>, StoreError> {
    let now = engine.clock.now();
    wake::wake_due(&engine.db, engine.settings.triggers.grace, now).await?;
    fire::fire_due(engine, now).await?;
    loop {
        let places = engine.places.available_permits().min(BATCH);
        if places == 0 || !claim(engine, places).await? {
            break;
        }
    }
    for guilty in engine.delivery.claim(engine.takeover.look()).await? {
        engine.quarantine_message(guilty).await?;
    }
    let mut conn = engine.db.read().await?;
    // What a process that died held is taken over as soon as its lease ends.
    let free = match engine.db.is_shared() {
        true => run_queue::next_lease_end(&mut conn, engine.worker, now).await?,
        false => None,
    };
    let next = [
        run_queue::next_wake(&mut conn, now).await?,
        triggers::next_due(&mut conn, now).await?,
        free.map(|at| at.after(Duration::from_millis(1))),
    ];
    Ok(next.into_iter().flatten().min())
}

/// Claims up to `places` runs; `true` if there may be more.
async fn claim(engine: &Arc<Engine>, places: usize) -> Result<bool, StoreError> {
    // Nothing else is claimed while a suspect is worked on, for a bounded time. What is claimed then waits by itself.
    engine.isolation.opening().await;
    let look = engine.takeover.look();
    let limit = u32::try_from(places).unwrap_or(u32::MAX);
    let served = engine.delivery.served();
    let tree = u32::try_from(engine.settings.max_parallel_subagents).unwrap_or(u32::MAX);
    let claimed = engine
        .db
        .write(move |tx| Box::pin(async move { run_queue::claim(tx, look, &served, limit, tree).await }))
        .await?;
    let count = claimed.len();
    for claimed in claimed {
        engine.start_claimed(claimed);
    }
    Ok(count == places)
}
