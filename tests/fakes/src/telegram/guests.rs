//! Questions from chats that the bot is no member of: <https://core.telegram.org/bots/api#answerguestquery>.

use serde_json::{Value, json};

use super::{
    Chat, Method, TelegramFake,
    answer::Refusal,
    keyboard,
    messages::user,
    params::Params,
    people::text_fields,
    rich,
    send::{Rendered, deliver, new_sent, render},
    state::{ChatKind, Closed, Room, Shared},
};

/// A question that waits for its answer, or has it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    chat: Chat,
    is_answered: bool,
}

impl TelegramFake {
    /// A group that the bot is no member of: it may write nothing there.
    pub fn foreign_group(&self, id: i64, title: &str) -> Chat {
        let room = Room {
            kind: ChatKind::Supergroup,
            title: title.to_owned(),
            closed: Some(Closed::Foreign),
            topics: Default::default(),
            messages: Default::default(),
            last_message: 0,
        };
        self.shared.lock().rooms.insert(id, room);
        Chat { id, thread: None }
    }

    /// Somebody calls the bot there, with its name in the text. Returns the message's id.
    pub fn guest_asks(&self, chat: Chat, user_id: i64, text: &str) -> i64 {
        let mut state = self.shared.lock();
        let Some(from) = state.people.get(&user_id).map(user) else {
            panic!("the fake knows no user {user_id}: create it first");
        };
        let id = state.take_message_id(chat.id);
        let query = format!("guest-{}", state.guests.len() + 1);
        let mut message = state.message(chat, id, from);
        for (name, value) in text_fields(text).as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        message["guest_query_id"] = json!(query);
        let question = Question {
            chat,
            is_answered: false,
        };
        state.guests.insert(query, question);
        state.push_update("guest_message", message);
        drop(state);
        self.shared.changed.send_replace(());
        id
    }
}

/// `answerGuestQuery`: once a question, by an article without buttons.
pub(super) fn answer(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let query = params.text("guest_query_id").unwrap_or_default().to_owned();
    let open = state.guests.get(&query).filter(|question| !question.is_answered);
    let Some(chat) = open.map(|question| question.chat) else {
        return Err(Refusal::bad(
            "query is too old and response timeout expired or query ID is invalid",
        ));
    };
    let result = params.values.get("result").cloned().unwrap_or_default();
    let rendered = content(&result)?;
    if let Some(question) = state.guests.get_mut(&query) {
        question.is_answered = true;
    }
    let mut sent = new_sent(&mut state, Method::AnswerGuestQuery, chat, params, rendered, None);
    let written = &result["input_message_content"];
    let raw = written["message_text"]
        .as_str()
        .or(written["rich_message"]["html"].as_str());
    raw.unwrap_or_default().clone_into(&mut sent.raw);
    let id = format!("inline-{query}");
    sent.inline_id = Some(id.clone());
    deliver(shared, &mut state, sent);
    Ok(json!({"inline_message_id": id}))
}

/// <https://core.telegram.org/bots/api#inlinequeryresultarticle>
fn content(result: &Value) -> Result<Rendered, Refusal> {
    if result["type"] != "article" {
        return Err(Refusal::violation("the fake takes articles alone"));
    }
    let id = result["id"].as_str().map_or(0, str::len);
    if !(1..=64).contains(&id) {
        return Err(Refusal::violation("RESULT_ID_INVALID"));
    }
    if result["title"].as_str().is_none_or(str::is_empty) {
        return Err(Refusal::violation("can't find field \"title\""));
    }
    let content = &result["input_message_content"];
    if content["rich_message"].is_object() {
        return rich::render(&content["rich_message"]);
    }
    let mut text = Params::default();
    for (from, to) in [("message_text", "text"), ("parse_mode", "parse_mode")] {
        if let Some(value) = content.get(from) {
            text.values.insert(to.to_owned(), value.clone());
        }
    }
    render(&text, "text", 4096)
}

/// `editMessageText` of such a message.
pub(super) fn edit(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let rendered = match rich::of(params)? {
        Some(rendered) => rendered,
        None => render(params, "text", 4096)?,
    };
    let (buttons, id) = (keyboard::read(params)?, params.text("inline_message_id"));
    let found = state.sent.iter_mut().find(|sent| sent.inline_id.as_deref() == id);
    let Some(sent) = found else {
        return Err(Refusal::bad("MESSAGE_ID_INVALID"));
    };
    if sent.text == rendered.text && sent.buttons == buttons {
        return Err(Refusal::bad("message is not modified"));
    }
    (sent.text, sent.entities) = (rendered.text, rendered.entities);
    sent.buttons = buttons;
    sent.edits += 1;
    shared.changed.send_replace(());
    Ok(json!(true))
}
