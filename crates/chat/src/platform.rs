//! The chat platforms, by name.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A chat platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Discord.
    Discord,
    /// Telegram.
    Telegram,
    /// The terminal that `clifford chat` runs in.
    Terminal,
    /// The HTTP API and the dashboard's chat.
    Web,
}

impl Platform {
    /// The platform's name as it stands in the database, in JSON and in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Discord => "discord",
            Self::Telegram => "telegram",
            Self::Terminal => "terminal",
            Self::Web => "web",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Discord, Self::Telegram, Self::Terminal, Self::Web]
            .into_iter()
            .find(|platform| platform.as_str() == text)
            .ok_or_else(|| format!("`{text}` is no platform: use discord, telegram, terminal or web"))
    }
}
