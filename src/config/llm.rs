//! `[llm]` and `[[llm.providers]]`: the language models.

use clifford_vault::SecretSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Url;

/// The language models. Without providers they come from `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`
/// in the environment, else the offline responder answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// How often a call that failed for a passing reason is tried again at its provider.
    #[schemars(range(min = 0, max = 20))]
    pub retries: u32,
    /// The providers of language models, in order of preference.
    pub providers: Vec<Provider>,
}

impl Default for Llm {
    fn default() -> Self {
        Self {
            retries: 2,
            providers: Vec::new(),
        }
    }
}

/// A provider of a language model; the first one is preferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// Its name here, in logs and in the accounting; unique among the providers.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// `openai`: any server that speaks OpenAI's chat completions. `offline`: the built-in responder, which is no
    /// language model and needs none of the keys below.
    #[schemars(extend("x-planned" = ["anthropic"]))]
    pub kind: ProviderKind,
    /// Where its API begins.
    #[schemars(extend("format" = "http-url"))]
    pub base_url: Url,
    /// The model's name there.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
    /// Its key. Servers of one's own often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    pub key: Option<SecretSource>,
    /// What can hold its replies to a form: `json_schema`, `json_object` or `none`.
    pub structured: Structured,
    /// Whether replies are read while they grow.
    pub stream: bool,
    /// How long a reply may take.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// The most tokens of a reply. Without it: what the provider allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000), example = 2048)]
    pub max_tokens: Option<u32>,
    /// How freely it chooses its words: 0 for always the likeliest, up to 2. A model that takes none is asked without.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: f64,
    /// What a million tokens of a request cost, for the accounting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub prompt_price: Option<f64>,
    /// What a million tokens of a reply cost, for the accounting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.6)]
    pub completion_price: Option<f64>,
}

impl Provider {
    /// Whether its server is known to answer nobody without a key.
    pub(super) fn needs_key(&self) -> bool {
        let url = ::url::Url::parse(self.base_url.as_str());
        self.kind == ProviderKind::Openai && url.is_ok_and(|url| url.host_str() == Some("api.openai.com"))
    }

    /// The built-in responder.
    pub(super) fn offline() -> Self {
        Self {
            name: "offline".to_owned(),
            kind: ProviderKind::Offline,
            ..Self::default()
        }
    }
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            name: "main".to_owned(),
            kind: ProviderKind::Openai,
            base_url: "https://api.openai.com/v1".into(),
            model: "gpt-4o-mini".to_owned(),
            key: None,
            structured: Structured::JsonSchema,
            stream: true,
            timeout_seconds: 60,
            max_tokens: None,
            temperature: 0.2,
            prompt_price: None,
            completion_price: None,
        }
    }
}

/// What a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    Openai,
    /// Nothing: the built-in responder answers.
    Offline,
}

/// How a provider can constrain its replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// By a JSON schema.
    JsonSchema,
    /// To some JSON object.
    JsonObject,
    /// Not at all.
    None,
}
