//! Telegram's updates as events of all platforms. Pure: payload in, event out.

use clifford_channel::{
    Addressed, Attachment, BY_INLINE_BOT, Command, Edit, FORWARDED, Inbound, Message, Place, PlaceKind, Quoted, Space,
    Speaker,
    lenient::{flag, int, line, list, name, object, text as string},
};
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    alone::{self, Alone},
    chat,
    me::Me,
    media,
    text::{self, Cleaned},
};

/// Fields of service messages, which Telegram sends in the name of a person who wrote nothing.
const SERVICE_FIELDS: [&str; 55] = [
    "new_chat_members",
    "left_chat_member",
    "chat_owner_left",
    "chat_owner_changed",
    "new_chat_title",
    "new_chat_photo",
    "delete_chat_photo",
    "group_chat_created",
    "supergroup_chat_created",
    "channel_chat_created",
    "message_auto_delete_timer_changed",
    "migrate_from_chat_id",
    "pinned_message",
    "successful_payment",
    "refunded_payment",
    "users_shared",
    "chat_shared",
    "gift",
    "unique_gift",
    "gift_upgrade_sent",
    "connected_website",
    "write_access_allowed",
    "passport_data",
    "proximity_alert_triggered",
    "boost_added",
    "chat_background_set",
    "checklist_tasks_done",
    "checklist_tasks_added",
    "direct_message_price_changed",
    "paid_message_price_changed",
    "forum_topic_created",
    "forum_topic_edited",
    "forum_topic_closed",
    "forum_topic_reopened",
    "general_forum_topic_hidden",
    "general_forum_topic_unhidden",
    "giveaway_created",
    "giveaway_completed",
    "video_chat_scheduled",
    "video_chat_started",
    "video_chat_ended",
    "video_chat_participants_invited",
    "web_app_data",
    "user_shared",
    "suggested_post_approved",
    "suggested_post_approval_failed",
    "suggested_post_declined",
    "suggested_post_paid",
    "suggested_post_refunded",
    "managed_bot_created",
    "poll_option_added",
    "poll_option_deleted",
    "community_chat_added",
    "community_chat_joined",
    "community_chat_removed",
];

/// The command that asks: a message that speaks to the bot, with what it answers and the files that came with it.
const ASK: &str = "ask";

/// The event of a new message that came `now`; `None` if the bot ignores it. `Err` names a missing field.
pub(crate) fn message(message: &Value, me: &Me, now: Timestamp) -> Result<Option<Inbound>, String> {
    if let Some(change) = chat::change(message)? {
        return Ok(Some(change));
    }
    let Some(header) = header(message, me)? else {
        return Ok(None);
    };
    let Header { place, speaker, id } = header;
    let sent_at = int(message, "date").and_then(|date| Timestamp::from_second(date).ok());
    let sent_at = sent_at.unwrap_or(now);
    let Cleaned {
        mut text,
        mut mentioned,
    } = text::clean(message, me);
    let alone = Alone::of_message(message);
    let answered = replied_message(message);
    let quoted = quoted(message, answered, me);
    // In private nobody else is there.
    if !place.kind.is_private() && !mentioned && Command::is_for_another(&text, me.username.as_deref()) {
        return Ok(None);
    }
    let command = Command::split(&text, me.username.as_deref()).filter(|_| !is_of_others(message));
    if let Some((name, argument)) = command {
        let is_caption = string(message, "text").is_none();
        if name == ASK && (is_caption || quoted.is_some() || !argument.is_empty()) {
            (text, mentioned) = (argument, true);
        } else {
            return Ok(Some(Inbound::Command(Command {
                place,
                speaker,
                id,
                name,
                argument,
                sent_at,
                via: alone.as_ref().map(Alone::via),
                answered_alone: alone.is_some(),
                below: None,
            })));
        }
    }
    if alone.is_some() {
        // Nobody else sees it, and a run would answer before everybody.
        return Ok(None);
    }
    let attachments = media::attachments(message);
    if let Some(kind) = media::unreadable_kind(message).filter(|_| attachments.is_empty() && text.is_empty()) {
        text = format!("[{kind}]");
    }
    Ok(Some(Inbound::Message(Message {
        place,
        speaker,
        id,
        text: marked(message, text),
        sent_at,
        reply_to: answered
            .and_then(|answered| int(answered, "message_id"))
            .map(|id| id.to_string()),
        addressed: Addressed {
            mention: mentioned,
            reply: answered.is_some_and(|answered| object(answered, "from").is_some_and(|from| me.is(from))),
            in_thread: false,
        },
        attachments,
        album: media::album(message),
        backfilled: false,
        via: None,
        quoted,
    })))
}

