//! `[[llm.providers]]`, and the model of a role: the keys, their defaults and bounds, and what follows from them.

use std::time::Duration;

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::window::is_own_network;

/// Seconds until the first token of a server elsewhere, and of one in the own network or a model that thinks first.
const FIRST_TOKEN: (u64, u64) = (20, 60);

/// The model for a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleModel {
    /// The provider's name. Without it: the first provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100), example = &"main")]
    pub provider: Option<String>,
    /// The model's name there. Without it: the provider's own. Prices that are not set are the provider's, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), example = &"gpt-4o-mini")]
    pub model: Option<String>,
    /// The context window of that model, in tokens. Without it: learned, as for a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1024, max = 100_000_000), example = 128_000)]
    pub context_tokens: Option<u64>,
    /// The prices with that model; those that are not set are the provider's.
    #[serde(flatten)]
    pub prices: TokenPrices,
}

impl RoleModel {
    /// The place of the provider that is asked first: of the one that is named, or 0.
    pub fn place(&self, providers: &[Provider]) -> usize {
        let is_named = |provider: &Provider| self.provider.as_ref().is_some_and(|name| *name == provider.name);
        providers.iter().position(is_named).unwrap_or(0)
    }

    /// The provider, as it is asked for this role.
    pub fn at(&self, provider: &Provider) -> Provider {
        let is_other = self.model.as_ref().is_some_and(|model| *model != provider.model);
        Provider {
            model: self.model.clone().unwrap_or_else(|| provider.model.clone()),
            // The provider's own settings describe its own model.
            context_tokens: self.context_tokens.or(provider.context_tokens.filter(|_| !is_other)),
            prices: self.prices.or(provider.prices),
            ..provider.clone()
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
    /// `openai`: any server that speaks OpenAI's chat completions. `anthropic`: one that speaks Anthropic's messages
    /// API. `offline`: the built-in responder, which is no language model and needs none of the keys below.
    pub kind: ProviderKind,
    /// The base address of its API. For `anthropic`, unless it is set: `https://api.anthropic.com`.
    #[schemars(extend("format" = "http-url"))]
    pub base_url: Url,
    /// The model's name there. For `anthropic`, unless it is set: `claude-haiku-4-5`.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
    /// Its key. Your own servers often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    pub key: Option<SecretSource>,
    /// The way to hold replies to a form: `json_schema`, `json_object` (not for `anthropic`), `function` (the model
    /// must call a function that takes the reply: for servers that know functions and no JSON modes) or `none`.
    pub structured: Structured,
    /// Whether its model sees images. Those that come with a message are shown to it, as data from outside. Without it:
    /// what is known of the model by its name; one of which nothing is known is shown an image once, and what it
    /// answers is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = true)]
    pub images: Option<bool>,
    /// Whether replies are streamed.
    pub stream: bool,
    /// The context window of its model, in tokens, for a request and its reply together. Without it: known by the
    /// model's name, else learned from the server's list or its refusals. Until then 8000 for servers of your own
    /// network, 32000 for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1024, max = 100_000_000), example = 128_000)]
    pub context_tokens: Option<u64>,
    /// The longest time of a reply. A streamed one may take longer, as long as tokens come.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// The longest time for the connection.
    #[schemars(range(min = 1, max = 3600))]
    pub connect_timeout_seconds: u64,
    /// The longest time to the first token of a streamed reply. Then the next provider is called, and this one is
    /// skipped for a while. Without it: 20; for servers of your own network, and for models that think first, 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600), example = 20)]
    pub first_token_timeout_seconds: Option<u64>,
    /// The longest time between two tokens.
    #[schemars(range(min = 1, max = 3600))]
    pub token_timeout_seconds: u64,
    /// The most tokens of a reply. Without it: the provider's own limit; for `anthropic`, 8192.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000), example = 2048)]
    pub max_tokens: Option<u32>,
    /// The sampling temperature, from 0 to 2. Low, since replies are actions. Models that take none (OpenAI's that
    /// think first) are called without it.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: f64,
    /// The prices with its model.
    #[serde(flatten)]
    pub prices: TokenPrices,
}

impl Provider {
    /// Whether its server is known to answer nobody without a key.
    pub fn needs_key(&self) -> bool {
        let url = reqwest::Url::parse(self.base_url.as_str());
        self.kind != ProviderKind::Offline && url.is_ok_and(|url| url.host_str() == Some(self.host()))
    }

    /// The public server of its kind.
    pub const fn host(&self) -> &'static str {
        match self.kind {
            ProviderKind::Openai | ProviderKind::Offline => "api.openai.com",
            ProviderKind::Anthropic => "api.anthropic.com",
        }
    }

    /// The variable that its key usually stands in.
    pub fn key_variable(&self) -> &'static str {
        match self.kind {
            ProviderKind::Anthropic => "ANTHROPIC_API_KEY",
            ProviderKind::Openai | ProviderKind::Offline => "OPENAI_API_KEY",
        }
    }

