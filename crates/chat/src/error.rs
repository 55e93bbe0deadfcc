//! Errors, each variant named by the caller's next step.

use std::time::Duration;

use crate::outbound::Address;

/// Why a part was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The platform asks for patience: try the same part again after this time.
    #[error("the platform asks to wait {} ms", .0.as_millis())]
    RetryAfter(Duration),
    /// The part never came to the platform, or the platform does not know the bot: try again with backoff.
    #[error("the platform was not reached: {0}")]
    NotSent(String),
    /// The platform did not answer or failed: try again with backoff. The part may have arrived.
    #[error("the platform could not be reached: {0}")]
    Unreachable(String),
    /// The platform answered that it failed (HTTP 5xx): try again with backoff. The part may have arrived. Where this
    /// goes on for one part while the platform does everything else, it is that part's own failure.
    #[error("the platform failed: {0}")]
    Failed(String),
    /// The chat has a new address: use it from now on.
    #[error("the chat moved to {}", .0.place)]
    Moved(Address),
    /// The chat will take nothing more: blocked, deleted, or the bot was removed.
    #[error("the chat is gone: {0}")]
    Gone(String),
    /// The bot may not write in the chat, which goes on without it: somebody there may let it.
    #[error("the bot may not write there: {0}")]
    Barred(String),
    /// The platform refuses this part, and will refuse it again.
    #[error("the platform refused the message: {0}")]
    Rejected(String),
}

/// Why a file was not had from its platform.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// It is larger than was asked for.
    #[error("the file is too large")]
    TooLarge,
    /// The platform does not have it any more, or does not give it.
    #[error("{0}")]
    Gone(String),
    /// The platform did not answer: try again later.
    #[error("the platform could not be reached: {0}")]
    Unavailable(String),
}

/// Why receiving ended.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// Connecting again cannot help until a person mends the setting that the text names.
    #[error("{0}")]
    Misconfigured(String),
    /// Another process receives for the same account.
    #[error("another process is connected with the same token: {0}")]
    Conflict(String),
    /// The connection was lost: connect again with backoff.
    #[error("the connection was lost: {0}")]
    Lost(String),
}

/// Why an event was not taken.
#[derive(Debug, thiserror::Error)]
pub enum IngressError {
    /// Nothing was stored. Do not confirm the event; hand it in again later.
    #[error("the message could not be stored: {0}")]
    Unavailable(String),
}
