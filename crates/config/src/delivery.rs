//! `[delivery]`: how answers go out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How answers go out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    /// Whether a part is sent again if nobody can tell whether it arrived: the process died, or the connection broke.
    /// Telegram only: Discord recognises a repeat.
    pub resend_ambiguous: bool,
    /// Into how many messages an answer may be split; a longer one goes out as a file.
    #[schemars(range(min = 1, max = 100))]
    pub max_parts: u32,
    /// How long to wait before the second attempt; each wait after that is twice as long.
    #[schemars(range(min = 1, max = 3600))]
    pub backoff_seconds: u64,
    /// The longest wait between two attempts.
    #[schemars(range(min = 1, max = 86_400))]
    pub max_backoff_seconds: u64,
    /// How long an answer fails by itself, while its platform does everything else, until later answers in its chat go
    /// out past it. It is tried on beside them.
    #[schemars(range(min = 1, max = 86_400))]
    pub stuck_seconds: u64,
    /// How long an answer is tried before it counts as failed; 0 = for ever.
    #[schemars(range(min = 0, max = 8760))]
    pub give_up_hours: u64,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            resend_ambiguous: true,
            max_parts: 5,
            backoff_seconds: 1,
            max_backoff_seconds: 60,
            stuck_seconds: 20,
            give_up_hours: 24,
        }
    }
}
