//! The gateway's frames.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use serenity::{constants::Opcode, model::gateway::GatewayIntents};

use crate::shard::Shard;

/// Servers, messages in them, direct messages and reactions.
/// <https://discord.com/developers/docs/events/gateway#list-of-intents>
const INTENTS: GatewayIntents = GatewayIntents::GUILDS
    .union(GatewayIntents::GUILD_MESSAGES)
    .union(GatewayIntents::GUILD_MESSAGE_REACTIONS)
    .union(GatewayIntents::DIRECT_MESSAGES)
    .union(GatewayIntents::DIRECT_MESSAGE_REACTIONS);

/// A frame from Discord.
#[derive(Debug, Deserialize)]
pub(crate) struct Incoming {
    pub(super) op: u64,
    pub(super) s: Option<u64>,
    pub(crate) t: Option<String>,
    pub(crate) d: Option<Box<RawValue>>,
}

impl Incoming {
    /// Its opcode; `None` for a number that can be none.
    pub(super) fn opcode(&self) -> Option<Opcode> {
        u8::try_from(self.op).ok().map(Opcode::from)
    }

    pub(super) fn data<'a, T: Deserialize<'a>>(&'a self) -> Result<T, String> {
        let data = self.d.as_deref().ok_or("there is no `d`")?;
        serde_json::from_str(data.get()).map_err(|error| error.to_string())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    pub(super) heartbeat_interval: u64,
}

/// The first event of a session.
#[derive(Debug, Deserialize)]
pub(super) struct Ready {
    pub(super) session_id: String,
    pub(super) resume_gateway_url: String,
    pub(super) user: Own,
    pub(super) application: Own,
}

/// The bot's account or application.
#[derive(Debug, Deserialize)]
pub(super) struct Own {
    pub(super) id: String,
    pub(super) username: Option<String>,
}

pub(super) fn heartbeat(seq: Option<u64>) -> Value {
    json!({"op": Opcode::Heartbeat, "d": seq})
}

/// `content`: asks for what messages say that do not mention the bot, which Discord grants to some.
pub(super) fn identify(token: &str, shard: Shard, content: bool) -> Value {
    let intents = match content {
        true => INTENTS.union(GatewayIntents::MESSAGE_CONTENT),
        false => INTENTS,
    };
    let properties = json!({"os": std::env::consts::OS, "browser": "clifford", "device": "clifford"});
    json!({"op": Opcode::Identify, "d": {
        "token": token, "intents": intents.bits(), "properties": properties, "large_threshold": 50,
        "shard": [shard.place, shard.of],
    }})
}

pub(super) fn resume(token: &str, session: &str, seq: u64) -> Value {
    json!({"op": Opcode::Resume, "d": {"token": token, "session_id": session, "seq": seq}})
}
