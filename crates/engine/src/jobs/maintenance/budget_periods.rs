//! Deletes how budgets stood in months that are over.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::{budget::Period, work::MaintenanceKind};
use clifford_store::{StoreError, budgets};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// How long it is kept how a budget stood.
const KEPT: Duration = Duration::from_secs(62 * 86_400);

/// The job that deletes old periods of budgets.
#[derive(Clone, Copy, Debug)]
pub struct BudgetPeriods;

#[async_trait]
impl MaintenanceJob for BudgetPeriods {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::BudgetPeriods
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let zone = cx.settings.zone();
        let month = Period::Month.window(cx.clock.now().before(KEPT), &zone).key;
        cx.db
            .write(move |tx| Box::pin(async move { budgets::forget_before(tx, &month).await }))
            .await?;
        Ok(())
    }
}