/// Whether a message holds words that its sender did not write: they forwarded it, or another bot made it for them.
fn is_of_others(message: &Value) -> bool {
    object(message, "forward_origin").is_some() || object(message, "via_bot").is_some()
}

/// The text of a message, or a part of it, with the mark of whose words they are, if not its sender's. Each way on which
/// a text leaves its message goes through here.
fn marked(message: &Value, text: String) -> String {
    if let Some(origin) = object(message, "forward_origin") {
        with_origin(&text, &author_of_origin(origin))
    } else if object(message, "via_bot").is_some() {
        format!("{BY_INLINE_BOT} {text}").trim_end().to_owned()
    } else {
        text
    }
}

/// The event of an edited message; `None` if the bot ignores it. `Err` names a missing field.
pub(crate) fn edit(message: &Value, me: &Me) -> Result<Option<Inbound>, String> {
    let Some(header) = header(message, me)? else {
        return Ok(None);
    };
    // A message without text (a live location that moves) was not rewritten.
    if string(message, "text")
        .or_else(|| string(message, "caption"))
        .is_none_or(|text| text.is_empty())
    {
        return Ok(None);
    }
    let text = text::clean(message, me).text;
    Ok(Some(Inbound::Edit(Edit {
        place: header.place,
        speaker: header.speaker,
        id: header.id,
        // A bot that made it for its sender may rewrite it at any time.
        text: match Command::split(&text, me.username.as_deref()) {
            Some((name, argument)) if name == ASK && !is_of_others(message) => argument,
            _ => marked(message, text),
        },
    })))
}

/// The place, author and id of a message.
struct Header {
    place: Place,
    speaker: Speaker,
    id: String,
}

/// Reads the header; `None` for service messages, posts of channels and the bot's own messages.
fn header(message: &Value, me: &Me) -> Result<Option<Header>, String> {
    let chat = object(message, "chat").ok_or("it names no chat")?;
    chat_id(message)?;
    let has_content = ["text", "caption"].iter().any(|name| string(message, name).is_some())
        || object(message, "rich_message").is_some()
        || media::has_media(message);
    let is_service = SERVICE_FIELDS
        .iter()
        .any(|field| message.get(field).is_some_and(|value| !value.is_null()));
    // A channel's post that Telegram copied into its discussion group addresses nobody there.
    if (is_service && !has_content) || kind(chat) == Kind::Channel || flag(message, "is_automatic_forward") {
        return Ok(None);
    }
    let id = match alone::id(message) {
        Some(id) => format!("alone {id}"),
        None => int(message, "message_id").ok_or("it has no id")?.to_string(),
    };
    let speaker = match (sender_chat(message), object(message, "from")) {
        (Some(chat), _) => Some(chat),
        (None, Some(from)) if me.is(from) => return Ok(None),
        (None, Some(from)) => account(from),
        (None, None) => None,
    };
    let (Some(speaker), true) = (speaker, has_content) else {
        let keys = message.as_object().into_iter().flat_map(|fields| fields.keys());
        let keys: Vec<_> = keys.map(String::as_str).collect();
        return Err(format!("without known content or sender; it has {}", keys.join(", ")));
    };
    let topic = topic(message);
    let opened = object(message, "reply_to_message").and_then(|replied| object(replied, "forum_topic_created"));
    // Nobody gave it the name that Telegram made up.
    let topic_name = opened.filter(|topic| !flag(topic, "is_name_implicit"));
    let topic_name = topic_name.and_then(|topic| name(topic, "name"));
    let Some(place) = place_of(chat, topic, topic_name) else {
        return Ok(None);
    };
    Ok(Some(Header { place, speaker, id }))
}

