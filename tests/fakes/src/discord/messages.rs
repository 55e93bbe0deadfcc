//! Discord's checks of a message that is sent, and how it is kept.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::header,
};
use serde_json::{Value, json};

use super::{
    Sent, SentFile, Shared, checks, components,
    error::{Refusal, only},
    interactions::is_ephemeral,
    json::{THREAD, dispatched, mentioned_ids, message},
    rights::{self, permission},
    state::State,
};

/// How long Discord remembers a nonce.
const NONCE_KEPT: Duration = Duration::from_secs(180);

const FIELDS: [&str; 12] = [
    "content",
    "nonce",
    "tts",
    "embeds",
    "allowed_mentions",
    "message_reference",
    "components",
    "sticker_ids",
    "attachments",
    "flags",
    "enforce_nonce",
    "poll",
];

/// A body and the files that came with it.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) body: Value,
    pub(super) files: Vec<SentFile>,
}

impl Draft {
    /// Reads JSON, or a form with `payload_json` and `files[n]`.
    pub(super) async fn read(request: Request) -> Result<Self, Refusal> {
        let content_type = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        if content_type.starts_with("application/json") {
            let bytes = axum::body::to_bytes(request.into_body(), 25 << 20).await;
            let body = bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let body = body.ok_or_else(|| Refusal::new(400, 50_109, "The request body contains invalid JSON."))?;
            return Ok(Self {
                body,
                files: Vec::new(),
            });
        }
        if !content_type.starts_with("multipart/form-data") {
            let text = "Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.";
            return Err(Refusal::field("_", "CONTENT_TYPE_INVALID", text));
        }
        let broken = |text: String| Refusal::field("_", "FORM_INVALID", text);
        let mut form = Multipart::from_request(request, &())
            .await
            .map_err(|error| broken(error.to_string()))?;
        let mut draft = Self {
            body: json!({}),
            files: Vec::new(),
        };
        while let Some(field) = form.next_field().await.map_err(|error| broken(error.to_string()))? {
            let name = field.name().unwrap_or_default().to_owned();
            let file_name = field.file_name().unwrap_or_default().to_owned();
            let text = field.text().await.map_err(|error| broken(error.to_string()))?;
            if name == "payload_json" {
                draft.body = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
            } else if name == format!("files[{}]", draft.files.len()) && !file_name.is_empty() {
                draft.files.push(SentFile {
                    name: file_name,
                    content: text,
                });
            } else {
                return Err(Refusal::field(&name, "UNKNOWN_FIELD", "no such part of a form"));
            }
        }
        Ok(draft)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(Value::as_str)
    }

    /// Checks all that needs no look at the channel: <https://docs.discord.com/developers/resources/message#create-message>
    pub(super) fn check(&self) -> Result<(), Refusal> {
        only("message", &self.body, &FIELDS)?;
        let content = match self.body.get("content") {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(_) => return Err(Refusal::field("content", "BASE_TYPE_STRING", "Not a string.")),
        };
        if content.chars().count() > 2_000 {
            let text = "Must be 2000 or fewer in length.";
            return Err(Refusal::field("content", "BASE_TYPE_MAX_LENGTH", text));
        }
        let poll = self.body.get("poll").filter(|poll| !poll.is_null());
        if let Some(poll) = poll {
            rights::check_poll(poll)?;
        }
        let has_embeds = checks::count(&self.body, "embeds") > 0;
        if content.trim().is_empty() && self.files.is_empty() && poll.is_none() && !has_embeds {
            return Err(Refusal::new(400, 50_006, "Cannot send an empty message"));
        }
        if self.text("nonce").is_some_and(|nonce| nonce.chars().count() > 25) {
            return Err(Refusal::field(
                "nonce",
                "NONCE_TYPE_MAX_LENGTH",
                "Must be 25 or fewer in length.",
            ));
        }
        if self.body.get("enforce_nonce").is_some_and(|value| !value.is_boolean()) {
            return Err(Refusal::field(
                "enforce_nonce",
                "BOOLEAN_TYPE_CONVERT",
                "Must be either true or false.",
            ));
        }
        // <https://docs.discord.com/developers/resources/message#create-message>
        if self.files.len() > 10 {
            let text = "Must be 10 or fewer in length.";
            return Err(Refusal::field("files", "BASE_TYPE_MAX_LENGTH", text));
        }
        checks::mentions(&self.body)?;
        checks::embeds(&self.body)?;
        components::read(&self.body)?;
        checks::attachments(&self.body, self.files.len())?;
        self.check_voice()
    }

