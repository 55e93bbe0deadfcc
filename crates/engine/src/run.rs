//! The execution of a run: its prompt, the model, its decisions, and the draft of its answer.

pub mod answering;
pub mod cancel;
pub mod commit;
pub(crate) mod draft;
pub mod follow_up;
pub(crate) mod isolation;
mod loading;
pub mod masked;
pub(crate) mod perform;
pub mod prompt;
pub mod rerun;
pub(crate) mod session;
pub(crate) mod settling;
pub mod title;
pub(crate) mod tool_payer;
pub mod undoing;
pub(crate) mod unpaid;
pub(crate) mod unread;
pub mod verdicts;

use clifford_store::runs::Lease;

/// Starts another run of this process: the follow-up of one that ended, or a subagent.
pub trait Starter: Send + Sync {
    /// Works on a run that this process holds.
    fn start(&self, lease: Lease);
}
