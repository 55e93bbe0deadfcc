//! This process among those that share a database: what it may claim, and how its work ends.

use clifford_core::id::WorkerId;
use clifford_store::leases::{ClaimWindow, clock_guard::ClockGuard};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// This process among those that share a database.
pub(crate) struct Process {
    guard: ClockGuard,
    /// Told to stop: no new steps are begun.
    pub stop: CancellationToken,
    /// Tasks that a stopping process waits for: one a run, and what must be written to its end.
    pub tasks: TaskTracker,
}

impl Process {
    /// A process at work, which takes leases by `guard`.
    pub fn new(guard: ClockGuard) -> Self {
        Self {
            guard,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Its name on the leases that it holds.
    pub const fn worker(&self) -> WorkerId {
        self.guard.worker()
    }

    /// The window of rows that it may claim now.
    pub fn window(&self) -> ClaimWindow {
        self.guard.window()
    }
}
