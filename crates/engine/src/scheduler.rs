//! Finds work: runs and triggers whose time has come, runs that nobody holds, messages that nobody delivers.
//!
//! **A true loop.** It claims what other work hangs on and listens for what other processes store, so it is no job itself.

pub mod lease;
pub mod wake;

use std::{sync::Arc, time::Duration};

use clifford_core::clock::Timestamp;
use clifford_store::{StoreError, db::notify, runs::queue as run_queue, triggers};
use tokio_util::sync::CancellationToken;

use crate::{Runs, triggers::fire};

/// The longest sleep between two scans, should a notification be lost.
const POLL: Duration = Duration::from_secs(1);
/// The most runs claimed at once.
const BATCH: usize = 256;

/// Claims and wakes until `stop`.
pub async fn run(runs: Arc<Runs>, stop: CancellationToken) {
    let cx = &runs.context;
    let mut listener = None;
    while !stop.is_cancelled() {
        if listener.is_none() {
            // Registered before the first look, so that nothing falls between.
            listener = notify::listen(&cx.db).await.ok().flatten();
        }
        let sleep = match look(&runs).await {
            Ok(Some(next)) => next.since(cx.clock.now()).min(POLL),
            Ok(None) => POLL,
            Err(error) => {
                tracing::warn!(%error, "failed to claim runs");
                POLL
            }
        };
        let heard = async {
            match &mut listener {
                Some(listener) => listener.wait().await.is_ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = cx.notify.runs.notified() => {}
            () = tokio::time::sleep(sleep) => {}
            still_there = heard => if !still_there {
                listener = None;
            },
        }
    }
}

/// Wakes and fires what is due, claims what nobody holds, and returns when to look again at the latest.
async fn look(runs: &Arc<Runs>) -> Result<Option<Timestamp>, StoreError> {
    let cx = &runs.context;
    let now = cx.clock.now();
    wake::wake_due(
        &cx.db,
        cx.settings.triggers.grace,
        cx.settings.ingress.shared_parallel,
        now,
    )
    .await?;
    fire::fire_due(cx, now).await?;
    cx.ambient.sweep(now);
    loop {
        let permits = runs.free_permits().min(BATCH);
        if permits == 0 || !claim(runs, permits).await? {
            break;
        }
    }
    for guilty in cx.delivery.claim(cx.process.window()).await? {
        cx.quarantine_message(guilty).await?;
    }
    // Behind the messages that some of them are to become.
    cx.delivery.take_away_status_messages().await?;
    let mut conn = cx.db.read().await?;
    // The work of a dead process is taken over as soon as its lease expires.
    let free = match cx.db.is_shared() {
        true => run_queue::next_lease_end(&mut conn, cx.process.worker(), now).await?,
        false => None,
    };
    let next = [
        run_queue::next_wake(&mut conn, now).await?,
        triggers::next_due(&mut conn, now).await?,
        free.map(|at| at.after(Duration::from_millis(1))),
    ];
    Ok(next.into_iter().flatten().min())
}

/// Claims up to `permits` runs; `true` if there may be more.
async fn claim(runs: &Arc<Runs>, permits: usize) -> Result<bool, StoreError> {
    let cx = &runs.context;
    // No other work is claimed while a suspect is worked on, for a bounded time. Work claimed then waits by itself.
    cx.isolation.opening().await;
    let window = cx.process.window();
    let limit = u32::try_from(permits).unwrap_or(u32::MAX);
    let served = cx.delivery.served();
    let tree = u32::try_from(cx.settings.engine().max_parallel_subagents).unwrap_or(u32::MAX);
    let claimed = cx
        .db
        .write(move |tx| Box::pin(async move { run_queue::claim(tx, window, &served, limit, tree).await }))
        .await?;
    let count = claimed.len();
    for claimed in claimed {
        runs.start_claimed(claimed);
    }
    Ok(count == permits)
}
