//! Pressed buttons: the commands that they give. Pure: payload in, event out.
//!
//! Few fields are read: the message that the button stands below may hold anything, or be too old to be sent along.

use clifford_channel::{
    Button, Command, Inbound, Press,
    lenient::{int, object, text},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    alone::Alone,
    update::{account, place_of, topic},
};

/// Stands before the id of the message whose place an answer takes.
const IN_PLACE_OF: &str = "in place of ";

#[derive(Deserialize)]
struct Update<'a> {
    #[serde(borrow)]
    callback_query: Option<&'a RawValue>,
}

/// The id of the callback query in an update: it must be answered, even if the rest is unreadable.
pub(crate) fn query_id(raw: &str) -> Option<String> {
    // Most updates are none, and need not be parsed for it.
    let query = raw
        .contains("\"callback_query\"")
        .then(|| serde_json::from_str::<Update<'_>>(raw).ok()?.callback_query)
        .flatten()?;
    text(&serde_json::from_str(query.get()).ok()?, "id")
}

/// The command of a press; `None` if the button is not the bot's, or is not below one of its messages. `now`: Telegram
/// does not send the time of a press. `Err` names a missing field.
pub(crate) fn read(query: &Value, now: Timestamp) -> Result<Option<Inbound>, String> {
    let id = text(query, "id").ok_or("it has no id")?;
    let from = object(query, "from")
        .and_then(account)
        .ok_or("it names nobody who pressed")?;
    // None on a game's button, and none where a message was sent in the bot's name by somebody else.
    let data = match query.get("data") {
        None | Some(Value::Null) => return Ok(None),
        Some(_) => text(query, "data").ok_or("what stands behind the button is no text")?,
    };
    let Some(below) = object(query, "message") else {
        return Ok(None);
    };
    let (press, command) = Button::behind(&data);
    let (Some((name, argument)), Some(chat)) = (Button::pressed(command), object(below, "chat")) else {
        return Ok(None);
    };
    let alone = Alone::of_press(query);
    let via = int(below, "message_id")
        .filter(|_| press == Press::InPlace)
        .map(in_place_of);
    let Some(place) = place_of(chat, topic(below), None) else {
        return Ok(None);
    };
    // "Always 0. The field can be used to differentiate regular and inaccessible messages"; of such a message nothing says
    // in which topic it stands (https://core.telegram.org/bots/api#inaccessiblemessage).
    let is_inaccessible = int(below, "date") == Some(0);
    Ok(Some(Inbound::Command(Command {
        place,
        speaker: from,
        // The prefix keeps it apart from the ids of messages.
        id: format!("{}{id}", Command::PRESS),
        name,
        argument,
        sent_at: now,
        via: alone.as_ref().map(Alone::via).or(via),
        answered_alone: alone.is_some(),
        below: is_inaccessible
            .then(|| int(below, "message_id").map(|id| id.to_string()))
            .flatten(),
    })))
}

/// The [`Command::via`] of an answer that takes a message's place.
fn in_place_of(message: i64) -> String {
    format!("{IN_PLACE_OF}{message}")
}

/// The message whose place an answer takes.
pub(crate) fn place_taken(via: &str) -> Option<&str> {
    via.strip_prefix(IN_PLACE_OF)
}

#[cfg(test)]
mod tests;
