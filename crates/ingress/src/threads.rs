//! Questions that are answered in a new thread, with a conversation of its own: those that ask for it, and all of a place
//! where that is set.
//!
//! The thread is opened before the message is stored, so that message, run and answer are its from the start. A message
//! that comes again finds the thread that was opened for it, or is known as stored.

use std::time::Duration;

use clifford_chat::{
    inbound::{Message, Place, PlaceKind},
    outbound::NewThread,
};
use clifford_core::{
    access::{self, Audience, Entry},
    clock::Timestamp,
    places::Threads,
};
use clifford_store::{
    Conn, StoreError,
    people::{reading, users},
    places::{channels, settings, threads},
};
use clifford_text::Chats;
use tokio::time::timeout;

use super::{IngressService, late};

/// The most characters of a thread's title.
const TITLE: usize = 80;
/// How long a platform may take to open one: the answer waits for it.
const OPENING: Duration = Duration::from_secs(5);

/// Where a question is answered.
pub(super) enum Answered {
    /// In the place where it was asked.
    Here,
    /// In a thread that was opened for it.
    In(Place),
    /// It is stored already.
    Stored,
}

impl IngressService {
    /// Whether a message is answered in a thread of its own where one can be opened.
    pub(super) async fn wants_thread(&self, message: &Message) -> Result<bool, StoreError> {
        let mut conn = self.db.read_local().await?;
        Ok(message.place.kind == PlaceKind::Group && self.is_thread_wanted(&mut conn, message).await?)
    }

    async fn is_thread_wanted(&self, conn: &mut Conn, message: &Message) -> Result<bool, StoreError> {
        if message.addressed.in_thread {
            return Ok(true);
        }
        let here = self.context.settings.defaults().at(conn, &message.place).await?;
        Ok(here.threads == Threads::Auto)
    }

    /// Opens a thread for a question, where it is to have one and its author may speak. Where the platform opens none, it
    /// is answered where it was asked.
    pub(super) async fn thread_for(
        &self,
        message: &Message,
        via: Option<&str>,
        audience: &Audience,
        now: Timestamp,
    ) -> Result<Answered, StoreError> {
        let place = &message.place;
        // Of an album only one piece has the question; of a long text that was cut, the first.
        let is_of_several = message.album.is_some() && !message.attachments.is_empty();
        if place.kind != PlaceKind::Group || is_of_several {
            return Ok(Answered::Here);
        }
        let catch_up = self.settings.section.catch_up;
        let is_too_old = late::is_too_old(message.backfilled, message.sent_at.into(), catch_up, now);
        let space = place.space.as_ref().map(|space| space.external_id.as_str());
        {
            let mut conn = self.db.read_local().await?;
            let is_wanted = self.is_thread_wanted(&mut conn, message).await?;
            // A history may tell of a question that has its thread since before the setting was changed.
            if (is_wanted || message.backfilled)
                && threads::is_stored(&mut conn, place.platform, &place.external_id, space, &message.id).await?
            {
                return Ok(Answered::Stored);
            }
            if !is_wanted || is_too_old {
                return Ok(Answered::Here);
            }
            if !is_welcome(&mut conn, message, audience).await? {
                return Ok(Answered::Here);
            }
        }
        let title = match clifford_markup::headline(&message.text, TITLE) {
            Some(title) => title,
            None => self.untitled(message).await?,
        };
        let new = NewThread {
            message: message.id.clone(),
            via: via.map(str::to_owned),
            title: self.masked(title),
        };
        let opened = timeout(OPENING, self.context.delivery.open_thread(place, &new)).await;
        let reason = match opened {
            Ok(Ok(thread)) => {
                return Ok(Answered::In(Place {
                    external_id: thread,
                    parent: Some(place.external_id.clone()),
                    kind: PlaceKind::Thread,
                    name: Some(new.title),
                    ..place.clone()
                }));
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the platform did not answer in time".to_owned(),
        };
        tracing::info!(platform = %place.platform, reason, "failed to open a thread, answering where it was asked");
        Ok(Answered::Here)
    }

    /// The title of the thread of a question without words: its author's name, in the language of the place.
    async fn untitled(&self, message: &Message) -> Result<String, StoreError> {
        let mut conn = self.db.read_local().await?;
        let own = message.speaker.language.as_deref();
        let (_, everybody) = reading::at(&mut conn, own, &message.place).await?;
        let title = everybody.say(Chats::QuestionOf {
            person: message.speaker.name.clone(),
        });
        Ok(clifford_markup::shortened(&title, TITLE))
    }
}

/// Whether the author of a message that speaks to the bot is answered where it stands.
pub(super) async fn is_welcome(conn: &mut Conn, message: &Message, audience: &Audience) -> Result<bool, StoreError> {
    let (place, speaker) = (&message.place, &message.speaker);
    let user = users::by_identity(conn, place.platform, &speaker.id).await?;
    let role = user.map(|user| user.role);
    let rules = settings::rules(conn, place).await?;
    if access::entry_here(audience, place, speaker, role, &rules) != Entry::Welcome
        || !rules.admits(speaker, role)
        || !rules.answers(true)
    {
        return Ok(false);
    }
    let channel = channels::by_place(conn, place.platform, &place.external_id).await?;
    Ok(channel.is_none_or(|channel| !channel.is_turned_off()))
}
