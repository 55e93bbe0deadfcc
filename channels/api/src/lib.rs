//! The contract of a chat platform's adapter: events in, parts out, and nothing else.
//!
//! An adapter turns the events of its platform into [`Inbound`] and hands them to an [`Ingress`]; it sends [`Part`]s
//! when asked. The code behind the ingress decides once for all platforms who may talk, when to answer and what to
//! store. `docs/ADDING-A-CHANNEL.md` walks through it.
//!
//! # A platform is a row
//!
//! A crate of an adapter implements [`Adapter`]: what the platform is called and where its token comes from
//! ([`About`]), its section of `bot.toml` ([`ChannelConfig`]), how it is built, and how a token is tried. [`Row::of`]
//! makes a row of that, in which the adapter's types are gone; the rows of a binary are its [`Platforms`], one
//! constant list in its `main`. Everything else walks that list: the sections of `bot.toml` with their checks, schema
//! and example, the environment's names and the hints about them, secrets, `clifford doctor`, `clifford init`, the
//! greeting, the labels of metrics, and the start of the adapters. No name of a platform stands there.
//!
//! ```text
//! Adapter ──Row::of──▶ Row ──[…]──▶ Platforms ──config::load──▶ Section ──build──▶ Built { channel, actor }
//! (a crate)            about,       (one line               (a read         └─probe──▶ Bot
//!                      schema, read  a platform)             [channels.x])
//! ```

#![warn(missing_docs)]

mod adapter;
mod menu;
mod row;

use std::{sync::Arc, time::Duration};

pub use adapter::{About, Adapter, Bot, Built, ChannelConfig, Common, Fault, Feedback, Warning, ahead};
use async_trait::async_trait;
use bytes::Bytes;
pub use clifford_chat::{
    access::{Access, Id},
    act::{Act, ActError, Acted, Poll, Said},
    completion::{Choice, Completion},
    error::{ChannelError, FetchError, IngressError, SendError},
    inbound::{
        Accepted, Addressed, Attachment, BY_INLINE_BOT, Command, ConnectionStatus, Deleted, Edit, FORWARDED, Inbound,
        Left, Message, Moved, Place, PlaceKind, Quoted, Served, Space, Speaker, Unreadable, is_of_others,
    },
    lenient,
    outbound::{Address, Button, DeliveryKey, Limits, Part, Payload, ProgressKind, Receipt, Signal},
    platform::Platform,
};
pub use menu::{Argument, MenuCommand};
pub use row::{Platforms, Row, Section};
use tokio_util::sync::CancellationToken;

/// One platform. Knows its protocol, and nothing of runs, models or SQL.
#[async_trait]
pub trait Channel: Send + Sync + 'static {
    /// Which platform this is.
    fn platform(&self) -> Platform;

    /// The abilities and limits of the platform.
    fn limits(&self) -> Limits;

    /// Receives until `stop`. Hands every event to `ingress`, and confirms it to the platform only after
    /// [`Ingress::accept`] has returned `Ok`.
    ///
    /// # Errors
    /// [`ChannelError`] says whether connecting again can help.
    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError>;

    /// Over how many connections the platform's events are split.
    fn shards(&self) -> u32 {
        1
    }

    /// As [`Channel::receive`], for one of the [`Channel::shards`], counted from 0. Each is received by one process at
    /// a time, whichever that is.
    ///
    /// # Errors
    /// As [`Channel::receive`].
    async fn receive_shard(
        &self,
        _shard: u32,
        ingress: Arc<dyn Ingress>,
        stop: CancellationToken,
    ) -> Result<(), ChannelError> {
        self.receive(ingress, stop).await
    }

    /// Sends one part. `key` is the same for every attempt: platforms that can, drop the repeat.
    ///
    /// # Errors
    /// [`SendError`] says what becomes of the part.
    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError>;

    /// Shows what may be lost: typing, progress.
    ///
    /// # Errors
    /// As [`Channel::send`]; the caller honours [`SendError::RetryAfter`] and forgets the rest.
    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError>;

    /// Asks the platform for something else in the same chat, however busy the way there is: a message that fails while
    /// this succeeds fails by itself. Override it where [`Signal::Typing`] may return without a request.
    ///
    /// # Errors
    /// As [`Channel::send`]: the platform does not work, or was not asked.
    async fn probe(&self, to: &Address) -> Result<(), SendError> {
        self.signal(to, &Signal::Typing).await
    }

    /// The content of an attachment, by [`Attachment::id`], of at most so many bytes.
    ///
    /// # Errors
    /// [`FetchError`] says whether trying again can help.
    async fn fetch(&self, _id: &str, _most: u64) -> Result<Bytes, FetchError> {
        Err(FetchError::Gone(format!("{} has no files", self.platform())))
    }

    /// Deletes a message that somebody wrote in a place ([`Place::external_id`]), where the platform lets the bot. One
    /// that is gone already is deleted.
    ///
    /// # Errors
    /// [`SendError::Rejected`]: it stays.
    async fn delete(&self, _place: &str, _message: &str) -> Result<(), SendError> {
        Err(SendError::Rejected(format!(
            "{} does not let bots delete what people write",
            self.platform()
        )))
    }
}

/// A platform where more can be done than to speak.
#[async_trait]
pub trait Actor: Send + Sync + std::fmt::Debug {
    /// Which platform this is.
    fn platform(&self) -> Platform;

    /// Does it in a place ([`Place::external_id`]) if both the account and the bot may.
    ///
    /// # Errors
    /// [`ActError`] says who may not, what is wrong, or that the platform did not answer.
    async fn act(&self, place: &str, account: &str, act: &Act) -> Result<Acted, ActError>;

    /// Whether an account manages the group or server that a place ([`Place::external_id`]) is in, by the rights
    /// that it has there. Nobody manages what is private.
    ///
    /// # Errors
    /// [`ActError`]: they are no member, or the platform did not answer.
    async fn manages(&self, place: &str, account: &str) -> Result<bool, ActError>;
}

/// Where adapters hand things in.
#[async_trait]
pub trait Ingress: Send + Sync {
    /// Takes one event. `Ok` means: committed, so it may be confirmed to the platform.
    ///
    /// # Errors
    /// [`IngressError::Unavailable`]: nothing was stored; hand the event in again.
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError>;

    /// Completes the argument that somebody is typing, best choice first; at most [`Completion::MOST`]. Returns nothing
    /// for people whom the bot does not know there.
    ///
    /// # Errors
    /// [`IngressError::Unavailable`]: the store did not answer.
    async fn complete(&self, asked: Completion) -> Result<Vec<Choice>, IngressError>;

    /// The places of a platform that had messages `within` this time, with the newest stored message of
    /// each: where an adapter looks for what it missed while it was away.
    ///
    /// # Errors
    /// [`IngressError::Unavailable`]: the store did not answer.
    async fn served(&self, platform: Platform, within: Duration) -> Result<Vec<Served>, IngressError>;

    /// Tells that a platform's connection came up or went down, for `/readyz` and the log.
    fn status(&self, platform: Platform, status: ConnectionStatus);
}
