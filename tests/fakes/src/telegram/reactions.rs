//! Reactions of people to messages, and the bot's to theirs.

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    answer::Refusal,
    messages,
    params::Params,
    send::open_chat,
    state::{ChatKind, Shared},
};

/// Some of the emoji that are reactions: <https://core.telegram.org/bots/api#reactiontypeemoji>
const EMOJI: [&str; 12] = [
    "\u{1f44d}",
    "\u{1f44e}",
    "\u{2764}",
    "\u{1f525}",
    "\u{1f44f}",
    "\u{1f914}",
    "\u{1f440}",
    "\u{270d}",
    "\u{1f44c}",
    "\u{1f494}",
    "\u{1f64f}",
    "\u{1f389}",
];

/// `setMessageReaction`: of a bot at most one stands at a message.
pub(super) fn set(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let chat = open_chat(&state, params)?;
    let message = params.integer("message_id").unwrap_or_default();
    let room = state.rooms.get(&chat.id);
    if !room.is_some_and(|room| room.messages.contains_key(&message)) {
        return Err(Refusal::bad("message to react not found"));
    }
    let reactions = params.values.get("reaction").and_then(Value::as_array);
    let emoji: Vec<_> = (reactions.into_iter().flatten())
        .map(|reaction| reaction["emoji"].as_str().unwrap_or_default().to_owned())
        .collect();
    if emoji.len() > 1 {
        return Err(Refusal::violation("REACTIONS_TOO_MANY"));
    }
    if emoji.iter().any(|emoji| !EMOJI.contains(&emoji.as_str())) {
        return Err(Refusal::violation("REACTION_INVALID"));
    }
    let marks = emoji.into_iter().map(|emoji| (chat.id, message, emoji));
    state.marks.extend(marks);
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

impl TelegramFake {
    /// The bot's reactions to a message, the one that stands last.
    pub fn marks(&self, chat: Chat, message: i64) -> Vec<String> {
        let state = self.shared.lock();
        let of_message = state
            .marks
            .iter()
            .filter(|(of, id, _)| (*of, *id) == (chat.id, message));
        of_message.map(|(.., emoji)| emoji.clone()).collect()
    }

    /// Somebody changes their reactions to a message to these. A bot hears of it in private, and in groups where it is an
    /// administrator ([`TelegramFake::standing`]).
    ///
    /// # Panics
    /// There is no such person or chat.
    pub fn reacts(&self, chat: Chat, user: i64, message: i64, emoji: &[&str]) {
        let mut state = self.shared.lock();
        let room = state
            .rooms
            .get(&chat.id)
            .map(|room| (room.kind, messages::chat(chat.id, room, None)));
        let (Some((kind, payload)), Some(person)) = (room, state.people.get(&user)) else {
            panic!("the fake knows no chat {} or no user {user}: create it first", chat.id);
        };
        let from = messages::user(person);
        let is_admin = state.rights.members.iter().any(|(of, member, fields)| {
            (*of, *member) == (chat.id, Self::BOT_ID) && fields["status"] == json!("administrator")
        });
        if kind == ChatKind::Private || is_admin {
            let new: Vec<_> = emoji
                .iter()
                .map(|emoji| json!({"type": "emoji", "emoji": emoji}))
                .collect();
            let old = state
                .reacted
                .insert((chat.id, user, message), new.clone())
                .unwrap_or_default();
            // A topic is not named: the ids of messages are those of the whole chat.
            let update = json!({
                "chat": payload, "message_id": message, "user": from, "date": 1_760_000_000, "old_reaction": old,
                "new_reaction": new,
            });
            state.push_update("message_reaction", update);
        }
        drop(state);
        self.shared.changed.send_replace(());
    }
}
