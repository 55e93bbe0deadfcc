//! Chats, people and messages as JSON objects of the Bot API.

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    state::{ChatKind, Person, Room, State},
};

/// A `Chat` object.
pub(super) fn chat(id: i64, room: &Room, person: Option<&Person>) -> Value {
    match room.kind {
        ChatKind::Private => {
            let username = person.map(|person| person.username.as_str());
            json!({"id": id, "type": "private", "first_name": room.title, "username": username})
        }
        ChatKind::Group => {
            json!({"id": id, "type": "group", "title": room.title, "all_members_are_administrators": false})
        }
        ChatKind::Supergroup => json!({"id": id, "type": "supergroup", "title": room.title}),
        ChatKind::Forum => json!({"id": id, "type": "supergroup", "title": room.title, "is_forum": true}),
    }
}

/// A `User` object.
pub(super) fn user(person: &Person) -> Value {
    json!({
        "id": person.id,
        "is_bot": false,
        "first_name": person.name,
        "username": person.username,
        "language_code": person.language,
    })
}

/// The bot as a `User` object.
pub(super) fn bot() -> Value {
    json!({
        "id": TelegramFake::BOT_ID,
        "is_bot": true,
        "first_name": "Clifford",
        "username": TelegramFake::USERNAME,
    })
}

/// The beginning of a topic that nobody named.
pub(super) fn untitled() -> Value {
    json!({"name": "New Chat", "icon_color": 7_322_096, "is_name_implicit": true})
}

impl State {
    /// A `Message` object without content: ids, sender, chat, date, and the topic's marks.
    pub(super) fn message(&self, to: Chat, id: i64, from: Value) -> Value {
        let Some(room) = self.rooms.get(&to.id) else {
            panic!("the fake knows no chat {}: create it first", to.id);
        };
        let mut message = json!({
            "message_id": id,
            "from": from,
            "chat": chat(to.id, room, self.people.get(&to.id)),
            "date": jiff::Timestamp::now().as_second(),
        });
        if let Some(thread) = to.thread {
            message["message_thread_id"] = json!(thread);
            message["is_topic_message"] = json!(true);
            // Telegram points at the topic's first message where nothing else is answered.
            message["reply_to_message"] = self.topic_root(to.id, thread);
        }
        message
    }

    fn topic_root(&self, id: i64, thread: i64) -> Value {
        let room = self.rooms.get(&id);
        let name = room.and_then(|room| room.topics.get(&thread));
        let mut created = json!({"name": name, "icon_color": 7_322_096});
        if self.untitled.contains(&(id, thread)) {
            // As it was made, whatever it is called now.
            created = untitled();
        }
        json!({
            "message_id": thread,
            "from": bot(),
            "chat": room.map(|room| chat(id, room, None)),
            "date": 1_760_000_000,
            "message_thread_id": thread,
            "is_topic_message": true,
            "forum_topic_created": created,
        })
    }

    /// The message that is answered, as it stands within the answer: without its own
    /// `reply_to_message`. A chat that is not recorded gives a bare one of the bot.
    pub(super) fn quoted(&self, to: Chat, id: i64) -> Value {
        let kept = self.rooms.get(&to.id).and_then(|room| room.messages.get(&id));
        let Some(mut message) = kept.cloned() else {
            return self.message(Chat { thread: None, ..to }, id, bot());
        };
        if let Some(fields) = message.as_object_mut() {
            fields.remove("reply_to_message");
        }
        message
    }
}
