//! The declaration of a platform before it connects: its name, its settings, how to build and probe it.

use std::{error::Error, fmt::Debug, sync::Arc};

use clifford_vault::Secret;
use jiff::{Timestamp, fmt::rfc2822};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Actor, Channel, ChannelError, Common, CommonAbout, MenuCommand, Platform};

/// A platform that one can connect to: a row of a binary's [`crate::Platforms`].
pub trait Adapter: 'static {
    /// The platform's name, and the source of its token.
    const ABOUT: About;

    /// The keys of its own in its section of `bot.toml`, `[channels.NAME]`, besides those of [`Common`]. The
    /// documentation of a field is the explanation in `bot.toml.example`; a number says its bounds, and a secret that
    /// it is one (`writeOnly`).
    type Config: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Makes the adapter; nothing is connected before [`Channel::receive`]. `menu`: the bot's commands.
    ///
    /// # Errors
    /// [`ChannelError::Misconfigured`]: a setting or the token cannot be right.
    fn build(
        common: &Common,
        config: &Self::Config,
        token: &Secret,
        menu: &[MenuCommand],
    ) -> Result<Built, ChannelError>;

    /// Asks the platform whose token it is: for `clifford init` and `clifford doctor`. Never puts the token into an
    /// error.
    fn probe(common: &Common, token: &Secret) -> impl Future<Output = Result<Bot, Fault>> + Send;
}

/// A platform's name, the source of its token, and its acts.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name in the database, in `bot.toml`, in JSON and in metrics.
    pub platform: Platform,
    /// As people call it: `Telegram`.
    pub title: &'static str,
    /// The sentence above its section in `bot.toml.example`.
    pub summary: &'static str,
    /// The environment variable that holds its token, unless the section names another.
    pub token_variable: &'static str,
    /// The text of `clifford init` before it asks for the token: how to make one.
    pub first_steps: &'static str,
    /// Where a token is found that was made before: `@BotFather (/mybots, API Token)`.
    pub token_from: &'static str,
    /// The defaults of the common keys of its section.
    pub common: CommonAbout,
    /// A sentence about commands on the platform, for the reference.
    pub commands: &'static str,
    /// The acts of its [`Actor`], if the adapter has one: the tool of the platform's name offers them.
    pub acts: Option<Acts>,
}

/// The acts of an [`Actor`].
#[derive(Clone, Copy, Debug)]
pub struct Acts {
    /// One emoji, for the tool.
    pub icon: &'static str,
    /// The kinds, in the order in which the tool shows them.
    pub kinds: &'static [ActKind],
}

/// A kind of [`crate::Act`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActKind {
    /// Read what was said.
    History,
    /// Pin a message.
    Pin,
    /// Unpin a message.
    Unpin,
    /// Ask everybody in a place.
    Poll,
    /// Begin a thread.
    Thread {
        /// The platform's word for one: `thread`, `topic`.
        called: &'static str,
        /// A message may be named that it is about.
        about_message: bool,
    },
}

/// Feedback that a person sees while the bot prepares an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// The typing indicator.
    Typing,
    /// The answer as it grows.
    Draft,
    /// Marks on the person's message: seen, at work, done, failed.
    Reaction,
}

/// An adapter that was made.
pub struct Built {
    /// Where the bot speaks.
    pub channel: Arc<dyn Channel>,
    /// Where more can be done than that, if it can.
    pub actor: Option<Arc<dyn Actor>>,
}

impl Built {
    /// An adapter that can do no more than speak.
    pub fn channel(channel: Arc<dyn Channel>) -> Self {
        Self { channel, actor: None }
    }

    /// One that can.
    pub fn actor<A: Channel + Actor>(adapter: Arc<A>) -> Self {
        Self {
            channel: Arc::clone(&adapter) as _,
            actor: Some(adapter),
        }
    }
}

/// A bot that a platform knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// Its name there.
    pub name: String,
    /// More about the bot, to be shown behind its name; may be empty.
    pub about: String,
    /// The address that brings it into a chat or a server: opened by the owner.
    pub invite: Option<String>,
    /// The reason why the bot would not work although its token is right.
    pub warning: Option<Warning>,
    /// How far this machine's clock is ahead of the platform's, in seconds, if that told the time: see [`ahead`].
    pub ahead: Option<i64>,
}

/// A reason why a bot does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The fault, to be shown behind the bot's name.
    pub found: String,
    /// The remedy.
    pub mend: String,
}

/// Why a check came to no good end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The other side was asked, and says no: the token or the setting must be mended.
    #[error("{0}")]
    Refused(String),
    /// There was no answer that says anything of the token: try again later.
    #[error("{0}")]
    Unreachable(String),
}

impl Fault {
    /// The kind of error of an answer with this HTTP status: a refusal is permanent, a failure of the server is
    /// temporary.
    pub fn of_status(status: u16, said: impl Into<String>) -> Self {
        match status {
            429 | 500.. => Self::Unreachable(said.into()),
            _ => Self::Refused(said.into()),
        }
    }

    /// No answer came, with every cause. An error that holds an address with a token is not for here.
    pub fn no_answer(error: &dyn Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(deeper) = cause {
            text = format!("{text}: {deeper}");
            cause = deeper.source();
        }
        Self::Unreachable(format!("no answer: {text}"))
    }
}

/// How far this machine's clock is ahead, in seconds, of the one that wrote a `Date` header.
pub fn ahead(date: &str) -> Option<i64> {
    let there = rfc2822::parse(date).ok()?.timestamp();
    Some(Timestamp::now().as_second() - there.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_the_server_is_told_from_a_refusal() {
        let refused = |status| matches!(Fault::of_status(status, "no"), Fault::Refused(_));
        assert_eq!(
            [400, 401, 404, 429, 500, 503].map(refused),
            [true, true, true, false, false, false]
        );
    }

    #[test]
    fn an_answer_that_did_not_come_is_told_with_every_cause() {
        #[derive(Debug, thiserror::Error)]
        #[error("the request failed")]
        struct Outer(#[source] std::io::Error);

        let error = Outer(std::io::Error::other("connection refused"));
        assert_eq!(
            Fault::no_answer(&error).to_string(),
            "no answer: the request failed: connection refused"
        );
    }

    #[test]
    fn clocks_are_compared_by_the_date_of_an_answer() {
        assert!(ahead("Thu, 01 Jan 1970 00:00:00 GMT").is_some_and(|ahead| ahead > 1_000_000_000));
        assert_eq!(ahead("soon"), None);
    }
}
