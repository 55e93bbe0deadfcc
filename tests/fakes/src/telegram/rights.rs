//! The rights of people in groups, and the acts that take such rights: pins, polls and topics.

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    answer::Refusal,
    messages,
    params::Params,
    state::{ChatKind, Shared},
};

impl TelegramFake {
    /// A person's standing in a group: the fields of the Bot API's `ChatMember`, such as
    /// `{"status": "administrator", "can_pin_messages": true}`. A person without rights is a plain
    /// member.
    pub fn standing(&self, chat: Chat, user: i64, fields: Value) {
        let mut state = self.shared.lock();
        state
            .rights
            .members
            .retain(|(of, member, _)| (*of, *member) != (chat.id, user));
        state.rights.members.push((chat.id, user, fields));
    }

    /// The messages that are pinned in a chat.
    pub fn pins(&self, chat: Chat) -> Vec<i64> {
        let state = self.shared.lock();
        let of_chat = state.rights.pins.iter().filter(|(of, _)| *of == chat.id);
        of_chat.map(|(_, message)| *message).collect()
    }

    /// The messages of a chat that the bot deleted.
    pub fn deleted(&self, chat: Chat) -> Vec<i64> {
        let state = self.shared.lock();
        let of_chat = state.rights.deleted.iter().filter(|(of, _)| *of == chat.id);
        of_chat.map(|(_, message)| *message).collect()
    }

    /// The polls of a chat: questions and answers.
    pub fn asked(&self, chat: Chat) -> Vec<(String, Vec<String>)> {
        let state = self.shared.lock();
        let of_chat = state.rights.polls.iter().filter(|(of, ..)| *of == chat.id);
        of_chat
            .map(|(_, question, answers)| (question.clone(), answers.clone()))
            .collect()
    }

    /// The names of a forum's topics.
    pub fn topics(&self, chat: Chat) -> Vec<String> {
        let state = self.shared.lock();
        let topics = state
            .rooms
            .get(&chat.id)
            .map(|room| room.topics.values().cloned().collect());
        topics.unwrap_or_default()
    }
}

/// Everybody's rights in a group: the `permissions` of `getChat`.
pub(super) fn everybody() -> Value {
    json!({
        "can_send_messages": true, "can_send_polls": true, "can_pin_messages": false, "can_manage_topics": false,
        "can_send_other_messages": true, "can_add_web_page_previews": true, "can_change_info": false,
        "can_invite_users": true,
    })
}

pub(super) fn member(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let state = shared.lock();
    let (chat, user) = (chat_id(params)?, params.integer("user_id").unwrap_or_default());
    let person = state
        .people
        .get(&user)
        .ok_or_else(|| Refusal::bad("PARTICIPANT_ID_INVALID"))?;
    if !state.rooms.contains_key(&chat) {
        return Err(Refusal::bad("chat not found"));
    }
    let set = state
        .rights
        .members
        .iter()
        .find(|(of, member, _)| (*of, *member) == (chat, user));
    let mut member = set.map_or_else(|| json!({"status": "member"}), |(.., fields)| fields.clone());
    member["user"] = messages::user(person);
    Ok(member)
}

