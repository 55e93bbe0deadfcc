//! Interactions: their kinds, who and where they come from, and slash commands. Read leniently, as messages are.

use clifford_channel::{Addressed, Attachment, Command, Inbound, Message, Place, Speaker, lenient};
use serde_json::Value;
use serenity::model::application::{CommandOptionType, InteractionType};

use super::{
    created_at,
    payload::{Account, attachment, id},
    speaker,
};

/// The fields that acknowledging an interaction needs; all others are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InteractionHeader {
    /// Its id, a snowflake.
    pub(crate) id: u64,
    /// Proves that the answer comes from the bot.
    pub(crate) token: String,
    /// Its kind.
    pub(crate) kind: InteractionKind,
}

/// The kinds of interactions that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InteractionKind {
    /// A slash or context-menu command.
    Command,
    /// A button was pressed.
    Press,
    /// An argument is being typed.
    Typed,
}

impl InteractionHeader {
    /// Reads it; `None` for an interaction of another kind.
    ///
    /// # Errors
    /// It has no id or token, so nobody can answer it.
    pub(crate) fn read(value: &Value) -> Result<Option<Self>, String> {
        let kind = lenient::int(value, "type").and_then(|kind| u8::try_from(kind).ok());
        let kind = match kind.map(InteractionType::from) {
            Some(InteractionType::Command) => InteractionKind::Command,
            Some(InteractionType::Component) => InteractionKind::Press,
            Some(InteractionType::Autocomplete) => InteractionKind::Typed,
            _ => return Ok(None),
        };
        Ok(Some(Self {
            id: id(value, "id").ok_or("it has no id")?,
            token: lenient::text(value, "token").ok_or("it has no token")?,
            kind,
        }))
    }
}

/// An interaction: who, where, and what of.
#[derive(Clone, Debug)]
pub(crate) struct InteractionPayload {
    pub(crate) id: u64,
    pub(crate) application: u64,
    pub(crate) token: String,
    pub(crate) channel: u64,
    pub(crate) guild: Option<u64>,
    pub(crate) speaker: Speaker,
    data: Value,
}

impl InteractionPayload {
    /// Reads an interaction.
    ///
    /// # Errors
    /// A required field is missing.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))?;
        let member = lenient::object(&value, "member");
        let user = member
            .and_then(|member| lenient::object(member, "user"))
            .or_else(|| lenient::object(&value, "user"));
        let account = user.and_then(Account::read).ok_or("it names nobody who gave it")?;
        let nick = member.and_then(|member| lenient::name(member, "nick"));
        let mut speaker = speaker(&account, nick.as_deref(), false);
        speaker.language = lenient::name(&value, "locale");
        Ok(Self {
            id: id(&value, "id").ok_or("it has no id")?,
            application: id(&value, "application_id").ok_or("it names no application")?,
            token: lenient::text(&value, "token").ok_or("it has no token")?,
            channel: id(&value, "channel_id").ok_or("it has no channel")?,
            guild: id(&value, "guild_id"),
            speaker,
            data: value.get("data").cloned().unwrap_or_default(),
        })
    }

    /// The name of the command; empty, if it is none.
    pub(crate) fn command(&self) -> String {
        lenient::text(&self.data, "name").unwrap_or_default()
    }

    /// The bot's own text behind the button that was pressed.
    pub(crate) fn pressed(&self) -> Option<String> {
        lenient::text(&self.data, "custom_id")
    }

    /// The argument that is being typed.
    pub(crate) fn typed(&self) -> Option<String> {
        let focused = lenient::list(&self.data, "options")
            .iter()
            .find(|option| lenient::flag(option, "focused"))?;
        let typed = focused.get("value").and_then(Value::as_str);
        Some(typed.unwrap_or_default().to_owned())
    }

    /// The options' values, in order; files are no words.
    fn argument(&self) -> String {
        let values = lenient::list(&self.data, "options").iter().filter_map(|option| {
            if lenient::int(option, "type") == Some(i64::from(u8::from(CommandOptionType::Attachment))) {
                return None;
            }
            match option.get("value")? {
                Value::String(text) => Some(text.trim().to_owned()),
                Value::Bool(value) => Some(value.to_string()),
                Value::Number(value) => Some(value.to_string()),
                _ => None,
            }
        });
        values.filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The files that were given with the command.
    fn attachments(&self) -> Vec<Attachment> {
        let given =
            lenient::object(&self.data, "resolved").and_then(|resolved| lenient::object(resolved, "attachments"));
        let files = given
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|files| files.values());
        files.filter_map(attachment).collect()
    }
}

/// The command that puts a question, which is a message like any other.
const ASK: &str = "ask";

/// A slash command, or the message that `/ask` puts. `via` leads the answer back to it, if it was acknowledged.
pub(crate) fn command(payload: &InteractionPayload, place: Place, via: Option<String>) -> Inbound {
    let (speaker, id) = (payload.speaker.clone(), payload.id.to_string());
    let sent_at = created_at(payload.id);
    let argument = payload.argument();
    if payload.command() == ASK {
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
            attachments: payload.attachments(),
            album: None,
            backfilled: false,
            via,
            quoted: None,
        });
    }
    Inbound::Command(Command {
        place,
        speaker,
        id,
        name: payload.command(),
        argument,
        sent_at,
        via,
    })
}

#[cfg(test)]
#[path = "interaction_tests.rs"]
mod tests;
