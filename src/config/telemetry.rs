//! `[telemetry]`: where traces go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Url;

/// Where traces go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// A collector that takes traces by OTLP over HTTP. Nothing is sent where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "http://127.0.0.1:4318")]
    pub otlp_endpoint: Option<Url>,
}
