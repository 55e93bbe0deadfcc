//! `[log]`: what the process tells of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the process tells of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` for people, `json` for machines.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug` or `trace`; or a filter by module, such as `info,clifford::delivery=debug`.
    #[schemars(extend("format" = "log-filter"))]
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            level: "info".to_owned(),
        }
    }
}

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
