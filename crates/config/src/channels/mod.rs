//! `[channels.…]`: the platforms. A section that is there turns its platform on.

mod discord;
mod telegram;

use std::fmt;

pub use discord::Discord;
pub(super) use discord::TOKEN_VARIABLE as DISCORD_TOKEN;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
pub(super) use telegram::TOKEN_VARIABLE as TELEGRAM_TOKEN;
pub use telegram::Telegram;

/// The platforms. Without a configuration file each one is on whose token is in the environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Channels {
    /// Telegram, by long polling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telegram: Option<Telegram>,
    /// Discord, by its gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discord: Option<Discord>,
}

impl Channels {
    /// Whether a platform is on.
    pub fn any_enabled(&self) -> bool {
        self.telegram.as_ref().is_some_and(|section| section.enabled)
            || self.discord.as_ref().is_some_and(|section| section.enabled)
    }
}

/// Who may talk to the bot in private.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Open,
    /// Whom the owner has approved; strangers get a code to be approved by.
    Pairing,
    /// Who stands in `allow`.
    Allowlist,
}

/// What a person sees while an answer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// That the bot types.
    Typing,
    /// The answer as it grows.
    Draft,
}

/// A platform's id of a person or place: a number, written with or without quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("type" = ["integer", "string"], "format" = "platform-id"))]
pub struct Id(String);

impl Id {
    /// The id as adapters write it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl de::Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id: a number, with or without quotes")
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_str<E: de::Error>(self, id: &str) -> Result<Id, E> {
        Ok(Id(id.to_owned()))
    }
}
