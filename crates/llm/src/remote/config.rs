//! The settings of a provider, and the HTTP client that providers share.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// The most tokens of a reply where neither the request nor the provider sets a limit and the API wants one, or a
/// limit must be reckoned with.
pub const DEFAULT_MAX_TOKENS: u32 = 8192;

/// How far a provider can be made to answer in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// It follows a schema.
    #[default]
    JsonSchema,
    /// It answers with some JSON object.
    JsonObject,
    /// Only the prompt asks for JSON.
    None,
    /// It calls a function that takes the reply.
    Function,
}

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the first token of a stream. A reply that is not streamed sends its first byte when it has finished, so that
    /// only `total` limits it.
    pub first_token: Duration,
    /// Between two tokens of a stream.
    pub idle: Duration,
    /// For the whole call; a stream whose tokens still flow by then goes on.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: Duration::from_secs(60),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(300),
        }
    }
}

/// One provider.
#[derive(Clone)]
pub struct ProviderConfig {
    /// Its name in the configuration, for errors and accounts.
    pub name: String,
    /// Where its API starts, such as `https://api.openai.com/v1`. May carry `user:password@`.
    pub base_url: String,
    /// The model to ask for.
    pub model: String,
    /// Its key; local servers need none.
    pub key: Option<String>,
    /// How it is made to answer in JSON. A feature that the server turns out to lack is not requested again.
    pub capability: Capability,
    /// Whether it sees images.
    pub images: bool,
    /// Whether the reply is asked for as a stream.
    pub streaming: bool,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// The most tokens of a reply, where the request sets no limit. Anthropic's API wants one: see
    /// [`DEFAULT_MAX_TOKENS`].
    pub max_tokens: Option<u32>,
    /// How freely words are chosen (0–2); `None`, or a model that takes none: as the server likes.
    pub temperature: Option<f64>,
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

impl ProviderConfig {
    /// A provider without a key, with the defaults for all the rest.
    pub fn new(name: impl Into<String>, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            capability: Capability::default(),
            images: false,
            streaming: true,
            timeouts: Timeouts::default(),
            max_tokens: None,
            temperature: None,
        }
    }
}

impl fmt::Debug for ProviderConfig {
    /// Without the key, and without the URL, which may carry a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Why a provider cannot be set up: the configuration must be mended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The base URL is none.
    #[error(
        "`base_url` of provider `{provider}` is not a web address ({reason}): give one such as https://api.openai.com/v1"
    )]
    BaseUrl {
        /// The provider's name.
        provider: String,
        /// The fault.
        reason: String,
    },
    /// The key cannot be sent.
    #[error("`key` of provider `{provider}` has characters that no key has: look for line breaks and blanks")]
    Key {
        /// The provider's name.
        provider: String,
    },
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

/// The HTTP client for all providers: they share its connections and certificates.
///
/// Follows no redirect, since the key would go along.
///
/// # Errors
/// [`SetupError::Client`] if TLS cannot be set up.
pub fn http_client(timeouts: &Timeouts) -> Result<reqwest::Client, SetupError> {
    reqwest::Client::builder()
        .user_agent(concat!("clifford/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(timeouts.connect)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_keepalive(Duration::from_secs(30))
        .build()
        .map_err(|error| SetupError::Client(error.to_string()))
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
