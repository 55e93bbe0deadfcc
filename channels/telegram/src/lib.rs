//! Telegram, by teloxide.
//!
//! [`Telegram`] receives by long polling, or by a webhook (`webhook.rs`), and confirms an update only after it was
//! committed; it sends within Telegram's rates. The types of requests are teloxide's. Calls
//! (`api.rs`), the meaning of refusals (`send.rs`), the reader of updates (`read.rs`) and polling (`poll.rs`) are ours:
//! teloxide's were tried in their place against all tests of this crate, and the head of each of these modules names
//! the tests that failed.

mod act;
mod album;
mod alone;
mod answer;
mod api;
mod caption;
mod chat;
mod cut;
mod draft;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod guest;
mod keyboard;
mod lane;
mod link;
mod me;
mod media;
mod menu;
mod pace;
mod passing;
mod place;
mod platform;
mod poll;
mod press;
mod reaction;
mod read;
mod refusal;
mod refuse;
mod rich;
mod send;
mod stop;
mod text;
mod topics;
mod update;
mod webhook;

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
    Act, ActError, Acted, Actor, Address, Channel, ChannelError, DeliveryKey, Feedback, FetchError, Ingress, Limits,
    MenuCommand, NewThread, Part, Passing, Platform, PlatformRole, Receipt, SendError, Signal, Webhook,
};
use clifford_markup::Flavor;
use clifford_vault::{Secret, Url};
use me::Me;
use pace::Pace;
pub use platform::{Receiving, TelegramSettings};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use webhook::Hook;

/// Telegram's name.
pub const PLATFORM: Platform = Platform::new("telegram");
/// The most that one message may have, in UTF-16 units after parsing.
const TEXT_UNITS: usize = 4096;
/// The largest file that a bot may send.
const FILE_BYTES: u64 = 50 << 20;
/// The same by a server in local mode.
const LOCAL_FILE_BYTES: u64 = 2000 << 20;
/// Telegram shows typing for 5 s.
const TYPING_EVERY: Duration = Duration::from_secs(4);
/// A chat may be written to once a second.
const DRAFT_EVERY: Duration = Duration::from_secs(1);
/// An answer that grows by edits: as often as a person may be written to on average, and a group.
const PRIVATE_EDIT_EVERY: Duration = Duration::from_secs(2);
const GROUP_EDIT_EVERY: Duration = Duration::from_secs(3);
/// A status message is edited no more often than somebody reads it.
const STATUS_EVERY: Duration = Duration::from_secs(2);

/// The adapter.
#[derive(Debug)]
pub struct Telegram {
    api: Api,
    settings: TelegramSettings,
    menu: Vec<MenuCommand>,
    pace: Pace,
    /// The server takes drafts for private chats.
    takes_drafts: AtomicBool,
    /// The bot's account, once Telegram has told it.
    account: OnceCell<Me>,
    /// Where Telegram brings updates, if it does.
    hook: Option<Hook>,
    /// The answers in chats that the bot is no member of.
    guests: guest::Answers,
    /// Topics of private chats that wait for a name.
    untitled: topics::Untitled,
    /// Long texts whose pieces may still come.
    cuts: cut::Cuts,
    /// The meaning of taps on the buttons below drafts.
    stops: stop::Stops,
}

impl Telegram {
    /// Makes the adapter. Nothing is sent before [`Channel::receive`] or [`Channel::send`]. `menu`: the commands that
    /// Telegram's menu shows.
    ///
    /// # Errors
    /// [`ChannelError::Misconfigured`]: the token or the address cannot be right.
    pub fn new(
        api_url: &Url,
        token: &Secret,
        settings: &TelegramSettings,
        menu: &[MenuCommand],
    ) -> Result<Self, ChannelError> {
        Ok(Self {
            api: Api::new(token, api_url)?.with_rich(settings.rich),
            pace: Pace::new(settings),
            takes_drafts: AtomicBool::new(true),
            account: OnceCell::new(),
            hook: Hook::of(settings, token)?,
            guests: guest::Answers::default(),
            untitled: topics::Untitled::default(),
            cuts: cut::Cuts::default(),
            stops: stop::Stops::default(),
            settings: settings.clone(),
            menu: menu.to_vec(),
        })
    }

    /// Whether answers are shown as they grow.
    fn drafts(&self) -> bool {
        self.settings.feedback == Feedback::Draft
    }

