//! One update of a batch, from the text that came.
//!
//! Telegram adds kinds of entities and fields faster than any library follows, and teloxide reads a
//! message with one unknown entity as a message without content. What somebody wrote is worth more than
//! its decoration: such a message is read again without it, and only what stays unreadable is handed in
//! as such.

use clifford_channel::{Inbound, Platform, Unreadable};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use teloxide::types::{Message, MessageEntity, MessageKind, Update, UpdateKind};

use crate::{
    press,
    update::{Me, map},
};

/// What is left of a message that could not be read whole.
const LEAN: [&str; 28] = [
    "message_id",
    "message_thread_id",
    "is_topic_message",
    "is_automatic_forward",
    "forward_origin",
    "from",
    "sender_chat",
    "via_bot",
    "date",
    "chat",
    "text",
    "entities",
    "caption",
    "caption_entities",
    "media_group_id",
    "reply_to_message",
    "animation",
    "audio",
    "contact",
    "document",
    "location",
    "photo",
    "sticker",
    "venue",
    "video",
    "video_note",
    "voice",
    "migrate_to_chat_id",
];
/// The kinds of files that have a media type.
const FILES: [&str; 5] = ["animation", "audio", "document", "video", "voice"];
/// What says which message is answered, whose it is, and which topic it opens.
const ANSWERED: [&str; 7] = [
    "message_id",
    "message_thread_id",
    "is_topic_message",
    "from",
    "date",
    "chat",
    "forum_topic_created",
];
/// What is left if the files of a message cannot be read.
const BARE: [&str; 12] = [
    "message_id",
    "message_thread_id",
    "is_topic_message",
    "forward_origin",
    "from",
    "sender_chat",
    "via_bot",
    "date",
    "chat",
    "text",
    "entities",
    "reply_to_message",
];

/// The id of an update; `None` if it has none that can be confirmed.
pub(crate) fn update_id(raw: &str) -> Option<i32> {
    #[derive(Deserialize)]
    struct Id {
        update_id: i32,
    }
    serde_json::from_str::<Id>(raw).ok().map(|id| id.update_id)
}

/// What an update that came `now` means; `None` if it means nothing to the bot.
pub(crate) fn inbound(raw: &str, me: &Me, now: Timestamp) -> Option<Inbound> {
    let read = press::read(raw, now).unwrap_or_else(|| parse(raw).map(|update| map(&update, me)));
    match read {
        Ok(event) => event,
        Err(error) => Some(Inbound::Unreadable(Unreadable {
            platform: Platform::Telegram,
            payload: raw.to_owned(),
            error,
        })),
    }
}

fn parse(raw: &str) -> Result<Update, String> {
    // What is unknown in an update is no error here, but an update that is not readable.
    let whole: Update = serde_json::from_str(raw).map_err(|error| format!("no update: {error}"))?;
    if is_readable(&whole) {
        return Ok(whole);
    }
    let value: Value = serde_json::from_str(raw).map_err(|error| format!("no JSON: {error}"))?;
    [lean, bare]
        .into_iter()
        .filter_map(|mend| serde_json::from_str(&mend(value.clone())?.to_string()).ok())
        .find(is_readable)
        .ok_or_else(|| explain(&value))
}

fn is_readable(update: &Update) -> bool {
    match &update.kind {
        UpdateKind::Error(_) => false,
        UpdateKind::Message(message) | UpdateKind::EditedMessage(message) => {
            !matches!(message.kind, MessageKind::Empty {})
                && (message.from.is_some() || message.sender_chat.is_some() || message.chat.is_channel())
        }
        _ => true,
    }
}

/// The update's message, under whichever name it has.
fn message(update: &mut Value) -> Option<&mut Map<String, Value>> {
    let name = ["message", "edited_message"]
        .into_iter()
        .find(|name| update.get(name).is_some())?;
    update.get_mut(name)?.as_object_mut()
}

/// Without decoration.
fn lean(mut update: Value) -> Option<Value> {
    let message = message(&mut update)?;
    message.retain(|key, _| LEAN.contains(&key.as_str()));
    // By whom it was said first does not matter, only that it was said before.
    if let Some(origin) = message.get_mut("forward_origin") {
        *origin = json!({ "type": "hidden_user", "date": 0, "sender_user_name": "" });
    }
    for name in ["entities", "caption_entities"] {
        if let Some(Value::Array(entities)) = message.get_mut(name) {
            entities.retain(|entity| MessageEntity::deserialize(entity).is_ok());
        }
    }
    for name in FILES {
        if let Some(Value::Object(file)) = message.get_mut(name) {
            // teloxide wants a media type, which Telegram may leave out, and sizes below 4 GiB.
            file.entry("mime_type").or_insert(Value::Null);
            if file
                .get("file_size")
                .is_some_and(|size| u32::deserialize(size).is_err())
            {
                file.remove("file_size");
            }
        }
    }
    if let Some(Value::Object(answered)) = message.get_mut("reply_to_message") {
        answered.retain(|key, _| ANSWERED.contains(&key.as_str()));
        if !answered.contains_key("forum_topic_created") {
            answered.insert("text".to_owned(), Value::String(String::new()));
        }
    }
    Some(update)
}

/// Without decoration and files.
fn bare(update: Value) -> Option<Value> {
    let mut update = lean(update)?;
    let message = message(&mut update)?;
    for (caption, text) in [("caption", "text"), ("caption_entities", "entities")] {
        if let Some(value) = message.remove(caption) {
            message.insert(text.to_owned(), value);
        }
    }
    message.retain(|key, _| BARE.contains(&key.as_str()));
    Some(update)
}

/// Why an update could not be read.
fn explain(update: &Value) -> String {
    let Some(fields) = update.as_object() else {
        return "no object".to_owned();
    };
    let Some((kind, payload)) = fields.iter().find(|(key, _)| *key != "update_id") else {
        return "an update without content".to_owned();
    };
    if kind != "message" && kind != "edited_message" {
        return format!("an update of the kind `{kind}` that could not be read");
    }
    match serde_json::from_str::<Message>(&payload.to_string()) {
        Err(error) => format!("a `{kind}` that could not be read: {error}"),
        Ok(_) => {
            let keys: Vec<&str> = payload
                .as_object()
                .into_iter()
                .flat_map(Map::keys)
                .map(String::as_str)
                .collect();
            format!("a `{kind}` without known content or sender; it has {}", keys.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
