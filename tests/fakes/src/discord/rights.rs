//! Guilds as far as rights go: their roles and members; pins and threads, which take rights.

use axum::{
    Json,
    extract::{Path, State as Extract},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    DiscordFake, Shared,
    error::{Refusal, only},
    json,
    state::{Role, Room, State},
};

/// Permissions: <https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags>
#[expect(missing_docs, reason = "Discord's names")]
pub mod permission {
    pub const ADD_REACTIONS: u64 = 1 << 6;
    pub const SEND_MESSAGES: u64 = 1 << 11;
    pub const ATTACH_FILES: u64 = 1 << 15;
    pub const READ_MESSAGE_HISTORY: u64 = 1 << 16;
    pub const CREATE_PUBLIC_THREADS: u64 = 1 << 35;
    pub const SEND_MESSAGES_IN_THREADS: u64 = 1 << 38;
}

/// Everybody's rights in a new guild.
const EVERYBODY: u64 = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 35 | 1 << 38 | 1 << 49;
/// The most pins of a channel.
const PINS: usize = 250;

impl DiscordFake {
    /// A role of a guild, with these permissions; returns its id.
    pub fn role(&self, guild: u64, permissions: u64) -> u64 {
        self.named_role(guild, "role", permissions)
    }

    /// The same with a name: <https://docs.discord.com/developers/events/gateway-events#guild-role-create>
    pub fn named_role(&self, guild: u64, name: &str, permissions: u64) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        let role = Role {
            guild,
            id,
            name: name.to_owned(),
            permissions,
        };
        let created = json!({ "guild_id": guild.to_string(), "role": role.json() });
        state.rights.roles.push(role);
        state.dispatch("GUILD_ROLE_CREATE", &created);
        id
    }

    /// A role gets another name: <https://docs.discord.com/developers/events/gateway-events#guild-role-update>
    pub fn rename_role(&self, guild: u64, role: u64, name: &str) {
        let mut state = self.shared.state();
        let found = state.rights.roles.iter_mut().find(|known| known.id == role);
        if let Some(found) = found {
            name.clone_into(&mut found.name);
            let updated = json!({ "guild_id": guild.to_string(), "role": found.json() });
            state.dispatch("GUILD_ROLE_UPDATE", &updated);
        }
    }

    /// A person becomes a member of a guild, with these roles.
    pub fn join(&self, guild: u64, user: u64, roles: &[u64]) {
        let mut state = self.shared.state();
        let members = &mut state.rights.members;
        members.retain(|(of, member, _)| (*of, *member) != (guild, user));
        members.push((guild, user, roles.to_vec()));
    }

    /// Changes the rights in a channel for a role, a member, or (by the guild's id) everybody.
    pub fn overwrite(&self, channel: u64, of: u64, allow: u64, deny: u64) {
        if let Some(room) = self.shared.state().channels.get_mut(&channel)
            && let Some(list) = room.json["permission_overwrites"].as_array_mut()
        {
            list.push(json!({
                "id": of.to_string(), "type": 0, "allow": allow.to_string(), "deny": deny.to_string(),
            }));
        }
    }

    /// The bot lacks these permissions in a channel from now on.
    pub fn lacks(&self, channel: u64, permissions: u64) {
        if let Some(room) = self.shared.state().channels.get_mut(&channel) {
            room.lacks = permissions;
        }
    }

    /// The messages that are pinned in a channel.
    pub fn pins(&self, channel: u64) -> Vec<u64> {
        let state = self.shared.state();
        let of_channel = state.rights.pins.iter().filter(|(of, _)| *of == channel);
        of_channel.map(|(_, message)| *message).collect()
    }

    /// The names of the threads of a channel that the bot began.
    pub fn threads(&self, channel: u64) -> Vec<String> {
        let state = self.shared.state();
        let parent = json!(channel.to_string());
        let threads = state.channels.values().filter(|room| room.json["parent_id"] == parent);
        threads
            .filter_map(|room| room.json["name"].as_str().map(str::to_owned))
            .collect()
    }
}

/// Completes the member of an event by their roles.
pub(super) fn with_roles(state: &State, mut event: Value, channel: u64, user: u64) -> Value {
    let guild = state.channels.get(&channel).and_then(|room| room.guild);
    let mut members = state.rights.members.iter();
    let found = members.rfind(|(of, member, _)| Some(*of) == guild && *member == user);
    if let (Some((.., roles)), Some(member)) = (found, event.get_mut("member")) {
        member["roles"] = roles.iter().map(u64::to_string).collect();
    }
    event
}

