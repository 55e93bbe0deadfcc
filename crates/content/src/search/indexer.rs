//! Takes messages into the index, some moments after they were stored. A search does not wait for it: what is missing
//! where it looks, it takes in first.

use clifford_store::{Db, StoreError, search};

/// How many are taken in one transaction: few, since others wait for it.
const BATCH: u32 = 200;

/// Whether messages are missing from the index.
pub async fn has_work(db: &Db) -> Result<bool, StoreError> {
    search::has_unindexed(&mut db.read().await?).await
}

/// Takes a batch into the index, and returns how many there were.
pub async fn take(db: &Db) -> Result<usize, StoreError> {
    // Most of the time there is nothing, which a reader can tell.
    if !has_work(db).await? {
        return Ok(0);
    }
    db.write(|tx| Box::pin(search::index(tx, None, BATCH))).await
}
