//! A process about itself: its logs, traces and metrics, and how it survives its own faults.
//!
//! **Signals.** `spans.rs` makes every span and `measures.rs` every count, so that two files decide their content (ids,
//! outcomes, never words); `catalogue.rs` lists the metrics, and tests hold the docs, the dashboard and what a bot
//! counts to it. A delivery happens in another task than its run: it takes the run's span along as an `Origin`, and not
//! the span itself, which would stay open. Errors that quote somebody are logged by their kind; the words stand in the
//! row that they concern.
//!
//! **Faults.** `supervise.rs` restarts a background loop that panics, [`quarantine`] sets work aside of which processes
//! die, [`runtime`] raises the limit of open files, and [`failpoint`] ends the process where a test asks for it.

pub mod catalogue;
pub mod failpoint;
pub mod log;
pub mod measures;
mod panics;
pub mod quarantine;
pub mod runtime;
pub mod spans;
pub mod supervise;

use std::sync::Arc;

use clifford_vault::Masker;
use tracing_subscriber::{Layer, Registry};

pub use self::log::{Log, LogFormat};

/// A layer that sees every span besides the log: the exporter of traces.
pub type TraceLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Begins to log, and to show this layer every span. The masker's secrets are shown nowhere in the log.
///
/// # Errors
/// The level cannot be read.
pub fn init(log: &Log, traces: Option<TraceLayer>, masker: &Arc<Masker>) -> anyhow::Result<()> {
    log::start(log.format, &log.level, masker, traces)?;
    panics::report();
    Ok(())
}

/// Begins to log only what is wrong: for commands that talk to a person.
///
/// # Errors
/// The level cannot be read.
pub fn init_quiet(log: &Log, masker: &Arc<Masker>) -> anyhow::Result<()> {
    let level = if log.level == Log::default().level {
        "error"
    } else {
        &log.level
    };
    log::start(log.format, level, masker, None)?;
    panics::report();
    Ok(())
}