    /// Whether Telegram itself shows a growing answer there.
    fn signals_drafts(&self, to: &Address) -> bool {
        self.drafts() && to.private && self.takes_drafts.load(Ordering::Relaxed)
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
            file_bytes: if self.settings.local {
                LOCAL_FILE_BYTES
            } else {
                FILE_BYTES
            },
            flavor: Flavor::TelegramHtml,
            typing_every: (self.settings.feedback != Feedback::Reaction).then_some(TYPING_EVERY),
            marks: self.settings.feedback == Feedback::Reaction,
            asks_feedback: self.settings.feedback_buttons,
            draft_every: self.drafts().then_some(DRAFT_EVERY),
            status_every: Some(STATUS_EVERY),
            rich: self.settings.rich,
            one_message: Some(guest::VIA),
            ..Limits::default()
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        poll::receive(self, ingress.as_ref(), &stop).await
    }

    fn webhook(&self) -> Option<&dyn Webhook> {
        self.hook.is_some().then_some(self)
    }

    async fn send(&self, to: &Address, part: &Part, _key: &DeliveryKey) -> Result<Receipt, SendError> {
        match guest::query(to) {
            Some(query) => guest::answer(self, to, query, part).await,
            None => send::part(&self.api, &self.pace, to, part).await,
        }
    }

    fn has_forgotten(&self, to: &Address) -> bool {
        guest::query(to).is_some_and(|query| !self.guests.knows(query))
    }

    fn recall(&self, to: &Address, said: Vec<(Receipt, Part)>) {
        if let Some(query) = guest::query(to) {
            self.guests.recall(query, said);
        }
    }

    fn together(&self, files: &[Part]) -> usize {
        album::together(files)
    }

    async fn send_together(&self, to: &Address, files: &[Part], _key: &DeliveryKey) -> Result<Vec<Receipt>, SendError> {
        album::send(&self.api, &self.pace, to, files).await
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        if guest::is_place(&to.place) {
            // Nothing can be shown there but the answer.
            return Ok(());
        }
        match signal {
            Signal::Typing => send::typing(&self.api, &self.pace, to).await,
            Signal::Draft { key, text, plain, stop } if self.signals_drafts(to) => {
                let draft = draft::Draft {
                    id: draft::id(key),
                    text,
                    plain,
                };
                self.stops.note(draft.id, stop);
                if draft.show(&self.api, &self.pace, to).await? == draft::Support::No {
                    self.takes_drafts.store(false, Ordering::Relaxed);
                }
                Ok(())
            }
            // Telegram removes a draft by itself.
            Signal::Draft { .. } | Signal::DraftDropped { .. } | Signal::Progress { .. } | Signal::Done => Ok(()),
            Signal::Mark(mark) => reaction::mark(&self.api, &self.pace, to, *mark).await,
        }
    }

    async fn edit(&self, to: &Address, id: &str, part: &Part) -> Result<Receipt, SendError> {
        match guest::is_place(&to.place) {
            true => guest::change(self, to, id, part).await,
            false => send::edit(&self.api, &self.pace, to, id, part).await,
        }
    }

    async fn open_thread(&self, place: &str, thread: &NewThread) -> Result<String, SendError> {
        act::open_topic(&self.api, place, &thread.title).await
    }

    async fn show(
        &self,
        to: &Address,
        shown: Option<&str>,
        part: &Part,
        passing: Passing,
        _key: &DeliveryKey,
    ) -> Result<Option<String>, SendError> {
        passing::show(&self.api, &self.pace, to, shown, part, passing).await
    }

    fn edits_drafts(&self, to: &Address) -> Option<Duration> {
        let grows = self.drafts() && !self.signals_drafts(to) && !guest::is_place(&to.place);
        grows.then_some(match to.private {
            true => PRIVATE_EDIT_EVERY,
            false => GROUP_EDIT_EVERY,
        })
    }

    async fn retract(&self, to: &Address, shown: &str) -> Result<(), SendError> {
        send::delete(&self.api, &self.pace, to, shown).await
    }

    async fn probe(&self, to: &Address) -> Result<(), SendError> {
        send::probe(&self.api, &self.pace, to).await
    }

    async fn fetch(&self, id: &str, most: u64) -> Result<Bytes, FetchError> {
        fetch::file(self, id, most).await
    }

    async fn delete(&self, place: &str, message: &str) -> Result<(), SendError> {
        let to = Address {
            place: place.to_owned(),
            private: !place.starts_with('-'),
            reply_to: None,
            via: None,
        };
        send::delete(&self.api, &self.pace, &to, message).await
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

    async fn roles(&self, place: &str, account: &str) -> Result<Vec<PlatformRole>, ActError> {
        act::roles(&self.api, place, account).await
    }
}
