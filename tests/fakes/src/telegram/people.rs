//! People: their messages, and their acts on the bot.

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake, entities,
    messages::{self, bot},
    state::{ChatKind, Closed, Person, Room, State},
};

impl TelegramFake {
    /// Makes a person, and the private chat with them; its id is the person's id.
    pub fn user(&self, id: i64, name: &str) -> Chat {
        let handle: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let person = Person {
            id,
            name: name.to_owned(),
            username: format!("{}_{id}", handle.to_ascii_lowercase()),
            language: "en".to_owned(),
        };
        self.shared.lock().people.insert(id, person);
        self.room(id, name, ChatKind::Private)
    }

    /// Sets the language of a person's app (an IETF tag).
    pub fn speaks(&self, person: i64, language: &str) {
        if let Some(person) = self.shared.lock().people.get_mut(&person) {
            language.clone_into(&mut person.language);
        }
    }

    /// Makes a basic group. Telegram's groups have negative ids.
    pub fn group(&self, id: i64, title: &str) -> Chat {
        self.room(id, title, ChatKind::Group)
    }

    /// Makes a supergroup without topics. Their ids begin with `-100`.
    pub fn supergroup(&self, id: i64, title: &str) -> Chat {
        self.room(id, title, ChatKind::Supergroup)
    }

    /// Makes a supergroup with topics; the chat itself is its General topic.
    pub fn forum(&self, id: i64, title: &str) -> Chat {
        self.room(id, title, ChatKind::Forum)
    }

    /// Makes a topic in a forum.
    pub fn topic(&self, forum: Chat, name: &str) -> Chat {
        let mut state = self.shared.lock();
        let thread = state.take_message_id(forum.id);
        if let Some(room) = state.rooms.get_mut(&forum.id) {
            room.topics.insert(thread, name.to_owned());
        }
        Chat {
            id: forum.id,
            thread: Some(thread),
        }
    }

    /// Somebody makes a topic in their chat with the bot, which has such from now on: the service message comes, whose id
    /// the topic has. <https://core.telegram.org/bots/api#forumtopiccreated>
    pub fn private_topic(&self, user: i64, name: &str) -> Chat {
        self.begin_topic(user, &json!({"name": name, "icon_color": 7_322_096}))
    }

    /// The same where somebody just begins to write: Telegram makes up a name.
    pub fn untitled_topic(&self, user: i64) -> Chat {
        let topic = self.begin_topic(user, &messages::untitled());
        let place = (topic.id, topic.thread.unwrap_or_default());
        self.shared.lock().untitled.push(place);
        topic
    }

    /// The name of a topic.
    pub fn topic_name(&self, topic: Chat) -> Option<String> {
        let state = self.shared.lock();
        state.rooms.get(&topic.id)?.topics.get(&topic.thread?).cloned()
    }

    fn begin_topic(&self, user: i64, created: &Value) -> Chat {
        let chat = Chat { id: user, thread: None };
        let name = created["name"].as_str().unwrap_or_default();
        self.shared.lock().has_topics = true;
        let topic = self.topic(chat, name);
        let mut state = self.shared.lock();
        let from = person(&state, user);
        let mut message = state.message(topic, topic.thread.unwrap_or_default(), from);
        if let Some(fields) = message.as_object_mut() {
            fields.remove("reply_to_message");
        }
        message["forum_topic_created"] = created.clone();
        state.push_update("message", message);
        drop(state);
        self.shared.changed.send_replace(());
        topic
    }

    fn room(&self, id: i64, title: &str, kind: ChatKind) -> Chat {
        let room = Room {
            kind,
            title: title.to_owned(),
            closed: None,
            topics: Default::default(),
            messages: Default::default(),
            last_message: 0,
        };
        self.shared.lock().rooms.insert(id, room);
        Chat { id, thread: None }
    }

    /// Somebody writes; mentions and commands in the text become entities. Returns the message's id.
    ///
    /// # Panics
    /// The person or the chat was not made before. So does every other method here.
    pub fn user_says(&self, chat: Chat, user: i64, text: &str) -> i64 {
        self.user_sends(chat, user, text_fields(text))
    }

    /// Somebody answers a message.
    pub fn reply_to(&self, chat: Chat, user: i64, text: &str, message: i64) -> i64 {
        let mut fields = text_fields(text);
        fields["reply_to_message"] = self.shared.lock().quoted(chat, message);
        self.user_sends(chat, user, fields)
    }

    /// Somebody answers a part of a message, which they chose by hand.
    pub fn quote_part(&self, chat: Chat, user: i64, text: &str, message: i64, part: &str) -> i64 {
        let mut fields = text_fields(text);
        let quoted = self.shared.lock().quoted(chat, message);
        let before = quoted["text"]
            .as_str()
            .and_then(|whole| whole.split(part).next())
            .unwrap_or_default();
        let position = before.encode_utf16().count();
        fields["quote"] = json!({"text": part, "position": position, "is_manual": true});
        fields["reply_to_message"] = quoted;
        self.user_sends(chat, user, fields)
    }

    /// Somebody sends a message with these fields of the Bot API's `Message` (`voice`, `photo`, `caption`,
    /// …; a field given here replaces the usual one).
    pub fn user_sends(&self, chat: Chat, user: i64, fields: Value) -> i64 {
        let id = {
            let mut state = self.shared.lock();
            let id = state.take_message_id(chat.id);
            let from = person(&state, user);
            let mut message = state.message(chat, id, from);
            merge(&mut message, fields);
            state.record(chat.id, id, &message);
            state.push_update("message", message);
            id
        };
        self.shared.changed.send_replace(());
        id
    }

