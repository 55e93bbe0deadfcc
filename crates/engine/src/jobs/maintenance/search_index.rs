//! Takes messages into the search index, alongside all other work and some moments after they were stored.
//!
//! While nothing is missing of the index, a read every other second is all that this costs: the job is neither claimed
//! nor recorded. While messages come, it adds two small commits to that of each batch.

use std::time::Duration;

use async_trait::async_trait;
use clifford_content::search::indexer;
use clifford_core::work::MaintenanceKind;
use clifford_store::StoreError;

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often to look for messages that are not in the index.
const EVERY: Duration = Duration::from_secs(2);
/// How long others have the database for themselves between two batches.
const PAUSE: Duration = Duration::from_millis(50);

/// The job that keeps the index.
#[derive(Clone, Copy, Debug)]
pub struct SearchIndex;

#[async_trait]
impl MaintenanceJob for SearchIndex {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::SearchIndex
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn has_work(&self, cx: &Context) -> Result<bool, StoreError> {
        indexer::has_work(&cx.db).await
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        while indexer::take(&cx.db).await? > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }
}
