//! Discord: its gateway, its REST API and serenity's types.
//!
//! The connection to the gateway is our own because order and loss are what this crate is about: events of
//! a channel are handed in in the order of their ids, whatever cannot be read is kept, and after a session
//! that could not be resumed the history is read for what was missed. (serenity's client hands events on in
//! tasks of their own, in any order, and drops what it cannot read.)

mod act;
mod answer;
mod answers;
mod api;
mod backfill;
mod buckets;
mod commands;
mod complete;
mod config;
mod deliver;
mod directory;
mod draft;
mod fetch;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod gateway;
mod intake;
mod lanes;
mod map;
mod permissions;
mod receive;
mod send;
mod shard;
mod socket;
mod via;
mod wait;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use clifford_channel::{
    Act, ActError, Acted, Actor, Address, Channel, ChannelError, DeliveryKey, FetchError, Ingress, Limits, Part,
    Platform, Receipt, SendError, Signal,
};
use clifford_markup::Flavor;
pub use config::{Argument, Clock, DiscordConfig, SlashCommand, Timing};
use tokio_util::sync::CancellationToken;

use self::{answers::Answers, api::Api, directory::Directory, draft::Drafts, shard::Shard};

/// The most UTF-16 units in one message. Discord counts code points, which are never more.
const TEXT_UNITS: usize = 2_000;
/// The largest file that a bot may send anywhere.
const FILE_BYTES: u64 = 10 << 20;
/// Discord shows "is typing" for 10 seconds.
const TYPING_EVERY: Duration = Duration::from_secs(8);
/// Discord lets a channel's messages be edited five times in five seconds.
const DRAFT_EVERY: Duration = Duration::from_millis(1_100);

/// A bot on Discord.
#[derive(Debug)]
pub struct Discord {
    shared: Arc<Shared>,
}

/// What receiving and sending share.
#[derive(Debug)]
struct Shared {
    config: DiscordConfig,
    api: Api,
    directory: Directory,
    answers: Answers,
    drafts: Drafts,
    /// When one of the shards identified last.
    identified: tokio::sync::Mutex<Option<tokio::time::Instant>>,
}

impl Discord {
    /// Makes the adapter; nothing is connected before [`Channel::receive`].
    ///
    /// # Errors
    /// [`ChannelError::Misconfigured`] if the token cannot be part of a request.
    pub fn new(config: DiscordConfig) -> Result<Self, ChannelError> {
        let api = Api::new(&config)?;
        let shared = Shared {
            config,
            api,
            directory: Directory::default(),
            answers: Answers::default(),
            drafts: Drafts::default(),
            identified: tokio::sync::Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

#[async_trait]
impl Channel for Discord {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: TEXT_UNITS,
            file_bytes: FILE_BYTES,
            flavor: Flavor::Discord,
            drops_repeats: true,
            typing_every: Some(TYPING_EVERY),
            delivered_when_stored: false,
            shows_progress: false,
            draft_every: self.shared.config.drafts.then_some(DRAFT_EVERY),
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        self.receive_shard(0, ingress, stop).await
    }

    fn shards(&self) -> u32 {
        self.shared.config.shards.max(1)
    }

    async fn receive_shard(
        &self,
        shard: u32,
        ingress: Arc<dyn Ingress>,
        stop: CancellationToken,
    ) -> Result<(), ChannelError> {
        let shard = Shard {
            place: shard,
            of: self.shards(),
        };
        receive::receive(Arc::clone(&self.shared), shard, ingress, stop).await
    }

    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        send::send(&self.shared, to, part, key).await
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => {
                answer::at_work(&self.shared, to);
                send::typing(&self.shared, to).await
            }
            Signal::Draft { key, text, .. } => draft::show(&self.shared, to, key, text).await,
            Signal::DraftDropped { key } => draft::remove(&self.shared, to, key).await,
            Signal::Done => answer::done(&self.shared, to).await,
            Signal::Progress { .. } => Ok(()),
        }
    }

    async fn probe(&self, to: &Address) -> Result<(), SendError> {
        send::probe(&self.shared, to).await
    }

    async fn fetch(&self, id: &str, most: u64) -> Result<Bytes, FetchError> {
        fetch::file(&self.shared, id, most).await
    }
}

#[async_trait]
impl Actor for Discord {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    async fn act(&self, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
        act::act(&self.shared, place, account, act).await
    }

    async fn manages(&self, place: &str, account: &str) -> Result<bool, ActError> {
        act::manages(&self.shared, place, account).await
    }
}