    /// Checks that the bot may send it to a channel:
    /// <https://docs.discord.com/developers/resources/message#create-message>
    fn allowed(&self, state: &State, channel: u64) -> Result<(), Refusal> {
        may_write(state, channel)?;
        if !self.files.is_empty() {
            rights::may(state, channel, permission::ATTACH_FILES)?;
        }
        match self.body.get("message_reference") {
            Some(_) => rights::may(state, channel, permission::READ_MESSAGE_HISTORY),
            None => Ok(()),
        }
    }

    /// The message that this one answers, checked to exist:
    /// <https://docs.discord.com/developers/resources/message#message-reference-structure>
    fn reference(&self, state: &State, channel: u64) -> Result<Option<u64>, Refusal> {
        let Some(reference) = self.body.get("message_reference") else {
            return Ok(None);
        };
        let known = ["type", "message_id", "channel_id", "guild_id", "fail_if_not_exists"];
        only("message_reference", reference, &known)?;
        let id = reference["message_id"].as_str().and_then(|id| id.parse().ok());
        let Some(id) = id else {
            return Err(Refusal::field(
                "message_reference",
                "NUMBER_TYPE_COERCE",
                "message_id is not a snowflake.",
            ));
        };
        let exists = state
            .channels
            .get(&channel)
            .is_some_and(|room| room.messages.contains_key(&id));
        match (exists, reference["fail_if_not_exists"] == json!(false)) {
            (true, _) => Ok(Some(id)),
            (false, true) => Ok(None),
            (false, false) => Err(Refusal::field(
                "message_reference",
                "MESSAGE_REFERENCE_UNKNOWN_MESSAGE",
                "Unknown message",
            )),
        }
    }

    /// The pings of the message: everybody it names, unless `allowed_mentions` says otherwise.
    fn pings(&self, replied_to: Option<String>) -> Vec<String> {
        let content = self.text("content").unwrap_or_default();
        let allowed = self.body.get("allowed_mentions");
        let parses = |kind: &str| match allowed {
            None => true,
            Some(mentions) => mentions["parse"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|given| given == kind)),
        };
        let mut pings = Vec::new();
        if parses("everyone") {
            let names = ["@everyone", "@here"];
            pings.extend(
                names
                    .iter()
                    .filter(|name| content.contains(**name))
                    .map(|name| (*name).to_owned()),
            );
        }
        if parses("users") {
            pings.extend(mentioned_ids(content).iter().map(u64::to_string));
        }
        if allowed.is_none_or(|mentions| mentions["replied_user"] == json!(true)) {
            pings.extend(replied_to);
        }
        pings
    }
}

/// Checks that the bot may write to a channel, which is one permission in threads and another elsewhere.
pub(super) fn may_write(state: &State, channel: u64) -> Result<(), Refusal> {
    let is_thread = state
        .channels
        .get(&channel)
        .is_some_and(|room| room.json["type"] == THREAD);
    let writing = match is_thread {
        true => permission::SEND_MESSAGES_IN_THREADS,
        false => permission::SEND_MESSAGES,
    };
    rights::may(state, channel, writing)
}

fn is_archived(state: &State, thread: u64) -> bool {
    let room = state.channels.get(&thread);
    room.is_some_and(|room| room.json["thread_metadata"]["archived"] == json!(true))
}

fn archived() -> Refusal {
    Refusal::new(400, 50_083, "Thread is archived")
}

/// Takes a message for a channel, or returns the one that came before with the same nonce.
pub(super) fn post(shared: &Shared, channel: u64, draft: &Draft) -> Result<Value, Refusal> {
    let mut guard = shared.state();
    let state = &mut *guard;
    draft.check()?;
    draft.allowed(state, channel)?;
    let reply_to = draft.reference(state, channel)?;
    let nonce = draft.text("nonce").map(|nonce| (state.bot, nonce.to_owned()));
    let enforced = draft.body["enforce_nonce"] == json!(true);
    if enforced
        && let Some(nonce) = &nonce
        && let Some((earlier, at)) = state.nonces.get(nonce)
        && at.elapsed() < NONCE_KEPT
    {
        // As it is by now; of one that was deleted, what it was.
        let room = state.channels.get(&channel);
        let id = earlier["id"].as_str().and_then(|id| id.parse::<u64>().ok());
        let now = room.and_then(|room| room.messages.get(&id?));
        return Ok(now.unwrap_or(earlier).clone());
    }
    if is_archived(state, channel)
        && let Some(room) = state.channels.get_mut(&channel)
    {
        room.json["thread_metadata"]["archived"] = json!(false);
    }
    let (id, stored, sent) = record(state, channel, draft, reply_to);
    if let Some(nonce) = nonce.filter(|_| enforced) {
        state.nonces.insert(nonce, (stored.clone(), Instant::now()));
    }
    let guild = state.channels.get_mut(&channel).and_then(|room| {
        room.messages.insert(id, stored.clone());
        room.sent.push(sent.clone());
        room.guild
    });
    // Nobody needs to listen.
    drop(shared.0.outgoing.send(Arc::new((channel, sent))));
    state.dispatch("MESSAGE_CREATE", &dispatched(&stored, guild));
    drop(guard);
    shared.changed();
    Ok(stored)
}

