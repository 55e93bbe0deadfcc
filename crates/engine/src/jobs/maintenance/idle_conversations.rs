//! Closes conversations in which nobody spoke for long enough; what they leave behind is remembered.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::work::MaintenanceKind;
use clifford_store::StoreError;

use super::MaintenanceJob;
use crate::{Context, EngineSettings, memory::closing};

/// How often.
const EVERY: Duration = Duration::from_secs(300);

/// The job that closes idle conversations.
#[derive(Clone, Copy, Debug)]
pub struct IdleConversations;

#[async_trait]
impl MaintenanceJob for IdleConversations {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::IdleConversations
    }

    fn every(&self, settings: &EngineSettings) -> Option<Duration> {
        settings.ingress.idle().map(|_| EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let (Some(idle), now) = (cx.settings.ingress.idle(), cx.clock.now()) else {
            return Ok(());
        };
        if closing::close_idle(&cx.db, now.before(idle), now).await? > 0 {
            cx.notify.jobs.notify_one();
        }
        Ok(())
    }
}
