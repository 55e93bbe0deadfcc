//! The state of the connection: its reports to the ingress, and the delay before the next attempt.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use clifford_channel::{ChannelError, ConnectionStatus, Ingress};

use crate::api::ApiError;

/// The connection of one receiver.
pub(crate) struct Link<'a> {
    ingress: &'a dyn Ingress,
    /// The bot's name as people see it.
    pub(crate) name: String,
    connected: bool,
    delays: ExponentialBackoff,
}

impl<'a> Link<'a> {
    pub(crate) fn new(ingress: &'a dyn Ingress) -> Self {
        Self {
            ingress,
            name: String::new(),
            connected: false,
            delays: delays(),
        }
    }

    /// Reports that Telegram answered.
    pub(crate) fn up(&mut self) {
        self.delays = delays();
        if !std::mem::replace(&mut self.connected, true) {
            let status = ConnectionStatus::Connected(self.name.clone());
            self.ingress.status(crate::PLATFORM, status);
        }
    }

    /// Reports the failure, and returns the wait before the next attempt.
    ///
    /// # Errors
    /// No attempt can help: the token is wrong, or another process polls with it.
    pub(crate) fn down(&mut self, error: ApiError) -> Result<Duration, ChannelError> {
        let (why, wait) = match error {
            ApiError::RetryAfter(wait) => ("Telegram asks to wait".to_owned(), wait),
            ApiError::NoConnection(why) | ApiError::Unreachable(why) | ApiError::Failed(why) => {
                (why, self.next_delay())
            }
            ApiError::MovedTo(chat) => (format!("unexpected answer: moved to {chat}"), self.next_delay()),
            ApiError::Refused { code, description } => match code {
                401 | 404 => return Err(unknown_token(&description)),
                409 => return Err(ChannelError::Conflict(description)),
                _ => (description, self.next_delay()),
            },
        };
        // The ingress logs the change of state; a retry is worth no line of its own.
        tracing::debug!(%why, wait_ms = wait.as_millis(), "connection to Telegram failed, retrying");
        self.told(why);
        Ok(wait)
    }

    /// Reports that Telegram answers, but does not bring what it should.
    pub(crate) fn told(&mut self, why: String) {
        self.connected = false;
        self.ingress
            .status(crate::PLATFORM, ConnectionStatus::Disconnected(why));
    }

    pub(crate) fn next_delay(&mut self) -> Duration {
        self.delays.next().unwrap_or(MAX_DELAY)
    }
}

/// The longest wait between two attempts, unless Telegram asks for more: a bad moment of the network must not be
/// followed by a long silence of the bot.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(5);

/// From half a second up to five, each with some chance in it so that bots do not come at once.
pub(crate) fn delays() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(500))
        // Jitter may double a delay.
        .with_max_delay(MAX_DELAY / 2)
        .without_max_times()
        .with_jitter()
        .build()
}

fn unknown_token(description: &str) -> ChannelError {
    ChannelError::Misconfigured(format!(
        "Telegram does not know the bot ({description}): set channels.telegram.token to the token that @BotFather \
         gave, and check channels.telegram.api_url if you have your own server"
    ))
}
