//! Discord: its gateway, its REST API and serenity's types.
//!
//! The connection to the gateway is our own because order and loss are what this crate is about: events of a channel
//! are handed in in the order of their ids, unreadable events are kept, and after a session that could not be resumed
//! the history is read for what was missed.
//!
//! # serenity
//! serenity gives the types: flags, permissions, intents, opcodes, close codes, kinds of channels, messages and
//! interactions. The rest of it (0.12.5) is not used. `Http` and `Shard` were tried against all tests of this crate:
//!
//! - Its features `http` and `gateway` build only with one of its TLS backends. `rustls_backend` brings rustls 0.22,
//!   which has open advisories, `native_tls_backend` brings OpenSSL: `deny.toml` bans both. The trials below took
//!   a copy of serenity that builds without.
//! - `Http` without its rate limiter drops the headers and the body of a 429, so nobody knows how long to wait:
//!   `sending::too_many_requests_says_when_to_try_again_and_nothing_goes_out_before`.
//! - `Http` with its rate limiter ignores `proxy`, thus `api_url`; sleeps within the call, where delivery needs to be
//!   told; sends through a global limit (`sending::a_global_limit_holds_everything`); and panics at a wait that is too
//!   long for a `Duration` (`sending::a_wait_without_end_is_obeyed_for_a_day`).
//! - `Shard` has no public way to read a frame. With one, it logs and loses a frame that its types cannot read
//!   (`receiving::what_cannot_be_read_is_kept_and_the_connection_goes_on`), and it waits up to half a second for a
//!   frame without a heartbeat (`connecting::heartbeats_are_sent_and_an_unanswered_one_ends_the_connection`).
//!
//! Its source alone excludes the rest:
//!
//! - `Route` does not know `/attachments/refresh-urls` and `/channels/{id}/messages/pins/{id}`.
//! - The models of messages and interactions lose all by one odd field: `map`'s `one_odd_field_loses_no_message`.
//! - `Guild::user_permissions_in` knows no timeouts: `permissions`' `who_is_timed_out_only_looks`.

mod act;
mod answer;
mod answers;
mod api;
mod backfill;
mod buckets;
mod commands;
mod complete;
mod config;
mod directory;
mod draft;
mod drafts;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod gateway;
mod handover;
mod intake;
mod lacking;
mod lanes;
mod map;
mod passing;
mod permissions;
mod platform;
mod post;
mod reaction;
mod receive;
mod send;
mod shard;
mod shards;
mod shared;
mod socket;
mod thread;
mod via;
mod voice;
mod wait;
mod worker;

