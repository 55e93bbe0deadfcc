//! Deletes the data of spaces that the bot was removed from, some time after that.

use std::time::Duration;

use async_trait::async_trait;
use clifford_content::files::Storage;
use clifford_core::{clock::Timestamp, work::MaintenanceKind};
use clifford_store::{Db, StoreError, db::free_space, places::left_spaces};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(600);
/// The longest that a batch waits for what others write.
const BETWEEN: Duration = Duration::from_millis(20);

/// The job that deletes what is kept of left spaces.
#[derive(Clone, Copy, Debug)]
pub struct LeftSpaces;

#[async_trait]
impl MaintenanceJob for LeftSpaces {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::LeftSpaces
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let before = cx.clock.now().before(cx.settings.memory.purge_left_spaces);
        let spaces = purge(&cx.db, cx.tools.services.files.storage(), before).await?;
        if spaces > 0 {
            tracing::info!(spaces, "purged spaces that the bot left");
        }
        Ok(())
    }
}

/// Deletes what is kept of the spaces that were left before a time, and returns how many there were.
///
/// # Errors
/// The database fails; what was deleted stays deleted.
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
