//! The process's own signals: logs, traces and metrics. Nothing here changes what it does.
//!
//! **Signals.** `spans.rs` makes every span and `measures.rs` every count, so that two files decide their content (ids,
//! outcomes, never words); `catalogue.rs` lists the metrics, and tests hold the docs, the dashboard and what a bot
//! counts to it. A delivery happens in another task than its run: it takes the run's span along as an `Origin`, and not
//! the span itself, which would stay open. Errors that quote somebody are logged by their kind; the words stand in the
//! row that they concern.

pub mod catalogue;
pub mod failpoint;
pub mod log;
pub mod measures;
#[cfg(feature = "otlp")]
mod otlp;
mod panics;
pub mod quarantine;
pub mod runtime;
pub mod spans;
pub mod supervise;

use std::sync::Arc;

use clifford_vault::Masker;
use tokio::time::Instant;

pub use self::log::{Log, LogFormat};

/// The exporter of traces, if one is at work. It sends its buffer when it is [ended](Exporter::end).
#[must_use]
pub struct Exporter(#[cfg(feature = "otlp")] Option<otlp::Exporter>);

impl Exporter {
    /// Sends what is left, for as long as that may take, and not beyond `until`.
    pub async fn end(self, until: Instant) {
        #[cfg(not(feature = "otlp"))]
        let _ = until;
        #[cfg(feature = "otlp")]
        if let Some(exporter) = self.0 {
            exporter.end(until).await;
        }
    }
}

/// Begins to log, and to export traces to `otlp_endpoint` if there is one. The masker's secrets are shown nowhere.
///
/// # Errors
/// The level cannot be read; traces are to be exported and cannot be.
pub fn init(log: &Log, otlp_endpoint: Option<&str>, masker: &Arc<Masker>) -> anyhow::Result<Exporter> {
    let exporter = exporter(otlp_endpoint)?;
    #[cfg(feature = "otlp")]
    let layer = exporter.0.as_ref().map(otlp::Exporter::layer);
    #[cfg(not(feature = "otlp"))]
    let layer: Option<tracing_subscriber::layer::Identity> = None;
    log::start(log.format, &log.level, masker, layer)?;
    panics::report();
    Ok(exporter)
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
    let no_layer: Option<tracing_subscriber::layer::Identity> = None;
    log::start(log.format, level, masker, no_layer)?;
    panics::report();
    Ok(())
}

#[cfg(feature = "otlp")]
fn exporter(otlp_endpoint: Option<&str>) -> anyhow::Result<Exporter> {
    Ok(Exporter(otlp_endpoint.map(otlp::Exporter::start).transpose()?))
}

#[cfg(not(feature = "otlp"))]
fn exporter(otlp_endpoint: Option<&str>) -> anyhow::Result<Exporter> {
    check(otlp_endpoint.is_some())?;
    Ok(Exporter())
}

/// Nothing, if traces can be exported where they are to be.
///
/// # Errors
/// They are to be, and this program has no exporter.
pub fn check(are_exported: bool) -> anyhow::Result<()> {
    if are_exported && cfg!(not(feature = "otlp")) {
        anyhow::bail!(
            "telemetry.otlp_endpoint: this Clifford was built without the exporter of traces; build it with \
             `--features otlp`, or take the setting out"
        );
    }
    Ok(())
}
