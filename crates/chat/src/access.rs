//! Access to the bot on a platform, as `bot.toml` sets it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// The people whom the bot answers on a platform, and what calls it there: keys of the platform's section. Words in
/// braces stand for the platform's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audience {
    /// Access in private chats: `open` (everybody), `pairing` (people whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being
    /// approved: `[{person}]`.
    pub allow: Vec<Id>,
    /// Roles of the platform whose bearers may talk to the bot in {shared} under `pairing` and `allowlist`, by id or name:
    /// `["Staff"]`.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub allow_roles: Vec<String>,
    /// Words that call the bot in {shared}, besides its @name.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the {shared} in which every message is answered: `[{place}]`.
    pub always: Vec<Id>,
    /// Whether the bot hears everything in {threads} that it opened, or was once addressed in, until `/close`.
    pub follow_threads: bool,
}

/// Access in private chats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Open,
    /// People whom the owner has approved; strangers get a code to be approved by.
    #[default]
    Pairing,
    /// People listed in `allow`.
    Allowlist,
}

impl Access {
    /// The word that stands in `bot.toml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Pairing => "pairing",
            Self::Allowlist => "allowlist",
        }
    }
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

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
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
