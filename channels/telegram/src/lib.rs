//! Telegram, by teloxide.
//!
//! [`Telegram`] receives by long polling and confirms an update only after it was committed; it sends
//! within Telegram's rates. The types of requests and the download of files are teloxide's. Calls (`api.rs`),
//! the meaning of refusals (`send.rs`), the reader of updates (`read.rs`) and polling (`poll.rs`) are ours:
//! teloxide's were tried in their place against all tests of this crate, and the head of each of these
//! modules names the tests that failed.

mod act;
mod answer;
mod api;
mod draft;
mod fetch;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod link;
mod me;
mod media;
mod pace;
mod place;
mod platform;
mod poll;
mod press;
mod read;
mod send;
mod text;
mod update;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use api::Api;
use async_trait::async_trait;
use bytes::Bytes;
use clifford_channel::{
    Act, ActError, Acted, Actor, Address, Channel, ChannelError, DeliveryKey, FetchError, Ingress, Limits, Part,
    Platform, Receipt, SendError, Signal,
};
use clifford_markup::Flavor;
use pace::Pace;
pub use platform::Settings;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Telegram's name.
pub const PLATFORM: Platform = Platform::new("telegram");
/// The most that one message may have, in UTF-16 units after parsing.
const TEXT_UNITS: usize = 4096;
/// The largest file that a bot may send.
const FILE_BYTES: u64 = 50 << 20;
/// Telegram shows typing for 5 s.
const TYPING_EVERY: Duration = Duration::from_secs(4);
/// A chat may be written to once a second.
const DRAFT_EVERY: Duration = Duration::from_secs(1);

/// How the bot is reached, and how fast it may write.
#[derive(Clone)]
pub struct TelegramConfig {
    /// The bot's token, from @BotFather.
    pub token: String,
    /// The Bot API server: `https://api.telegram.org`, or one's own.
    pub api_url: Url,
    /// How long a poll waits for an update; whole seconds, at most 50.
    pub poll_timeout: Duration,
    /// How fast the bot may write.
    pub rates: Rates,
    /// The commands that Telegram's menu shows: names without slash, and descriptions.
    pub commands: Vec<(String, String)>,
    /// Shows an answer as it grows, in private chats.
    pub drafts: bool,
}

impl std::fmt::Debug for TelegramConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TelegramConfig")
            .field("token", &"…")
            .field("api_url", &self.api_url.as_str())
            .field("poll_timeout", &self.poll_timeout)
            .field("rates", &self.rates)
            .finish_non_exhaustive()
    }
}

/// How many messages may go out in each window of time; 0 is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// To all chats, in a second.
    pub per_second: u32,
    /// To one private chat, in a second.
    pub private_per_second: u32,
    /// To one group, in a minute.
    pub group_per_minute: u32,
}

impl Default for Rates {
    /// Telegram's limits for bots: 30 a second, 1 a second to a person, 20 a minute to a group.
    fn default() -> Self {
        Self {
            per_second: 30,
            private_per_second: 1,
            group_per_minute: 20,
        }
    }
}

impl Rates {
    /// No limits, for a Bot API server that sets none.
    pub const UNLIMITED: Self = Self {
        per_second: 0,
        private_per_second: 0,
        group_per_minute: 0,
    };
}

/// The adapter.
#[derive(Debug)]
pub struct Telegram {
    api: Api,
    poll_timeout: Duration,
    commands: Vec<(String, String)>,
    pace: Pace,
    /// Answers are shown as they grow, as long as the server lets the bot do that.
    drafts: AtomicBool,
}

impl Telegram {
    /// Makes the adapter. Nothing is sent before [`Channel::receive`] or [`Channel::send`].
    ///
    /// # Errors
    /// [`ChannelError::Misconfigured`]: the token or the address cannot be right.
    pub fn new(config: TelegramConfig) -> Result<Self, ChannelError> {
        Ok(Self {
            api: Api::new(&config.token, &config.api_url)?,
            poll_timeout: config.poll_timeout.min(Duration::from_secs(50)),
            commands: config.commands,
            pace: Pace::new(config.rates),
            drafts: AtomicBool::new(config.drafts),
        })
    }
}

#[async_trait]
impl Channel for Telegram {
    fn platform(&self) -> Platform {
        PLATFORM
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: TEXT_UNITS,
            file_bytes: FILE_BYTES,
            flavor: Flavor::TelegramHtml,
            drops_repeats: false,
            typing_every: Some(TYPING_EVERY),
            delivered_when_stored: false,
            shows_progress: false,
            draft_every: self.drafts.load(Ordering::Relaxed).then_some(DRAFT_EVERY),
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        poll::receive(self, ingress.as_ref(), &stop).await
    }

    async fn send(&self, to: &Address, part: &Part, _key: &DeliveryKey) -> Result<Receipt, SendError> {
        send::part(&self.api, &self.pace, to, part).await
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => send::typing(&self.api, &self.pace, to).await,
            Signal::Draft { key, text, plain } if to.private && self.drafts.load(Ordering::Relaxed) => {
                if draft::show(&self.api, &self.pace, to, key, text, plain).await? == draft::Support::No {
                    self.drafts.store(false, Ordering::Relaxed);
                }
                Ok(())
            }
            // Telegram removes a draft by itself.
            Signal::Draft { .. } | Signal::DraftDropped { .. } | Signal::Progress { .. } | Signal::Done => Ok(()),
        }
    }

    async fn probe(&self, to: &Address) -> Result<(), SendError> {
        send::probe(&self.api, &self.pace, to).await
    }

    async fn fetch(&self, id: &str, most: u64) -> Result<Bytes, FetchError> {
        fetch::file(&self.api, id, most).await
    }

    async fn delete(&self, place: &str, message: &str) -> Result<(), SendError> {
        send::delete(&self.api, place, message).await
    }
}

#[async_trait]
impl Actor for Telegram {
    fn platform(&self) -> Platform {
        PLATFORM
    }

    async fn act(&self, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
        act::act(&self.api, place, account, act).await
    }

    async fn manages(&self, place: &str, account: &str) -> Result<bool, ActError> {
        act::manages(&self.api, place, account).await
    }
}
