//! `[channels.discord]`.

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Access, Feedback, Id};
use crate::secret;

/// The environment variable that holds the bot's token, unless the section names another.
pub(crate) const TOKEN_VARIABLE: &str = "DISCORD_BOT_TOKEN";

/// Discord.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Discord {
    /// Whether Clifford is on Discord.
    pub enabled: bool,
    /// The bot's token, from Discord's developer portal.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// Where Discord's REST API is; the gateway's address is taken from its answer.
    #[schemars(extend("format" = "http-url"))]
    pub api_url: Url,
    /// Who may talk to the bot in private: `open` (everybody), `pairing` (whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being
    /// approved: `[80351110224678912]`.
    pub allow: Vec<Id>,
    /// Words that call the bot in a server's channel, beside its @name.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the channels in which every message is answered: `[81384788765712384]`.
    pub always: Vec<Id>,
    /// What is seen while an answer is made: `typing`, or `draft` (the answer as it grows).
    pub feedback: Feedback,
    /// Over how many connections its servers are split: from 2,500 servers on Discord wants more than one. Several
    /// processes on one PostgreSQL database share them.
    #[schemars(range(min = 1, max = 1000))]
    pub shards: u32,
    /// Id of a server in which commands are registered at once and alone. Without it: everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 81_384_788_765_712_384_i64)]
    pub dev_guild: Option<Id>,
}

impl Default for Discord {
    fn default() -> Self {
        Self {
            enabled: true,
            token: secret::from_variable(TOKEN_VARIABLE),
            api_url: "https://discord.com".into(),
            access: Access::Open,
            allow: Vec::new(),
            wake_words: vec!["Clifford".to_owned()],
            always: Vec::new(),
            feedback: Feedback::Typing,
            shards: 1,
            dev_guild: None,
        }
    }
}
