//! All that the fake knows, behind one lock.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::{Fault, Route, Sent, components::Form, files::Files, ids::Clock};

/// How many events of a session are kept for a resume.
const REPLAY: usize = 10_000;

#[derive(Debug)]
pub(super) struct State {
    pub(super) token: String,
    pub(super) clock: Clock,
    pub(super) ws_url: String,
    pub(super) bot: u64,
    pub(super) application: u64,
    pub(super) users: HashMap<u64, Value>,
    pub(super) guilds: BTreeMap<u64, String>,
    pub(super) channels: BTreeMap<u64, Room>,
    pub(super) nonces: HashMap<(u64, String), (Value, Instant)>,
    pub(super) interactions: HashMap<u64, Interaction>,
    pub(super) commands: HashMap<Option<u64>, Vec<Value>>,
    /// The languages of people's apps; English where none is set.
    pub(super) locales: HashMap<u64, String>,
    pub(super) sessions: HashMap<String, Session>,
    pub(super) gateway: GatewaySettings,
    /// Each until it is used, or until its time is over.
    pub(super) faults: VecDeque<(Route, Fault, Option<Instant>)>,
    /// Messages that hold these words are answered with this status.
    pub(super) poison: Vec<(String, u16)>,
    pub(super) limits: HashMap<Route, (u32, Duration)>,
    pub(super) buckets: HashMap<(Route, u64), Bucket>,
    pub(super) hits: HashMap<Route, usize>,
    pub(super) violations: Vec<String>,
    pub(super) rights: Rights,
    /// The bot's reactions that stand: channel, message and emoji.
    pub(super) marks: Vec<(u64, u64, String)>,
    pub(super) files: Files,
}

/// The gateway's offers, and its misbehavior.
#[derive(Debug)]
pub(super) struct GatewaySettings {
    pub(super) heartbeat: Duration,
    pub(super) acknowledges: bool,
    pub(super) message_content: bool,
    pub(super) identifies_left: u32,
    pub(super) reset_after: Duration,
    pub(super) open: bool,
    pub(super) identifies: usize,
    pub(super) resumes: usize,
    pub(super) heartbeats: usize,
    pub(super) swap: bool,
    /// Guilds are not told of after READY.
    pub(super) withholds_guilds: bool,
    /// With fewer shards nobody is let in.
    pub(super) shards: u64,
    /// So many shards may identify at a time.
    pub(super) concurrency: u64,
    /// When a shard of each bucket identified last, if that is held against the limit.
    pub(super) buckets: Option<HashMap<u64, Instant>>,
}

/// Roles, members and pins.
#[derive(Debug, Default)]
pub(super) struct Rights {
    /// Each role.
    pub(super) roles: Vec<Role>,
    /// Each member: their guild, and their roles.
    pub(super) members: Vec<(u64, u64, Vec<u64>)>,
    /// Each pin: its channel and message.
    pub(super) pins: Vec<(u64, u64)>,
}

/// A role of a guild.
#[derive(Debug)]
pub(super) struct Role {
    pub(super) guild: u64,
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) permissions: u64,
}

impl Role {
    /// As Discord describes it.
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id.to_string(), "name": self.name, "permissions": self.permissions.to_string(), "color": 0,
            "hoist": false, "managed": false, "mentionable": false, "position": 1, "flags": 0,
        })
    }
}

/// A channel, thread or direct message.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) json: Value,
    pub(super) guild: Option<u64>,
    /// All messages, oldest first.
    pub(super) messages: BTreeMap<u64, Value>,
    pub(super) sent: Vec<Sent>,
    pub(super) typings: usize,
    /// Status, code and text of the refusal that every request for it gets.
    pub(super) refuses: Option<(u16, u64, &'static str)>,
    /// The permissions that the bot lacks there.
    pub(super) lacks: u64,
}

/// An interaction.
#[derive(Debug)]
pub(super) struct Interaction {
    pub(super) token: String,
    pub(super) channel: u64,
    pub(super) user: u64,
    pub(super) name: String,
    pub(super) created_ms: u64,
    pub(super) began: Instant,
    pub(super) acknowledged: Option<Duration>,
    /// The message that the acknowledgement made.
    pub(super) original: Option<u64>,
    pub(super) answered: bool,
    /// An argument that is being typed.
    pub(super) is_typed: bool,
    /// Which kind of interaction it is.
    pub(super) kind: u64,
    /// The message below which it was.
    pub(super) below: Option<u64>,
    /// The form that it was answered with.
    pub(super) form: Option<Form>,
    /// The choices: the label, and its value.
    pub(super) choices: Option<Vec<(String, String)>>,
    pub(super) replies: Vec<Sent>,
}

#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) used: u32,
    pub(super) resets: Instant,
}

