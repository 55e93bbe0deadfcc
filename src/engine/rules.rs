//! The numbers that the rules go by.

use std::collections::BTreeMap;

use super::transcript::WindowLimits;
use crate::store::users::User;

/// The numbers that the rules go by: settings, not state.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// How many model calls a run may make; the model may change it for its run.
    pub max_iterations: u32,
    /// What the model may raise it to.
    pub max_iterations_hard_cap: u32,
    /// Whether notes are needed before tools, output and finish.
    pub planning_gate: bool,
    /// How often an unreadable reply is asked for again.
    pub max_json_retries: u32,
    /// How much of the transcript the model sees.
    pub window: WindowLimits,
    /// How many subagents of a tree run at the same time.
    pub max_parallel_subagents: usize,
    /// How many tokens a run may use.
    pub max_run_tokens: u64,
    /// How long a run may work, in milliseconds.
    pub max_run_ms: u64,
    /// How much a run may cost; `None`: no limit.
    pub max_run_cost: Option<f64>,
    /// Time zone of cron expressions and of times that name none (IANA).
    pub time_zone: String,
    /// Tools with exactly one command, and that command's full name.
    pub single_commands: BTreeMap<String, String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_iterations: 20,
            max_iterations_hard_cap: 200,
            planning_gate: true,
            max_json_retries: 1,
            window: WindowLimits::default(),
            max_parallel_subagents: 4,
            max_run_tokens: 80_000,
            max_run_ms: 120_000,
            max_run_cost: None,
            time_zone: "UTC".to_owned(),
            single_commands: BTreeMap::new(),
        }
    }
}

impl Rules {
    /// The rules as they are for a person: their own time zone, if it is known.
    pub fn of(&self, user: Option<&User>) -> Self {
        let own = user.and_then(|user| user.time_zone.clone());
        Self {
            time_zone: own.unwrap_or_else(|| self.time_zone.clone()),
            ..self.clone()
        }
    }

    /// After how many iterations with no tool call, output or message a run that may make `max_iterations`
    /// calls has stalled.
    pub fn stall_limit(max_iterations: u32) -> u32 {
        max_iterations.saturating_sub(1).clamp(1, 5)
    }
}
