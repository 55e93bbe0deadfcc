//! `[triggers]`: reminders, scheduled runs and other triggers.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Seconds;
use crate::schedule::trigger::CatchUp;

/// Reminders, scheduled runs and other triggers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Triggers {
    /// The treatment of due times that passed while the bot was down, where a trigger does not say. `once`: they
    /// fire once together when it is back. `skip`: they do not fire.
    pub catch_up: CatchUp,
    /// The delay within which a trigger that skips missed times still fires, so that a restart makes it miss nothing.
    #[serde(rename = "grace_seconds", with = "Seconds")]
    #[schemars(range(min = 0, max = 86_400))]
    pub grace: Duration,
}

impl Default for Triggers {
    fn default() -> Self {
        Self {
            catch_up: CatchUp::Once,
            grace: Duration::from_secs(60),
        }
    }
}
