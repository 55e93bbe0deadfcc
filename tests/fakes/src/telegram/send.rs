//! What the bot sends.

use std::{sync::Arc, time::Instant};

use serde_json::{Value, json};

use super::{
    Action, Chat, Document, Drafted, Method, Sent,
    answer::Refusal,
    entities::{self, units},
    html, keyboard,
    limiter::Limiter,
    messages::bot,
    params::Params,
    state::{ChatKind, Closed, Shared, State},
};

const TEXT_UNITS: usize = 4096;
const CAPTION_UNITS: usize = 1024;
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
struct Rendered {
    text: String,
    entities: Vec<Value>,
}

/// `sendMessage`.
pub(super) fn message(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let rendered = render(params, "text", TEXT_UNITS)?;
    let buttons = keyboard::read(params)?;
    let reply_to = reply_target(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendMessage, to, params, rendered, reply_to);
    sent.buttons = buttons;
    Ok(deliver(shared, &mut state, sent))
}

/// `sendDocument`.
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
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendDocument, to, params, rendered, reply_to);
    sent.document = Some(file.clone());
    Ok(deliver(shared, &mut state, sent))
}

/// `sendChatAction`.
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
            text,
            at: Instant::now(),
        });
    }
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// `editMessageText`.
pub(super) fn edit(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let rendered = render(params, "text", TEXT_UNITS)?;
    let id = params.integer("message_id");
    let raw = params.text("text").unwrap_or_default().to_owned();
    let found = state
        .sent
        .iter_mut()
        .find(|sent| sent.chat.id == to.id && Some(sent.message_id) == id);
    let Some(sent) = found else {
        return Err(Refusal::bad("message to edit not found"));
    };
    if sent.text == rendered.text && sent.entities == rendered.entities {
        return Err(Refusal::bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a \
             current content and reply markup of the message",
        ));
    }
    sent.text = rendered.text;
    sent.entities = rendered.entities;
    sent.raw = raw;
    sent.edits += 1;
    let sent = sent.clone();
    shared.changed.send_replace(());
    Ok(as_message(&state, &sent))
}

/// The chat of the request, if it takes messages.
fn open_chat(state: &State, params: &Params) -> Result<Chat, Refusal> {
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
        Some(Closed::Kicked) => return Err(Refusal::new(403, "Forbidden: bot was kicked from the supergroup chat")),
        Some(Closed::MovedTo(new)) => return Err(Refusal::moved(new)),
        None => {}
    }
    match to.thread {
        Some(thread) if !room.topics.contains_key(&thread) => Err(Refusal::bad("message thread not found")),
        _ => Ok(to),
    }
}

fn render(params: &Params, name: &str, most: usize) -> Result<Rendered, Refusal> {
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

fn reply_target(state: &State, to: Chat, params: &Params) -> Result<Option<i64>, Refusal> {
    let Some(reply) = params.values.get("reply_parameters") else {
        return Ok(None);
    };
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

fn limit(state: &mut State, to: Chat) -> Result<(), Refusal> {
    let private = state
        .rooms
        .get(&to.id)
        .is_some_and(|room| room.kind == ChatKind::Private);
    let limiter: Option<&mut Limiter> = state.limiter.as_mut();
    limiter.map_or(Ok(()), |limiter| {
        limiter.check(to.id, private).map_err(Refusal::too_many)
    })
}

fn new_sent(
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
        buttons: Vec::new(),
        edits: 0,
        at: Instant::now(),
        answer_lost: false,
    }
}

fn deliver(shared: &Shared, state: &mut State, sent: Sent) -> Value {
    let message = as_message(state, &sent);
    state.keep(sent.chat.id, sent.message_id, &message);
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
    if let Some(reply_to) = sent.reply_to {
        message["reply_to_message"] = state.quoted(sent.chat, reply_to);
    }
    if !sent.buttons.is_empty() {
        message["reply_markup"] = keyboard::markup(&sent.buttons);
    }
    let (text, entities) = match &sent.document {
        None => ("text", "entities"),
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
