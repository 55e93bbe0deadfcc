//! The contract of a chat platform's adapter: events in, parts out, and nothing else.
//!
//! An adapter turns the events of its platform into [`Inbound`] and hands them to an [`Ingress`]; it sends [`Part`]s
//! when asked. The code behind the ingress decides once for all platforms who may talk, when to answer and what to
//! store. `docs/ADDING-A-CHANNEL.md` walks through it.
//!
//! # A platform is a row
//!
//! A crate of an adapter implements [`Adapter`]: what the platform is called and where its token comes from
//! ([`About`]), the keys of its own in `bot.toml`, how it is built, and how a token is tried. [`Row::of`] makes a row of
//! that, in which the adapter's types are gone; the rows of a binary are its [`Platforms`], one constant list in its
//! `main`. Everything else walks that list: the sections of `bot.toml` with their checks, schema and example, the
//! environment's names and the hints about them, secrets, `clifford doctor`, `clifford init`, the greeting, the labels
//! of metrics, and the start of the adapters. No name of a platform stands there.
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
mod settings;
mod webhook;

use std::{ops::Range, sync::Arc, time::Duration};

pub use adapter::{About, ActKind, Acts, Adapter, Bot, Built, Fault, Feedback, Warning, ahead};
use async_trait::async_trait;
use bytes::Bytes;
pub use clifford_chat::{
    access::{Access, Audience, Id},
    act::{Act, ActError, Acted, HistoryMessage, Poll},
    completion::{Choice, Completion},
    error::{ChannelError, FetchError, IngressError, SendError},
    inbound::{
        ANSWERS_ONLY, Accepted, Addressed, Attachment, BY_INLINE_BOT, Command, ConnectionStatus, Deleted, Edit,
        FORWARDED, Inbound, Joined, Left, Message, Moved, Names, Place, PlaceKind, Quoted, Reacted, Reaction, Renamed,
        Served, Space, Speaker, Unreadable, Verdict, is_of_others,
    },
    lenient,
    outbound::{
        Address, Button, ButtonStyle, DeliveryKey, Limits, Mark, NewThread, Part, Passing, Payload, Press,
        ProgressKind, Receipt, Signal,
    },
    platform::Platform,
    role::PlatformRole,
    typed::TypedLine,
};
pub use menu::{Argument, MenuCommand, ShownTo};
pub use row::{Platforms, Row, Section};
pub use settings::{Common, CommonAbout};
use tokio_util::sync::CancellationToken;
pub use webhook::Webhook;

