//! Chats where the bot may not write, though it reads there: no run is begun for what is said in one, until its platform lets
//! the bot write again. What a process does not know, its first answer there finds out.

use std::time::Duration;

use clifford_chat::{error::SendError, outbound::Address, platform::Platform};
use dashmap::DashSet;
use tokio::time::timeout;

use crate::Delivery;

/// So many are remembered.
const MOST: usize = 10_000;
/// How long a platform may take to say whether the bot may write.
const PATIENCE: Duration = Duration::from_secs(5);

/// The chats whose platforms refused to let the bot write.
#[derive(Debug, Default)]
pub(crate) struct Barred(DashSet<(Platform, String)>);

impl Barred {
    /// The bot may not write there.
    pub(crate) fn note(&self, platform: Platform, place: &str) {
        if self.0.len() < MOST {
            self.0.insert((platform, place.to_owned()));
        }
    }
}

impl Delivery {
    /// Whether the bot may write in a shared place. Where that was refused, the platform is asked anew.
    pub async fn may_write(&self, platform: Platform, place: &str) -> bool {
        let chat = (platform, place.to_owned());
        let barred = &self.inner.barred.0;
        let Some(channel) = self.inner.channels.get(&platform).filter(|_| barred.contains(&chat)) else {
            return true;
        };
        let to = Address {
            place: place.to_owned(),
            private: false,
            reply_to: None,
            via: None,
        };
        if let Ok(Err(SendError::Barred(_) | SendError::Gone(_))) = timeout(PATIENCE, channel.probe(&to)).await {
            return false;
        }
        barred.remove(&chat);
        true
    }
}
