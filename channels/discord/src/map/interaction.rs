//! Interactions: their kinds, and slash commands.

use clifford_channel::{Addressed, Command, Inbound, Message, Place};
use serde::Deserialize;
use serenity::model::application::{CommandDataOptionValue, CommandInteraction};

use super::{created_at, speaker};

/// What is needed to acknowledge an interaction, whatever else it may hold.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Asked {
    /// Its id, a snowflake.
    pub(crate) id: String,
    /// Proves that the answer comes from the bot.
    pub(crate) token: String,
    #[serde(rename = "type")]
    kind: u8,
}

/// The kinds of interactions that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A slash or context-menu command.
    Command,
    /// A button was pressed.
    Press,
    /// An argument is being typed.
    Typed,
}

impl Asked {
    /// What kind it is, if it is one of those.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self.kind {
            2 => Some(Kind::Command),
            3 => Some(Kind::Press),
            4 => Some(Kind::Typed),
            _ => None,
        }
    }
}

/// The command that puts a question, which is a message like any other.
const ASK: &str = "ask";

/// A slash command, or the message that `/ask` puts. `via` leads the answer back to it, if it was acknowledged.
pub(crate) fn command(payload: &CommandInteraction, place: Place, via: Option<String>) -> Inbound {
    let nick = payload.member.as_ref().and_then(|member| member.nick.as_deref());
    let mut speaker = speaker(&payload.user, nick, false);
    speaker.language = Some(payload.locale.clone()).filter(|locale| !locale.is_empty());
    let id = payload.id.to_string();
    let sent_at = created_at(payload.id.get());
    let argument = argument(payload);
    if payload.data.name == ASK {
        return Inbound::Message(Message {
            place,
            speaker,
            id,
            text: argument,
            sent_at,
            reply_to: None,
            addressed: Addressed {
                mention: true,
                reply: false,
            },
            attachments: Vec::new(),
            album: None,
            backfilled: false,
            via,
        });
    }
    Inbound::Command(Command {
        place,
        speaker,
        id,
        name: payload.data.name.clone(),
        argument,
        sent_at,
        via,
    })
}

/// The options' values, in order.
fn argument(payload: &CommandInteraction) -> String {
    let values = payload.data.options.iter().filter_map(|option| match &option.value {
        CommandDataOptionValue::String(text) => Some(text.trim().to_owned()),
        CommandDataOptionValue::Boolean(value) => Some(value.to_string()),
        CommandDataOptionValue::Integer(value) => Some(value.to_string()),
        CommandDataOptionValue::Number(value) => Some(value.to_string()),
        _ => None,
    });
    values.filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "interaction_tests.rs"]
mod tests;
