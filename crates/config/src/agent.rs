//! `[agent]` and `[[agents]]`: who answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default agent's name.
const NAME: &str = "Clifford";
/// The default agent's prompt.
const PROMPT: &str = "You are Clifford, a very skilled and highly complex AI-Assistent!";

/// Who answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// Its name, unique among the agents.
    #[schemars(length(min = 1, max = 100), extend("examples" = ["Ada"]))]
    pub name: String,
    /// Whether it answers at all.
    pub enabled: bool,
    /// `run`: durable runs with tools. `chat`: one model call a message, without tools.
    pub mode: Mode,
    /// Who it is: the head of its system prompt.
    #[schemars(length(min = 1, max = 20_000))]
    pub prompt: String,
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            name: NAME.to_owned(),
            enabled: true,
            mode: Mode::Run,
            prompt: PROMPT.to_owned(),
        }
    }
}

/// How an agent answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Durable runs with tools.
    Run,
    /// One model call a message, without tools.
    Chat,
}
