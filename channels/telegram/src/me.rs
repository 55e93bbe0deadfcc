//! The bot's own account.

use clifford_channel::lenient::int;
use serde_json::Value;
use teloxide::types::UserId;

/// The account, as `getMe` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Me {
    pub(crate) id: UserId,
    /// Without `@`.
    pub(crate) username: Option<String>,
}

impl Me {
    /// Whether a user of an update is the bot.
    pub(crate) fn is(&self, user: &Value) -> bool {
        int(user, "id").and_then(|id| u64::try_from(id).ok()) == Some(self.id.0)
    }
}
