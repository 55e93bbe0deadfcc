//! `[engine]`: the limits and rules of a run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Seconds;
use crate::quarantine;

/// The limits and rules of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Engine {
    /// How many model calls a run may make, repeats for unreadable replies not counted.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_iterations: u32,
    /// The limit up to which a run may raise its own `max_iterations`.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_iterations_hard_cap: u32,
    /// `required`: tools, output and the end of a run need a noted requirement and a noted plan first. `off`: they
    /// do not.
    pub planning_gate: PlanningGate,
    /// How often the engine asks the model again after an unreadable reply, before the run fails.
    #[schemars(range(min = 0, max = 10))]
    pub max_json_retries: u32,
    /// How often a failed command may be tried again, before the run must come to an end.
    #[schemars(range(min = 0, max = 10))]
    pub max_tool_retries: u32,
    /// How many subagents of one run work at a time.
    #[schemars(range(min = 1, max = 100))]
    pub max_parallel_subagents: usize,
    /// The most subagents of one run, with those that they have themselves.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_subagents: usize,
    /// The most entries of its transcript that a run shows the model.
    #[schemars(range(min = 1, max = 10_000))]
    pub transcript_limit: usize,
    /// The most tokens of its transcript that a run shows the model. Without it: a quarter of the model's context
    /// window, and at least 1200 if there is room.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 1_000_000), example = 8000)]
    pub transcript_token_limit: Option<u32>,
    /// The most tokens of one entry of the transcript, or of one message of the conversation. A longer one is cut, and
    /// the model can page through all of it.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub tool_result_token_limit: u32,
    /// The most messages of its conversation that a run sees, the newest ones.
    #[schemars(range(min = 0, max = 10_000))]
    pub conversation_limit: u32,
    /// The most messages of its conversation that a subagent sees.
    #[schemars(range(min = 0, max = 10_000))]
    pub subagent_conversation_limit: usize,
    /// The most tokens of a run; cached ones count by their price's share. Without it: twelve times the model's context
    /// window, and at least 80000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1000, max = 100_000_000), example = 200_000)]
    pub max_run_tokens: Option<u64>,
    /// The highest cost of a run, in the currency of the providers' prices. Without it: no limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.5)]
    pub max_run_cost: Option<f64>,
    /// The longest time at work of a run, waiting not counted.
    #[serde(rename = "max_run_seconds", with = "Seconds")]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_run_time: Duration,
    /// The most runs that one process works on at a time; further ones wait in the database. A run that waits for its
    /// model takes some 0.15 MB of memory.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_concurrent_runs: usize,
    /// The time after which another process takes over the work of a dead one.
    #[serde(rename = "lease_seconds", with = "Seconds")]
    #[schemars(range(min = 2, max = 3600))]
    pub lease: Duration,
    /// The number of process deaths from which the work in flight is suspected. Suspected work runs alone.
    #[schemars(range(min = 1, max = 100))]
    pub suspect_after: u32,
    /// The number of process deaths from which work goes into quarantine, if it ran alone at the last of them. More
    /// than `suspect_after`.
    #[schemars(range(min = 2, max = 100))]
    pub quarantine_after: u32,
    /// The longest time that the process takes to stop. Runs at work have half of it.
    #[serde(rename = "shutdown_seconds", with = "Seconds")]
    #[schemars(range(min = 0, max = 3600))]
    pub shutdown: Duration,
    /// Whether whole prompts are stored with the steps of a run. They hold people's messages.
    pub record_prompts: bool,
    /// The time zone of people who have not set theirs (an IANA name such as `Europe/Berlin`).
    #[schemars(extend("format" = "time-zone"))]
    pub time_zone: String,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            max_iterations: 20,
            max_iterations_hard_cap: 200,
            planning_gate: PlanningGate::Required,
            max_json_retries: 1,
            max_tool_retries: 1,
            max_parallel_subagents: 4,
            max_subagents: 100,
            transcript_limit: 50,
            transcript_token_limit: None,
            tool_result_token_limit: 4000,
            conversation_limit: 200,
            subagent_conversation_limit: 40,
            max_run_tokens: None,
            max_run_cost: None,
            max_run_time: Duration::from_secs(120),
            max_concurrent_runs: 1_000,
            lease: Duration::from_secs(30),
            suspect_after: 2,
            quarantine_after: 3,
            shutdown: Duration::from_secs(20),
            record_prompts: false,
            time_zone: "UTC".to_owned(),
        }
    }
}

impl Engine {
    /// How many deaths of the process make work suspected, and how many set it aside.
    pub fn deaths(&self) -> quarantine::Limits {
        quarantine::Limits {
            suspect_after: i64::from(self.suspect_after),
            quarantine_after: i64::from(self.quarantine_after),
        }
    }
}

/// Whether a run must plan before it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanningGate {
    /// It must.
    Required,
    /// It need not.
    Off,
}

impl PlanningGate {
    /// Whether notes are needed before tools, output and finish.
    pub fn is_required(self) -> bool {
        self == Self::Required
    }
}
