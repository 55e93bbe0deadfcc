//! The rows that a transaction stored, to go on with after its commit.

use clifford_chat::{inbound::Accepted, outbound::Mark};
use clifford_core::id::RunId;
use clifford_delivery::outbound::{PendingDelivery, To};
use clifford_engine::work::Work;
use clifford_store::runs::RunClaim;

use super::IngressService;

/// The rows that a transaction stored, to go on with after its commit.
pub(super) struct IngressOutcome {
    pub accepted: Accepted,
    /// A run that this process holds.
    pub start: Option<Box<Work>>,
    /// An answer that needs no run.
    pub answer: Option<(PendingDelivery, To)>,
    /// The notice to everybody in a place along with an answer that one person sees.
    pub told: Option<PendingDelivery>,
    /// The word to slash commands whose runs were stopped, or gave way to a newer message.
    pub stopped: Vec<PendingDelivery>,
    /// Where a message waits for something else.
    pub waits: Option<To>,
    /// Runs that were cancelled, each with the claim that held it.
    pub interrupted: Vec<RunClaim>,
    pub work_to_claim: bool,
    pub no_agent: bool,
    /// A command was refused, and its person told.
    pub is_refusal: bool,
}

impl IngressOutcome {
    pub(super) fn ignored() -> Self {
        Self {
            accepted: Accepted::Ignored,
            start: None,
            answer: None,
            told: None,
            stopped: Vec::new(),
            waits: None,
            interrupted: Vec::new(),
            work_to_claim: false,
            no_agent: false,
            is_refusal: false,
        }
    }

    pub(super) fn of(accepted: Accepted) -> Self {
        Self {
            accepted,
            ..Self::ignored()
        }
    }
}

impl IngressService {
    /// Goes on with what a transaction stored, after its commit.
    pub(super) fn after_commit(&self, outcome: IngressOutcome) -> Accepted {
        if !outcome.interrupted.is_empty() {
            // The questions of those runs are to be changed.
            self.context.notify.runs.notify_one();
        }
        // Before the place of a command is told that no answer comes.
        for told in outcome.stopped {
            self.context.delivery.deliver(told);
        }
        for claim in outcome.interrupted {
            self.runs.interrupt(claim);
            // One that waited for subagents has no task to say so.
            self.context.delivery.cancelled(claim.run);
        }
        if let Some((pending, to)) = outcome.answer {
            self.context.delivery.busy(&to, RunId(pending.message.id.0), 0);
            let id = RunId(pending.message.id.0);
            self.context.delivery.deliver(pending);
            self.context.delivery.done(&to, id, 0);
        }
        if let Some(told) = outcome.told {
            self.context.delivery.deliver(told);
        }
        if let Some(to) = outcome.waits {
            self.context.delivery.mark(&to, Mark::Seen);
        }
        match outcome.start {
            Some(work) => match work.run.wake_at.filter(|at| *at > self.clock.now()) {
                Some(at) => {
                    if let Some(to) = work.reply_to() {
                        self.context.delivery.busy(&to, work.run.id, work.lease.epoch);
                    }
                    self.runs.start_later(work.lease, at);
                }
                // Busy from the moment in which it has a place.
                None => self.runs.start(*work),
            },
            None if outcome.work_to_claim => self.context.notify.runs.notify_one(),
            None => {}
        }
        outcome.accepted
    }
}
