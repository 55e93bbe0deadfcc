//! `[triggers]`: reminders and whatever else comes due by the clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reminders and whatever else comes due by the clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Triggers {
    /// What becomes of due times that passed while the bot was down, where a trigger does not say. `once`: they fire
    /// once together when it is back. `skip`: they do not fire.
    pub catch_up: CatchUp,
    /// How late a trigger that skips what it missed may still fire, so that a restart makes it miss nothing.
    #[schemars(range(min = 0, max = 86_400))]
    pub grace_seconds: u64,
}

impl Default for Triggers {
    fn default() -> Self {
        Self {
            catch_up: CatchUp::Once,
            grace_seconds: 60,
        }
    }
}

/// What becomes of due times that passed while the bot was down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// They fire once together.
    Once,
    /// They do not fire.
    Skip,
}
