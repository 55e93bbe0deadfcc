//! `[memory]`: the memory of people and conversations.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Days;

const DAY: Duration = Duration::from_secs(86_400);

/// The memory of people and conversations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Whether items are written and shown to the model. Messages are stored either way.
    pub enabled: bool,
    /// The number of turns after which a summary replaces the older half of a conversation.
    #[schemars(range(min = 2, max = 100_000))]
    pub max_turns_per_context: u32,
    /// The most messages that the memory writer reads at a time.
    #[schemars(range(min = 2, max = 1000))]
    pub writer_max_messages: u32,
    /// Days for which messages stay searchable after a summary replaced them; 0 = they are deleted at once.
    #[serde(rename = "retain_compacted_days", with = "Days")]
    #[schemars(with = "u32", range(min = 0, max = 36_500))]
    pub retain_compacted: Duration,
    /// Days for which the messages of a group or server are kept after the bot was removed from it.
    #[serde(rename = "purge_left_spaces_days", with = "Days")]
    #[schemars(with = "u32", range(min = 0, max = 36_500))]
    pub purge_left_spaces: Duration,
    /// Whether a private conversation also shows the model what the same person last said on other platforms.
    pub cross_channel: bool,
    /// The most messages of each other place.
    #[schemars(range(min = 0, max = 1000))]
    pub cross_channel_limit: u32,
    /// The most tokens of those messages in all.
    #[schemars(range(min = 0, max = 100_000))]
    pub cross_channel_tokens: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            enabled: true,
            max_turns_per_context: 60,
            writer_max_messages: 40,
            retain_compacted: DAY * 30,
            purge_left_spaces: DAY * 30,
            cross_channel: true,
            cross_channel_limit: 12,
            cross_channel_tokens: 1500,
        }
    }
}
