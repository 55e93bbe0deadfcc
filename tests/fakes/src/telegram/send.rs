//! The bot's messages.

use std::{sync::Arc, time::Instant};

use serde_json::{Value, json};

use super::{
    Action, Chat, Document, Drafted, Method, Sent, alone,
    answer::Refusal,
    entities::{self, units},
    guests, html, keyboard,
    limiter::Limiter,
    messages::bot,
    params::Params,
    rich,
    state::{ChatKind, Closed, Shared, State},
};

const TEXT_UNITS: usize = 4096;
const CAPTION_UNITS: usize = 1024;
const PHOTO_BYTES: usize = 10 << 20;
const PHOTO_SIDES: u64 = 10_000;
const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

/// A text after parsing.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) entities: Vec<Value>,
}

impl Rendered {
    /// A text without entities.
    pub(super) fn text(text: String) -> Self {
        Self {
            text,
            entities: Vec::new(),
        }
    }
}

/// `sendMessage`: <https://core.telegram.org/bots/api#sendmessage>
pub(super) fn message(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let rendered = render(params, "text", TEXT_UNITS)?;
    let buttons = keyboard::read(params)?;
    let reply_to = reply_target(&state, to, params)?;
    let only_for = alone::receiver(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendMessage, to, params, rendered, reply_to);
    sent.only_for = only_for;
    sent.buttons = buttons;
    sent.styles = keyboard::styles(params);
    Ok(deliver(shared, &mut state, sent))
}

/// `sendDocument`: <https://core.telegram.org/bots/api#senddocument>
pub(super) fn document(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let file = params.files.iter().find(|(name, _)| name == "document");
    let (_, file) = file.ok_or_else(|| Refusal::violation("there is no document in the request"))?;
    if file.content.is_empty() {
        return Err(Refusal::violation("file must be non-empty"));
    }
    let rendered = render(params, "caption", CAPTION_UNITS)?;
    let reply_to = reply_target(&state, to, params)?;
    let only_for = alone::receiver(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendDocument, to, params, rendered, reply_to);
    sent.only_for = only_for;
    sent.document = Some(file.clone());
    Ok(deliver(shared, &mut state, sent))
}

/// `sendPhoto`, with the limits of <https://core.telegram.org/bots/api#sendphoto>: 10 MB, width and height of 10000 in all,
/// a ratio of 20 at most.
pub(super) fn photo(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let file = params.files.iter().find(|(name, _)| name == "photo");
    let (_, file) = file.ok_or_else(|| Refusal::violation("there is no photo in the request"))?;
    check_photo(&file.content)?;
    let rendered = render(params, "caption", CAPTION_UNITS)?;
    let reply_to = reply_target(&state, to, params)?;
    let only_for = alone::receiver(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendPhoto, to, params, rendered, reply_to);
    sent.only_for = only_for;
    sent.document = Some(file.clone());
    Ok(deliver(shared, &mut state, sent))
}

/// `sendVoice`: <https://core.telegram.org/bots/api#sendvoice> takes Ogg with Opus, MP3 and M4A; the fake Ogg alone.
pub(super) fn voice(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let file = params.files.iter().find(|(name, _)| name == "voice");
    let (_, file) = file.ok_or_else(|| Refusal::violation("there is no voice in the request"))?;
    if !file.content.starts_with(b"OggS") {
        return Err(Refusal::violation("wrong type of the file"));
    }
    let rendered = render(params, "caption", CAPTION_UNITS)?;
    let reply_to = reply_target(&state, to, params)?;
    let only_for = alone::receiver(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendVoice, to, params, rendered, reply_to);
    sent.only_for = only_for;
    sent.document = Some(file.clone());
    Ok(deliver(shared, &mut state, sent))
}

/// The limits of a photo.
pub(super) fn check_photo(content: &[u8]) -> Result<(), Refusal> {
    if content.len() > PHOTO_BYTES {
        return Err(Refusal::violation("file is too big"));
    }
    let (width, height) = dimensions(content).ok_or_else(|| Refusal::bad("IMAGE_PROCESS_FAILED"))?;
    if width + height > PHOTO_SIDES || width.max(height) > 20 * width.min(height) {
        return Err(Refusal::bad("PHOTO_INVALID_DIMENSIONS"));
    }
    Ok(())
}

/// Width and height of a PNG, which is the one kind of image that journeys send.
fn dimensions(content: &[u8]) -> Option<(u64, u64)> {
    let side = |at: usize| Some(u64::from(u32::from_be_bytes(content.get(at..at + 4)?.try_into().ok()?)));
    content
        .starts_with(b"\x89PNG\r\n\x1a\n")
        .then(|| side(16).zip(side(20)))?
}

