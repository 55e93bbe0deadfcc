//! The attachments of a message: files as metadata, and cards (polls, places, contacts) described in words.

use clifford_channel::{
    Attachment,
    lenient::{int, line, list, name, number, object, size, text},
};
use serde_json::Value;

/// The most characters of a card's description.
const CARD_CHARS: usize = 1_000;
/// The kinds of files, in the order in which they are looked for: an animation comes as a document as well.
const FILES: [&str; 8] = [
    "animation",
    "audio",
    "document",
    "live_photo",
    "video",
    "voice",
    "video_note",
    "sticker",
];
/// The kinds that are no files, and are described.
const CARDS: [&str; 12] = [
    // Each venue has a location as well.
    "venue",
    "location",
    "contact",
    "poll",
    "dice",
    "game",
    "invoice",
    "checklist",
    "story",
    "paid_media",
    "giveaway",
    "giveaway_winners",
];

/// Whether a message has content of a known kind besides its text.
pub(crate) fn has_media(message: &Value) -> bool {
    let mut kinds = FILES.iter().chain(&CARDS).chain(&["photo"]);
    kinds.any(|kind| message.get(kind).is_some_and(|media| !media.is_null()))
}

/// The id that the messages of one album share.
pub(crate) fn album(message: &Value) -> Option<String> {
    name(message, "media_group_id")
}

/// The files, places and cards that came with a message.
pub(crate) fn attachments(message: &Value) -> Vec<Attachment> {
    if let Some(file) = one_file(message) {
        return vec![file];
    }
    if object(message, "paid_media").is_some() {
        return paid(message);
    }
    let card = CARDS.iter().find_map(|kind| card(kind, object(message, kind)?));
    card.into_iter().chain(of_poll(message)).collect()
}

/// The file of a message. A live photo is its photo: it stands next to it, or within it.
fn one_file(message: &Value) -> Option<Attachment> {
    let live = || object(message, "live_photo").and_then(|live| photo(list(live, "photo")));
    let other = || FILES.iter().find_map(|kind| file(kind, object(message, kind)?));
    photo(list(message, "photo")).or_else(live).or_else(other)
}

/// The files of a poll: of its question, and of its answers in their order.
/// <https://core.telegram.org/bots/api#pollmedia>
fn of_poll(message: &Value) -> Vec<Attachment> {
    let Some(poll) = object(message, "poll") else {
        return Vec::new();
    };
    let all = std::iter::once(poll).chain(list(poll, "options"));
    all.filter_map(|holder| one_file(object(holder, "media")?)).collect()
}

/// Telegram sends the same photo in several sizes.
fn photo(sizes: &[Value]) -> Option<Attachment> {
    let readable = sizes.iter().filter(|photo| name(photo, "file_id").is_some());
    let largest = readable.max_by_key(|photo| int(photo, "width").unwrap_or_default())?;
    Some(Attachment {
        kind: "photo".to_owned(),
        id: name(largest, "file_id")?,
        name: None,
        media_type: Some("image/jpeg".to_owned()),
        size: size(largest, "file_size"),
        seconds: None,
    })
}

fn file(kind: &str, file: &Value) -> Option<Attachment> {
    let named = match kind {
        "sticker" => name(file, "emoji"),
        "voice" | "video_note" => None,
        "audio" => name(file, "file_name").or_else(|| name(file, "title")),
        _ => name(file, "file_name"),
    };
    let media_type = match kind {
        "sticker" | "video_note" => None,
        // Its id is that of the short video.
        "live_photo" => Some("video/mp4".to_owned()),
        _ => name(file, "mime_type").filter(|media_type| media_type.contains('/')),
    };
    Some(Attachment {
        kind: kind.to_owned(),
        // Without an id it can be named, but not read.
        id: name(file, "file_id").unwrap_or_default(),
        name: named.map(|named| line(&named, 200)),
        media_type,
        size: size(file, "file_size"),
        seconds: size(file, "duration").and_then(|seconds| u32::try_from(seconds).ok()),
    })
}

