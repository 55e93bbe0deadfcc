//! Deletes what is kept of spaces that the bot was removed from, some time after that.

use std::{sync::Arc, time::Duration};

use clifford_content::files::Storage;
use clifford_core::clock::Timestamp;
use clifford_store::{Db, StoreError, db::free_space, places::left_spaces};
use tokio_util::sync::CancellationToken;

use crate::Context;

/// How often to look.
const EVERY: Duration = Duration::from_secs(600);
/// The longest that a batch waits for what others write.
const BETWEEN: Duration = Duration::from_millis(20);

/// Deletes what comes due until `stop`.
pub async fn run(cx: Arc<Context>, stop: CancellationToken) {
    loop {
        let before = cx.clock.now().before(cx.settings.memory.purge_left_spaces);
        let deleted = tokio::select! {
            // It goes on at the next start.
            () = stop.cancelled() => return,
            deleted = purge(&cx.db, cx.services.files.storage(), before) => deleted,
        };
        match deleted {
            Ok(0) => {}
            Ok(spaces) => tracing::info!(spaces, "purged spaces that the bot left"),
            Err(error) => tracing::warn!(%error, "failed to purge spaces that the bot left"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// Deletes what is kept of the spaces that were left before a time, and returns how many there were.
///
/// # Errors
/// The store's; what was deleted is.
pub async fn purge(db: &Db, storage: &Storage, before: Timestamp) -> Result<usize, StoreError> {
    let mut spaces = 0;
    while let Some(space) = next(db, before).await? {
        let files = left_spaces::files(&mut db.read().await?, space).await?;
        storage.delete(files).await?;
        while !db
            .write(move |tx| Box::pin(left_spaces::delete_some(tx, space, before)))
            .await?
        {
            tokio::time::sleep(BETWEEN).await;
        }
        spaces += 1;
    }
    if spaces > 0 {
        free_space::clean(db).await?;
    }
    Ok(spaces)
}

async fn next(db: &Db, before: Timestamp) -> Result<Option<clifford_core::id::SpaceId>, StoreError> {
    left_spaces::next(&mut db.read().await?, before).await
}
