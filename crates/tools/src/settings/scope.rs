//! The scope of a setting, as it is written and stored.

use std::{fmt, str::FromStr};

use clifford_core::id::{AgentId, ChannelId, SpaceId, UserId};
use clifford_store::places::settings;

/// The scope of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole bot.
    Bot,
    /// A space, and the channels in it.
    Space(SpaceId),
    /// One channel.
    Channel(ChannelId),
    /// The work of one agent.
    Agent(AgentId),
    /// One person.
    User(UserId),
}

impl Scope {
    /// The word for it, as it begins.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Space(_) => "space",
            Self::Channel(_) => "channel",
            Self::Agent(_) => "agent",
            Self::User(_) => "user",
        }
    }

    /// As it stands in the database.
    pub fn stored(self) -> String {
        match self {
            Self::Bot => settings::BOT.to_owned(),
            Self::Space(id) => id.to_string(),
            Self::Channel(id) => id.to_string(),
            Self::Agent(id) => id.to_string(),
            Self::User(id) => id.to_string(),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bot => f.write_str(self.kind()),
            _ => write!(f, "{}:{}", self.kind(), self.stored()),
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scope = match text.split_once(':') {
            None if text == "bot" => Some(Self::Bot),
            Some(("space", id)) => id.parse().map(Self::Space).ok(),
            Some(("channel", id)) => id.parse().map(Self::Channel).ok(),
            Some(("agent", id)) => id.parse().map(Self::Agent).ok(),
            Some(("user", id)) => id.parse().map(Self::User).ok(),
            _ => None,
        };
        scope.ok_or_else(|| format!("`{text}` is not one of bot, space:ID, channel:ID, agent:ID, user:ID"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_they_are_written() {
        let id = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
        for text in [
            "bot".to_owned(),
            format!("space:{id}"),
            format!("channel:{id}"),
            format!("agent:{id}"),
            format!("user:{id}"),
        ] {
            assert_eq!(text.parse::<Scope>().map(|scope| scope.to_string()), Ok(text));
        }
        for text in ["", "Bot", "bot:1", "space", "space:", "user:7", "chat:0190d7b2"] {
            let expected = Err(format!(
                "`{text}` is not one of bot, space:ID, channel:ID, agent:ID, user:ID"
            ));
            assert_eq!(text.parse::<Scope>().map(|scope| scope.to_string()), expected);
        }
    }
}