pub(super) async fn guild(Extract(shared): Extract<Shared>, Path(guild): Path<u64>) -> Response {
    let state = shared.state();
    let Some(name) = state.guilds.get(&guild) else {
        return Refusal::new(404, 10_004, "Unknown Guild").into_response();
    };
    let everybody = json!({ "id": guild.to_string(), "name": "@everyone", "permissions": EVERYBODY.to_string() });
    let roles = state.rights.roles.iter().filter(|role| role.guild == guild);
    let roles = roles.map(Role::json);
    let roles: Vec<_> = std::iter::once(everybody).chain(roles).collect();
    Json(json!({ "id": guild.to_string(), "name": name, "owner_id": "1", "roles": roles })).into_response()
}

pub(super) async fn member(Extract(shared): Extract<Shared>, Path((guild, user)): Path<(u64, u64)>) -> Response {
    let state = shared.state();
    let found = (state.rights.members.iter()).find(|(of, member, _)| (*of, *member) == (guild, user));
    let Some((.., roles)) = found else {
        return Refusal::new(404, 10_007, "Unknown Member").into_response();
    };
    let mut member = json::member(state.users.get(&user));
    member["roles"] = roles.iter().map(u64::to_string).collect();
    Json(member).into_response()
}

pub(super) async fn pin(Extract(shared): Extract<Shared>, Path((channel, message)): Path<(u64, u64)>) -> Response {
    let mut state = shared.state();
    if let Err(refusal) = known(&state, channel, message) {
        return refusal.into_response();
    }
    if state.rights.pins.iter().filter(|(of, _)| *of == channel).count() >= PINS {
        return Refusal::new(400, 30_003, "Maximum number of pins reached (250)").into_response();
    }
    if !state.rights.pins.contains(&(channel, message)) {
        state.rights.pins.push((channel, message));
    }
    StatusCode::NO_CONTENT.into_response()
}

pub(super) async fn unpin(Extract(shared): Extract<Shared>, Path((channel, message)): Path<(u64, u64)>) -> Response {
    let mut state = shared.state();
    if let Err(refusal) = known(&state, channel, message) {
        return refusal.into_response();
    }
    state.rights.pins.retain(|pin| *pin != (channel, message));
    StatusCode::NO_CONTENT.into_response()
}

fn known(state: &State, channel: u64, message: u64) -> Result<(), Refusal> {
    let room = state.channels.get(&channel);
    let room = room.ok_or_else(|| Refusal::new(404, 10_003, "Unknown Channel"))?;
    match room.messages.contains_key(&message) {
        true => Ok(()),
        false => Err(Refusal::new(404, 10_008, "Unknown Message")),
    }
}

pub(super) async fn thread(
    Extract(shared): Extract<Shared>,
    Path(channel): Path<u64>,
    Json(body): Json<Value>,
) -> Response {
    begin(&shared, channel, None, &body)
}

pub(super) async fn thread_of_message(
    Extract(shared): Extract<Shared>,
    Path((channel, message)): Path<(u64, u64)>,
    Json(body): Json<Value>,
) -> Response {
    begin(&shared, channel, Some(message), &body)
}

