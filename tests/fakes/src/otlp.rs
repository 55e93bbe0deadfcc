//! A collector of traces: OTLP over HTTP in protobuf, as strict as the protocol's text.

use std::{
    collections::BTreeMap,
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use bytes::Bytes;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse},
    common::v1::{AnyValue, KeyValue, any_value::Value},
    trace::v1 as wire,
};
use prost::Message;

use crate::serving::Server;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A span, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The trace that it is part of.
    pub trace: Vec<u8>,
    /// Its id.
    pub id: Vec<u8>,
    /// The span that it is within.
    pub parent: Option<Vec<u8>>,
    /// When it began, in nanoseconds since 1970.
    pub begin: u64,
    /// Its name.
    pub name: String,
    /// Client, internal, and so on, by the protocol's names.
    pub kind: String,
    /// Whether it is marked as failed.
    pub failed: bool,
    /// Its attributes, as text.
    pub attributes: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct Shared {
    spans: Vec<Span>,
    bodies: Vec<Bytes>,
    violations: Vec<String>,
    refuse: Option<u16>,
}

/// A collector.
#[derive(Debug)]
pub struct CollectorFake {
    shared: Arc<Mutex<Shared>>,
    server: Server,
}

impl CollectorFake {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state(Arc::clone(&shared));
        let server = Server::start(Ipv4Addr::LOCALHOST.into(), router).await?;
        Ok(Self { shared, server })
    }

    /// Where it is.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// From now on everything is refused with this status; `None`: nothing is.
    pub fn refuse(&self, status: Option<u16>) {
        lock(&self.shared).refuse = status;
    }

    /// Everything that came.
    pub fn spans(&self) -> Vec<Span> {
        lock(&self.shared).spans.clone()
    }

    /// The bodies of all requests, refused ones too.
    pub fn bodies(&self) -> Vec<Bytes> {
        lock(&self.shared).bodies.clone()
    }

    /// Violations of the protocol.
    pub fn violations(&self) -> Vec<String> {
        lock(&self.shared).violations.clone()
    }

    /// Waits until what came holds what is looked for.
    ///
    /// # Panics
    /// It never does.
    pub async fn wait_for<T>(&self, what: &str, find: impl Fn(&Self) -> Option<T>) -> T {
        let mut often = tokio::time::interval(Duration::from_millis(20));
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                often.tick().await;
                if let Some(found) = find(self) {
                    return found;
                }
            }
        });
        match found.await {
            Ok(found) => found,
            Err(_) => panic!("waited in vain for {what}: {:#?}", self.spans()),
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn take(State(shared): State<Arc<Mutex<Shared>>>, headers: HeaderMap, body: Bytes) -> Response {
    let mut shared = lock(&shared);
    shared.bodies.push(body.clone());
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind != Some("application/x-protobuf") {
        shared.violations.push(format!("content type {kind:?}"));
    }
    if let Some(status) = shared.refuse {
        return StatusCode::from_u16(status)
            .unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
            .into_response();
    }
    match read(&body) {
        Ok(spans) => shared.spans.extend(spans),
        Err(violation) => {
            shared.violations.push(violation);
            return StatusCode::BAD_REQUEST.into_response();
        }
    }
    let answer = ExportTraceServiceResponse::default().encode_to_vec();
    ([(header::CONTENT_TYPE, "application/x-protobuf")], answer).into_response()
}

fn read(body: &[u8]) -> Result<Vec<Span>, String> {
    let request = ExportTraceServiceRequest::decode(body).map_err(|error| error.to_string())?;
    // A field that the messages do not have is dropped without a word; it would be missing now.
    if request.encoded_len() != body.len() {
        return Err("it holds fields that the protocol does not know".to_owned());
    }
    let mut spans = Vec::new();
    for of_resource in request.resource_spans {
        let resource = attributes(&of_resource.resource.unwrap_or_default().attributes)?;
        if resource.get("service.name").map(String::as_str) != Some("clifford") {
            return Err(format!("service.name in {resource:?}"));
        }
        for of_scope in of_resource.scope_spans {
            for span in of_scope.spans {
                spans.push(span_of(span)?);
            }
        }
    }
    Ok(spans)
}

fn span_of(span: wire::Span) -> Result<Span, String> {
    let is_id = |id: &[u8], length| id.len() == length && id.iter().any(|byte| *byte != 0);
    let has_parent = !span.parent_span_id.is_empty();
    let is_sound = is_id(&span.trace_id, 16)
        && is_id(&span.span_id, 8)
        && (!has_parent || is_id(&span.parent_span_id, 8))
        && !span.name.is_empty()
        && span.start_time_unix_nano > 0
        && span.start_time_unix_nano <= span.end_time_unix_nano;
    if !is_sound {
        return Err(format!("no sound span: {span:?}"));
    }
    Ok(Span {
        kind: span.kind().as_str_name().to_owned(),
        failed: (span.status.as_ref()).is_some_and(|status| status.code() == wire::status::StatusCode::Error),
        begin: span.start_time_unix_nano,
        trace: span.trace_id,
        id: span.span_id,
        parent: has_parent.then_some(span.parent_span_id),
        name: span.name,
        attributes: attributes(&span.attributes)?,
    })
}

fn attributes(pairs: &[KeyValue]) -> Result<BTreeMap<String, String>, String> {
    let mut attributes = BTreeMap::new();
    for pair in pairs {
        let is_number = matches!(
            &pair.value,
            Some(AnyValue {
                value: Some(Value::IntValue(_))
            })
        );
        if pair.key.starts_with("gen_ai.usage.") && !is_number {
            return Err(format!("attribute {} is no whole number", pair.key));
        }
        let value = match pair.value.as_ref() {
            Some(AnyValue { value: Some(value) }) => match value {
                Value::StringValue(text) => text.clone(),
                Value::BoolValue(flag) => flag.to_string(),
                Value::IntValue(number) => number.to_string(),
                Value::DoubleValue(number) => number.to_string(),
                other => format!("{other:?}"),
            },
            _ => return Err(format!("attribute {} has no value", pair.key)),
        };
        if attributes.insert(pair.key.clone(), value).is_some() {
            return Err(format!("attribute {} twice", pair.key));
        }
    }
    Ok(attributes)
}
