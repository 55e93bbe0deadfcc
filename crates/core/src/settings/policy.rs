//! `[policy]`: approvals. The rules themselves are `[[policies]]`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::policy::OnDeny;

/// What people are asked to approve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// After how many hours a question that nobody answered counts as denied.
    #[schemars(range(min = 0.0001, max = 8760.0))]
    pub confirm_timeout_hours: f64,
    /// What a run does whose call was denied. `finish`: it ends and says so. `continue`: the model is told, and goes on.
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