pub(crate) fn chat_id(message: &Value) -> Result<i64, String> {
    let chat = object(message, "chat").ok_or("it names no chat")?;
    Ok(int(chat, "id").ok_or("its chat has no id")?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Private,
    Group,
    Channel,
}

/// The kind of a chat. Telegram's ids tell people from groups where its type cannot be read.
pub(crate) fn kind(chat: &Value) -> Kind {
    match string(chat, "type").as_deref() {
        Some("private") => Kind::Private,
        Some("channel") => Kind::Channel,
        Some("group" | "supergroup") => Kind::Group,
        _ if int(chat, "id").is_some_and(|id| id > 0) => Kind::Private,
        _ => Kind::Group,
    }
}

/// A chat or a topic of one as a place; `None` for a channel, where nobody speaks to the bot.
pub(crate) fn place_of(chat: &Value, topic: Option<i64>, topic_name: Option<String>) -> Option<Place> {
    let id = int(chat, "id")?;
    let external_id = topic.map_or_else(|| id.to_string(), |topic| format!("{id}:{topic}"));
    match kind(chat) {
        Kind::Channel => None,
        // A topic of a private chat is one person's, too. Their own settings hold in each, so it needs no parent.
        Kind::Private => Some(Place {
            platform: crate::PLATFORM,
            external_id,
            parent: None,
            kind: PlaceKind::Private,
            name: if topic.is_some() { topic_name } else { full_name(chat) },
            space: None,
        }),
        Kind::Group => {
            let title = name(chat, "title");
            Some(Place {
                platform: crate::PLATFORM,
                external_id,
                parent: topic.map(|_| id.to_string()),
                kind: if topic.is_some() {
                    PlaceKind::Thread
                } else {
                    PlaceKind::Group
                },
                name: if topic.is_some() { topic_name } else { title.clone() },
                space: Some(Space {
                    external_id: id.to_string(),
                    name: title,
                }),
            })
        }
    }
}

fn full_name(person: &Value) -> Option<String> {
    match (name(person, "first_name"), name(person, "last_name")) {
        (Some(first), Some(last)) => Some(format!("{first} {last}")),
        (first, last) => first.or(last),
    }
}

/// The topic of a forum, or of a private chat. Threads of replies have an id too, but are no places of their own.
pub(crate) fn topic(message: &Value) -> Option<i64> {
    int(message, "message_thread_id").filter(|_| flag(message, "is_topic_message"))
}

/// The message that this one answers. In a topic, what answers nothing points at the topic's first message.
fn replied_message(message: &Value) -> Option<&Value> {
    object(message, "reply_to_message")
        .filter(|replied| topic(message).is_none_or(|topic| int(replied, "message_id") != Some(topic)))
        .filter(|replied| object(replied, "forum_topic_created").is_none())
}

/// The group or channel in whose name a message was written; the account that Telegram names in its place is a bot that
/// stands for all of them.
fn sender_chat(message: &Value) -> Option<Speaker> {
    let chat = object(message, "sender_chat")?;
    Some(Speaker {
        id: int(chat, "id")?.to_string(),
        name: name(chat, "title").unwrap_or_else(|| "anonymous".to_owned()),
        handle: name(chat, "username"),
        is_bot: false,
        language: None,
        roles: None,
    })
}

/// An account, by its id; its other fields are left out where they cannot be read.
pub(crate) fn account(user: &Value) -> Option<Speaker> {
    let id = int(user, "id")?.to_string();
    let handle = name(user, "username");
    Some(Speaker {
        name: full_name(user).or_else(|| handle.clone()).unwrap_or_else(|| id.clone()),
        id,
        handle,
        is_bot: flag(user, "is_bot"),
        language: name(user, "language_code"),
        roles: None,
    })
}

/// A forwarded text with its first author, where Telegram names one.
fn with_origin(text: &str, origin: &Author) -> String {
    // The brackets are ours: a name must not close them.
    let name = line(&origin.name, 100).replace(['(', ')', '[', ']'], "");
    match name.trim() {
        "" => format!("{FORWARDED} {text}").trim_end().to_owned(),
        name => format!("{FORWARDED} (from {name}) {text}").trim_end().to_owned(),
    }
}

/// An author, as far as Telegram names one.
#[derive(Default)]
struct Author {
    id: Option<String>,
    name: String,
}

impl Author {
    fn of(speaker: Option<Speaker>) -> Self {
        speaker.map_or_else(Self::default, |speaker| Self {
            id: Some(speaker.id),
            name: speaker.name,
        })
    }

    fn of_chat(chat: &Value, signature: Option<String>) -> Self {
        let title = name(chat, "title").or_else(|| full_name(chat));
        Self {
            id: int(chat, "id").map(|id| id.to_string()),
            name: title.or(signature).unwrap_or_default(),
        }
    }
}

/// The author of a message that was forwarded, or is quoted from another chat.
fn author_of_origin(origin: &Value) -> Author {
    if let Some(user) = object(origin, "sender_user") {
        return Author::of(account(user));
    }
    if let Some(name) = name(origin, "sender_user_name") {
        return Author { id: None, name };
    }
    match object(origin, "sender_chat").or_else(|| object(origin, "chat")) {
        Some(chat) => Author::of_chat(chat, name(origin, "author_signature")),
        None => Author::default(),
    }
}

/// The quoted content: a message of the same chat, one of another chat, or a story.
fn quoted(message: &Value, answered: Option<&Value>, me: &Me) -> Option<Quoted> {
    // The part that was chosen says more than the whole.
    let part = object(message, "quote").and_then(|quote| {
        let text = string(quote, "text").filter(|text| !text.trim().is_empty())?;
        Some(text::render(&text, list(quote, "entities"), me).text)
    });
    let part = part.or_else(|| {
        let task = int(message, "reply_to_checklist_task_id")?;
        media::task_of(answered.or_else(|| object(message, "external_reply"))?, task)
    });
    if let Some(answered) = answered {
        let author = match (sender_chat(answered), object(answered, "from")) {
            (None, Some(from)) => Author::of(account(from)),
            (chat, _) => Author::of(chat),
        };
        let is_part = part.is_some();
        let text = part.unwrap_or_else(|| text::clean(answered, me).text);
        return Some(Quoted {
            id: int(answered, "message_id").map(|id| id.to_string()),
            is_own: object(answered, "sender_chat").is_none()
                && object(answered, "from").is_some_and(|from| me.is(from)),
            author_id: author.id,
            author: author.name,
            is_part,
            text: marked(answered, text),
            attachments: media::attachments(answered),
        });
    }
    if let Some(elsewhere) = object(message, "external_reply") {
        let author = object(elsewhere, "origin").map(author_of_origin).unwrap_or_default();
        return Some(Quoted {
            id: None,
            is_own: false,
            author_id: author.id,
            author: author.name,
            is_part: part.is_some(),
            text: part.unwrap_or_default(),
            attachments: media::attachments(elsewhere),
        });
    }
    let story = object(message, "reply_to_story")?;
    let author = object(story, "chat")
        .map(|chat| Author::of_chat(chat, None))
        .unwrap_or_default();
    Some(Quoted {
        id: None,
        is_own: false,
        author_id: author.id,
        author: author.name,
        is_part: false,
        text: String::new(),
        attachments: vec![Attachment {
            kind: "story".to_owned(),
            id: string(story, "id").unwrap_or_default(),
            name: None,
            media_type: None,
            size: None,
            seconds: None,
        }],
    })
}
