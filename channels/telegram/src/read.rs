//! Reads one update of a batch from its raw JSON.
//!
//! Everything but an id, a chat, an author and some content may be missing or of the wrong type: the message is read
//! without it (see `clifford_channel::lenient`). An update that stays unreadable is kept as such, with the reason.
//! teloxide's `Update` loses the whole message by one odd field (`one_odd_field_loses_no_message`).

use clifford_channel::{Inbound, Unreadable, lenient::object};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use teloxide::requests::Payload;

use crate::{chat, guest, me::Me, press, reaction, stop, update};

/// A question from a chat that the bot is no member of.
const GUEST: &str = "guest_message";

/// The kinds of updates that the bot asks for.
pub(crate) fn wanted(me: &Me) -> Vec<&'static str> {
    let asked = |kind: &&str| me.takes_guests || *kind != GUEST;
    KINDS.into_iter().filter(asked).collect()
}

/// A request of teloxide's with the kinds of updates that are wanted: teloxide's type knows fewer.
#[derive(Serialize)]
pub(crate) struct Wanting<M> {
    #[serde(flatten)]
    pub(crate) request: M,
    pub(crate) allowed_updates: Vec<&'static str>,
}

impl<M: Payload> Payload for Wanting<M> {
    type Output = M::Output;

    const NAME: &'static str = M::NAME;
}

/// Known kinds of updates that the bot ignores.
const IGNORED: [&str; 17] = [
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "message_reaction_count",
    "inline_query",
    "chosen_inline_result",
    "shipping_query",
    "pre_checkout_query",
    "purchased_paid_media",
    "poll",
    "poll_answer",
    "chat_member",
    "chat_join_request",
    "chat_boost",
];

/// The id of an update; `None` if it has none that can be confirmed.
pub(crate) fn update_id(raw: &str) -> Option<i32> {
    #[derive(Deserialize)]
    struct Id {
        update_id: i32,
    }
    serde_json::from_str::<Id>(raw).ok().map(|id| id.update_id)
}

/// The event of an update that came `now`; `None` if the bot ignores it.
pub(crate) fn inbound(raw: &str, me: &Me, now: Timestamp) -> Option<Inbound> {
    read(raw, me, now).unwrap_or_else(|error| {
        Some(Inbound::Unreadable(Unreadable {
            platform: crate::PLATFORM,
            payload: raw.to_owned(),
            error,
        }))
    })
}

fn read(raw: &str, me: &Me, now: Timestamp) -> Result<Option<Inbound>, String> {
    let value: Value = serde_json::from_str(raw).map_err(|error| format!("no update: {error}"))?;
    let Some(fields) = value.as_object() else {
        return Err("no update: it is no object".to_owned());
    };
    let Some(id) = update_id(raw) else {
        return Err("no update: it has no `update_id` that can be confirmed".to_owned());
    };
    let mut kinds = fields.iter().filter(|(key, _)| *key != "update_id");
    let Some((kind, _)) = kinds
        .clone()
        .find(|(key, _)| KINDS.contains(&key.as_str()))
        .or_else(|| kinds.next())
    else {
        return Err("an update without content".to_owned());
    };
    let payload = object(&value, kind);
    let read = match (kind.as_str(), payload) {
        ("message", Some(message)) => update::message(message, me, now),
        ("edited_message", Some(message)) => update::edit(message, me),
        ("guest_message", Some(message)) => guest::question(message, me, now),
        ("callback_query", Some(query)) => press::read(query, now),
        ("message_reaction", Some(change)) => reaction::read(change),
        ("my_chat_member", Some(change)) => chat::membership(change),
        ("stopped_message_generation", Some(stopped)) => stop::read(stopped, id, now),
        (kind, None) if KINDS.contains(&kind) => Err("that could not be read: it is no object".to_owned()),
        (kind, _) if IGNORED.contains(&kind) => return Ok(None),
        (kind, _) => return Err(format!("an update of the kind `{kind}` that could not be read")),
    };
    read.map_err(
        |error| match error.starts_with("without") || error.starts_with("that could") {
            true => format!("a `{kind}` {error}"),
            false => format!("a `{kind}` that could not be read: {error}"),
        },
    )
}

/// The kinds of updates that are read, as they are called.
const KINDS: [&str; 7] = [
    "message",
    "edited_message",
    GUEST,
    "callback_query",
    "message_reaction",
    "my_chat_member",
    "stopped_message_generation",
];

#[cfg(test)]
mod tests;
