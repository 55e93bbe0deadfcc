//! Deletes the uses that rules with a limit no longer count, and the buckets of messages that are full.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::{policy::Action, work::MaintenanceKind};
use clifford_store::{StoreError, places::policies, rates};
use clifford_tools::trial;

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// After this time every bucket is full.
const FULL: Duration = Duration::from_secs(2 * 86_400);

/// The job that deletes expired uses.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits;

#[async_trait]
impl MaintenanceJob for RateLimits {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::RateLimits
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let now = cx.clock.now();
        let made = policies::list(&mut cx.db.read().await?).await?;
        let rules = trial::rules(&cx.settings.rules.policy, made).into_iter();
        let limits: Vec<_> = rules
            .filter(|named| named.rule.action == Action::Limit)
            .map(|named| (named.key, named.rule.per.length()))
            .collect();
        cx.db
            .write(move |tx| {
                Box::pin(async move {
                    rates::forget_before(tx, now.before(FULL)).await?;
                    policies::forget_uses(tx, &limits, now).await
                })
            })
            .await?;
        Ok(())
    }
}
