//! `[llm]` and `[[llm.providers]]`: the language models.

use clifford_llm::{Provider, RoleModel};
use clifford_tools::{Speech, Transcription};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language models. Without providers they come from `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`, or
/// `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL`, in the environment, else the offline responder
/// answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// How often a call that failed for a temporary reason is repeated at its provider.
    #[schemars(range(min = 0, max = 20))]
    pub retries: u32,
    /// Which model does what. A role that is not set is done as `executor` is, and that by the first provider.
    pub roles: Roles,
    /// The providers of language models, in order of preference. If one fails, the next is called. One that keeps
    /// failing is skipped for a while.
    pub providers: Vec<Provider>,
    /// The models that people may choose by `/model`, and managers for a place by `/settings model`. Without any there is
    /// nothing to choose.
    pub choices: Vec<ModelChoice>,
}

/// A model that people may choose to be answered by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelChoice {
    /// The name by which it is chosen; unique among the choices.
    #[schemars(length(min = 1, max = 30), example = &"strong")]
    pub name: String,
    /// The same as the model of a role.
    #[serde(flatten)]
    pub role: RoleModel,
}

impl Default for Llm {
    fn default() -> Self {
        Self {
            retries: 2,
            roles: Roles::default(),
            providers: Vec::new(),
            choices: Vec::new(),
        }
    }
}

/// Which model does what. A role that is not set is done as `executor` is, and that by the first provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Roles {
    /// Answers people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<RoleModel>,
    /// Works for subagents of the profile `planner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<RoleModel>,
    /// Works for subagents of the profile `verifier`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<RoleModel>,
    /// Writes memory items, and summarises conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<RoleModel>,
    /// Looks at images where the model that answers sees none, and for the tool `image`: it is asked first, then the
    /// providers whose models see. Without it and them nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vision: Option<RoleModel>,
    /// Writes down what is said in voice messages, whose words then are the message's text. Without it nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcription: Option<Transcription>,
    /// Speaks answers, as `ingress.voice_replies` says. Without it nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speech: Option<Speech>,
}

impl Roles {
    /// The model of a role, by the role's name: its own setting, else that of `executor`.
    pub fn of(&self, role: &str) -> Option<&RoleModel> {
        let set = |wanted: &str| self.set().find(|(name, _)| *name == wanted).map(|(_, choice)| choice);
        set(role).or_else(|| set("executor"))
    }

    /// The roles that are set, by name.
    pub fn set(&self) -> impl Iterator<Item = (&'static str, &RoleModel)> {
        let roles = [
            ("executor", &self.executor),
            ("planner", &self.planner),
            ("verifier", &self.verifier),
            ("memory", &self.memory),
            ("vision", &self.vision),
        ];
        roles
            .into_iter()
            .filter_map(|(name, role)| Some((name, role.as_ref()?)))
    }
}