/// A gateway session: it outlives its connections.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) intents: u64,
    /// Which shard it is, and of how many.
    pub(super) shard: (u64, u64),
    pub(super) seq: u64,
    pub(super) log: VecDeque<(u64, String)>,
    pub(super) wire: Option<(u64, UnboundedSender<Wire>)>,
    pub(super) held: Option<(String, Value)>,
}

/// Orders to a connection.
#[derive(Debug)]
pub(super) enum Wire {
    Text(String),
    Close(u16),
    Drop,
}

impl Session {
    /// Whether events of a server, or of none, are this shard's.
    pub(super) fn hears(&self, guild: Option<u64>) -> bool {
        let (place, of) = self.shard;
        guild.map_or(0, |guild| (guild >> 22) % of) == place
    }

    /// Sends an event, and keeps it for a resume.
    pub(super) fn dispatch(&mut self, name: &str, data: &Value) {
        self.seq += 1;
        let frame = serde_json::json!({"op": 0, "s": self.seq, "t": name, "d": data}).to_string();
        self.send(Wire::Text(frame.clone()));
        self.log.push_back((self.seq, frame));
        if self.log.len() > REPLAY {
            self.log.pop_front();
        }
    }

    pub(super) fn send(&self, wire: Wire) {
        if let Some((_, sender)) = &self.wire {
            // A connection that is just ending takes nothing more; the log has it.
            let _ = sender.send(wire);
        }
    }
}

impl State {
    pub(super) fn violation(&mut self, text: impl Into<String>) {
        self.violations.push(text.into());
    }

    /// Sends an event to every session that asked for its kind.
    pub(super) fn dispatch(&mut self, name: &str, data: &Value) {
        let swap = self.gateway.swap;
        let mut swapped = false;
        for session in self.sessions.values_mut() {
            if !session.hears(guild_of(name, data)) {
                continue;
            }
            let Some(data) = wanted(session.intents, self.bot, name, data) else {
                continue;
            };
            if let Some((held_name, held)) = session.held.take() {
                session.dispatch(name, &data);
                session.dispatch(&held_name, &held);
                swapped = true;
            } else if swap {
                session.held = Some((name.to_owned(), data));
            } else {
                session.dispatch(name, &data);
            }
        }
        if swapped {
            self.gateway.swap = false;
        }
    }
}

/// The server that an event is about.
fn guild_of(name: &str, data: &Value) -> Option<u64> {
    let field = match name {
        "GUILD_CREATE" | "GUILD_UPDATE" | "GUILD_DELETE" => "id",
        _ => "guild_id",
    };
    data[field].as_str()?.parse().ok()
}

const GUILDS: u64 = 1;
const GUILD_MESSAGES: u64 = 1 << 9;
const GUILD_REACTIONS: u64 = 1 << 10;
const DIRECT_MESSAGES: u64 = 1 << 12;
const DIRECT_REACTIONS: u64 = 1 << 13;
const MESSAGE_CONTENT: u64 = 1 << 15;

/// The event as a session with these intents sees it; `None` if it does not.
fn wanted(intents: u64, bot: u64, name: &str, data: &Value) -> Option<Value> {
    let in_guild = data.get("guild_id").is_some();
    let needs = match name {
        "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK" if in_guild => GUILD_MESSAGES,
        "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK" => DIRECT_MESSAGES,
        "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE" if in_guild => GUILD_REACTIONS,
        "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE" => DIRECT_REACTIONS,
        "GUILD_CREATE" | "GUILD_DELETE" | "CHANNEL_CREATE" | "CHANNEL_DELETE" | "THREAD_CREATE" => GUILDS,
        _ => 0,
    };
    if intents & needs != needs {
        return None;
    }
    let mut data = data.clone();
    if needs == GUILD_MESSAGES && intents & MESSAGE_CONTENT == 0 {
        withhold(bot, &mut data);
    }
    Some(data)
}

/// Takes out what a bot without the message content intent is not told of a message in a server.
/// <https://docs.discord.com/developers/events/gateway#message-content-intent>
pub(super) fn withhold(bot: u64, message: &mut Value) {
    if message.get("content").is_none() || !hides_content(bot, message) {
        return;
    }
    message["content"] = json!("");
    for list in ["embeds", "attachments", "components"] {
        message[list] = json!([]);
    }
    if let Some(fields) = message.as_object_mut() {
        fields.remove("poll");
        fields.remove("message_snapshots");
    }
}

/// Without the message content intent a bot reads what it wrote and what mentions it, and nothing else.
fn hides_content(bot: u64, data: &Value) -> bool {
    let bot = Value::String(bot.to_string());
    let mentioned = data["mentions"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|user| user["id"] == bot);
    data["author"]["id"] != bot && !mentioned
}
