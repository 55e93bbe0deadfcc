//! Users, messages, guilds and interactions in the form that Discord sends them.

use serde_json::{Value, json};

use super::{
    ids::iso,
    state::{Role, State},
};

pub(super) const DM: u64 = 1;
pub(super) const TEXT: u64 = 0;
pub(super) const THREAD: u64 = 11;
pub(super) const FORUM: u64 = 15;

pub(super) fn user(id: u64, name: &str, bot: bool) -> Value {
    let mut user = json!({
        "id": id.to_string(), "username": name.to_lowercase().replace(' ', "_"), "global_name": name,
        "discriminator": "0", "avatar": null, "public_flags": 0, "flags": 0, "banner": null, "accent_color": null,
        "avatar_decoration_data": null, "clan": null, "primary_guild": null,
    });
    if bot {
        user["bot"] = json!(true);
    }
    user
}

pub(super) fn channel(id: u64, kind: u64, name: &str, guild: u64, parent: Option<u64>) -> Value {
    let mut channel = json!({
        "id": id.to_string(), "type": kind, "guild_id": guild.to_string(), "name": name, "position": 0,
        "flags": 0, "parent_id": parent.map(|id| id.to_string()), "last_message_id": null, "rate_limit_per_user": 0,
        "topic": null, "nsfw": false, "permission_overwrites": [],
    });
    if kind == THREAD {
        channel["owner_id"] = json!(guild.to_string());
        channel["message_count"] = json!(0);
        channel["member_count"] = json!(1);
        channel["total_message_sent"] = json!(0);
        channel["thread_metadata"] = json!({
            "archived": false, "auto_archive_duration": 4320, "locked": false,
            "archive_timestamp": "2024-05-01T12:00:00.000000+00:00",
            "create_timestamp": "2024-05-01T12:00:00.000000+00:00",
        });
    }
    channel
}

pub(super) fn dm(id: u64, recipient: &Value) -> Value {
    json!({"id": id.to_string(), "type": DM, "last_message_id": null, "flags": 0, "recipients": [recipient]})
}

/// A message as history has it: without the guild and the member, which only the gateway adds.
pub(super) fn message(state: &State, id: u64, channel: u64, author: &Value, content: &str) -> Value {
    json!({
        "id": id.to_string(), "channel_id": channel.to_string(), "type": 0, "author": author, "content": content,
        "timestamp": iso(state.clock.now_ms()), "edited_timestamp": null, "tts": false, "mention_everyone": false,
        "mentions": mentions(state, content), "mention_roles": mentioned_roles(content), "attachments": [], "embeds": [], "pinned": false,
        "components": [], "flags": 0,
    })
}

/// A message as the gateway sends it.
pub(super) fn dispatched(message: &Value, guild: Option<u64>) -> Value {
    let mut message = message.clone();
    if let Some(guild) = guild {
        message["guild_id"] = json!(guild.to_string());
        message["member"] = member(None);
    }
    message
}

/// A member of a guild; interactions carry the user within.
pub(super) fn member(user: Option<&Value>) -> Value {
    let mut member = json!({
        "roles": [], "premium_since": null, "pending": false, "nick": null, "mute": false, "deaf": false,
        "joined_at": "2024-01-01T00:00:00.000000+00:00", "flags": 0, "communication_disabled_until": null,
        "banner": null, "avatar": null,
    });
    if let Some(user) = user {
        member["user"] = user.clone();
        member["permissions"] = json!("562949953421311");
    }
    member
}

pub(super) fn guild(state: &State, id: u64) -> Value {
    let rooms = |thread: bool| -> Vec<&Value> {
        let of_guild = state.channels.values().filter(|room| room.guild == Some(id));
        of_guild
            .map(|room| &room.json)
            .filter(|json| (json["type"] == THREAD) == thread)
            .collect()
    };
    json!({
        "id": id.to_string(), "name": state.guilds.get(&id), "channels": rooms(false), "threads": rooms(true),
        "owner_id": "1", "joined_at": "2024-01-01T00:00:00.000000+00:00", "large": false, "unavailable": false,
        "member_count": 2, "members": [], "roles": roles(state, id), "emojis": [], "features": [], "voice_states": [],
        "presences": [], "stage_instances": [], "guild_scheduled_events": [], "preferred_locale": "en-US",
    })
}

/// The id of the role that Discord made for the bot in a guild.
pub(super) const fn bot_role(guild: u64) -> u64 {
    guild + (1 << 40)
}

/// The bot's own role and those of people.
fn roles(state: &State, guild: u64) -> Vec<Value> {
    let made = state.rights.roles.iter().filter(|role| role.guild == guild);
    std::iter::once(own_role(state, guild))
        .chain(made.map(Role::json))
        .collect()
}

fn own_role(state: &State, guild: u64) -> Value {
    json!({
        "id": bot_role(guild).to_string(), "name": "Clifford", "managed": true, "mentionable": false, "position": 1,
        "permissions": "562949953421311", "color": 0, "hoist": false, "flags": 0,
        "tags": {"bot_id": state.bot.to_string()},
    })
}

/// The ids in `<@&id>`.
fn mentioned_roles(content: &str) -> Vec<&str> {
    let pieces = content.split("<@&").skip(1);
    pieces.filter_map(|piece| piece.split('>').next()).collect()
}

/// The accounts that a text mentions.
pub(super) fn mentions(state: &State, content: &str) -> Vec<Value> {
    mentioned_ids(content)
        .into_iter()
        .filter_map(|id| state.users.get(&id).cloned())
        .collect()
}

/// The ids in `<@id>` and `<@!id>`, each once.
pub(super) fn mentioned_ids(content: &str) -> Vec<u64> {
    let mut ids = Vec::new();
    for piece in content.split("<@").skip(1) {
        let digits = piece.split('>').next().unwrap_or_default().trim_start_matches('!');
        if let Ok(id) = digits.parse()
            && !ids.contains(&id)
        {
            ids.push(id);
        }
    }
    ids
}

/// An interaction of a kind without its data: who, where.
pub(super) fn interaction(state: &State, id: u64, kind: u64, channel: u64, user: u64) -> Value {
    let room = state.channels.get(&channel);
    let guild = room.and_then(|room| room.guild);
    let author = state.users.get(&user).cloned().unwrap_or_default();
    let mut place = room.map(|room| room.json.clone()).unwrap_or_default();
    place["permissions"] = json!("562949953421311");
    let mut json = json!({
        "id": id.to_string(), "application_id": state.application.to_string(), "type": kind, "version": 1,
        "token": state.interactions.get(&id).map(|asked| asked.token.clone()), "channel_id": channel.to_string(),
        "channel": place, "locale": state.locales.get(&user).map_or("en-US", String::as_str),
        "app_permissions": "562949953421311", "entitlements": [], "authorizing_integration_owners": {"0": "1"},
        "attachment_size_limit": 10_485_760, "context": if guild.is_some() { 0 } else { 1 },
    });
    if let Some(guild) = guild {
        json["guild_id"] = json!(guild.to_string());
        json["guild_locale"] = json!("en-US");
        json["member"] = member(Some(&author));
    } else {
        json["user"] = author;
    }
    json
}
