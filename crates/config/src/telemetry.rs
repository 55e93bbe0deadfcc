//! `[telemetry]`: where traces go, and where a process is watched that serves no API.

use std::net::SocketAddr;

use clifford_vault::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where traces go, and where a process is watched that serves no API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// A collector that takes traces by OTLP over HTTP. Nothing is sent where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "http://127.0.0.1:4318")]
    pub otlp_endpoint: Option<Url>,
    /// Where a process without the API (`--only channels`, `--only workers`) answers `/healthz`, `/readyz` and
    /// `/metrics`, with the API's tokens. Nowhere, where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "socket-address"), example = "127.0.0.1:9188")]
    pub metrics_bind: Option<SocketAddr>,
}
