//! `[delivery]`: how answers go out.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Hours, Seconds};

/// How answers go out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    /// Whether a part is sent again if it is unknown whether it arrived: the process died, or the connection broke.
    /// It matters where the platform cannot drop a repeat: on Telegram, and not on Discord.
    pub resend_ambiguous: bool,
    /// The most messages that an answer is split into; a longer one goes out as a file.
    #[schemars(range(min = 1, max = 100))]
    pub max_parts: u32,
    /// The wait before the second attempt; each further wait is twice as long.
    #[serde(rename = "backoff_seconds", with = "Seconds")]
    #[schemars(range(min = 1, max = 3600))]
    pub backoff: Duration,
    /// The longest wait between two attempts.
    #[serde(rename = "max_backoff_seconds", with = "Seconds")]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_backoff: Duration,
    /// The time for which an answer fails alone, while its platform works, before later answers of its chat overtake
    /// it. It is retried beside them.
    #[serde(rename = "stuck_seconds", with = "Seconds")]
    #[schemars(range(min = 1, max = 86_400))]
    pub stuck_after: Duration,
    /// The time for which an answer is retried before it counts as failed; 0 = for ever.
    #[serde(rename = "give_up_hours", with = "Hours")]
    #[schemars(range(min = 0, max = 8760))]
    pub give_up_after: Duration,
    /// The time after which a run shows in its chat what it does, by one message with a button that stops it; 0 = never.
    /// The message is gone when the answer comes.
    #[serde(rename = "progress_after_seconds", with = "Seconds")]
    #[schemars(range(min = 0, max = 3600))]
    pub progress_after: Duration,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            resend_ambiguous: true,
            max_parts: 5,
            backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(60),
            stuck_after: Duration::from_secs(20),
            give_up_after: Duration::from_secs(24 * 3600),
            progress_after: Duration::from_secs(5),
        }
    }
}

impl Delivery {
    /// Whether an answer that has been tried for so long counts as failed.
    pub fn gives_up(&self, after: Duration) -> bool {
        !self.give_up_after.is_zero() && after > self.give_up_after
    }
}
