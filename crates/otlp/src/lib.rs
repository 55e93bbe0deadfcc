//! Traces, sent to a collector by OTLP over HTTP. A collector that is away costs nothing but its traces.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use async_trait::async_trait;
use bytes::Bytes;
use clifford_telemetry::{
    TraceLayer,
    spans::{self, Tie},
};
use clifford_vault::Redirected;
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider},
};
use reqwest::redirect::Policy;
use tokio::{runtime::Handle, time::Instant};
use tracing::{Metadata, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, filter_fn},
};

/// How often what has gathered is sent.
const EVERY: Duration = Duration::from_secs(1);
/// How long the collector may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the end of the process waits for it at most.
const LAST: Duration = Duration::from_secs(2);
/// The most spans that wait to be sent; more are dropped.
const QUEUE: usize = 8192;

/// Sends spans to a collector, from a thread of its own.
pub struct Exporter {
    provider: SdkTracerProvider,
}

impl Exporter {
    /// Sends to this collector from now on.
    ///
    /// # Errors
    /// Nothing can be sent there.
    pub fn start(endpoint: &str) -> anyhow::Result<Self> {
        let client = Client::new()?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(traces(endpoint))
            .with_timeout(PATIENCE)
            .build()
            .context("telemetry.otlp_endpoint: nothing can be sent there")?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_scheduled_delay(EVERY)
            .build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder()
            .with_service_name("clifford")
            .with_attribute(version);
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_span_processor(processor)
            .build();
        spans::export(here);
        Ok(Self { provider })
    }

    /// Takes every span of Clifford's own, at every level of the log. Events stay in the log: they are written for the
    /// operator of this process.
    pub fn layer(&self) -> TraceLayer {
        let own = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target().starts_with("clifford");
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("clifford-telemetry"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(own).with_max_level_hint(LevelFilter::DEBUG))
            .boxed()
    }

    /// Sends what is left, for as long as that may take, and not beyond `until`.
    pub async fn end(self, until: Instant) {
        let patience = until.saturating_duration_since(Instant::now()).min(LAST);
        let ended = tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(patience)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("failed to flush traces");
        }
    }
}

/// The tie to the span that this task is in.
fn here() -> Tie {
    let context = Span::current().context();
    Arc::new(move |span| {
        // A span that nobody records has no parent either.
        span.set_parent(context.clone()).ok();
    })
}

/// Where traces go at a collector that is named by its root, as OTLP has it.
fn traces(endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    match endpoint.ends_with("/v1/traces") {
        true => endpoint.to_owned(),
        false => format!("{endpoint}/v1/traces"),
    }
}

/// The process's own HTTP client, for a thread that has no runtime.
#[derive(Debug)]
struct Client {
    client: reqwest::Client,
    runtime: Handle,
    is_away: AtomicBool,
}

impl Client {
    fn new() -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(Policy::custom(|attempt| {
                let place = Redirected::new(attempt.url().as_str(), "telemetry.otlp_endpoint");
                attempt.error(place)
            }))
            .build()
            .context("telemetry.otlp_endpoint: no client could be made")?;
        Ok(Self {
            client,
            runtime: Handle::current(),
            is_away: AtomicBool::new(false),
        })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(
        &self,
        request: opentelemetry_http::Request<Bytes>,
    ) -> Result<opentelemetry_http::Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let answered = self.runtime.spawn(async move {
            let answer = (client.execute(request.try_into()?).await).map_err(reqwest::Error::without_url)?;
            let mut response = opentelemetry_http::Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            let body = answer.bytes().await.map_err(reqwest::Error::without_url)?;
            Ok::<_, HttpError>(response.body(body)?)
        });
        let answered = answered.await.map_err(HttpError::from).flatten();
        let fault = fault(&answered);
        if fault.is_some() != self.is_away.swap(fault.is_some(), Ordering::Relaxed) {
            match fault {
                Some(error) => tracing::warn!(error, "trace collector unavailable, dropping traces"),
                None => tracing::info!("trace collector recovered"),
            }
        }
        answered
    }
}

/// Why traces did not get there. The address is left out: it may hold a password.
fn fault(answered: &Result<opentelemetry_http::Response<Bytes>, HttpError>) -> Option<String> {
    let error = match answered {
        Ok(answer) if answer.status().is_success() => return None,
        Ok(answer) => return Some(format!("it answers {}", answer.status())),
        Err(error) => error,
    };
    let mut cause: &(dyn Error + 'static) = error.as_ref();
    while let Some(next) = cause.source() {
        cause = next;
    }
    Some(cause.to_string())
}

#[cfg(test)]
mod tests {
    use clifford_fakes::site::SiteFake;
    use opentelemetry::trace::{Span as _, Tracer as _};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_end_waits_for_a_silent_collector_no_longer_than_it_is_given() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", silent.local_addr().unwrap());
        let exporter = Exporter::start(&endpoint).unwrap();
        exporter.provider.tracer("a test").start("a span").end();
        let began = Instant::now();
        exporter.end(began).await;
        assert!(began.elapsed() < LAST, "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_and_its_place_is_told() {
        let (old, new) = SiteFake::start_moved().await.unwrap();
        let client = Client::new().unwrap();
        let request = opentelemetry_http::Request::post(traces(&old.url("")))
            .body(Bytes::new())
            .unwrap();
        let answered = client.send_bytes(request).await;
        assert_eq!(
            fault(&answered),
            Some(format!(
                "it redirects to {}, which is not followed: name the server itself in telemetry.otlp_endpoint",
                new.url("")
            ))
        );
        assert_eq!((old.visits().len(), new.connections()), (1, 0));
    }

    #[test]
    fn a_collector_is_named_by_its_root_or_by_the_route_of_traces() {
        for (endpoint, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://otlp.example/otlp", "https://otlp.example/otlp/v1/traces"),
            ("https://otlp.example/v1/traces", "https://otlp.example/v1/traces"),
        ] {
            assert_eq!(traces(endpoint), expected);
        }
    }
}
