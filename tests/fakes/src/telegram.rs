//! The Telegram Bot API on loopback, as strict as the real one.
//!
//! [`TelegramFake`] is both the server and the people who use it: a test (or a load generator) lets them
//! write, and looks at what the bot sent. A faulty request of a bot is answered as Telegram answers it
//! and kept in [`TelegramFake::violations`].

mod albums;
mod alone;
mod answer;
mod commands;
mod entities;
mod fault;
mod files;
mod guests;
mod html;
mod keyboard;
mod limiter;
mod messages;
mod observe;
mod params;
mod people;
mod reactions;
mod rich;
mod rights;
mod send;
mod server;
mod state;
mod updates;
mod webhook;

#[cfg(test)]
mod tests;

use std::{io, sync::Arc};

pub use fault::Fault;
use state::Shared;
pub use state::{Action, Chat, Document, Drafted, Method, Request, Sent};
use tokio_util::sync::{CancellationToken, DropGuard};
pub use webhook::Webhook;

/// A Bot API server with one bot, `@clifford_bot`, and the people and groups around it.
///
/// It stops when it is dropped.
#[derive(Debug)]
pub struct TelegramFake {
    shared: Arc<Shared>,
    api_url: String,
    _stop: DropGuard,
}

impl TelegramFake {
    /// The only token that the server knows.
    pub const TOKEN: &'static str = "123456789:AAF-fake_token_of_the_fake_bot_api0";
    /// The bot's username, without `@`.
    pub const USERNAME: &'static str = "clifford_bot";
    /// The bot's user id.
    pub const BOT_ID: i64 = 123_456_789;

    /// Starts the server on a free port of the loopback interface.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let stop = CancellationToken::new();
        let address = server::serve(Arc::clone(&shared), stop.clone()).await?;
        Ok(Self {
            shared,
            api_url: format!("http://{address}"),
            _stop: stop.drop_guard(),
        })
    }

    /// Where the server listens, for a bot's `api_url`.
    pub fn api_url(&self) -> &str {
        &self.api_url
    }

    /// The bot's token.
    pub fn token(&self) -> &'static str {
        Self::TOKEN
    }
}
