//! Deletes reminders that are over, and so is the time for which they are kept.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::work::MaintenanceKind;
use clifford_store::{StoreError, triggers};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// How long a reminder is kept that will not be sent again.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// The job that deletes ended reminders.
#[derive(Clone, Copy, Debug)]
pub struct EndedReminders;

#[async_trait]
impl MaintenanceJob for EndedReminders {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::EndedReminders
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let before = cx.clock.now().before(KEPT);
        let deleted = cx.db.write(move |tx| Box::pin(triggers::forget_ended(tx, before)));
        deleted.await?;
        Ok(())
    }
}
