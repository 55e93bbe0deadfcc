//! Takes messages into the index, beside all other work and some moments after they were stored. A search does not
//! wait for it: what is missing where it looks, it takes in first.

use std::time::Duration;

use clifford_store::{Db, StoreError, search};
use tokio_util::sync::CancellationToken;

/// How often to look for messages that are not in the index.
const EVERY: Duration = Duration::from_secs(2);
/// How many are taken in one transaction: few, since others wait for it.
const BATCH: u32 = 200;
/// How long others have the database for themselves between two of them.
const PAUSE: Duration = Duration::from_millis(50);

/// Keeps the index until `stop`. The next process finishes the work that this one leaves.
pub async fn run(db: Db, stop: CancellationToken) {
    loop {
        let wait = match take(&db).await {
            Ok(0) => EVERY,
            Ok(_) => PAUSE,
            Err(error) => {
                tracing::warn!(%error, "failed to index messages, retrying later");
                EVERY
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Takes a batch into the index, and returns how many there were.
pub async fn take(db: &Db) -> Result<usize, StoreError> {
    // Most of the time there is nothing, which a reader can tell.
    if !search::has_unindexed(&mut db.read().await?).await? {
        return Ok(0);
    }
    db.write(|tx| Box::pin(search::index(tx, None, BATCH))).await
}
