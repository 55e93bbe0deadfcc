//! Deletes the contents of deleted files from their directory or bucket.

use std::time::Duration;

use async_trait::async_trait;
use clifford_content::files;
use clifford_core::work::MaintenanceKind;
use clifford_store::StoreError;

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);

/// The job that deletes contents that no row names.
#[derive(Clone, Copy, Debug)]
pub struct DeletedFiles;

#[async_trait]
impl MaintenanceJob for DeletedFiles {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::DeletedFiles
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        files::sweep(&cx.db, cx.tools.services.files.storage(), cx.clock.now()).await?;
        Ok(())
    }
}
