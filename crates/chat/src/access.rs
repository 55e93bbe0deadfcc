//! Whom a platform lets speak, as `bot.toml` says it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// Who may talk to the bot in private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Open,
    /// Whom the owner has approved; strangers get a code to be approved by.
    #[default]
    Pairing,
    /// Who stands in `allow`.
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
