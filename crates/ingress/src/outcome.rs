//! The rows that a transaction stored, to go on with after its commit.

use clifford_chat::inbound::Accepted;
use clifford_core::id::RunId;
use clifford_delivery::outbound::{PendingDelivery, To};
use clifford_engine::work::Work;

/// The rows that a transaction stored, to go on with after its commit.
pub(super) struct IngressOutcome {
    pub accepted: Accepted,
    /// A run that this process holds.
    pub start: Option<Box<Work>>,
    /// An answer that needs no run.
    pub answer: Option<(PendingDelivery, To)>,
    /// The notice to everybody in a place beside an answer that one person sees.
    pub told: Option<PendingDelivery>,
    /// The word to slash commands whose runs were stopped, or gave way to a newer message.
    pub stopped: Vec<PendingDelivery>,
    /// Where a message waits for something else.
    pub waits: Option<To>,
    /// Runs that were cancelled, each with the claim that held it.
    pub interrupted: Vec<(RunId, i64)>,
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
