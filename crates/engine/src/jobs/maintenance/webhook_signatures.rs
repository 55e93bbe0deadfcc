//! Deletes signatures of webhooks' requests that are too old to be taken again.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::work::MaintenanceKind;
use clifford_store::{StoreError, triggers};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// How long a signature is kept; it is good for minutes.
const KEPT: Duration = Duration::from_secs(86_400);

/// The job that deletes old signatures.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSignatures;

#[async_trait]
impl MaintenanceJob for WebhookSignatures {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::WebhookSignatures
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let before = cx.clock.now().before(KEPT);
        cx.db
            .write(move |tx| Box::pin(async move { triggers::forget_signatures(tx, before).await }))
            .await?;
        Ok(())
    }
}
