//! A tool's interface to the isolation of a suspected run. The run itself has it.

use std::fmt;

use async_trait::async_trait;
use clifford_core::id::FileId;

/// Isolates a suspected run while one of its tools does what may end the process.
#[async_trait]
pub trait Isolates: Send + Sync + fmt::Debug {
    /// Waits until nothing else begins; the run's row says so.
    async fn enter(&self);

    /// Takes back in the background that a file is being read, however long that takes.
    fn retract(&self, file: FileId);
}
