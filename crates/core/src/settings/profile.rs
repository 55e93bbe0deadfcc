//! `[[profiles]]`: the kinds of helpers that a run can ask for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanningGate;

/// A kind of helper: what differs from other subagents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Its name, unique among the profiles: models ask for it by this.
    #[schemars(length(min = 1, max = 100), extend("examples" = ["researcher"]))]
    pub name: String,
    /// The agent's persona: the head of its system prompt. Left out: the agent's.
    #[schemars(length(min = 1, max = 20_000), extend("examples" = ["You find facts, and name where they stand."]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The only tools that it may call, as `tool` or `tool.command`. Left out: those of its parent.
    #[schemars(extend("examples" = [["web", "compute.eval"]]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether it must plan before it acts. Left out: as `engine.planning_gate` says.
    #[schemars(extend("examples" = ["off"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planning_gate: Option<PlanningGate>,
    /// How many model calls it may make. Left out: as `engine.max_iterations` says.
    #[schemars(range(min = 1, max = 10_000), extend("examples" = [10]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
}