pub(super) fn pin(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let (chat, message) = (chat_id(params)?, params.integer("message_id").unwrap_or_default());
    let room = state.rooms.get(&chat).ok_or_else(|| Refusal::bad("chat not found"))?;
    if !room.messages.contains_key(&message) {
        return Err(Refusal::bad("message to pin not found"));
    }
    if !state.rights.pins.contains(&(chat, message)) {
        state.rights.pins.push((chat, message));
    }
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// The bot may delete what it sent, in private what it is sent too, and in a group as an administrator with the right to:
/// <https://core.telegram.org/bots/api#deletemessage>
pub(super) fn delete(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let (chat, message) = (chat_id(params)?, params.integer("message_id").unwrap_or_default());
    let room = state.rooms.get(&chat).ok_or_else(|| Refusal::bad("chat not found"))?;
    if !room.messages.contains_key(&message) || state.rights.deleted.contains(&(chat, message)) {
        return Err(Refusal::bad("message to delete not found"));
    }
    let of_bot = |(of, member, fields): &(i64, i64, Value)| {
        (*of, *member) == (chat, TelegramFake::BOT_ID) && fields["can_delete_messages"] == json!(true)
    };
    let is_own = state
        .sent
        .iter()
        .any(|sent| (sent.chat.id, sent.message_id) == (chat, message));
    if !is_own && room.kind != ChatKind::Private && !state.rights.members.iter().any(of_bot) {
        return Err(Refusal::bad("message can't be deleted"));
    }
    state
        .sent
        .retain(|sent| (sent.chat.id, sent.message_id) != (chat, message));
    state.rights.deleted.push((chat, message));
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

pub(super) fn unpin(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let (chat, message) = (chat_id(params)?, params.integer("message_id").unwrap_or_default());
    let before = state.rights.pins.len();
    state.rights.pins.retain(|pin| *pin != (chat, message));
    if state.rights.pins.len() == before {
        return Err(Refusal::bad("message to unpin not found"));
    }
    Ok(json!(true))
}

pub(super) fn poll(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let chat = chat_id(params)?;
    let question = params.text("question").unwrap_or_default();
    if !(1..=300).contains(&question.chars().count()) {
        return Err(Refusal::violation(
            "poll question must be between 1 and 300 characters long",
        ));
    }
    let options = params
        .values
        .get("options")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let mut answers = Vec::new();
    for option in &options {
        let text = option["text"].as_str().unwrap_or_default();
        if !(1..=100).contains(&text.chars().count()) {
            return Err(Refusal::violation(
                "poll options must be between 1 and 100 characters long",
            ));
        }
        answers.push(text.to_owned());
    }
    if !(2..=12).contains(&answers.len()) {
        return Err(Refusal::violation("poll must have between 2 and 12 options"));
    }
    let mut state = shared.lock();
    if !state.rooms.contains_key(&chat) {
        return Err(Refusal::bad("chat not found"));
    }
    let id = state.take_message_id(chat);
    state.rights.polls.push((chat, question.to_owned(), answers));
    let to = Chat {
        id: chat,
        thread: params.integer("message_thread_id"),
    };
    let message = state.message(to, id, messages::bot());
    drop(state);
    shared.changed.send_replace(());
    Ok(message)
}

pub(super) fn topic(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let chat = chat_id(params)?;
    let name = params.text("name").unwrap_or_default().to_owned();
    if !(1..=128).contains(&name.chars().count()) {
        return Err(Refusal::violation("TOPIC_TITLE_EMPTY"));
    }
    let mut state = shared.lock();
    let has_topics = |kind: ChatKind| kind == ChatKind::Forum || kind == ChatKind::Private && state.has_topics;
    if state.rooms.get(&chat).is_none_or(|room| !has_topics(room.kind)) {
        return Err(Refusal::bad("the chat is not a forum"));
    }
    let thread = state.take_message_id(chat);
    if let Some(room) = state.rooms.get_mut(&chat) {
        room.topics.insert(thread, name.clone());
    }
    drop(state);
    shared.changed.send_replace(());
    Ok(json!({ "message_thread_id": thread, "name": name, "icon_color": 7_322_096 }))
}

/// `editForumTopic`: <https://core.telegram.org/bots/api#editforumtopic>
pub(super) fn edit_topic(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let chat = chat_id(params)?;
    let name = params.text("name").unwrap_or_default().to_owned();
    if name.chars().count() > 128 {
        return Err(Refusal::violation("TOPIC_TITLE_EMPTY"));
    }
    let mut state = shared.lock();
    let room = state
        .rooms
        .get_mut(&chat)
        .ok_or_else(|| Refusal::bad("chat not found"))?;
    let thread = params.integer("message_thread_id").unwrap_or_default();
    let topic = room.topics.get_mut(&thread);
    let topic = topic.ok_or_else(|| Refusal::bad("TOPIC_ID_INVALID"))?;
    if *topic == name {
        return Err(Refusal::bad("TOPIC_NOT_MODIFIED"));
    }
    if !name.is_empty() {
        *topic = name;
    }
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

fn chat_id(params: &Params) -> Result<i64, Refusal> {
    params.integer("chat_id").ok_or_else(|| Refusal::bad("chat not found"))
}
