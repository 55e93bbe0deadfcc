//! A platform's acts beyond messages, done for a person and with no more rights than theirs.

use jiff::Timestamp;
use serde::Serialize;

/// An act on a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Read what was said in a place.
    History {
        /// At most so many messages, up to 100.
        limit: u8,
        /// Only what stands before this message.
        before: Option<String>,
    },
    /// Pin a message.
    Pin {
        /// The platform's id of it.
        message: String,
    },
    /// Unpin a message.
    Unpin {
        /// The platform's id of it.
        message: String,
    },
    /// Ask everybody in a place.
    Poll(Poll),
    /// Begin a thread, or a topic.
    Thread {
        /// Its name.
        name: String,
        /// The message that it is about, where the platform ties one to a thread.
        message: Option<String>,
    },
}

/// A poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The question.
    pub question: String,
    /// The possible answers: 2 to 10 of them.
    pub answers: Vec<String>,
    /// Whether one may choose several.
    pub several: bool,
    /// How long it is open, where the platform closes polls by itself.
    pub hours: u16,
}

/// The result of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Acted {
    /// Messages, oldest first.
    Messages(Vec<HistoryMessage>),
    /// It is done.
    Done,
    /// A message was sent: its id.
    Message(String),
    /// A place was made: its [`crate::inbound::Place::external_id`].
    Place(String),
}

/// One message of a place's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryMessage {
    /// The platform's id.
    pub id: String,
    /// The author.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// The resource.
    pub text: String,
}

/// Why it was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// The person may not, or is not there: which right is missing.
    #[error("the person may not do that there: {0}")]
    NotTheirs(String),
    /// The platform refuses it to the bot, or the request is wrong.
    #[error("the platform refused it: {0}")]
    Refused(String),
    /// There is no such thing on this platform.
    #[error("this platform has no such thing: {0}")]
    Unknown(String),
    /// The platform did not answer: whether it was done is not known.
    #[error("the platform did not answer, so it may or may not have been done: {0}")]
    Unsure(String),
    /// The platform cannot be reached, or asks to wait.
    #[error("the platform is not available: {0}")]
    Unavailable(String),
}