    /// Somebody changes a message of theirs.
    pub fn edit(&self, chat: Chat, user: i64, message: i64, text: &str) {
        let mut state = self.shared.lock();
        let from = person(&state, user);
        let mut edited = state.message(chat, message, from);
        edited["edit_date"] = edited["date"].clone();
        merge(&mut edited, text_fields(text));
        state.record(chat.id, message, &edited);
        state.push_update("edited_message", edited);
        drop(state);
        self.shared.changed.send_replace(());
    }

    /// Somebody sends photos as one album, one for each caption; returns the messages' ids.
    pub fn album(&self, chat: Chat, user: i64, captions: &[&str]) -> Vec<i64> {
        let album = {
            let mut state = self.shared.lock();
            state.next_album += 1;
            format!("13{:015}", state.next_album)
        };
        let photo = |(index, caption): (usize, &&str)| {
            let mut fields = json!({"media_group_id": album, "photo": photo_sizes(&format!("{album}-{index}"))});
            if !caption.is_empty() {
                fields["caption"] = json!(caption);
                fields["caption_entities"] = json!(entities::find(caption));
            }
            self.user_sends(chat, user, fields)
        };
        captions.iter().enumerate().map(photo).collect()
    }

    /// Somebody uses a command: `command(chat, user, "new", "Trip")` writes `/new Trip`, in groups
    /// `/new@clifford_bot Trip` as the client's menu does.
    pub fn command(&self, chat: Chat, user: i64, name: &str, argument: &str) -> i64 {
        let private = chat.id == user;
        let addressee = if private {
            String::new()
        } else {
            format!("@{}", Self::USERNAME)
        };
        self.user_says(chat, user, format!("/{name}{addressee} {argument}").trim_end())
    }

    /// A person blocks the bot.
    pub fn block(&self, user: i64) {
        self.member(user, user, Some(Closed::Blocked), "member", "kicked");
    }

    /// A person lets the bot in again.
    pub fn unblock(&self, user: i64) {
        self.member(user, user, None, "kicked", "member");
    }

    /// A person's account is deleted. Telegram tells bots nothing of it.
    pub fn deactivate(&self, user: i64) {
        if let Some(room) = self.shared.lock().rooms.get_mut(&user) {
            room.closed = Some(Closed::Deactivated);
        }
    }

    /// Somebody removes the bot from a group.
    pub fn kick(&self, chat: Chat, by: i64) {
        self.member(chat.id, by, Some(Closed::Kicked), "member", "kicked");
    }

    /// The bot is added to a group, which it may have been thrown out of before.
    pub fn add(&self, chat: Chat, by: i64) {
        self.member(chat.id, by, None, "left", "member");
    }

    fn member(&self, chat: i64, by: i64, closed: Option<Closed>, old: &str, new: &str) {
        let mut state = self.shared.lock();
        let from = person(&state, by);
        let mut update = state.message(Chat { id: chat, thread: None }, 0, from);
        if let Some(fields) = update.as_object_mut() {
            fields.remove("message_id");
        }
        update["old_chat_member"] = membership(old);
        update["new_chat_member"] = membership(new);
        if let Some(room) = state.rooms.get_mut(&chat) {
            room.closed = closed;
        }
        state.push_update("my_chat_member", update);
        drop(state);
        self.shared.changed.send_replace(());
    }

    /// A group becomes a supergroup: both service messages come, and the old id takes nothing more.
    pub fn migrate(&self, group: Chat, by: i64) -> Chat {
        let to = self.migrate_unsaid(group);
        self.user_sends(group, by, json!({"migrate_to_chat_id": to.id}));
        self.user_sends(to, by, json!({"migrate_from_chat_id": group.id}));
        to
    }

    /// A group becomes a supergroup, and nobody is told: the old id takes nothing more.
    pub fn migrate_unsaid(&self, group: Chat) -> Chat {
        let new = -1_000_000_000_000 + group.id;
        let title = {
            let state = self.shared.lock();
            state.rooms.get(&group.id).map(|room| room.title.clone())
        };
        let to = self.room(new, &title.unwrap_or_default(), ChatKind::Supergroup);
        if let Some(room) = self.shared.lock().rooms.get_mut(&group.id) {
            room.closed = Some(Closed::MovedTo(new));
        }
        to
    }

    /// Puts an update into the queue as it is, whatever it is; its `update_id` is filled in if it is an
    /// object without one. Returns the id that it got.
    pub fn push_raw(&self, mut update: Value) -> i64 {
        let mut state = self.shared.lock();
        let id = state.next_update;
        state.next_update += 1;
        if let Some(fields) = update.as_object_mut() {
            fields.entry("update_id").or_insert(json!(id));
        }
        state.updates.push_back((id, update));
        drop(state);
        self.shared.changed.send_replace(());
        id
    }
}

fn person(state: &State, id: i64) -> Value {
    match state.people.get(&id) {
        Some(person) => messages::user(person),
        None => panic!("the fake knows no user {id}: create it first"),
    }
}

pub(super) fn text_fields(text: &str) -> Value {
    let found = entities::find(text);
    match found.is_empty() {
        true => json!({"text": text}),
        false => json!({"text": text, "entities": found}),
    }
}

fn merge(message: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else {
        panic!("a message's fields must be an object");
    };
    for (name, value) in fields {
        message[name] = value;
    }
}

fn membership(status: &str) -> Value {
    match status {
        "kicked" => json!({"user": bot(), "status": status, "until_date": 0}),
        _ => json!({"user": bot(), "status": status}),
    }
}

fn photo_sizes(name: &str) -> Value {
    json!([
        {"file_id": format!("{name}-s"), "file_unique_id": format!("{name}-us"), "width": 90, "height": 60, "file_size": 1253},
        {"file_id": format!("{name}-l"), "file_unique_id": format!("{name}-ul"), "width": 1280, "height": 853, "file_size": 98_123},
    ])
}
