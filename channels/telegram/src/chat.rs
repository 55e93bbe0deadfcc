//! Changes of chats: a group gets another id or name, and the bot is added to it or removed.

use clifford_channel::{
    Inbound, Joined, Left, Moved, Renamed,
    lenient::{flag, int, name, object, text as string},
};
use serde_json::Value;

use crate::update::{self, Kind, chat_id};

/// The event of a message that tells of another id or name of its chat; `None` if it does not.
pub(crate) fn change(message: &Value) -> Result<Option<Inbound>, String> {
    // Telegram reports a group's move in the old chat and in the new one: whichever comes first is enough.
    let moves = match (int(message, "migrate_to_chat_id"), int(message, "migrate_from_chat_id")) {
        (Some(to), _) => Some((chat_id(message)?, to)),
        (None, Some(from)) => Some((from, chat_id(message)?)),
        (None, None) => None,
    };
    if let Some((from, to)) = moves {
        return Ok(Some(Inbound::Moved(Moved {
            platform: crate::PLATFORM,
            from: from.to_string(),
            to: to.to_string(),
        })));
    }
    Ok(renamed(message)?.map(Inbound::Renamed))
}

/// The new name of a group or topic. A topic's messages go on to tell the one that it began with.
fn renamed(message: &Value) -> Result<Option<Renamed>, String> {
    let chat = chat_id(message)?;
    let of_topic = object(message, "forum_topic_edited").and_then(|edited| name(edited, "name"));
    let first_is_retold = of_topic.is_some();
    let (place, space, name) = match (of_topic, name(message, "new_chat_title"), update::topic(message)) {
        (Some(name), _, Some(topic)) => (format!("{chat}:{topic}"), None, name),
        (None, Some(title), _) => (chat.to_string(), Some(chat.to_string()), title),
        _ => return Ok(None),
    };
    Ok(Some(Renamed {
        platform: crate::PLATFORM,
        place: Some(place),
        space,
        name,
        first_is_retold,
    }))
}

/// The event of a change of the bot's own membership; `None` if the bot ignores it. `Err` names a missing field.
pub(crate) fn membership(change: &Value) -> Result<Option<Inbound>, String> {
    let chat = object(change, "chat").ok_or("it names no chat")?;
    let id = int(chat, "id").ok_or("its chat has no id")?.to_string();
    let now = object(change, "new_chat_member").ok_or("it names no new member")?;
    let status = string(now, "status").ok_or("it names no new status")?;
    let is_banned = status == "kicked";
    let is_gone = is_away(now);
    let kind = update::kind(chat);
    if !is_gone && kind == Kind::Group && object(change, "old_chat_member").is_some_and(is_away) {
        let place = update::place_of(chat, None, None);
        return Ok(place.map(|place| Inbound::Joined(Joined { place })));
    }
    if !is_gone || kind == Kind::Channel {
        return Ok(None);
    }
    let private = kind == Kind::Private;
    let reason = match (private, is_banned) {
        (true, _) => "the bot was blocked by the user",
        (false, true) => "the bot was kicked from the group",
        (false, false) => "the bot is no member of the group any more",
    };
    Ok(Some(Inbound::Left(Left {
        platform: crate::PLATFORM,
        place: private.then(|| id.clone()),
        space: (!private).then_some(id),
        reason: reason.to_owned(),
    })))
}

/// Whether a member of a chat is none.
fn is_away(member: &Value) -> bool {
    match string(member, "status").as_deref() {
        Some("kicked" | "left") => true,
        Some("restricted") => !flag(member, "is_member"),
        _ => false,
    }
}
