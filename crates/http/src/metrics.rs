//! Prometheus metrics: counters of the code, and gauges measured at each scrape.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use clifford_chat::platform::Platform;
use clifford_core::{
    clock::{Clock, SystemClock},
    runs::RunStatus,
};
use clifford_llm::CircuitState;
use clifford_store::{StoreError, messages::queue_depth, runs::views as run_views};
use clifford_telemetry::{
    catalogue::{self, Kind, METRICS},
    measures::QUEUES,
};
use metrics::gauge;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

use super::{Shared, access::OwnerReader, handler, problem::Problem};

/// How often what histograms have gathered is put in order.
const UPKEEP: Duration = Duration::from_secs(10);
/// A recorder is a process's own.
static RECORDER: OnceLock<Option<Metrics>> = OnceLock::new();

/// The metrics of this process.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    began: Instant,
}

impl Metrics {
    /// Begins to record, if that has not begun: what names a platform, for each of these. `None`: that failed, and the
    /// log says why.
    pub fn install(platforms: &[Platform]) -> Option<Self> {
        let recorder = RECORDER.get_or_init(|| {
            let handle = recorder()
                .and_then(PrometheusBuilder::install_recorder)
                .inspect_err(|error| tracing::warn!(%error, "failed to install the metrics recorder"))
                .ok()?;
            catalogue::begin(platforms);
            let since_1970 = Duration::from_millis(u64::try_from(SystemClock.now().0).unwrap_or_default());
            gauge!("process_start_time_seconds").set(since_1970.as_secs_f64());
            Some(Self {
                handle,
                began: Instant::now(),
            })
        });
        recorder.clone()
    }

    /// Keeps what is recorded small, until `stop`.
    pub async fn run_upkeep(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(UPKEEP) => self.handle.run_upkeep(),
            }
        }
    }

    fn render(&self) -> String {
        gauge!("clifford_uptime_seconds").set(self.began.elapsed().as_secs_f64());
        self.handle.render()
    }
}

/// Each histogram has the bounds that the catalogue says.
fn recorder() -> Result<PrometheusBuilder, BuildError> {
    METRICS.iter().try_fold(PrometheusBuilder::new(), |builder, metric| {
        let Kind::Histogram(bounds) = metric.kind else {
            return Ok(builder);
        };
        builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), bounds.0)
    })
}

/// Prometheus metrics.
#[utoipa::path(get, path = "/metrics", tag = "operation", security(("bearer" = [])),
    responses((status = 200, description = "Metrics in the Prometheus text format", body = String)))]
#[handler]
pub(super) async fn scrape(State(api): State<Shared>, _: OwnerReader) -> Result<Response, Problem> {
    circuits(&api);
    workers(&api);
    let measured = measure(&api).await;
    if let Err(error) = &measured {
        tracing::warn!(%error, "failed to measure database metrics");
    }
    gauge!("clifford_database_up").set(if measured.is_ok() { 1.0 } else { 0.0 });
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    let text = api.metrics.as_ref().map(Metrics::render).unwrap_or_default();
    Ok((kind, text).into_response())
}

/// Which providers are left alone because they keep failing.
fn circuits(api: &Shared) {
    for circuit in api.context.models.circuits() {
        let is_open = circuit.state() != CircuitState::Closed;
        let provider = circuit.provider().to_owned();
        gauge!("clifford_provider_circuit_open", "provider" => provider).set(if is_open { 1.0 } else { 0.0 });
    }
}

/// How much of this process is at work.
#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^52")]
fn workers(api: &Shared) {
    let limit = api.context.settings.engine().max_concurrent_runs;
    let busy = limit.saturating_sub(api.runs.free_permits());
    gauge!("clifford_workers_limit").set(limit as f64);
    gauge!("clifford_workers_busy").set(busy as f64);
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
async fn measure(api: &Shared) -> Result<(), StoreError> {
    let now = api.clock.now();
    let mut conn = api.db.read().await?;
    let counts = run_views::counts(&mut conn, now).await?;
    for status in [RunStatus::Pending, RunStatus::Running, RunStatus::Waiting] {
        let count = counts.iter().find(|(counted, _)| *counted == status);
        let count = count.map_or(0, |(_, count)| *count);
        gauge!("clifford_runs", "status" => status.as_str()).set(count as f64);
    }
    let waiting = queue_depth::all(&mut conn, now).await?;
    let depths = [waiting.runs, waiting.jobs, waiting.outbox, waiting.triggers];
    for (queue, depth) in QUEUES.into_iter().zip(depths) {
        let age = depth.since.map_or(Duration::ZERO, |since| now.since(since));
        gauge!("clifford_queue_depth", "queue" => queue).set(depth.count as f64);
        gauge!("clifford_queue_oldest_seconds", "queue" => queue).set(age.as_secs_f64());
    }
    gauge!("clifford_approvals_pending").set(waiting.approvals as f64);
    Ok(())
}
