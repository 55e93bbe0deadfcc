//! Pressed buttons: the commands that they give. Pure: payload in, event out.
//!
//! Only what is needed is read, for the message below which the button stands may hold anything, or be too old to be
//! told of.

use clifford_channel::{Button, Command, Inbound};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use teloxide::types::{Chat, MessageId, ThreadId, User};

use crate::update::{account, place_of};

#[derive(Deserialize)]
struct Update<'a> {
    #[serde(borrow)]
    callback_query: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

/// A callback query, as far as it matters here.
#[derive(Deserialize)]
struct Query {
    id: String,
    from: User,
    /// What the button stands below; none where that was sent in the bot's name by somebody else.
    message: Option<Below>,
    /// What the bot wrote behind the button; none on a game's.
    data: Option<String>,
}

#[derive(Deserialize)]
struct Below {
    chat: Chat,
    message_thread_id: Option<i32>,
    #[serde(default)]
    is_topic_message: bool,
}

/// The callback query of an update, if it is one.
fn query(raw: &str) -> Option<&RawValue> {
    // Every update is asked, and hardly any is one.
    raw.contains("\"callback_query\"")
        .then(|| serde_json::from_str::<Update<'_>>(raw).ok()?.callback_query)
        .flatten()
}

/// The id of the callback query in an update: it must be answered, whatever else it holds.
pub(crate) fn query_id(raw: &str) -> Option<String> {
    let query = query(raw)?;
    serde_json::from_str::<Id>(query.get()).ok().map(|query| query.id)
}

/// The command that a press gives, if the update is one. `now`: Telegram does not tell when it was pressed.
///
/// # Errors
/// It cannot be read.
pub(crate) fn read(raw: &str, now: Timestamp) -> Option<Result<Option<Inbound>, String>> {
    let query = query(raw)?;
    let read = serde_json::from_str::<Query>(query.get())
        .map_err(|error| format!("a `callback_query` that could not be read: {error}"));
    Some(read.map(|query| command(query, now)))
}

fn command(query: Query, now: Timestamp) -> Option<Inbound> {
    let (name, argument) = Button::pressed(query.data.as_deref()?)?;
    let below = query.message?;
    let topic = below
        .message_thread_id
        .filter(|_| below.is_topic_message)
        .map(|id| ThreadId(MessageId(id)));
    Some(Inbound::Command(Command {
        place: place_of(&below.chat, topic, None)?,
        speaker: account(&query.from),
        // A place's messages have ids of their own.
        id: format!("press:{}", query.id),
        name,
        argument,
        sent_at: now,
        via: None,
    }))
}

#[cfg(test)]
mod tests;
