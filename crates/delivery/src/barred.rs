//! Chats where the bot may not write, though it reads there: no run is begun for what is said in one, until its
//! platform lets the bot write again. The rows of channels tell what earlier processes found out; what nobody knows,
//! the first answer there finds out.

use std::time::Duration;

use clifford_chat::{outbound::Address, platform::Platform};
use clifford_store::{StoreError, places::channels};
use dashmap::DashMap;
use tokio::{
    sync::OnceCell,
    time::{Instant, timeout},
};

use crate::Delivery;

/// So many are remembered before all are forgotten.
const MOST: usize = 10_000;
/// The most that are known from earlier processes.
const MOST_BEFORE: u32 = 1_000;
/// How long a platform may take to say whether the bot may write.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it is not asked again: whoever goes on writing there is not to use up what it allows to be asked.
const HOLDS: Duration = Duration::from_secs(3);

/// The chats whose platforms refused to let the bot write.
#[derive(Debug, Default)]
pub(crate) struct Barred {
    /// When each was asked last; `None`: by an earlier process.
    chats: DashMap<(Platform, String), Option<Instant>>,
    /// The refusals that earlier processes met were read.
    is_read: OnceCell<()>,
}

impl Barred {
    /// The bot may not write there.
    pub(crate) fn note(&self, platform: Platform, place: &str) {
        if self.chats.len() >= MOST {
            self.chats.clear();
        }
        self.chats.insert((platform, place.to_owned()), Some(Instant::now()));
    }

    /// Whether a platform is to be asked anew about a chat; `None`: nothing was refused there.
    fn is_to_be_asked(&self, chat: &(Platform, String)) -> Option<bool> {
        let mut asked = self.chats.get_mut(chat)?;
        let is_over = asked.is_none_or(|at| at.elapsed() >= HOLDS);
        if is_over {
            *asked = Some(Instant::now());
        }
        Some(is_over)
    }
}

impl Delivery {
    /// Whether the bot may write in a shared place. Where that was refused, the platform is asked anew now and then,
    /// and only its yes counts.
    pub async fn may_write(&self, platform: Platform, place: &str) -> bool {
        let chat = (platform, place.to_owned());
        let barred = &self.inner.barred;
        if let Err(error) = barred.is_read.get_or_try_init(|| self.read_barred()).await {
            tracing::debug!(%error, "failed to read where the bot may not write");
        }
        let Some(is_to_be_asked) = barred.is_to_be_asked(&chat) else {
            return true;
        };
        let Some(channel) = self.inner.channels.get(&platform).filter(|_| is_to_be_asked) else {
            return false;
        };
        let to = Address {
            place: place.to_owned(),
            private: false,
            reply_to: None,
            via: None,
        };
        let may = matches!(timeout(PATIENCE, channel.probe(&to)).await, Ok(Ok(())));
        if may {
            barred.chats.remove(&chat);
        }
        may
    }

    /// Reads what earlier processes found out.
    async fn read_barred(&self) -> Result<(), StoreError> {
        let known = channels::barred(&mut self.inner.db.read().await?, MOST_BEFORE).await?;
        for (platform, place) in known {
            if let Ok(platform) = platform.parse() {
                self.inner.barred.chats.entry((platform, place)).or_insert(None);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_platform_is_asked_anew_now_and_then() {
        let barred = Barred::default();
        let chat = |place: &str| (Platform::new("discord"), place.to_owned());
        barred.note(chat("1").0, "1");
        assert_eq!(barred.is_to_be_asked(&chat("2")), None);
        assert_eq!(barred.is_to_be_asked(&chat("1")), Some(false));
        tokio::time::advance(HOLDS).await;
        assert_eq!(barred.is_to_be_asked(&chat("1")), Some(true));
        assert_eq!(barred.is_to_be_asked(&chat("1")), Some(false));
    }
}
