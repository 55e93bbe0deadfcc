//! `[policy]`: approvals. The rules themselves are `[[policies]]`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool calls that people are asked to approve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Hours after which a question without an answer counts as denied.
    #[schemars(range(min = 0.0001, max = 8760.0))]
    pub confirm_timeout_hours: f64,
    /// The behavior of a run whose call was denied. `finish`: it ends and says so. `continue`: the model is told, and
    /// goes on.
    pub on_deny: OnDeny,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            confirm_timeout_hours: 24.0,
            on_deny: OnDeny::Continue,
        }
    }
}

impl Policy {
    /// How long a question waits for its answer.
    pub fn confirm_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.confirm_timeout_hours * 3600.0)
    }
}

/// The behavior of a run whose call was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnDeny {
    /// It ends, and says so.
    Finish,
    /// The model is told, and goes on.
    Continue,
}
