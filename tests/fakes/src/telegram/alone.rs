//! Messages in groups that one person and the bot alone see
//! (<https://core.telegram.org/bots/api#ephemeral-messages-and-commands>).

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    answer::Refusal,
    messages::{bot, user},
    params::Params,
    state::{ChatKind, State},
};

impl TelegramFake {
    /// Somebody gives a command in a group that its menu has as one that nobody else sees.
    pub fn command_alone(&self, chat: Chat, user_id: i64, text: &str) {
        let mut state = self.shared.lock();
        let Some(from) = state.people.get(&user_id).map(user) else {
            panic!("the fake knows no user {user_id}: create it first");
        };
        let id = i64::try_from(state.alone.len()).unwrap_or_default() + 1;
        state.alone.push((chat.id, user_id));
        let mut message = state.message(chat, 0, from);
        message["ephemeral_message_id"] = json!(id);
        message["receiver_user"] = bot();
        message["text"] = json!(text);
        let name = text.split(' ').next().unwrap_or_default();
        message["entities"] = json!([{"type": "bot_command", "offset": 0, "length": name.len()}]);
        state.push_update("message", message);
        drop(state);
        self.shared.changed.send_replace(());
    }
}

/// The one person whom a message is for. A bot that is no administrator may send one in answer to a press, or to such a
/// message, alone.
pub(super) fn receiver(state: &State, chat: Chat, params: &Params) -> Result<Option<i64>, Refusal> {
    let Some(asked) = params.values.get("ephemeral_message_parameters") else {
        return Ok(None);
    };
    let known = [
        "receiver_user_id",
        "callback_query_id",
        "replace_callback_query_message",
    ];
    let fields = asked.as_object().into_iter().flat_map(|fields| fields.keys());
    if let Some(unknown) = fields.into_iter().find(|field| !known.contains(&field.as_str())) {
        return Err(Refusal::violation(format!(
            "unknown field `{unknown}` of ephemeral_message_parameters"
        )));
    }
    let person = asked["receiver_user_id"].as_i64();
    let person = person.filter(|person| state.people.contains_key(person));
    let person = person.ok_or_else(|| Refusal::violation("receiver_user_id: user not found"))?;
    let kind = state.rooms.get(&chat.id).map(|room| room.kind);
    if kind.is_none_or(|kind| kind == ChatKind::Private) {
        return Err(Refusal::violation("ephemeral messages are for groups and supergroups"));
    }
    let pressed = asked["callback_query_id"].as_str().and_then(|id| state.queries.get(id));
    let is_pressed = pressed.is_some_and(|query| query.payload["from"]["id"] == json!(person));
    let answered = params.values.get("reply_parameters");
    let answered = answered.and_then(|reply| reply["ephemeral_message_id"].as_i64());
    let place = answered.and_then(|id| usize::try_from(id - 1).ok());
    let is_answered = place.and_then(|place| state.alone.get(place)) == Some(&(chat.id, person));
    if is_pressed || is_answered || is_administrator(state, chat.id) {
        return Ok(Some(person));
    }
    Err(Refusal::bad("not enough rights to send ephemeral messages to the chat"))
}

fn is_administrator(state: &State, chat: i64) -> bool {
    let own = |(of, who, _): &&(i64, i64, Value)| *of == chat && *who == TelegramFake::BOT_ID;
    let member = state.rights.members.iter().rev().find(own);
    member.is_some_and(|(_, _, member)| member["status"] == "administrator")
}
