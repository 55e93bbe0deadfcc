//! `[retention]`: the lifetime of finished work and old messages.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Retention of finished work and old messages. Parts of a day can be set too: 0.5 = twelve hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days for which ended runs and jobs are kept, with all of their steps; 0 = for ever. Their messages and their
    /// usage stay.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub runs_days: f64,
    /// Days for which the steps of ended runs are kept; 0 = as long as their runs. The run stays, with its status, its
    /// costs and its answer.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub steps_days: f64,
    /// Days for which the prompts of ended runs are kept that `engine.record_prompts` recorded; 0 = as long as the steps.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub prompts_days: f64,
    /// Days for which the messages of a closed conversation stay searchable; 0 = for ever. Memory items from it stay.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub messages_days: f64,
    /// Days for which the usage of each model call is kept; 0 = for ever. Records that a budget may still count stay
    /// longer.
    #[schemars(range(min = 0.0, max = 36500.0))]
    pub usage_days: f64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            runs_days: 90.0,
            steps_days: 0.0,
            prompts_days: 0.0,
            messages_days: 0.0,
            usage_days: 400.0,
        }
    }
}

impl Retention {
    /// How long ended runs and jobs are kept; `None`: for ever.
    pub fn runs(&self) -> Option<Duration> {
        time(self.runs_days)
    }

    /// How long the steps of ended runs are kept; `None`: as long as the runs.
    pub fn steps(&self) -> Option<Duration> {
        time(self.steps_days)
    }

    /// How long recorded prompts of ended runs are kept; `None`: as long as the steps.
    pub fn prompts(&self) -> Option<Duration> {
        time(self.prompts_days)
    }

    /// How long the messages of closed conversations are kept; `None`: for ever.
    pub fn messages(&self) -> Option<Duration> {
        time(self.messages_days)
    }

    /// How long usage is kept; `None`: for ever.
    pub fn usage(&self) -> Option<Duration> {
        time(self.usage_days)
    }
}

fn time(days: f64) -> Option<Duration> {
    (days > 0.0).then(|| Duration::from_secs_f64(days * 86_400.0))
}
