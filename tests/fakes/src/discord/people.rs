//! Acts of people and of Discord itself: guilds, channels, messages, interactions, and the gateway's moods.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    DiscordFake, ids, json, rights,
    state::{Interaction, Room, Wire},
};

impl DiscordFake {
    /// A new account; returns its id.
    pub fn user(&self, name: &str) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        state.users.insert(id, json::user(id, name, false));
        id
    }

    /// Sets the language of a person's app: <https://docs.discord.com/developers/reference#locales>
    pub fn speaks(&self, user: u64, locale: &str) {
        self.shared.state().locales.insert(user, locale.to_owned());
    }

    /// A new bot that is not the one under test.
    pub fn other_bot(&self, name: &str) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        state.users.insert(id, json::user(id, name, true));
        id
    }

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

    /// From now on the bot may not write to this channel: status, code and text of the refusal.
    pub fn refuse(&self, channel: u64, status: u16, code: u64, message: &'static str) {
        if let Some(room) = self.shared.state().channels.get_mut(&channel) {
            room.refuses = Some((status, code, message));
        }
    }

    /// A person says something; `<@id>` mentions. Returns the message's id.
    pub fn user_says(&self, channel: u64, user: u64, text: &str) -> u64 {
        self.user_sends(channel, user, text, &json!({}))
    }

    /// A person answers a message.
    pub fn user_replies(&self, channel: u64, user: u64, to: u64, text: &str) -> u64 {
        let answered = self
            .shared
            .state()
            .channels
            .get(&channel)
            .and_then(|room| room.messages.get(&to).cloned());
        let reference = json!({"type": 0, "message_id": to.to_string(), "channel_id": channel.to_string()});
        // It pings whom it answers, unless that is turned off: they are mentioned then.
        let author = answered.as_ref().map(|answered| answered["author"].clone());
        let mut fields = json!({"type": 19, "message_reference": reference, "referenced_message": answered});
        if let Some(author) = author {
            let known = json::mentions(&self.shared.state(), text);
            fields["mentions"] = std::iter::once(author).chain(known).collect();
        }
        self.user_sends(channel, user, text, &fields)
    }

    /// A person forwards a message to a channel: Discord tells what it says, not who wrote it.
    pub fn user_forwards(&self, from: u64, message: u64, channel: u64, user: u64) -> u64 {
        let original = self
            .shared
            .state()
            .channels
            .get(&from)
            .and_then(|room| room.messages.get(&message).cloned())
            .unwrap_or_default();
        let kept = [
            "type",
            "content",
            "embeds",
            "attachments",
            "timestamp",
            "edited_timestamp",
            "flags",
            "mentions",
            "mention_roles",
            "components",
        ];
        let snapshot: serde_json::Map<_, _> = kept
            .iter()
            .map(|name| ((*name).to_owned(), original[*name].clone()))
            .collect();
        let reference = json!({"type": 1, "message_id": message.to_string(), "channel_id": from.to_string()});
        let fields =
            json!({"flags": 1 << 14, "message_reference": reference, "message_snapshots": [{"message": snapshot}]});
        self.user_sends(channel, user, "", &fields)
    }

    /// Somebody deletes messages of a channel: one is told alone, several at once.
    pub fn delete(&self, channel: u64, messages: &[u64]) {
        let mut state = self.shared.state();
        let guild = state.channels.get(&channel).and_then(|room| room.guild);
        if let Some(room) = state.channels.get_mut(&channel) {
            room.messages.retain(|id, _| !messages.contains(id));
        }
        let mut gone = json!({"channel_id": channel.to_string()});
        if let Some(guild) = guild {
            gone["guild_id"] = json!(guild.to_string());
        }
        match messages {
            [one] => {
                gone["id"] = json!(one.to_string());
                state.dispatch("MESSAGE_DELETE", &gone);
            }
            several => {
                gone["ids"] = several.iter().map(u64::to_string).collect();
                state.dispatch("MESSAGE_DELETE_BULK", &gone);
            }
        }
    }

    /// The role that Discord made for the bot in a guild.
    pub fn bot_role(&self, guild: u64) -> u64 {
        json::bot_role(guild)
    }

    /// A message with other fields than usual: `fields` stand in for the message's own.
    pub fn user_sends(&self, channel: u64, user: u64, text: &str, fields: &Value) -> u64 {
        let (id, message) = self.history(channel, user, text, fields);
        let mut state = self.shared.state();
        let guild = state.channels.get(&channel).and_then(|room| room.guild);
        let event = rights::with_roles(&state, json::dispatched(&message, guild), channel, user);
        state.dispatch("MESSAGE_CREATE", &event);
        id
    }

    /// A message that the gateway never tells of: it stands in the history only.
    pub fn say_while_offline(&self, channel: u64, user: u64, text: &str) -> u64 {
        self.send_while_offline(channel, user, text, &json!({}))
    }

    /// The same with other fields than usual.
    pub fn send_while_offline(&self, channel: u64, user: u64, text: &str, fields: &Value) -> u64 {
        self.history(channel, user, text, fields).0
    }

    fn history(&self, channel: u64, user: u64, text: &str, fields: &Value) -> (u64, Value) {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        let author = state.users.get(&user).cloned().unwrap_or_default();
        let mut message = json::message(&state, id, channel, &author, text);
        for (name, value) in fields.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        if let Some(room) = state.channels.get_mut(&channel) {
            room.messages.insert(id, message.clone());
        }
        (id, message)
    }

    /// A person changes a message.
    pub fn edit(&self, channel: u64, message: u64, text: &str) {
        let mut state = self.shared.state();
        let now = ids::iso(state.clock.now_ms());
        self.update(
            &mut state,
            channel,
            message,
            &json!({"content": text, "edited_timestamp": now}),
        );
    }

    /// Discord adds the preview of a link: an update that nobody wrote.
    pub fn embed(&self, channel: u64, message: u64) {
        let embeds = json!([{"type": "link", "url": "https://example.org", "title": "Example"}]);
        self.update(&mut self.shared.state(), channel, message, &json!({"embeds": embeds}));
    }

    fn update(&self, state: &mut super::state::State, channel: u64, message: u64, fields: &Value) {
        let Some(room) = state.channels.get_mut(&channel) else {
            return;
        };
        let guild = room.guild;
        let Some(message) = room.messages.get_mut(&message) else {
            return;
        };
        for (name, value) in fields.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        let json = json::dispatched(message, guild);
        state.dispatch("MESSAGE_UPDATE", &json);
    }

    /// A person uses a slash command; `options` are names and values. Returns the interaction's id.
    pub fn interaction(&self, channel: u64, user: u64, name: &str, options: &[(&str, &str)]) -> u64 {
        let options: Vec<Value> = options
            .iter()
            .map(|(name, value)| json!({"name": name, "type": 3, "value": value}))
            .collect();
        self.interact(
            2,
            channel,
            user,
            name,
            |_| json!({"data": {"id": "5", "name": name, "type": 1, "options": options}}),
        )
    }

    /// A person asks by `/ask`, with options of any type, and files that are resolved beside them.
    pub fn user_asks(&self, channel: u64, user: u64, options: &Value, attachments: &Value) -> u64 {
        self.interact(2, channel, user, "ask", |_| {
            json!({"data": {"id": "5", "name": "ask", "type": 1, "options": options,
                "resolved": {"attachments": attachments}}})
        })
    }

    /// An interaction of a kind, with fields of its own. Returns its id.
    pub(super) fn interact(
        &self,
        kind: u64,
        channel: u64,
        user: u64,
        name: &str,
        fields: impl FnOnce(&super::state::State) -> Value,
    ) -> u64 {
        let mut state = self.shared.state();
        let id = state.clock.snowflake();
        let asked = Interaction {
            token: format!("aW50ZXJhY3Rpb24{id}"),
            channel,
            user,
            name: name.to_owned(),
            created_ms: state.clock.now_ms(),
            began: Instant::now(),
            acknowledged: None,
            original: None,
            answered: false,
            is_typed: kind == 4,
            kind,
            below: None,
            form: None,
            choices: None,
            replies: Vec::new(),
        };
        state.interactions.insert(id, asked);
        let json = json::interaction(&state, id, kind, channel, user);
        let mut json = rights::with_roles(&state, json, channel, user);
        for (name, value) in fields(&state).as_object().into_iter().flatten() {
            json[name] = value.clone();
        }
        if let Some(asked) = state.interactions.get_mut(&id) {
            asked.below = json["message"]["id"].as_str().and_then(|id| id.parse().ok());
        }
        state.dispatch("INTERACTION_CREATE", &json);
        id
    }

    /// The next event waits until the one after it was sent: two events in swapped order.
    pub fn swap_next_two(&self) {
        self.shared.state().gateway.swap = true;
    }

    /// Sends an event of any kind.
    pub fn dispatch(&self, name: &str, data: &Value) {
        self.shared.state().dispatch(name, data);
    }

    /// Sends a text frame of any kind to every connection.
    pub fn raw_frame(&self, text: &str) {
        self.wire(|| Wire::Text(text.to_owned()));
    }

    /// Breaks every gateway connection without a word. Sessions can be resumed.
    pub fn disconnect(&self) {
        self.wire(|| Wire::Drop);
    }

    /// Closes every gateway connection with this code. Sessions can be resumed.
    pub fn close(&self, code: u16) {
        self.wire(|| Wire::Close(code));
    }

    /// Asks every connection to reconnect and resume (op 7).
    pub fn request_reconnect(&self) {
        self.wire(|| Wire::Text(json!({"op": 7, "d": null, "s": null, "t": null}).to_string()));
    }

    /// Ends every session (op 9): it cannot be resumed, unless `resumable`.
    pub fn invalidate_session(&self, resumable: bool) {
        let frame = json!({"op": 9, "d": resumable, "s": null, "t": null}).to_string();
        self.wire(|| Wire::Text(frame.clone()));
        if !resumable {
            self.shared.state().sessions.clear();
        }
    }

    /// Forgets every session without telling: the next resume fails.
    pub fn forget_sessions(&self) {
        self.shared.state().sessions.clear();
    }

    /// Sessions that nobody is connected to are over, as they are some minutes after a bot died.
    pub fn expire_sessions(&self) {
        self.shared.state().sessions.retain(|_, session| session.wire.is_some());
    }

    /// Whether new gateway connections are let in.
    pub fn gateway_open(&self, open: bool) {
        self.shared.state().gateway.open = open;
    }

    /// Whether heartbeats are acknowledged.
    pub fn acknowledge_heartbeats(&self, acknowledges: bool) {
        self.shared.state().gateway.acknowledges = acknowledges;
    }

    /// How often a connection must send a heartbeat; for new connections.
    pub fn heartbeat_every(&self, interval: Duration) {
        self.shared.state().gateway.heartbeat = interval;
    }

    /// The message content intent is switched off in the developer portal: identifying with it closes with 4014,
    /// and the application's flags lack it.
    pub fn without_message_content(&self) {
        self.shared.state().gateway.message_content = false;
    }

    /// It is switched on again.
    pub fn with_message_content(&self) {
        self.shared.state().gateway.message_content = true;
    }

    /// Only so many identifies are left, until `reset_after`.
    pub fn identifies_left(&self, left: u32, reset_after: Duration) {
        let mut state = self.shared.state();
        state.gateway.identifies_left = left;
        state.gateway.reset_after = reset_after;
    }

    /// The bot is in so many servers that it needs so many shards.
    pub fn needs_shards(&self, shards: u64) {
        self.shared.state().gateway.shards = shards;
    }

    /// It needs so many shards, of which so many may identify at a time: others of their bucket only 5 s later.
    pub fn advises(&self, shards: u64, concurrency: u64) {
        let mut state = self.shared.state();
        state.gateway.shards = shards;
        state.gateway.concurrency = concurrency;
        state.gateway.buckets = Some(std::collections::HashMap::new());
    }

    /// Takes another token from now on: the bot's own is wrong.
    pub fn revoke_token(&self) {
        self.shared.state().token = "another-token".to_owned();
    }

    fn wire(&self, what: impl Fn() -> Wire) {
        for session in self.shared.state().sessions.values() {
            session.send(what());
        }
    }
}