/// `sendChatAction`: <https://core.telegram.org/bots/api#sendchataction>
pub(super) fn action(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let chat = open_chat(&state, params)?;
    let action = params.text("action").unwrap_or_default().to_owned();
    if !ACTIONS.contains(&action.as_str()) {
        return Err(Refusal::violation("wrong parameter action in request"));
    }
    if state.recording {
        state.actions.push(Action { chat, action });
    }
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// `sendMessageDraft`.
pub(super) fn draft(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let chat = open_chat(&state, params)?;
    let is_private = (state.rooms.get(&chat.id)).is_some_and(|room| room.kind == ChatKind::Private);
    if !is_private {
        return Err(Refusal::violation("drafts can be sent to private chats only"));
    }
    let draft_id = params.integer("draft_id").unwrap_or_default();
    if draft_id == 0 || i32::try_from(draft_id).is_err() {
        return Err(Refusal::violation("DRAFT_ID_INVALID"));
    }
    let text = render(params, "text", TEXT_UNITS)?.text;
    if state.recording {
        state.drafts.push(Drafted {
            chat,
            draft_id,
            thread: params.integer("message_thread_id"),
            text,
            can_stop: params.values.get("can_stop").and_then(Value::as_bool) == Some(true),
            at: Instant::now(),
        });
    }
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// `editMessageText`.
pub(super) fn edit(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    if params.values.contains_key("inline_message_id") {
        return guests::edit(shared, params);
    }
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let rendered = match rich::of(params)? {
        Some(_) if params.values.contains_key("text") => {
            return Err(Refusal::violation(
                "text and rich_message can't be used at the same time",
            ));
        }
        Some(rendered) => rendered,
        None => render(params, "text", TEXT_UNITS)?,
    };
    let (buttons, styles) = (keyboard::read(params)?, keyboard::styles(params));
    let id = params.integer("message_id");
    let raw = rich::html(params).or_else(|| params.text("text").map(str::to_owned));
    let raw = raw.unwrap_or_default();
    let found = state
        .sent
        .iter_mut()
        .find(|sent| sent.chat.id == to.id && Some(sent.message_id) == id);
    let Some(sent) = found else {
        return Err(Refusal::bad("message to edit not found"));
    };
    // A file's caption is no text: <https://core.telegram.org/bots/api#editmessagetext>
    if sent.document.is_some() {
        return Err(Refusal::bad("there is no text in the message to edit"));
    }
    if sent.text == rendered.text && sent.entities == rendered.entities && sent.buttons == buttons {
        return Err(Refusal::bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a \
             current content and reply markup of the message",
        ));
    }
    sent.text = rendered.text;
    sent.entities = rendered.entities;
    sent.raw = raw;
    // Markup that the request does not name goes: "reply_markup: a JSON-serialized object for an inline keyboard".
    (sent.buttons, sent.styles) = (buttons, styles);
    sent.edits += 1;
    let sent = sent.clone();
    let message = as_message(&state, &sent);
    state.record(sent.chat.id, sent.message_id, &message);
    shared.changed.send_replace(());
    Ok(message)
}

/// The chat of the request, if it takes messages.
pub(super) fn open_chat(state: &State, params: &Params) -> Result<Chat, Refusal> {
    let Some(to) = params.chat() else {
        return Err(match params.values.get("chat_id") {
            Some(_) => Refusal::bad("chat not found"),
            None => Refusal::violation("chat_id is empty"),
        });
    };
    let room = state.rooms.get(&to.id).ok_or_else(|| Refusal::bad("chat not found"))?;
    let is_group = room.kind == ChatKind::Group;
    match room.closed {
        Some(Closed::Blocked) => return Err(Refusal::new(403, "Forbidden: bot was blocked by the user")),
        Some(Closed::Deactivated) => return Err(Refusal::new(403, "Forbidden: user is deactivated")),
        Some(Closed::Kicked) if is_group => {
            return Err(Refusal::new(403, "Forbidden: bot was kicked from the group chat"));
        }
        Some(Closed::Foreign) => {
            return Err(Refusal::new(
                403,
                "Forbidden: bot is not a member of the supergroup chat",
            ));
        }
        Some(Closed::Kicked) => return Err(Refusal::new(403, "Forbidden: bot was kicked from the supergroup chat")),
        Some(Closed::MovedTo(new)) => return Err(Refusal::moved(new)),
        None => {}
    }
    match to.thread {
        Some(thread) if !room.topics.contains_key(&thread) => Err(Refusal::bad("message thread not found")),
        _ => Ok(to),
    }
}

/// A text or caption with its entities, within the limit that counts after these are parsed:
/// <https://core.telegram.org/bots/api#formatting-options>
pub(super) fn render(params: &Params, name: &str, most: usize) -> Result<Rendered, Refusal> {
    let raw = params.text(name).unwrap_or_default();
    let rendered = match params.text("parse_mode") {
        None => Rendered {
            text: raw.to_owned(),
            entities: entities::find(raw),
        },
        Some(mode) if mode.eq_ignore_ascii_case("html") => {
            let parsed = html::parse(raw).map_err(|why| Refusal::violation(format!("can't parse entities: {why}")))?;
            Rendered {
                text: parsed.text,
                entities: parsed.entities,
            }
        }
        Some(_) => return Err(Refusal::violation("unsupported parse_mode")),
    };
    if name == "text" && rendered.text.trim().is_empty() {
        return Err(Refusal::violation("message text is empty"));
    }
    if units(&rendered.text) > most {
        let what = if name == "text" { "message" } else { "message caption" };
        return Err(Refusal::violation(format!("{what} is too long")));
    }
    Ok(rendered)
}

/// The message that this one answers: <https://core.telegram.org/bots/api#replyparameters>
pub(super) fn reply_target(state: &State, to: Chat, params: &Params) -> Result<Option<i64>, Refusal> {
    let Some(reply) = params.values.get("reply_parameters") else {
        return Ok(None);
    };
    if reply["ephemeral_message_id"].is_i64() && params.values.contains_key("ephemeral_message_parameters") {
        return Ok(None);
    }
    let Some(id) = reply["message_id"].as_i64() else {
        return Err(Refusal::violation("message identifier is not specified"));
    };
    let room = state.rooms.get(&to.id);
    let exists = room.is_some_and(|room| match state.recording {
        true => room.messages.contains_key(&id),
        false => id <= room.last_message,
    });
    if exists {
        return Ok(Some(id));
    }
    match reply["allow_sending_without_reply"].as_bool() {
        Some(true) => Ok(None),
        _ => Err(Refusal::bad("message to be replied not found")),
    }
}

pub(super) fn limit(state: &mut State, to: Chat) -> Result<(), Refusal> {
    let private = state
        .rooms
        .get(&to.id)
        .is_some_and(|room| room.kind == ChatKind::Private);
    let limiter: Option<&mut Limiter> = state.limiter.as_mut();
    limiter.map_or(Ok(()), |limiter| {
        limiter.check(to.id, private).map_err(Refusal::too_many)
    })
}

pub(super) fn new_sent(
    state: &mut State,
    method: Method,
    chat: Chat,
    params: &Params,
    rendered: Rendered,
    reply_to: Option<i64>,
) -> Sent {
    let raw = params.text("text").or_else(|| params.text("caption"));
    Sent {
        method,
        chat,
        message_id: state.take_message_id(chat.id),
        text: rendered.text,
        raw: raw.unwrap_or_default().to_owned(),
        parse_mode: params.text("parse_mode").map(str::to_owned),
        entities: rendered.entities,
        reply_to,
        document: None,
        album: None,
        buttons: Vec::new(),
        styles: Vec::new(),
        edits: 0,
        at: Instant::now(),
        answer_lost: false,
        only_for: None,
        inline_id: None,
    }
}

pub(super) fn deliver(shared: &Shared, state: &mut State, sent: Sent) -> Value {
    let message = as_message(state, &sent);
    state.record(sent.chat.id, sent.message_id, &message);
    if state.recording {
        state.sent.push(sent.clone());
    }
    // Nobody needs to listen.
    drop(shared.outgoing.send(Arc::new(sent)));
    shared.changed.send_replace(());
    message
}

fn as_message(state: &State, sent: &Sent) -> Value {
    let mut message = state.message(sent.chat, sent.message_id, bot());
    if let Some(person) = sent.only_for {
        // "message_id" of such a message is 0; the fake numbers them all.
        message["ephemeral_message_id"] = json!(sent.message_id);
        message["message_id"] = json!(0);
        message["receiver_user"] = json!({"id": person});
    }
    if let Some(album) = &sent.album {
        message["media_group_id"] = json!(album);
    }
    if let Some(reply_to) = sent.reply_to {
        message["reply_to_message"] = state.quoted(sent.chat, reply_to);
    }
    if !sent.buttons.is_empty() {
        message["reply_markup"] = keyboard::markup(&sent.buttons);
    }
    if sent.method == Method::SendRichMessage {
        message["rich_message"] = rich::received();
        return message;
    }
    let (text, entities) = match &sent.document {
        None => ("text", "entities"),
        Some(photo) if sent.method == Method::SendPhoto => {
            message["photo"] = json!([{
                "file_id": format!("AgAC-{}", sent.message_id), "file_unique_id": format!("AQAD-{}", sent.message_id),
                "width": 1, "height": 1, "file_size": photo.content.len(),
            }]);
            ("caption", "caption_entities")
        }
        Some(voice) if sent.method == Method::SendVoice => {
            message["voice"] = json!({
                "file_id": format!("AwAC-{}", sent.message_id), "file_unique_id": format!("AgAD-{}", sent.message_id),
                "duration": 1, "mime_type": "audio/ogg", "file_size": voice.content.len(),
            });
            ("caption", "caption_entities")
        }
        Some(document) => {
            message["document"] = file(sent.message_id, document);
            ("caption", "caption_entities")
        }
    };
    if !sent.text.is_empty() {
        message[text] = json!(sent.text);
    }
    if !sent.entities.is_empty() {
        message[entities] = json!(sent.entities);
    }
    message
}

fn file(id: i64, document: &Document) -> Value {
    json!({
        "file_id": format!("BQAC-{id}"),
        "file_unique_id": format!("AgAD-{id}"),
        "file_name": document.name,
        "file_size": document.content.len(),
    })
}
