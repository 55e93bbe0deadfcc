//! The bot's own account.

use clifford_channel::lenient::int;
use serde::Deserialize;
use serde_json::Value;
use teloxide::{payloads::GetMe, types::UserId};

use crate::{
    Telegram,
    api::{ApiError, CALL_TIMEOUT},
};

/// The account, as `getMe` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Me {
    pub(crate) id: UserId,
    /// Without `@`.
    pub(crate) username: Option<String>,
    /// As people see it.
    pub(crate) name: String,
    /// People may call it in chats that it is no member of.
    pub(crate) takes_guests: bool,
}

impl Me {
    /// Whether a user of an update is the bot.
    pub(crate) fn is(&self, user: &Value) -> bool {
        int(user, "id").and_then(|id| u64::try_from(id).ok()) == Some(self.id.0)
    }
}

impl Telegram {
    /// The bot's account, as Telegram told it last; it is asked until it has answered once.
    pub(crate) async fn me(&self) -> Result<&Me, ApiError> {
        self.account.get_or_try_init(|| self.ask_me()).await
    }

    /// Asks for the bot's account: each connection begins with it, and so learns whether the token is good.
    pub(crate) async fn ask_me(&self) -> Result<Me, ApiError> {
        #[derive(Deserialize)]
        struct Account {
            id: u64,
            first_name: String,
            username: Option<String>,
            #[serde(default)]
            supports_guest_queries: bool,
        }
        let account: Account = self.api.call(&GetMe::new(), CALL_TIMEOUT).await?;
        Ok(Me {
            id: UserId(account.id),
            name: match &account.username {
                Some(username) => format!("@{username}"),
                None => account.first_name,
            },
            username: account.username,
            takes_guests: account.supports_guest_queries,
        })
    }
}
