//! The features of the build, each a crate of its own: traces (`otlp`) and files in a bucket (`s3`). A build
//! without one refuses the settings that ask for it.

use clifford_content::files::{Bucket, BucketKeys};
use clifford_core::{clock::SharedClock, settings::Files as Section};
use clifford_telemetry::TraceLayer;
use clifford_vault::Url;
use tokio::time::Instant;

/// The exporter of traces, if one is at work. It sends its buffer when it is [ended](Traces::end).
#[must_use]
pub(crate) struct Traces(#[cfg(feature = "otlp")] Option<clifford_otlp::Exporter>);

#[cfg(feature = "otlp")]
impl Traces {
    /// Exports traces to this collector, if there is one.
    pub(crate) fn begin(collector: Option<&Url>) -> anyhow::Result<Self> {
        let exporter = collector.map(|collector| clifford_otlp::Exporter::start(collector.as_str()));
        Ok(Self(exporter.transpose()?))
    }

    /// The layer that shows the exporter every span.
    pub(crate) fn layer(&self) -> Option<TraceLayer> {
        self.0.as_ref().map(clifford_otlp::Exporter::layer)
    }

    /// Sends what is left, for as long as that may take, and not beyond `until`.
    pub(crate) async fn end(self, until: Instant) {
        if let Some(exporter) = self.0 {
            exporter.end(until).await;
        }
    }
}

#[cfg(not(feature = "otlp"))]
impl Traces {
    /// None: this build has no exporter.
    pub(crate) fn begin(collector: Option<&Url>) -> anyhow::Result<Self> {
        traces_refused(collector)?;
        Ok(Self())
    }

    /// Nothing sees the spans.
    pub(crate) fn layer(&self) -> Option<TraceLayer> {
        None
    }

    /// Nothing is left.
    pub(crate) async fn end(self, _until: Instant) {}
}

/// Nothing, if traces can be exported to this collector.
///
/// # Errors
/// They are to be, and this program has no exporter.
pub(crate) fn traces_refused(collector: Option<&Url>) -> anyhow::Result<()> {
    if collector.is_some() && cfg!(not(feature = "otlp")) {
        anyhow::bail!(
            "telemetry.otlp_endpoint: this Clifford was built without the exporter of traces; build it with \
             `--features otlp`, or take the setting out"
        );
    }
    Ok(())
}

/// The bucket for files.
///
/// # Errors
/// Why the settings cannot be right.
#[cfg(feature = "s3")]
pub(crate) fn bucket(section: &Section, keys: &BucketKeys, clock: SharedClock) -> Result<Box<dyn Bucket>, String> {
    Ok(Box::new(clifford_s3::S3::new(section, keys, clock)?))
}

/// The bucket for files: this build has none.
///
/// # Errors
/// Always, with the way out.
#[cfg(not(feature = "s3"))]
pub(crate) fn bucket(_: &Section, _: &BucketKeys, _: SharedClock) -> Result<Box<dyn Bucket>, String> {
    Err(
        "files.store: this Clifford was built without buckets; build it with `--features s3`, or keep files in the \
         data directory (`store = \"directory\"`)"
            .to_owned(),
    )
}

#[cfg(all(test, not(feature = "s3")))]
mod tests {
    use std::sync::Arc;

    use clifford_core::clock::SystemClock;
    use clifford_vault::Secret;

    use super::*;

    #[test]
    fn a_build_without_buckets_refuses_one_and_says_how_to_build_it() {
        let keys = (Secret::new("access"), Secret::new("secret"));
        let refused = bucket(&Section::default(), &keys, Arc::new(SystemClock)).unwrap_err();
        assert!(
            refused.contains("files.store") && refused.contains("--features s3"),
            "{refused}"
        );
    }
}
