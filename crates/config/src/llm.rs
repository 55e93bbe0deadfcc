//! `[llm]` and `[[llm.providers]]`: the language models.

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language models. Without providers they come from `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`, or
/// `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL`, in the environment, else the offline responder
/// answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// How often a call that failed for a passing reason is tried again at its provider.
    #[schemars(range(min = 0, max = 20))]
    pub retries: u32,
    /// Which model does what. A role that is not set is done as `executor` is, and that by the first provider.
    pub roles: Roles,
    /// The providers of language models, in order of preference. The next is asked where one fails; one that keeps
    /// failing is left alone for a while.
    pub providers: Vec<Provider>,
}

impl Default for Llm {
    fn default() -> Self {
        Self {
            retries: 2,
            roles: Roles::default(),
            providers: Vec::new(),
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
    /// Does what subagents of the profile `planner` are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<RoleModel>,
    /// Does what subagents of the profile `verifier` are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<RoleModel>,
    /// Decides what is remembered, and sums conversations up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<RoleModel>,
    /// Looks at images: it is asked first, then the providers that say `images = true`. Without it and them nobody
    /// does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vision: Option<RoleModel>,
}

impl Roles {
    /// What holds for a role, by its name: what is set for it, else for `executor`.
    pub fn of(&self, role: &str) -> Option<&RoleModel> {
        let set = |wanted: &str| self.set().find(|(name, _)| *name == wanted).map(|(_, choice)| choice);
        set(role).or_else(|| set("executor"))
    }

    /// What is set, by the role's name.
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

/// The model for a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleModel {
    /// The provider's name. Without it: the first provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100), example = &"main")]
    pub provider: Option<String>,
    /// The model's name there. Without it: the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), example = &"gpt-4o-mini")]
    pub model: Option<String>,
    /// How many tokens that model holds. Without it: what is known of it, as for a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1024, max = 100_000_000), example = 128_000)]
    pub context_tokens: Option<u64>,
    /// What a million tokens of a request cost with that model. Prices that are not set are the provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub prompt_price: Option<f64>,
    /// What a million tokens of a request cost with it that the provider had cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.075)]
    pub cached_price: Option<f64>,
    /// What a million tokens of a request cost with it that the provider puts into its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub cache_write_price: Option<f64>,
    /// What a million tokens of a reply cost with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.6)]
    pub completion_price: Option<f64>,
}

impl RoleModel {
    /// The provider, as it is asked for this role.
    pub fn at(&self, provider: &Provider) -> Provider {
        let is_other = self.model.as_ref().is_some_and(|model| *model != provider.model);
        Provider {
            model: self.model.clone().unwrap_or_else(|| provider.model.clone()),
            // What is set for the provider is said of its own model.
            context_tokens: self.context_tokens.or(provider.context_tokens.filter(|_| !is_other)),
            prompt_price: self.prompt_price.or(provider.prompt_price),
            cached_price: self.cached_price.or(provider.cached_price),
            cache_write_price: self.cache_write_price.or(provider.cache_write_price),
            completion_price: self.completion_price.or(provider.completion_price),
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
    /// Where its API begins. For `anthropic`, unless it is set: `https://api.anthropic.com`.
    #[schemars(extend("format" = "http-url"))]
    pub base_url: Url,
    /// The model's name there. For `anthropic`, unless it is set: `claude-haiku-4-5`.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
    /// Its key. Servers of one's own often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    pub key: Option<SecretSource>,
    /// What can hold its replies to a form: `json_schema`, `json_object` (not for `anthropic`), `function` (it must call
    /// a function that takes the reply: for servers that know functions and no JSON modes) or `none`.
    pub structured: Structured,
    /// Whether its model sees images. Those that come with a message are shown to it, as data from outside.
    pub images: bool,
    /// Whether replies are read while they grow.
    pub stream: bool,
    /// How many tokens its model holds, a request and its reply together. Without it: what is known of the model by its
    /// name, else what the server tells or its refusals say; until then 8000 for servers of the own network, 32000 for
    /// others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1024, max = 100_000_000), example = 128_000)]
    pub context_tokens: Option<u64>,
    /// How long a reply may take. One that is read while it grows may take longer, as long as it does grow.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// How long the connection may take.
    #[schemars(range(min = 1, max = 3600))]
    pub connect_timeout_seconds: u64,
    /// How long the first token may take of a reply that is read while it grows. Then the next provider is asked, and
    /// this one is left alone for a while. Without it: 20; for servers of the own network, and for models that think
    /// first, 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600), example = 20)]
    pub first_token_timeout_seconds: Option<u64>,
    /// How long each further token may take.
    #[schemars(range(min = 1, max = 3600))]
    pub token_timeout_seconds: u64,
    /// The most tokens of a reply. Without it: what the provider allows; for `anthropic`, 8192.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000), example = 2048)]
    pub max_tokens: Option<u32>,
    /// How freely it chooses its words: 0 for always the likeliest, up to 2. Low, since actions are no poems. A model that
    /// takes none (OpenAI's that think first) is asked without.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: f64,
    /// What a million tokens of a request cost, for the accounting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub prompt_price: Option<f64>,
    /// What a million tokens of a request cost that the provider had cached. Without it: as the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.075)]
    pub cached_price: Option<f64>,
    /// What a million tokens of a request cost that the provider puts into its cache. Without it: as the others; for
    /// `anthropic`, a quarter more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.15)]
    pub cache_write_price: Option<f64>,
    /// What a million tokens of a reply cost, for the accounting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000), example = 0.6)]
    pub completion_price: Option<f64>,
}

impl Provider {
    /// Whether its server is known to answer nobody without a key.
    pub(super) fn needs_key(&self) -> bool {
        let url = url::Url::parse(self.base_url.as_str());
        self.kind != ProviderKind::Offline && url.is_ok_and(|url| url.host_str() == Some(self.host()))
    }

    /// The public server of its kind.
    pub(super) const fn host(&self) -> &'static str {
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
            images: false,
            stream: true,
            context_tokens: None,
            timeout_seconds: 60,
            connect_timeout_seconds: 10,
            first_token_timeout_seconds: None,
            token_timeout_seconds: 30,
            max_tokens: None,
            temperature: 0.2,
            prompt_price: None,
            cached_price: None,
            cache_write_price: None,
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
    /// Anthropic's messages API.
    Anthropic,
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
    /// By a function that it must call.
    Function,
    /// Not at all.
    None,
}
