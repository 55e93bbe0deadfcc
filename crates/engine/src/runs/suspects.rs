//! Starting claimed runs, as the deaths of those that held them before say: with others, in isolation, or not at all.

use std::sync::Arc;

use clifford_core::{
    id::RunId,
    quarantine::{Evidence, Verdict},
    run::sentences,
    work::Kind,
};
use clifford_store::runs::{Lease, queue::Claimed};
use clifford_telemetry::measures;
use tokio_util::task::AbortOnDropHandle;

use super::Runs;
use crate::run::{isolation::key, unread};

impl Runs {
    /// Works on a run that was claimed, as the deaths of those that held it before say.
    pub fn start_claimed(self: &Arc<Self>, claimed: Claimed) {
        let Claimed {
            lease,
            evidence,
            is_set_aside,
        } = claimed;
        match self.context.settings.engine().deaths().verdict(evidence) {
            // The process died before the run was ended.
            _ if is_set_aside => self.start_quarantine(lease, evidence.deaths),
            Verdict::Innocent => self.start_held(lease),
            Verdict::Suspect => self.start_suspect(lease, evidence),
            Verdict::Guilty => self.start_quarantine(lease, evidence.deaths),
        }
    }

    fn start_suspect(self: &Arc<Self>, lease: Lease, evidence: Evidence) {
        tracing::warn!(run_id = %lease.run, deaths = evidence.deaths, "working on a suspected run in isolation");
        let held = self.hold(lease);
        let suspect = self.context.isolation.suspect(key(lease), evidence.mark_at_work());
        self.context.process.tasks.spawn(async move {
            let cx = Arc::clone(&held.runs.context);
            // Never closed, so a permit is always had in the end.
            let _permit = Arc::clone(&held.runs.permits).acquire_owned().await;
            let keeper = cx.process.tasks.spawn(Arc::clone(&cx).keep_turns_short(lease));
            let keeper = AbortOnDropHandle::new(keeper);
            cx.enter_isolation(lease).await;
            Box::pin(held.read_and_work_on()).await;
            drop((keeper, suspect));
            cx.notify.runs.notify_one();
        });
    }

    fn start_quarantine(self: &Arc<Self>, lease: Lease, deaths: i64) {
        let held = self.hold(lease);
        self.context.process.tasks.spawn(async move {
            let cx = &held.runs.context;
            if !cx.quarantine(lease).await {
                return;
            }
            tracing::error!(
                run_id = %lease.run,
                deaths,
                "run quarantined: the process died each time that it worked on it"
            );
            measures::quarantined(Kind::Run);
            let why = why(lease.run, deaths);
            unread::end_with(cx, &held.runs, lease, &sentences::QUARANTINED, &why, &held.cancelled).await;
        });
    }
}

/// The error in its row.
fn why(run: RunId, deaths: i64) -> String {
    format!(
        "quarantined: {deaths} processes died that held it, the last one while it worked on nothing else; \
         `clifford runs retry {run}` tries again"
    )
}