/// Changes a message of the bot's.
pub(super) fn edit(shared: &Shared, channel: u64, id: u64, draft: &Draft) -> Result<Value, Refusal> {
    let mut guard = shared.state();
    let state = &mut *guard;
    let known = [
        "content",
        "embeds",
        "flags",
        "allowed_mentions",
        "components",
        "attachments",
    ];
    only("message", &draft.body, &known)?;
    draft.check()?;
    if !draft.files.is_empty() {
        rights::may(state, channel, permission::ATTACH_FILES)?;
    }
    if is_archived(state, channel) {
        return Err(archived());
    }
    let content = draft.text("content").unwrap_or_default().to_owned();
    let unknown = || Refusal::new(404, 10_008, "Unknown Message");
    let room = state.channels.get_mut(&channel).ok_or_else(unknown)?;
    let guild = room.guild;
    let message = room.messages.get_mut(&id).ok_or_else(unknown)?;
    // Nobody but the interaction's token reaches what one person sees alone.
    if is_ephemeral(message) {
        return Err(unknown());
    }
    // The answer to an interaction is a message of the bot's as well.
    let answers = state.interactions.values_mut().flat_map(|asked| &mut asked.replies);
    let sent = room.sent.iter_mut().chain(answers).find(|sent| sent.id == id);
    let sent = sent.ok_or_else(|| Refusal::new(403, 50_005, "Cannot edit a message authored by another user"))?;
    let edited = message;
    edited["content"] = json!(content);
    edited["edited_timestamp"] = edited["timestamp"].clone();
    // A key that is left out stays as it is: <https://docs.discord.com/developers/resources/message#edit-message>
    if let Some(components) = draft.body.get("components") {
        sent.buttons = components::read(&draft.body)?;
        sent.styles = components::styles(&draft.body);
        edited["components"] = components.clone();
    }
    let before = std::mem::replace(&mut sent.content, content);
    sent.before.push((before, Instant::now()));
    sent.files.clone_from(&draft.files);
    let message = edited.clone();
    state.dispatch("MESSAGE_UPDATE", &dispatched(&message, guild));
    drop(guard);
    shared.changed();
    Ok(message)
}

/// Deletes a message of the bot's.
pub(super) fn delete(shared: &Shared, channel: u64, id: u64) -> Result<(), Refusal> {
    let mut guard = shared.state();
    let unknown = || Refusal::new(404, 10_008, "Unknown Message");
    if is_archived(&guard, channel) {
        return Err(archived());
    }
    let room = guard.channels.get_mut(&channel).ok_or_else(unknown)?;
    let guild = room.guild;
    if room.messages.get(&id).is_none_or(is_ephemeral) {
        return Err(unknown());
    }
    let message = room.messages.remove(&id).ok_or_else(unknown)?;
    room.sent.retain(|sent| sent.id != id);
    guard.dispatch("MESSAGE_DELETE", &dispatched(&message, guild));
    drop(guard);
    shared.changed();
    Ok(())
}

