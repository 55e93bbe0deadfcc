//! Reads the gateway's events. Pure: a name and a payload in, their meaning out.

use clifford_channel::{Reaction, lenient};
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use crate::{
    directory::{ChannelInfo, GuildInfo, RoleInfo},
    map::{self, InteractionHeader, InteractionKind, InteractionPayload, Payload},
    reaction,
    via::is_token,
};

/// Kinds of events that Discord sends under our intents and that mean nothing here.
const UNNEEDED: [&str; 14] = [
    "GUILD_",
    "CHANNEL_",
    "THREAD_",
    "STAGE_INSTANCE_",
    "INTEGRATION_",
    "ENTITLEMENT_",
    "SUBSCRIPTION_",
    "MESSAGE_",
    "VOICE_",
    "SOUNDBOARD_",
    "USER_",
    "APPLICATION_COMMAND_",
    "WEBHOOKS_",
    "AUTO_MODERATION_",
];

/// An event that means something here.
pub(crate) enum Event {
    Message(Box<Payload>),
    Edit(Box<Payload>),
    /// Messages of a channel are gone.
    Deleted(Gone),
    /// Somebody says by a reaction what they think of a message.
    Reaction(Reaction),
    Role {
        guild: u64,
        role: RoleInfo,
    },
    RoleGone {
        guild: u64,
        role: u64,
    },
    Interaction(Interaction),
    Guild(GuildInfo),
    Channel(ChannelInfo),
    GuildGone(GuildGone),
    ChannelGone {
        channel: ChannelInfo,
        is_thread: bool,
    },
}

/// An interaction that is to be answered.
pub(crate) struct Interaction {
    pub(crate) id: u64,
    pub(crate) token: String,
    pub(crate) kind: InteractionKind,
    /// Its content; if that cannot be read, it is acknowledged all the same.
    pub(crate) payload: Result<Box<InteractionPayload>, String>,
}

/// Messages that were deleted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) channel: u64,
    pub(crate) ids: Vec<u64>,
}

/// A guild that is out of reach.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GuildGone {
    pub(crate) id: u64,
    /// An outage: the bot is still a member.
    pub(crate) unavailable: bool,
}

/// Reads an event; `None` if it means nothing here.
///
/// # Errors
/// It cannot be read, or its kind is not known.
pub(crate) fn read(name: &str, data: &RawValue) -> Result<Option<Event>, String> {
    let event = match name {
        "MESSAGE_CREATE" => Event::Message(Box::new(Payload::read(data.get())?)),
        "MESSAGE_UPDATE" => Event::Edit(Box::new(Payload::read_change(data.get())?)),
        "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK" => Event::Deleted(read_removal(&parse(data)?)?),
        "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE" => {
            match reaction::read(&parse(data)?, name == "MESSAGE_REACTION_ADD")? {
                Some(reaction) => Event::Reaction(reaction),
                None => return Ok(None),
            }
        }
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => match role(&parse(data)?) {
            Some(event) => event,
            None => return Ok(None),
        },
        "GUILD_ROLE_DELETE" => match role_gone(&parse(data)?) {
            Some(event) => event,
            None => return Ok(None),
        },
        "INTERACTION_CREATE" => return Ok(interaction(data)?.map(Event::Interaction)),
        "GUILD_CREATE" | "GUILD_UPDATE" => Event::Guild(parse(data)?),
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => Event::Channel(parse(data)?),
        "GUILD_DELETE" => Event::GuildGone(guild_gone(&parse(data)?)?),
        "CHANNEL_DELETE" | "THREAD_DELETE" => Event::ChannelGone {
            channel: parse(data)?,
            is_thread: name == "THREAD_DELETE",
        },
        name if UNNEEDED.iter().any(|prefix| name.starts_with(prefix)) => return Ok(None),
        name => {
            // Discord, and servers that speak its protocol, may send events that were not asked for.
            tracing::debug!(event = name, "ignored an event of an unknown kind");
            return Ok(None);
        }
    };
    Ok(Some(event))
}

fn interaction(data: &RawValue) -> Result<Option<Interaction>, String> {
    let Some(InteractionHeader { id, token, kind }) = InteractionHeader::read(&parse(data)?)? else {
        return Ok(None);
    };
    if !is_token(&token) {
        return Err("the interaction's token has unexpected characters".to_owned());
    }
    let payload = InteractionPayload::read(data.get()).map(Box::new);
    Ok(Some(Interaction {
        id,
        token,
        kind,
        payload,
    }))
}

fn guild_gone(data: &Value) -> Result<GuildGone, String> {
    Ok(GuildGone {
        id: map::id(data, "id").ok_or("it names no guild")?,
        unavailable: lenient::flag(data, "unavailable"),
    })
}

/// One message, or several at once.
fn read_removal(data: &Value) -> Result<Gone, String> {
    let one = data.get("id").into_iter();
    let ids = one
        .chain(lenient::list(data, "ids"))
        .filter_map(lenient::whole)
        .collect::<Vec<_>>();
    let channel = data
        .get("channel_id")
        .and_then(lenient::whole)
        .ok_or("it has no channel")?;
    match ids.is_empty() {
        true => Err("it names no message".to_owned()),
        false => Ok(Gone { channel, ids }),
    }
}

fn role(data: &Value) -> Option<Event> {
    Some(Event::Role {
        guild: data.get("guild_id").and_then(lenient::whole)?,
        role: RoleInfo::read(lenient::object(data, "role")?)?,
    })
}

fn role_gone(data: &Value) -> Option<Event> {
    Some(Event::RoleGone {
        guild: data.get("guild_id").and_then(lenient::whole)?,
        role: data.get("role_id").and_then(lenient::whole)?,
    })
}

fn parse<T: DeserializeOwned>(data: &RawValue) -> Result<T, String> {
    serde_json::from_str(data.get()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guild_is_gone_whatever_its_id_looks_like() {
        for (data, expected) in [
            (r#"{"id": "7"}"#, Some((7, false))),
            (r#"{"id": 7, "unavailable": true}"#, Some((7, true))),
            (r#"{"id": []}"#, None),
        ] {
            let data: &RawValue = serde_json::from_str(data).unwrap();
            let gone = match read("GUILD_DELETE", data) {
                Ok(Some(Event::GuildGone(gone))) => Some((gone.id, gone.unavailable)),
                _ => None,
            };
            assert_eq!(gone, expected, "{data}");
        }
    }
}
