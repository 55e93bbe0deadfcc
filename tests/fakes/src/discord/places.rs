//! Guilds with their channels, threads and forums, and direct messages: made, joined, left and closed.

use serde_json::json;

use super::{DiscordFake, json, rights, state::Room};

impl DiscordFake {
    /// A guild that has the bot as a member; returns its id.
    pub fn guild(&self, name: &str) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        state.guilds.insert(id, name.to_owned());
        let json = json::guild(&state, id);
        state.dispatch("GUILD_CREATE", &json);
        id
    }

    /// The bot is added to a guild that has a channel for greetings; returns both. The event is the one of a guild that
    /// it was in before, but for `joined_at`: <https://docs.discord.com/developers/events/gateway-events#guild-create>
    pub fn add_to_guild(&self, name: &str) -> (u64, u64) {
        let guild = {
            let mut state = self.shared.state();
            let id = state.clock.snowflake();
            state.guilds.insert(id, name.to_owned());
            id
        };
        let channel = self.channel(guild, "welcome");
        self.joins(guild, channel);
        (guild, channel)
    }

    /// The event of a guild that the bot joined just now.
    pub fn joins(&self, guild: u64, channel: u64) {
        let mut state = self.shared.state();
        let mut json = json::guild(&state, guild);
        json["joined_at"] = json!(jiff::Timestamp::now().to_string());
        json["system_channel_id"] = json!(channel.to_string());
        state.dispatch("GUILD_CREATE", &json);
    }

    /// The bot is thrown out of a guild.
    pub fn leave_guild(&self, guild: u64) {
        let mut state = self.shared.state();
        state.guilds.remove(&guild);
        state.channels.retain(|_, room| room.guild != Some(guild));
        state.dispatch("GUILD_DELETE", &json!({"id": guild.to_string()}));
    }

    /// A guild cannot be reached for a while; the bot is still in it.
    pub fn outage(&self, guild: u64) {
        self.shared
            .state()
            .dispatch("GUILD_DELETE", &json!({"id": guild.to_string(), "unavailable": true}));
    }

    /// From now on a new session hears of no guild until it [recovers](Self::recovers): Discord tells of guilds after READY,
    /// and of some later than of others.
    pub fn withhold_guilds(&self) {
        self.shared.state().gateway.withholds_guilds = true;
    }

    /// It can be reached again, and is told of as at the beginning:
    /// <https://docs.discord.com/developers/events/gateway-events#guild-create>
    pub fn recovers(&self, guild: u64) {
        let mut state = self.shared.state();
        let json = json::guild(&state, guild);
        state.dispatch("GUILD_CREATE", &json);
    }

    /// A text channel of a guild; returns its id.
    pub fn channel(&self, guild: u64, name: &str) -> u64 {
        self.room(guild, name, json::TEXT, None, "CHANNEL_CREATE")
    }

    /// A public thread in a channel; returns its id.
    pub fn thread(&self, channel: u64, name: &str) -> u64 {
        let guild = self
            .shared
            .state()
            .channels
            .get(&channel)
            .and_then(|room| room.guild)
            .unwrap_or(0);
        self.room(guild, name, json::THREAD, Some(channel), "THREAD_CREATE")
    }

    /// A public thread that a person begins at a message, whose id it has:
    /// <https://docs.discord.com/developers/resources/channel#start-thread-from-message>
    pub fn thread_at(&self, channel: u64, message: u64, name: &str) -> u64 {
        let mut state = self.shared.state();
        let guild = state.channels.get(&channel).and_then(|room| room.guild);
        let made = json::channel(message, json::THREAD, name, guild.unwrap_or_default(), Some(channel));
        state.channels.insert(message, Room::new(made.clone(), guild));
        state.dispatch("THREAD_CREATE", &made);
        rights::starts(&mut state, channel, message);
        message
    }

    /// A forum of a guild: it has no messages, only posts.
    pub fn forum(&self, guild: u64, name: &str) -> u64 {
        self.room(guild, name, json::FORUM, None, "CHANNEL_CREATE")
    }

    /// A person posts in a forum. A post is a thread, whose first message has the thread's id; returns that:
    /// <https://docs.discord.com/developers/topics/threads#forums>
    pub fn user_posts(&self, forum: u64, user: u64, title: &str, text: &str) -> u64 {
        let post = self.thread(forum, title);
        let mut state = self.shared.state();
        let author = state.users.get(&user).cloned().unwrap_or_default();
        let message = json::message(&state, post, post, &author, text);
        let guild = state.channels.get_mut(&post).and_then(|room| {
            room.messages.insert(post, message.clone());
            room.guild
        });
        state.dispatch("MESSAGE_CREATE", &json::dispatched(&message, guild));
        post
    }

    /// A thread is archived; the next message there opens it again.
    /// <https://docs.discord.com/developers/topics/threads#active-and-archived-threads>
    pub fn archive(&self, thread: u64) {
        let mut state = self.shared.state();
        if let Some(room) = state.channels.get_mut(&thread) {
            room.json["thread_metadata"]["archived"] = json!(true);
            let updated = room.json.clone();
            state.dispatch("THREAD_UPDATE", &updated);
        }
    }

    /// A channel or thread gets another name, and what is told with it again:
    /// <https://docs.discord.com/developers/events/gateway-events#channel-update>
    pub fn rename(&self, channel: u64, name: &str) {
        let mut state = self.shared.state();
        if let Some(room) = state.channels.get_mut(&channel) {
            room.json["name"] = json!(name);
            let updated = room.json.clone();
            let event = match updated["type"] == json::THREAD {
                true => "THREAD_UPDATE",
                false => "CHANNEL_UPDATE",
            };
            state.dispatch(event, &updated);
        }
    }

    /// A guild gets another name: <https://docs.discord.com/developers/events/gateway-events#guild-update>
    pub fn rename_guild(&self, guild: u64, name: &str) {
        let mut state = self.shared.state();
        state.guilds.insert(guild, name.to_owned());
        state.dispatch("GUILD_UPDATE", &json!({"id": guild.to_string(), "name": name}));
    }

    /// The name of a channel or thread.
    pub fn name_of(&self, channel: u64) -> Option<String> {
        let state = self.shared.state();
        let room = state.channels.get(&channel)?;
        room.json["name"].as_str().map(str::to_owned)
    }

    fn room(&self, guild: u64, name: &str, kind: u64, parent: Option<u64>, event: &str) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        let json = json::channel(id, kind, name, guild, parent);
        state.channels.insert(id, Room::new(json.clone(), Some(guild)));
        state.dispatch(event, &json);
        id
    }

    /// A channel is deleted.
    pub fn delete_channel(&self, channel: u64) {
        let mut state = self.shared.state();
        if let Some(room) = state.channels.remove(&channel) {
            state.dispatch("CHANNEL_DELETE", &room.json);
        }
    }

    /// The direct messages between a person and the bot; returns the channel's id.
    ///
    /// # Panics
    /// If there is no such person.
    #[expect(clippy::expect_used, reason = "a mistake in the test")]
    pub fn dm(&self, user: u64) -> u64 {
        let room = self.shared.open_dm(user).expect("a user made by `user`");
        room["id"].as_str().and_then(|id| id.parse().ok()).expect("a snowflake")
    }

    /// A private channel between a person and others, which the bot sees nothing of; returns its id.
    pub fn private_channel(&self, with: u64) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        let recipient = state.users.get(&with).cloned().unwrap_or_default();
        let mut room = Room::new(json::dm(id, &recipient), None);
        room.refuses = Some((403, 50_001, "Missing Access"));
        state.channels.insert(id, room);
        id
    }

    /// From now on the bot may not write to this channel: status, code and text of the refusal.
    pub fn refuse(&self, channel: u64, status: u16, code: u64, message: &'static str) {
        if let Some(room) = self.shared.state().channels.get_mut(&channel) {
            room.refuses = Some((status, code, message));
        }
    }
}