/// Makes the message and the test's record of it.
pub(super) fn record(state: &mut State, channel: u64, draft: &Draft, reply_to: Option<u64>) -> (u64, Value, Sent) {
    let id = state.clock.snowflake();
    let content = draft.text("content").unwrap_or_default();
    let author = state.users.get(&state.bot).cloned().unwrap_or_default();
    let mut stored = message(state, id, channel, &author, content);
    if let Some(nonce) = draft.body.get("nonce") {
        stored["nonce"] = nonce.clone();
    }
    if let Some(components) = draft.body.get("components") {
        stored["components"] = components.clone();
    }
    if let Some(flags) = draft.body.get("flags") {
        stored["flags"] = flags.clone();
    }
    let answered = reply_to.and_then(|to| state.channels.get(&channel)?.messages.get(&to).cloned());
    if let (Some(to), Some(answered)) = (reply_to, &answered) {
        stored["type"] = json!(19);
        stored["message_reference"] =
            json!({"type": 0, "message_id": to.to_string(), "channel_id": channel.to_string()});
        stored["referenced_message"] = answered.clone();
    }
    let replied_user = answered.and_then(|message| message["author"]["id"].as_str().map(str::to_owned));
    let sent = Sent {
        id,
        content: content.to_owned(),
        nonce: draft.text("nonce").map(str::to_owned),
        reply_to,
        files: draft.files.clone(),
        buttons: components::read(&draft.body).unwrap_or_default(),
        styles: components::styles(&draft.body),
        pinged: draft.pings(replied_user),
        before: Vec::new(),
    };
    (id, stored, sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discord::DiscordFake;

    fn draft(body: Value) -> Draft {
        Draft {
            body,
            files: Vec::new(),
        }
    }

    #[test]
    fn what_discord_refuses_is_refused() {
        let cases = [
            (json!({"content": "x".repeat(2_000)}), None),
            (json!({"content": "ß".repeat(2_001)}), Some(50_035)),
            (json!({"content": "  "}), Some(50_006)),
            (json!({}), Some(50_006)),
            (json!({"content": 5}), Some(50_035)),
            (json!({"content": "x", "nonce": "x".repeat(26)}), Some(50_035)),
            (json!({"content": "x", "colour": "red"}), Some(50_035)),
            (
                json!({"content": "x", "allowed_mentions": {"parse": ["nobody"]}}),
                Some(50_035),
            ),
            (
                json!({"content": "x", "allowed_mentions": {"parse": ["users"], "users": []}}),
                Some(50_035),
            ),
            (
                json!({"content": "x", "attachments": [{"id": 0, "filename": "none"}]}),
                Some(50_035),
            ),
            (
                json!({"content": "x", "allowed_mentions": {"users": ["ada"]}}),
                Some(50_035),
            ),
            (
                json!({"content": "x", "allowed_mentions": {"users": vec!["1"; 101]}}),
                Some(50_035),
            ),
            (
                json!({"content": "x", "allowed_mentions": {"replied_user": "yes"}}),
                Some(50_035),
            ),
            (json!({"embeds": [{"description": "x"}]}), None),
            (json!({"embeds": vec![json!({"description": "x"}); 11]}), Some(50_035)),
            (json!({"embeds": [{"title": "x".repeat(257)}]}), Some(50_035)),
            (json!({"embeds": [{"description": "x".repeat(4_097)}]}), Some(50_035)),
            (
                json!({"embeds": [{"fields": vec![json!({"name": "a", "value": "b"}); 26]}]}),
                Some(50_035),
            ),
            (
                json!({"embeds": [{"fields": [{"name": "a", "value": ""}]}]}),
                Some(50_035),
            ),
            (
                json!({"embeds": vec![json!({"description": "x".repeat(3_001)}); 2]}),
                Some(50_035),
            ),
        ];
        for (body, code) in cases {
            assert_eq!(
                draft(body.clone()).check().err().map(|refusal| refusal.code),
                code,
                "{body}"
            );
        }
    }

    #[tokio::test]
    async fn a_nonce_is_taken_once_and_only_if_it_is_enforced() {
        let fake = DiscordFake::start().await;
        let channel = fake.dm(fake.user("Ada"));
        let once = draft(json!({"content": "x", "nonce": "1", "enforce_nonce": true}));
        let ids: Vec<Value> = (0..2)
            .map(|_| post(&fake.shared, channel, &once).unwrap()["id"].clone())
            .collect();
        assert_eq!(ids[0], ids[1]);
        let twice = draft(json!({"content": "x", "nonce": "1"}));
        let ids: Vec<Value> = (0..2)
            .map(|_| post(&fake.shared, channel, &twice).unwrap()["id"].clone())
            .collect();
        assert_ne!(ids[0], ids[1]);
        assert_eq!(fake.sent(channel).len(), 3);
    }

    #[tokio::test]
    async fn without_allowed_mentions_a_message_pings() {
        let fake = DiscordFake::start().await;
        let user = fake.user("Ada");
        let channel = fake.dm(user);
        let said = fake.user_says(channel, user, "hello");
        let content = format!("@everyone <@{user}>");
        let reference = json!({"message_id": said.to_string()});
        let loud = json!({"content": content, "message_reference": reference});
        let quiet = json!({"content": content, "message_reference": reference, "allowed_mentions": {"parse": []}});
        for body in [loud, quiet] {
            post(&fake.shared, channel, &draft(body)).unwrap();
        }
        let pinged: Vec<Vec<String>> = fake.sent(channel).into_iter().map(|sent| sent.pinged).collect();
        let user = user.to_string();
        assert_eq!(pinged, [vec!["@everyone".to_owned(), user.clone(), user], Vec::new()]);
    }
}
