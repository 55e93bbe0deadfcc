//! Prometheus metrics: what the code counts, and what is measured when somebody asks.

use std::{sync::OnceLock, time::Duration};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use clifford_llm::CircuitState;
use metrics::gauge;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;

use super::{Shared, auth::Reader, problem::Problem};
use crate::store::{
    StoreError, outbox,
    runs::{self, RunStatus},
};

/// The bounds of histograms, in seconds.
const BUCKETS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];
/// How often what histograms have gathered is put in order.
const UPKEEP: Duration = Duration::from_secs(10);
/// A recorder is a process's own.
static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// The metrics of this process.
#[derive(Clone)]
pub struct Metrics(Option<PrometheusHandle>);

impl Metrics {
    /// Begins to record, if that has not begun.
    pub fn install() -> Self {
        let handle = RECORDER.get_or_init(|| {
            let recorder = PrometheusBuilder::new()
                .set_buckets(&BUCKETS)
                .and_then(PrometheusBuilder::install_recorder);
            recorder
                .inspect_err(|error| tracing::warn!(%error, "metrics are not recorded"))
                .ok()
        });
        Self(handle.clone())
    }

    /// Keeps what is recorded small, until `stop`.
    pub async fn keep(self, stop: CancellationToken) {
        let Some(handle) = self.0 else { return };
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(UPKEEP) => handle.run_upkeep(),
            }
        }
    }

    fn render(&self) -> String {
        self.0.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }
}

/// Prometheus metrics.
#[utoipa::path(get, path = "/metrics", tag = "operation", security(("bearer" = [])),
    responses((status = 200, description = "Metrics in the Prometheus text format", body = String)))]
pub(super) async fn scrape(State(api): State<Shared>, _: Reader) -> Result<Response, Problem> {
    circuits(&api);
    let measured = measure(&api).await;
    if let Err(error) = &measured {
        tracing::warn!(%error, "metrics of the database could not be measured");
    }
    gauge!("clifford_database_up").set(if measured.is_ok() { 1.0 } else { 0.0 });
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, api.metrics.render()).into_response())
}

/// Which providers are left alone because they keep failing.
fn circuits(api: &Shared) {
    for circuit in api.engine.roles.circuits() {
        let is_open = circuit.state() != CircuitState::Closed;
        let provider = circuit.provider().to_owned();
        gauge!("clifford_provider_circuit_open", "provider" => provider).set(if is_open { 1.0 } else { 0.0 });
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
async fn measure(api: &Shared) -> Result<(), StoreError> {
    let mut conn = api.engine.db.read().await?;
    let counts = runs::counts(&mut conn).await?;
    for status in [RunStatus::Pending, RunStatus::Running, RunStatus::Waiting] {
        let count = counts.iter().find(|(counted, _)| *counted == status);
        let count = count.map_or(0, |(_, count)| *count);
        gauge!("clifford_runs", "status" => status.as_str()).set(count as f64);
    }
    let (waiting, since) = outbox::backlog(&mut conn).await?;
    let age = since.map_or(Duration::ZERO, |since| api.engine.clock.now().since(since));
    gauge!("clifford_outbox_messages").set(waiting as f64);
    gauge!("clifford_outbox_oldest_seconds").set(age.as_secs_f64());
    Ok(())
}
