//! Telegram's updates in the words of all platforms. Pure: payload in, event out.

use clifford_channel::{
    Addressed, BY_INLINE_BOT, Command, Edit, FORWARDED, Inbound, Left, Message, Moved, Place, PlaceKind, Platform,
    Space, Speaker,
};
use jiff::Timestamp;
use teloxide::types::{
    Chat, ChatMemberUpdated, ChatMigration, MediaKind, Message as Raw, MessageCommon, MessageKind, ThreadId, Update,
    UpdateKind, User, UserId,
};

use crate::{
    media,
    place::external_id,
    text::{Cleaned, clean},
};

/// The bot's own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Me {
    pub(crate) id: UserId,
    /// Without `@`.
    pub(crate) username: Option<String>,
}

/// What an update means; `None` if it means nothing to the bot.
pub(crate) fn map(update: &Update, me: &Me) -> Option<Inbound> {
    match &update.kind {
        UpdateKind::Message(message) => map_message(message, me),
        UpdateKind::EditedMessage(message) => map_edit(message, me),
        UpdateKind::MyChatMember(change) => map_membership(change),
        _ => None,
    }
}

fn map_message(message: &Raw, me: &Me) -> Option<Inbound> {
    let common = content(message)?;
    if let MediaKind::Migration(migration) = &common.media_kind {
        return map_migration(message, *migration);
    }
    let place = place(message)?;
    let speaker = speaker(message, me)?;
    let (text, entities) = media::text(&common.media_kind);
    let Cleaned { text, mentioned } = clean(text, entities, me);
    let id = message.id.to_string();
    let sent_at = Timestamp::from_second(message.date.timestamp()).unwrap_or_default();
    let origin = of_others(message, common);
    if origin.is_none()
        && matches!(common.media_kind, MediaKind::Text(_))
        && let Some((name, argument)) = Command::split(&text, me.username.as_deref())
    {
        return Some(Inbound::Command(Command {
            place,
            speaker,
            id,
            name,
            argument,
            sent_at,
            via: None,
        }));
    }
    let text = marked(origin, text);
    let answered = answered(message);
    Some(Inbound::Message(Message {
        place,
        speaker,
        id,
        text,
        sent_at,
        reply_to: answered.map(|answered| answered.id.to_string()),
        addressed: Addressed {
            mention: mentioned,
            reply: answered.is_some_and(|answered| answered.from.as_ref().is_some_and(|from| from.id == me.id)),
        },
        attachments: media::attachments(&common.media_kind),
        album: media::album(&common.media_kind),
        backfilled: false,
        via: None,
    }))
}

/// What stands before the text of a message that its sender did not write.
fn of_others(message: &Raw, common: &MessageCommon) -> Option<&'static str> {
    if common.forward_origin.is_some() {
        Some(FORWARDED)
    } else {
        message.via_bot.as_ref().map(|_| BY_INLINE_BOT)
    }
}

fn marked(origin: Option<&str>, text: String) -> String {
    match origin {
        Some(origin) => format!("{origin} {text}").trim_end().to_owned(),
        None => text,
    }
}

fn map_edit(message: &Raw, me: &Me) -> Option<Inbound> {
    let common = content(message)?;
    let (text, entities) = media::text(&common.media_kind);
    // What has no text (a live location that moves) was not rewritten.
    if text.is_empty() {
        return None;
    }
    Some(Inbound::Edit(Edit {
        place: place(message)?,
        speaker: speaker(message, me)?,
        id: message.id.to_string(),
        text: marked(of_others(message, common), clean(text, entities, me).text),
    }))
}

/// A group's move is told twice, in the old chat and in the new one; the first is enough.
fn map_migration(message: &Raw, migration: ChatMigration) -> Option<Inbound> {
    let ChatMigration::To { chat_id } = migration else {
        return None;
    };
    Some(Inbound::Moved(Moved {
        platform: Platform::Telegram,
        from: message.chat.id.to_string(),
        to: chat_id.to_string(),
    }))
}

