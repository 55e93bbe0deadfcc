//! `[channels.telegram]`.

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Access, Feedback, Id};
use crate::secret;

/// The environment variable that holds the bot's token, unless the section names another.
pub(crate) const TOKEN_VARIABLE: &str = "TELEGRAM_BOT_TOKEN";

/// Telegram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Telegram {
    /// Whether Clifford is on Telegram.
    pub enabled: bool,
    /// The bot's token, from @BotFather.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// Telegram's own Bot API server, or one of yours.
    #[schemars(extend("format" = "http-url"))]
    pub api_url: Url,
    /// Who may talk to the bot in private: `open` (everybody), `pairing` (whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being
    /// approved: `[123456789]`.
    pub allow: Vec<Id>,
    /// Words that call the bot in a group, beside its @name.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the groups in which every message is answered: `[-1001234567890]`.
    pub always: Vec<Id>,
    /// What is seen while an answer is made: `typing`, or `draft` (the answer as it grows, in private chats, where Telegram lets the bot do that).
    pub feedback: Feedback,
    /// How long Telegram may hold a poll open while there is nothing new.
    #[schemars(range(min = 0, max = 50))]
    pub poll_seconds: u64,
    /// How many messages go out in a second, to all chats; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_overall_per_second: u32,
    /// How many messages go out in a second to one private chat; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_private_per_second: u32,
    /// How many messages go out in a minute to one group; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_group_per_minute: u32,
}

impl Default for Telegram {
    fn default() -> Self {
        Self {
            enabled: true,
            token: secret::from_variable(TOKEN_VARIABLE),
            api_url: "https://api.telegram.org".into(),
            access: Access::Pairing,
            allow: Vec::new(),
            wake_words: vec!["Clifford".to_owned()],
            always: Vec::new(),
            feedback: Feedback::Typing,
            poll_seconds: 30,
            rate_overall_per_second: 30,
            rate_private_per_second: 1,
            rate_group_per_minute: 20,
        }
    }
}