    /// The defaults of its kind, where nothing else was set: what OpenAI's are is nowhere else.
    pub fn settled(mut self) -> Self {
        let usual = Self::default();
        if self.kind == ProviderKind::Anthropic {
            if self.base_url == usual.base_url {
                self.base_url = "https://api.anthropic.com".into();
            }
            if self.model == usual.model {
                "claude-haiku-4-5".clone_into(&mut self.model);
            }
        }
        self
    }

    /// How long it is waited for, as it is set and as its server needs.
    pub fn timeouts(&self) -> Timeouts {
        let is_slow = is_own_network(self.base_url.as_str()) || thinks_first(&self.model);
        let usual = if is_slow { FIRST_TOKEN.1 } else { FIRST_TOKEN.0 };
        Timeouts {
            first_token: Duration::from_secs(self.first_token_timeout_seconds.unwrap_or(usual)),
            idle: Duration::from_secs(self.token_timeout_seconds),
            total: Duration::from_secs(self.timeout_seconds),
        }
    }

    /// The built-in responder.
    pub fn offline() -> Self {
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
            images: None,
            stream: true,
            context_tokens: None,
            timeout_seconds: 60,
            connect_timeout_seconds: 10,
            first_token_timeout_seconds: None,
            token_timeout_seconds: 30,
            max_tokens: None,
            temperature: 0.2,
            prices: TokenPrices::default(),
        }
    }
}

/// How long to wait. Not the keys of the section themselves: the time to the first token follows from more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the first token of a stream. A reply that is not streamed sends its first byte when it has finished, so that
    /// only `total` limits it.
    pub first_token: Duration,
    /// Between two tokens of a stream.
    pub idle: Duration,
    /// For the whole call; a stream whose tokens still flow by then goes on.
    pub total: Duration,
}

/// Whether a model thinks before it writes, as OpenAI's reasoning models do: they take no temperature, and their first
/// token takes its time. Known by its name.
#[must_use]
pub fn thinks_first(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let is_chat = name.contains("-chat");
    let series = |letter: &str| {
        let version = name.strip_prefix(letter).and_then(|rest| rest.chars().next());
        version.is_some_and(|version| version.is_ascii_digit())
    };
    !is_chat && (name.starts_with("gpt-5") || series("o") || name.starts_with("codex-mini"))
}

/// The prices of a model's tokens, in the owner's currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenPrices {
    /// Price of a million prompt tokens, for the accounting.
    #[serde(rename = "prompt_price", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub prompt: Option<f64>,
    /// Price of a million prompt tokens that the provider reads from its cache. Without it: as the others.
    #[serde(rename = "cached_price", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.075)]
    pub cached: Option<f64>,
    /// Price of a million prompt tokens that the provider writes to its cache. Without it: as the others; for
    /// `anthropic`, a quarter more.
    #[serde(rename = "cache_write_price", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub cache_write: Option<f64>,
    /// Price of a million completion tokens, for the accounting.
    #[serde(rename = "completion_price", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.6)]
    pub completion: Option<f64>,
}

impl TokenPrices {
    /// These prices, and others for those that are not set.
    pub fn or(self, others: Self) -> Self {
        Self {
            prompt: self.prompt.or(others.prompt),
            cached: self.cached.or(others.cached),
            cache_write: self.cache_write.or(others.cache_write),
            completion: self.completion.or(others.completion),
        }
    }
}

/// The API that a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    Openai,
    /// Anthropic's messages API.
    Anthropic,
    /// Nothing: the built-in responder answers.
    Offline,
}

/// How a provider can constrain its replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// By a JSON schema.
    #[default]
    JsonSchema,
    /// To some JSON object.
    JsonObject,
    /// By a function that it must call.
    Function,
    /// Not at all.
    None,
}

#[cfg(test)]
mod tests {
    use super::thinks_first;

    #[test]
    fn models_that_think_first_are_known_by_their_names() {
        for model in [
            "o1",
            "o3-mini",
            "openai/o4-mini",
            "gpt-5",
            "gpt-5-nano",
            "gpt-5.1",
            "codex-mini-latest",
        ] {
            assert!(thinks_first(model), "{model}");
        }
        for model in [
            "gpt-4o",
            "gpt-5-chat-latest",
            "openchat",
            "olmo",
            "o",
            "orca-mini",
            "claude-opus-4",
            "gpt-oss-20b",
        ] {
            assert!(!thinks_first(model), "{model}");
        }
    }
}
