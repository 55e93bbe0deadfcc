//! The chat as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is.

use std::{sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, Adapter, Bot, Built, ChannelConfig, ChannelError, Common, Fault, Id, MenuCommand, Platform,
};
use clifford_vault::{Secret, SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Socket, wire::Server};

const TOKEN_VARIABLE: &str = "SOCKET_BOT_TOKEN";

/// A chat over a socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether Clifford is in the chat.
    pub enabled: bool,
    /// The bot's token, which the chat's server knows.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// Where the chat's server listens.
    pub api_url: Url,
    /// Who may talk to the bot in private: `open` (everybody), `pairing` (whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being approved: `[7]`.
    pub allow: Vec<Id>,
    /// Words that call the bot in a shared room.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the rooms in which every message is answered: `[5]`.
    pub always: Vec<Id>,
    /// How often the chat is told again that the bot types.
    #[schemars(range(min = 1, max = 60))]
    pub typing_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            token: SecretSource::Env(TOKEN_VARIABLE.to_owned()),
            api_url: "tcp://127.0.0.1:4711".into(),
            access: Access::Pairing,
            allow: Vec::new(),
            wake_words: vec!["Clifford".to_owned()],
            always: Vec::new(),
            typing_seconds: 4,
        }
    }
}

impl ChannelConfig for Settings {
    fn common(&self) -> Common<'_> {
        Common {
            enabled: self.enabled,
            token: &self.token,
            api_url: &self.api_url,
            access: self.access,
            allow: &self.allow,
            wake_words: &self.wake_words,
            always: &self.always,
        }
    }
}

impl Adapter for Socket {
    const ABOUT: About = About {
        platform: Platform::new("socket"),
        title: "Socket",
        summary: "A chat over a TCP socket.",
        token_variable: TOKEN_VARIABLE,
        first_steps: "A bot of the chat is made in its server's list of tokens.",
        token_from: "the chat server's list of tokens",
    };

    type Config = Settings;

    fn build(config: &Settings, token: &Secret, _menu: &[MenuCommand]) -> Result<Built, ChannelError> {
        let server = Server::new(&config.api_url, token).map_err(ChannelError::Misconfigured)?;
        Ok(Built::channel(Arc::new(Self {
            server,
            typing_every: Duration::from_secs(config.typing_seconds),
        })))
    }

    async fn probe(config: &Settings, token: &Secret) -> Result<Bot, Fault> {
        let server = Server::new(&config.api_url, token).map_err(Fault::Refused)?;
        let connection = server.connect(false).await?;
        Ok(Bot {
            name: connection.name,
            about: "is welcome".to_owned(),
            warning: None,
            ahead: None,
        })
    }
}
