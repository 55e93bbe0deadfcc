//! Acts of people: what they write, answer, forward, edit and delete, and their commands.

use std::time::Instant;

use serde_json::{Value, json};

use super::{DiscordFake, ids, json, rights, state::Interaction};

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

    /// A person asks by `/ask` in a private channel that the bot is no member of: it is an app of their account.
    /// <https://docs.discord.com/developers/resources/application#installation-context>
    pub fn asks_elsewhere(&self, channel: u64, user: u64, text: &str) -> u64 {
        let options = json!([{"name": "text", "type": 3, "value": text}]);
        self.interact(2, channel, user, "ask", |_| {
            json!({"context": 2, "authorizing_integration_owners": {"1": user.to_string()},
                "data": {"id": "5", "name": "ask", "type": 1, "options": options}})
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
}