fn map_membership(change: &ChatMemberUpdated) -> Option<Inbound> {
    let now = &change.new_chat_member.kind;
    if now.is_present() || change.chat.is_channel() {
        return None;
    }
    let id = change.chat.id.to_string();
    let private = change.chat.is_private();
    let reason = match (private, now.is_banned()) {
        (true, _) => "the bot was blocked by the user",
        (false, true) => "the bot was kicked from the group",
        (false, false) => "the bot is no member of the group any more",
    };
    Some(Inbound::Left(Left {
        platform: Platform::Telegram,
        place: private.then(|| id.clone()),
        space: (!private).then_some(id),
        reason: reason.to_owned(),
    }))
}

/// What somebody said, as opposed to what Telegram reports (members, titles, pins).
fn content(message: &Raw) -> Option<&MessageCommon> {
    match &message.kind {
        // A channel's post that Telegram copied into its discussion group was said to nobody there.
        MessageKind::Common(common) if !common.is_automatic_forward => Some(common),
        _ => None,
    }
}

fn place(message: &Raw) -> Option<Place> {
    place_of(&message.chat, topic(message), topic_name(message))
}

/// A chat or a topic of one as a place; `None` for a channel, where nobody speaks to the bot.
pub(crate) fn place_of(chat: &Chat, topic: Option<ThreadId>, topic_name: Option<String>) -> Option<Place> {
    if chat.is_channel() {
        return None;
    }
    if chat.is_private() {
        return Some(Place {
            platform: Platform::Telegram,
            external_id: external_id(chat.id, None),
            kind: PlaceKind::Private,
            name: private_name(chat),
            space: None,
        });
    }
    let title = chat.title().map(str::to_owned);
    Some(Place {
        platform: Platform::Telegram,
        external_id: external_id(chat.id, topic),
        kind: if topic.is_some() {
            PlaceKind::Thread
        } else {
            PlaceKind::Group
        },
        name: if topic.is_some() { topic_name } else { title.clone() },
        space: Some(Space {
            external_id: chat.id.to_string(),
            name: title,
        }),
    })
}

fn private_name(chat: &Chat) -> Option<String> {
    let name = match (chat.first_name(), chat.last_name()) {
        (Some(first), Some(last)) => format!("{first} {last}"),
        (first, last) => first.or(last)?.to_owned(),
    };
    Some(name)
}

/// The forum topic. Threads of replies have an id too, but are no places of their own.
fn topic(message: &Raw) -> Option<ThreadId> {
    message.thread_id.filter(|_| message.is_topic_message)
}

fn replied(message: &Raw) -> Option<&Raw> {
    match &message.kind {
        MessageKind::Common(common) => common.reply_to_message.as_deref(),
        _ => None,
    }
}

/// The message that this one answers. In a topic, what answers nothing points at the topic's first message.
fn answered(message: &Raw) -> Option<&Raw> {
    replied(message).filter(|replied| topic(message).is_none_or(|topic| topic.0 != replied.id))
}

fn topic_name(message: &Raw) -> Option<String> {
    match &replied(message)?.kind {
        MessageKind::ForumTopicCreated(created) => Some(created.forum_topic_created.name.clone()),
        _ => None,
    }
}

/// Who wrote. Whoever writes as a group or a channel is that group or channel; the account that Telegram
/// puts in their place is a bot that stands for all of them.
fn speaker(message: &Raw, me: &Me) -> Option<Speaker> {
    match (&message.sender_chat, &message.from) {
        (Some(chat), _) => Some(Speaker {
            id: chat.id.to_string(),
            name: chat.title().unwrap_or("anonymous").to_owned(),
            handle: chat.username().map(str::to_owned),
            is_bot: false,
            language: None,
        }),
        (None, Some(user)) => (user.id != me.id).then(|| account(user)),
        (None, None) => None,
    }
}

pub(crate) fn account(user: &User) -> Speaker {
    Speaker {
        id: user.id.to_string(),
        name: user.full_name(),
        handle: user.username.clone(),
        is_bot: user.is_bot,
        language: user.language_code.clone(),
    }
}
