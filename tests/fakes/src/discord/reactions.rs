//! Reactions of people to messages, and the bot's to theirs.

use axum::{
    extract::{Path, State as Extract},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    DiscordFake, Shared,
    error::Refusal,
    json,
    rights::{self, permission},
};

/// <https://docs.discord.com/developers/resources/message#create-reaction>
pub(super) async fn add(
    Extract(shared): Extract<Shared>,
    Path((channel, message, emoji)): Path<(u64, u64, String)>,
) -> Response {
    let mut state = shared.state();
    let may_react = rights::may(&state, channel, permission::ADD_REACTIONS);
    if may_react.is_err() || rights::may(&state, channel, permission::READ_MESSAGE_HISTORY).is_err() {
        return Refusal::new(403, 50_013, "Missing Permissions").into_response();
    }
    let room = state.channels.get(&channel);
    if !room.is_some_and(|room| room.messages.contains_key(&message)) {
        return Refusal::new(404, 10_008, "Unknown Message").into_response();
    }
    if emoji.is_ascii() {
        state.violation(format!("`{emoji}` is no emoji"));
        return Refusal::new(400, 10_014, "Unknown Emoji").into_response();
    }
    let mark = (channel, message, emoji);
    if !state.marks.contains(&mark) {
        state.marks.push(mark);
    }
    drop(state);
    shared.changed();
    StatusCode::NO_CONTENT.into_response()
}

/// <https://docs.discord.com/developers/resources/message#delete-own-reaction>
pub(super) async fn remove(
    Extract(shared): Extract<Shared>,
    Path((channel, message, emoji)): Path<(u64, u64, String)>,
) -> Response {
    let mut state = shared.state();
    let before = state.marks.len();
    state.marks.retain(|mark| *mark != (channel, message, emoji.clone()));
    let was_there = state.marks.len() < before;
    drop(state);
    shared.changed();
    match was_there {
        true => StatusCode::NO_CONTENT.into_response(),
        false => Refusal::new(404, 10_014, "Unknown Emoji").into_response(),
    }
}

impl DiscordFake {
    /// The bot's reactions that stand at a message.
    pub fn marks(&self, channel: u64, message: u64) -> Vec<String> {
        let state = self.shared.state();
        let of_message = state
            .marks
            .iter()
            .filter(|(of, id, _)| (*of, *id) == (channel, message));
        of_message.map(|(.., emoji)| emoji.clone()).collect()
    }

    /// Somebody adds a reaction to a message, or takes it back. Discord tells who it is in a guild only, and only of one
    /// that is added.
    pub fn reacts(&self, channel: u64, user: u64, message: u64, emoji: &str, is_added: bool) {
        let mut state = self.shared.state();
        let guild = state.channels.get(&channel).and_then(|room| room.guild);
        let mut data = json!({
            "user_id": user.to_string(), "channel_id": channel.to_string(), "message_id": message.to_string(),
            "emoji": {"id": Value::Null, "name": emoji}, "burst": false, "type": 0,
        });
        if let Some(guild) = guild {
            data["guild_id"] = json!(guild.to_string());
            if is_added {
                data["member"] = json::member(state.users.get(&user));
            }
        }
        let name = if is_added {
            "MESSAGE_REACTION_ADD"
        } else {
            "MESSAGE_REACTION_REMOVE"
        };
        state.dispatch(name, &data);
        drop(state);
        self.shared.changed();
    }
}
