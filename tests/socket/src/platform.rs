//! The chat as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is.

use std::{sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, ActKind, Acts, Adapter, Bot, Built, ChannelError, Common, CommonAbout, Fault, MenuCommand, Platform,
};
use clifford_vault::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Socket, wire::Server};

/// The keys of the chat's own in `[channels.socket]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SocketSettings {
    /// How often the chat is told again that the bot types.
    #[schemars(range(min = 1, max = 60))]
    pub typing_seconds: u64,
}

impl Default for SocketSettings {
    fn default() -> Self {
        Self { typing_seconds: 4 }
    }
}

impl Adapter for Socket {
    const ABOUT: About = About {
        platform: Platform::new("socket"),
        title: "Socket",
        summary: "A chat over a TCP socket.",
        token_variable: "SOCKET_BOT_TOKEN",
        first_steps: "A bot of the chat is made in its server's list of tokens.",
        token_from: "the chat server's list of tokens",
        common: CommonAbout {
            api_url: "tcp://127.0.0.1:4711",
            api: "Where the chat's server listens.",
            access: Access::Pairing,
            shared: "rooms",
            threads: "threads",
            follow_threads: false,
            person: "7",
            place: "5",
        },
        commands: "The chat takes commands as it takes any text.",
        acts: Some(Acts {
            icon: "🔌",
            kinds: &[ActKind::Pin],
        }),
    };

    type Config = SocketSettings;

    fn build(
        common: &Common,
        config: &SocketSettings,
        token: &Secret,
        _menu: &[MenuCommand],
    ) -> Result<Built, ChannelError> {
        let server = Server::new(&common.api_url, token).map_err(ChannelError::Misconfigured)?;
        Ok(Built::actor(Arc::new(Self {
            server,
            typing_every: Duration::from_secs(config.typing_seconds),
        })))
    }

    async fn probe(common: &Common, token: &Secret) -> Result<Bot, Fault> {
        let server = Server::new(&common.api_url, token).map_err(Fault::Refused)?;
        let connection = server.connect(false).await?;
        Ok(Bot {
            name: connection.name,
            about: "is welcome".to_owned(),
            warning: None,
            ahead: None,
            invite: None,
        })
    }
}
