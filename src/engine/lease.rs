//! Leases: renewed while their worker lives, so that another may take over when it does not.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::Engine;
use crate::store::run_queue;

/// Renews every lease of this process until `stop`, three times in the life of one.
pub async fn renew(engine: Arc<Engine>, stop: CancellationToken) {
    let worker = engine.worker;
    let every = (engine.settings.lease / 3).max(Duration::from_millis(100));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        let until = engine.clock.now().after(engine.settings.lease);
        let renewed = engine
            .db
            .write(move |tx| Box::pin(run_queue::heartbeat(tx, worker, until)))
            .await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "the leases could not be renewed");
        }
    }
}
