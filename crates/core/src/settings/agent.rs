//! `[agent]` and `[[agents]]`: the agents that answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::places::Mode;

/// The default agent's name.
const NAME: &str = "Clifford";
/// The default agent's prompt.
const PROMPT: &str = "You are Clifford, a very skilled and highly complex AI-Assistent!";

/// An agent: the bot's name, prompt and mode of work.
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
    /// The agent's persona: the head of its system prompt. The usual one calls the agent by its `name`.
    #[schemars(length(min = 1, max = 20_000))]
    pub prompt: String,
}

impl Agent {
    /// The prompt of an agent. The usual one tells its name.
    pub fn persona(&self) -> String {
        if self.prompt == PROMPT {
            PROMPT.replacen(NAME, &self.name, 1)
        } else {
            self.prompt.clone()
        }
    }
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

#[cfg(test)]
mod tests {
    use super::Agent;

    #[test]
    fn the_usual_prompt_calls_an_agent_by_its_name() {
        let agent = Agent {
            name: "Ada".to_owned(),
            ..Agent::default()
        };
        assert!(agent.persona().starts_with("You are Ada, "));
        let own = Agent {
            prompt: "You are a Clifford.".to_owned(),
            ..agent
        };
        assert_eq!(own.persona(), "You are a Clifford.");
    }
}
