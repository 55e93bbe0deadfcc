//! What an event of the gateway says. Pure: a name and a payload in, what they mean out.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use serenity::model::{application::CommandInteraction, channel::Message, event::MessageUpdateEvent};

use crate::{
    directory::{ChannelInfo, GuildInfo},
    map::{Asked, Kind, Pressed, Typed},
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
    Message(Box<Message>),
    Edit(Box<MessageUpdateEvent>),
    Interaction(Interaction),
    Guild(GuildInfo),
    Channel(ChannelInfo),
    GuildGone(GuildGone),
    ChannelGone { channel: ChannelInfo, is_thread: bool },
}

/// An interaction that is to be answered.
pub(crate) struct Interaction {
    pub(crate) id: u64,
    pub(crate) token: String,
    pub(crate) kind: Kind,
    /// What it says; if that cannot be read, it is acknowledged all the same.
    pub(crate) said: Result<Said, String>,
}

/// What an interaction says.
pub(crate) enum Said {
    Command(Box<CommandInteraction>),
    Press(Box<Pressed>),
    Typed(Box<Typed>),
}

/// A guild that is out of reach.
#[derive(Deserialize)]
pub(crate) struct GuildGone {
    pub(crate) id: String,
    /// An outage: the bot is still a member.
    #[serde(default)]
    pub(crate) unavailable: bool,
}

/// Reads an event; `None` if it means nothing here.
///
/// # Errors
/// It cannot be read, or its kind is not known.
pub(crate) fn read(name: &str, data: &RawValue) -> Result<Option<Event>, String> {
    let event = match name {
        "MESSAGE_CREATE" => Event::Message(parse(data)?),
        "MESSAGE_UPDATE" => Event::Edit(parse(data)?),
        "INTERACTION_CREATE" => return Ok(interaction(data)?.map(Event::Interaction)),
        "GUILD_CREATE" | "GUILD_UPDATE" => Event::Guild(parse(data)?),
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => Event::Channel(parse(data)?),
        "GUILD_DELETE" => Event::GuildGone(parse(data)?),
        "CHANNEL_DELETE" | "THREAD_DELETE" => Event::ChannelGone {
            channel: parse(data)?,
            is_thread: name == "THREAD_DELETE",
        },
        name if UNNEEDED.iter().any(|prefix| name.starts_with(prefix)) => return Ok(None),
        name => return Err(format!("`{name}` is no event that is known here")),
    };
    Ok(Some(event))
}

fn interaction(data: &RawValue) -> Result<Option<Interaction>, String> {
    let asked: Asked = parse(data)?;
    let Some(kind) = asked.kind() else {
        return Ok(None);
    };
    let id = asked.id.parse().map_err(|_| format!("`{}` is no id", asked.id))?;
    if !is_token(&asked.token) {
        return Err("the interaction's token has unexpected characters".to_owned());
    }
    let said = match kind {
        Kind::Command => parse(data).map(Said::Command),
        Kind::Press => parse(data).map(Said::Press),
        Kind::Typed => parse(data).map(Said::Typed),
    };
    Ok(Some(Interaction {
        id,
        token: asked.token,
        kind,
        said,
    }))
}

fn parse<T: DeserializeOwned>(data: &RawValue) -> Result<T, String> {
    serde_json::from_str(data.get()).map_err(|error| error.to_string())
}
