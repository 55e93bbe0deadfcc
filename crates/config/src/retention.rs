//! `[retention]`: how long is kept what nobody needs for its work any more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long is kept what nobody needs for its work any more. Parts of a day can be set too: 0.5 = twelve hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// How many days runs and jobs are kept that ended, with all of their steps; 0 = for ever. What was said in them
    /// stays, and what they used.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub runs_days: f64,
    /// How many days the messages of a closed conversation are kept, to be searched; 0 = for ever. What was
    /// remembered of it stays.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub messages_days: f64,
    /// How many days it is kept what each model call used; 0 = for ever. What a budget may still count stays longer.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub usage_days: f64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            runs_days: 90.0,
            messages_days: 0.0,
            usage_days: 400.0,
        }
    }
}