use std::{ops::Range, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use clifford_channel::{
    Act, ActError, Acted, Actor, Address, Channel, ChannelError, DeliveryKey, Feedback, FetchError, Ingress, Limits,
    NewThread, Part, Passing, Place, Platform, PlatformRole, Quoted, Receipt, SendError, Signal,
};
use clifford_markup::Flavor;
pub use config::{Argument, Clock, DiscordConfig, SlashCommand, Timing};
pub use platform::DiscordSettings;
pub use shards::Shards;
use tokio_util::sync::CancellationToken;

use self::{shard::Shard, shared::Shared};

/// Discord's name.
pub const PLATFORM: Platform = Platform::new("discord");
/// The most UTF-16 units in one message. Discord counts code points, which are never more.
const TEXT_UNITS: usize = 2_000;
/// The largest file that a bot may send anywhere.
const FILE_BYTES: u64 = 10 << 20;
/// Discord shows "is typing" for 10 seconds.
const TYPING_EVERY: Duration = Duration::from_secs(8);
/// Discord lets a channel's messages be edited five times in five seconds.
const DRAFT_EVERY: Duration = Duration::from_millis(1_100);
/// A status message is edited no more often than somebody reads it.
const STATUS_EVERY: Duration = Duration::from_secs(2);

/// A bot on Discord.
#[derive(Debug)]
pub struct Discord {
    shared: Arc<Shared>,
}

impl Discord {
    /// Makes the adapter; nothing is connected before [`Channel::receive`].
    ///
    /// # Errors
    /// [`ChannelError::Misconfigured`] if the token cannot be part of a request.
    pub fn new(config: DiscordConfig) -> Result<Self, ChannelError> {
        let shared = Arc::new(Shared::new(config)?);
        Ok(Self { shared })
    }

    /// Whether people's messages are marked, in place of typing.
    fn marks(&self) -> bool {
        self.shared.config.settings.feedback == Feedback::Reaction
    }
}

#[async_trait]
impl Channel for Discord {
    fn platform(&self) -> Platform {
        PLATFORM
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: TEXT_UNITS,
            file_bytes: FILE_BYTES,
            flavor: Flavor::Discord,
            drops_repeats: true,
            typing_every: Some(TYPING_EVERY),
            draft_every: (self.shared.config.settings.feedback == Feedback::Draft).then_some(DRAFT_EVERY),
            status_every: Some(STATUS_EVERY),
            marks: self.marks(),
            asks_feedback: self.shared.config.settings.feedback_buttons,
            ..Limits::default()
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        self.receive_shard(0, ingress, stop).await
    }

    async fn shards(&self, ingress: &dyn Ingress) -> Range<u32> {
        shards::own(&self.shared, ingress).await
    }

    async fn receive_shard(
        &self,
        shard: u32,
        ingress: Arc<dyn Ingress>,
        stop: CancellationToken,
    ) -> Result<(), ChannelError> {
        let shard = Shard {
            place: shard,
            of: self.shared.shards(),
        };
        receive::receive(Arc::clone(&self.shared), shard, ingress, stop).await
    }

    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        send::send(&self.shared, to, std::slice::from_ref(part), key).await
    }

    fn together(&self, files: &[Part]) -> usize {
        send::together(files)
    }

    async fn send_together(&self, to: &Address, files: &[Part], key: &DeliveryKey) -> Result<Vec<Receipt>, SendError> {
        let receipt = send::send(&self.shared, to, files, key).await?;
        Ok(vec![receipt; files.len()])
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => {
                answer::at_work(&self.shared, to);
                match self.marks() {
                    true => Ok(()),
                    false => send::typing(&self.shared, to).await,
                }
            }
            Signal::Draft { key, text, .. } => draft::show(&self.shared, to, key, text).await,
            Signal::DraftDropped { key } => draft::remove(&self.shared, to, key).await,
            Signal::Mark(mark) => reaction::mark(&self.shared, to, *mark).await,
            Signal::Done => answer::end_thinking(&self.shared, to).await,
            Signal::Progress { .. } => Ok(()),
        }
    }

    async fn edit(&self, to: &Address, id: &str, part: &Part) -> Result<Receipt, SendError> {
        draft::replace(&self.shared, to, id, part).await?;
        Ok(Receipt { id: id.to_owned() })
    }

    async fn open_thread(&self, place: &str, thread: &NewThread) -> Result<String, SendError> {
        thread::open(&self.shared, place, thread).await
    }

    async fn thread_starter(&self, thread: &Place) -> Result<Option<Quoted>, SendError> {
        thread::starter(&self.shared, thread).await
    }

    async fn show(
        &self,
        to: &Address,
        shown: Option<&str>,
        part: &Part,
        passing: Passing,
        key: &DeliveryKey,
    ) -> Result<Option<String>, SendError> {
        passing::show(&self.shared, to, shown, part, passing, key).await
    }

    async fn retract(&self, to: &Address, shown: &str) -> Result<(), SendError> {
        passing::retract(&self.shared, to, shown).await
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
        PLATFORM
    }

    async fn act(&self, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
        act::act(&self.shared, place, account, act).await
    }

    async fn manages(&self, place: &str, account: &str) -> Result<bool, ActError> {
        act::manages(&self.shared, place, account).await
    }

    async fn roles(&self, place: &str, account: &str) -> Result<Vec<PlatformRole>, ActError> {
        act::roles(&self.shared, place, account).await
    }
}