/// A card: its description as the name, and an id that tells it apart.
fn card(kind: &str, card: &Value) -> Option<Attachment> {
    let (id, description) = match kind {
        "location" => (coordinates(card)?, coordinates(card)),
        "venue" => {
            let place = object(card, "location").and_then(coordinates);
            let description = joined([text(card, "title"), text(card, "address"), place.clone()], ", ");
            (place.unwrap_or_default(), Some(description))
        }
        "contact" => {
            let person = joined([text(card, "first_name"), text(card, "last_name")], " ");
            let number = text(card, "phone_number").unwrap_or_default();
            let description = joined([Some(person), Some(number.clone())], ", ");
            (number, Some(description))
        }
        "poll" => {
            let options = list(card, "options").iter().filter_map(|option| text(option, "text"));
            let options = options.collect::<Vec<_>>().join(" / ");
            let asked = [text(card, "question"), text(card, "description"), Some(options)];
            let description = joined(asked, " — ");
            (text(card, "id").unwrap_or_default(), Some(description))
        }
        "dice" => {
            let value = int(card, "value").map(|value| value.to_string());
            (String::new(), Some(joined([text(card, "emoji"), value], " ")))
        }
        "game" => (
            String::new(),
            Some(joined([text(card, "title"), text(card, "description")], " — ")),
        ),
        "invoice" => {
            let price = size(card, "total_amount").map(|amount| {
                let currency = text(card, "currency").unwrap_or_default();
                format!("{amount} of the smallest units of {currency}")
            });
            let description = joined([text(card, "title"), text(card, "description"), price], " — ");
            (String::new(), Some(description))
        }
        "checklist" => {
            let tasks = list(card, "tasks").iter().filter_map(task);
            let tasks = tasks.collect::<Vec<_>>().join(" ");
            (String::new(), Some(joined([text(card, "title"), Some(tasks)], ": ")))
        }
        "story" => (text(card, "id").unwrap_or_default(), None),
        "giveaway" | "giveaway_winners" => (String::new(), text(card, "prize_description")),
        _ => (String::new(), None),
    };
    Some(Attachment {
        kind: kind.to_owned(),
        id,
        name: description
            .map(|description| line(&description, CARD_CHARS))
            .filter(|description| !description.is_empty()),
        media_type: None,
        size: None,
        seconds: None,
    })
}

/// A task of a checklist, with its mark.
fn task(task: &Value) -> Option<String> {
    let done = ["completed_by_user", "completed_by_chat"].map(|by| object(task, by).is_some());
    let mark = if done.contains(&true) { "[x]" } else { "[ ]" };
    Some(format!("{mark} {}", text(task, "text")?))
}

/// The task of this id in the checklist of a message.
pub(crate) fn task_of(message: &Value, id: i64) -> Option<String> {
    let tasks = list(object(message, "checklist")?, "tasks");
    task(tasks.iter().find(|task| int(task, "id") == Some(id))?)
}

/// The previews of paid media, as far as the bot sees them.
fn paid(message: &Value) -> Vec<Attachment> {
    let Some(paid) = object(message, "paid_media") else {
        return Vec::new();
    };
    let shown: Vec<_> = list(paid, "paid_media").iter().filter_map(one_file).collect();
    match shown.is_empty() {
        true => card("paid_media", paid).into_iter().collect(),
        false => shown,
    }
}

fn coordinates(location: &Value) -> Option<String> {
    let live = size(location, "live_period").map_or("", |_| " (live)");
    let (latitude, longitude) = (number(location, "latitude")?, number(location, "longitude")?);
    Some(format!("{latitude}, {longitude}{live}"))
}

/// Joins the parts that have text.
fn joined<const N: usize>(parts: [Option<String>; N], between: &str) -> String {
    let parts = parts.into_iter().flatten().filter(|part| !part.trim().is_empty());
    parts.collect::<Vec<_>>().join(between)
}

/// The kind of media without a readable payload.
pub(crate) fn unreadable_kind(message: &Value) -> Option<&'static str> {
    let mut kinds = ["photo"].into_iter().chain(FILES).chain(CARDS);
    kinds.find(|kind| message.get(kind).is_some_and(|media| !media.is_null()))
}