fn begin(shared: &Shared, channel: u64, message: Option<u64>, body: &Value) -> Response {
    let mut guard = shared.state();
    let state = &mut *guard;
    let known_fields: &[&str] = match message {
        Some(_) => &["name", "auto_archive_duration", "rate_limit_per_user"],
        None => &[
            "name",
            "auto_archive_duration",
            "rate_limit_per_user",
            "type",
            "invitable",
        ],
    };
    let name = body["name"].as_str().unwrap_or_default();
    let checked = only("thread", body, known_fields).and_then(|()| {
        let archive = body["auto_archive_duration"].as_u64();
        if !(1..=100).contains(&name.chars().count()) {
            return Err(Refusal::field(
                "name",
                "BASE_TYPE_BAD_LENGTH",
                "Must be between 1 and 100 in length.",
            ));
        }
        if archive.is_some_and(|minutes| ![60, 1440, 4320, 10_080].contains(&minutes)) {
            return Err(Refusal::field(
                "auto_archive_duration",
                "BASE_TYPE_CHOICES",
                "Value must be one of {60, 1440, 4320, 10080}.",
            ));
        }
        match message {
            Some(message) => known(state, channel, message),
            None => Ok(()),
        }
    });
    if let Err(refusal) = checked {
        return shared.refuse(state, refusal);
    }
    if let Err(refusal) = may(state, channel, permission::CREATE_PUBLIC_THREADS) {
        return refusal.into_response();
    }
    let Some(guild) = state.channels.get(&channel).and_then(|room| room.guild) else {
        return Refusal::new(400, 50_024, "Cannot execute action on this channel type").into_response();
    };
    // The thread of a message has the message's id.
    let id = message.unwrap_or_else(|| state.clock.snowflake());
    if state.channels.contains_key(&id) {
        return Refusal::new(400, 160_004, "A thread has already been created for this message").into_response();
    }
    let made = json::channel(id, json::THREAD, name, guild, Some(channel));
    state.channels.insert(id, Room::new(made.clone(), Some(guild)));
    state.dispatch("THREAD_CREATE", &made);
    if message.is_some() {
        starts(state, channel, id);
    }
    drop(guard);
    shared.changed();
    (StatusCode::CREATED, Json(made)).into_response()
}

/// The first message of a thread that begins at a message: it shows that one, and says nothing itself.
/// <https://docs.discord.com/developers/resources/message#message-object-message-types>
pub(super) fn starts(state: &mut State, channel: u64, thread: u64) {
    let id = state.clock.snowflake();
    let room = state.channels.get(&channel);
    let Some(starter) = room.and_then(|room| room.messages.get(&thread).cloned()) else {
        return;
    };
    let mut message = json::message(state, id, thread, &starter["author"], "");
    message["type"] = json!(21);
    message["message_reference"] = json!({"message_id": thread.to_string(), "channel_id": channel.to_string()});
    message["referenced_message"] = starter;
    let Some(room) = state.channels.get_mut(&thread) else {
        return;
    };
    room.messages.insert(id, message.clone());
    let guild = room.guild;
    state.dispatch("MESSAGE_CREATE", &json::dispatched(&message, guild));
}

/// Refuses what takes a permission that the bot lacks in a channel; a thread has those of its channel.
/// <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
pub(super) fn may(state: &State, channel: u64, wanted: u64) -> Result<(), Refusal> {
    let of = |id: u64| state.channels.get(&id);
    let parent = of(channel).and_then(|room| room.json["parent_id"].as_str()?.parse().ok());
    let lacks = [Some(channel), parent].into_iter().flatten().filter_map(of);
    match lacks.fold(0, |all, room| all | room.lacks) & wanted {
        0 => Ok(()),
        permission::READ_MESSAGE_HISTORY => Err(Refusal::new(
            403,
            160_002,
            "Cannot reply without permission to read message history",
        )),
        _ => Err(Refusal::new(403, 50_013, "Missing Permissions")),
    }
}

/// The rules for a poll within a message.
pub(super) fn check_poll(poll: &Value) -> Result<(), Refusal> {
    only(
        "poll",
        poll,
        &["question", "answers", "duration", "allow_multiselect", "layout_type"],
    )?;
    let length = |text: &Value| text.as_str().map_or(0, |text| text.chars().count());
    let bad = |field: &str, why: &str| Err(Refusal::field(field, "BASE_TYPE_BAD_LENGTH", why));
    if !(1..=300).contains(&length(&poll["question"]["text"])) {
        return bad("question", "Must be between 1 and 300 in length.");
    }
    let answers = poll["answers"].as_array().map_or(&[][..], Vec::as_slice);
    if !(1..=10).contains(&answers.len()) {
        return bad("answers", "Must be between 1 and 10 in length.");
    }
    for answer in answers {
        only("answer", answer, &["poll_media"])?;
        if !(1..=55).contains(&length(&answer["poll_media"]["text"])) {
            return bad("text", "Must be between 1 and 55 in length.");
        }
    }
    if poll["duration"]
        .as_u64()
        .is_some_and(|hours| !(1..=768).contains(&hours))
    {
        return bad("duration", "int value should be 1 to 768.");
    }
    Ok(())
}
