//! `[telemetry]`: where traces go, and where a process is watched that serves no API.

use std::net::SocketAddr;

use clifford_vault::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Traces, and the monitoring of processes without the API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// A collector for traces by OTLP over HTTP. Without it nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "http://127.0.0.1:4318")]
    pub otlp_endpoint: Option<Url>,
    /// The address where a process without the API (`--only channels`, `--only workers`) serves `/healthz`, `/readyz`
    /// and `/metrics`, with the API's tokens. Without it, nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "socket-address"), example = "127.0.0.1:9188")]
    pub metrics_bind: Option<SocketAddr>,
}