/// One platform. Knows its protocol, and nothing of runs, models or SQL.
#[async_trait]
pub trait Channel: Send + Sync + 'static {
    /// Its platform.
    fn platform(&self) -> Platform;

    /// The abilities and limits of the platform.
    fn limits(&self) -> Limits;

    /// Receives until `stop`. Hands every event to `ingress`, and confirms it to the platform only after
    /// [`Ingress::accept`] has returned `Ok`.
    ///
    /// # Errors
    /// [`ChannelError`] says whether connecting again can help.
    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError>;

    /// The connections that may be this process's, of those over which the platform's events are split: asked once,
    /// before the first. While the platform, which may know how many there are, does not answer, that is its status.
    async fn shards(&self, _ingress: &dyn Ingress) -> Range<u32> {
        0..1
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

    /// Whether anybody is there to take what is sent. While nobody is, messages wait in the outbox, and runs that
    /// answer there wait, too.
    fn is_attended(&self) -> bool {
        true
    }

    /// The requests in which the platform brings its events, if it does: the HTTP server takes them, in any process.
    /// [`Channel::receive`] then sets that up with the platform, and watches it.
    fn webhook(&self) -> Option<&dyn Webhook> {
        None
    }

    /// Sends one part. `key` is the same for every attempt: platforms that can, drop the repeat.
    ///
    /// # Errors
    /// [`SendError`] says what becomes of the part.
    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError>;

    /// Whether what is sent is added to a message that this process no longer knows, such as after a restart
    /// ([`Limits::one_message`]): then [`Channel::recall`] tells what stands there, and [`Channel::send`] follows.
    fn has_forgotten(&self, _to: &Address) -> bool {
        false
    }

    /// Tells what was delivered in answer to the same command, the oldest first; maybe nothing.
    fn recall(&self, _to: &Address, _said: Vec<(Receipt, Part)>) {}

    /// How many of these files, from the first on, go out as one message ([`Channel::send_together`]); fewer than two:
    /// each goes by itself.
    fn together(&self, _files: &[Part]) -> usize {
        1
    }

    /// Sends so many files as one message. `key` is that of the first. Returns a receipt a file.
    ///
    /// # Errors
    /// As [`Channel::send`]; [`SendError::Rejected`]: not as one message.
    async fn send_together(
        &self,
        _to: &Address,
        _files: &[Part],
        _key: &DeliveryKey,
    ) -> Result<Vec<Receipt>, SendError> {
        Err(SendError::Rejected(format!("{} has no albums", self.platform())))
    }

    /// Shows what may be lost: typing, progress.
    ///
    /// # Errors
    /// As [`Channel::send`]; the caller honours [`SendError::RetryAfter`] and forgets the rest.
    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError>;

    /// Replaces the text and the buttons of a message of the bot's own ([`Receipt::id`]) by those of a [`Part::Text`].
    /// Doing it again changes nothing.
    ///
    /// # Errors
    /// As [`Channel::send`]; [`SendError::Rejected`]: it stays as it is.
    async fn edit(&self, _to: &Address, _id: &str, _part: &Part) -> Result<Receipt, SendError> {
        Err(SendError::Rejected(format!(
            "{} changes no message that was sent",
            self.platform()
        )))
    }

    /// Shows a message that stands only while a run is at work, or changes the one that stands (`shown`: as an earlier
    /// call returned it). `key` is the same for each of its looks. `None`: it was skipped, because messages that must
    /// arrive need the room, or the platform has no such messages.
    ///
    /// # Errors
    /// As [`Channel::send`]; [`SendError::Rejected`]: it stands there no more, or never can.
    async fn show(
        &self,
        _to: &Address,
        _shown: Option<&str>,
        _part: &Part,
        _passing: Passing,
        _key: &DeliveryKey,
    ) -> Result<Option<String>, SendError> {
        Ok(None)
    }

    /// Where an answer that grows is such a message, which is edited into the answer at last: how long to wait from one
    /// look to the next. `None`: it is shown by [`Signal::Draft`], if at all.
    fn edits_drafts(&self, _to: &Address) -> Option<Duration> {
        None
    }

    /// Takes such a message away, as [`Channel::show`] returned it. One that is gone already is away.
    ///
    /// # Errors
    /// As [`Channel::send`].
    async fn retract(&self, _to: &Address, _shown: &str) -> Result<(), SendError> {
        Ok(())
    }

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

    /// Opens a thread for a question that was asked in a place ([`Place::external_id`]), and returns the thread's own
    /// id as a place. Where the platform can, one that was opened for the same question is found again.
    ///
    /// # Errors
    /// As [`Channel::send`]: there is none, and the question is answered where it was asked.
    async fn open_thread(&self, _place: &str, _thread: &NewThread) -> Result<String, SendError> {
        Err(SendError::Rejected(format!("{} has no threads", self.platform())))
    }

    /// The message at which a thread begins ([`Place::kind`]), as something that the first words to the bot there
    /// answer. `None`: it begins at none, or that is gone.
    ///
    /// # Errors
    /// As [`Channel::send`]: the words stand by themselves.
    async fn thread_starter(&self, _thread: &Place) -> Result<Option<Quoted>, SendError> {
        Ok(None)
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
    /// Its platform.
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

    /// The roles of an account in the group or server that a place ([`Place::external_id`]) is in. Asked where an event
    /// does not tell them ([`Speaker::roles`]).
    ///
    /// # Errors
    /// As [`Self::manages`].
    async fn roles(&self, place: &str, account: &str) -> Result<Vec<PlatformRole>, ActError>;
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

    /// The highest age at which a message that an adapter missed is still answered. Of those that are older it may leave
    /// some out, where there are many.
    fn catch_up(&self) -> Duration {
        Duration::MAX
    }

    /// Tells the names of a space and its places, as an adapter finds them when it connects. Best effort: what is lost is
    /// told again with the next connection.
    async fn names(&self, _names: Names) {}

    /// Tells that a platform's connection came up or went down, for `/readyz` and the log.
    fn status(&self, platform: Platform, status: ConnectionStatus);
}
