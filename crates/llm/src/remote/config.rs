//! The settings of a provider, and the HTTP client that providers share.

use std::{fmt, sync::Arc, time::Duration};

use clifford_vault::Secret;

use crate::{
    remote::Lessons,
    settings::{Provider, Timeouts},
    sight::Sight,
};

/// The most tokens of a reply where neither the request nor the provider sets a limit and the API wants one, or a
/// limit must be reckoned with.
pub const DEFAULT_MAX_TOKENS: u32 = 8192;

/// One provider: its section as it is, and what no file holds.
#[derive(Clone)]
pub struct ProviderConfig {
    /// Its section of `[[llm.providers]]`. A feature that the server turns out to lack is not requested again.
    pub section: Provider,
    /// Its key; local servers need none.
    pub key: Option<Secret>,
    /// Whether it sees images. Its answers teach it, and the lesson is noted there.
    pub images: Arc<Sight>,
    /// The lessons of its server, shared by all who ask for this model.
    pub lessons: Arc<Lessons>,
    /// How long to wait.
    pub timeouts: Timeouts,
}

impl ProviderConfig {
    /// A provider without a key, whose model sees no images.
    pub fn new(section: Provider) -> Self {
        Self {
            timeouts: section.timeouts(),
            section,
            key: None,
            images: Arc::new(Sight::set(false)),
            lessons: Arc::default(),
        }
    }
}

impl fmt::Debug for ProviderConfig {
    /// Without the key, and without the URL, which may carry a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.section.name)
            .field("model", &self.section.model)
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

/// The HTTP client for all providers: they share its connections and certificates. `connect`: how long a connection
/// may take.
///
/// Follows no redirect, since the key would go along.
///
/// # Errors
/// [`SetupError::Client`] if TLS cannot be set up.
pub fn http_client(connect: Duration) -> Result<reqwest::Client, SetupError> {
    reqwest::Client::builder()
        .user_agent(concat!("clifford/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_keepalive(Duration::from_secs(30))
        .build()
        .map_err(|error| SetupError::Client(error.to_string()))
}
