//! Pressed buttons: the commands that they give.
//!
//! Only what is needed is read: the message below which a button stands may hold anything.

use clifford_channel::{Button, Command, Inbound, Place};
use serde::Deserialize;
use serenity::model::{
    id::{ApplicationId, ChannelId, GuildId, InteractionId},
    user::User,
};

use super::{created_at, speaker};

/// A component's interaction, or an argument that is being typed: who and where.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct From {
    pub(crate) id: InteractionId,
    pub(crate) application_id: ApplicationId,
    pub(crate) token: String,
    pub(crate) channel_id: ChannelId,
    pub(crate) guild_id: Option<GuildId>,
    /// In a direct message.
    user: Option<User>,
    /// In a guild.
    member: Option<Member>,
    #[serde(default)]
    locale: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Member {
    user: User,
    nick: Option<String>,
}

/// A pressed button, or a choice from a menu.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Pressed {
    #[serde(flatten)]
    pub(crate) from: From,
    data: Data,
}

#[derive(Clone, Debug, Deserialize)]
struct Data {
    custom_id: String,
}

impl From {
    /// Who it was; `None` if Discord does not say.
    pub(crate) fn speaker(&self) -> Option<clifford_channel::Speaker> {
        let (user, nick) = match (&self.member, &self.user) {
            (Some(member), _) => (&member.user, member.nick.as_deref()),
            (None, user) => (user.as_ref()?, None),
        };
        let mut speaker = speaker(user, nick, false);
        speaker.language = Some(self.locale.clone()).filter(|locale| !locale.is_empty());
        Some(speaker)
    }
}

/// The command that a press gives; `None` if the button is none of the bot's. `via` leads the answer back to it, if it
/// was acknowledged.
pub(crate) fn press(payload: &Pressed, place: Place, via: Option<String>) -> Option<Inbound> {
    let (name, argument) = Button::pressed(&payload.data.custom_id)?;
    let id = payload.from.id;
    Some(Inbound::Command(Command {
        place,
        speaker: payload.from.speaker()?,
        id: id.to_string(),
        name,
        argument,
        sent_at: created_at(id.get()),
        via,
    }))
}

#[cfg(test)]
#[path = "component_tests.rs"]
mod tests;
