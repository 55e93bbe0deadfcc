//! Interactions: their kinds, who and where they come from, and slash commands. Read leniently, as messages are.

use clifford_channel::{Addressed, Attachment, Command, Inbound, Message, Place, Speaker, lenient};
use serde_json::Value;

use super::{
    created_at,
    payload::{Account, attachment, id},
    speaker,
};

/// What is needed to acknowledge an interaction, whatever else it may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Its id, a snowflake.
    pub(crate) id: u64,
    /// Proves that the answer comes from the bot.
    pub(crate) token: String,
    /// What kind it is.
    pub(crate) kind: Kind,
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
    /// Reads it; `None` for an interaction of another kind.
    ///
    /// # Errors
    /// It has no id or token, so nobody can answer it.
    pub(crate) fn read(value: &Value) -> Result<Option<Self>, String> {
        let kind = match lenient::int(value, "type") {
            Some(2) => Kind::Command,
            Some(3) => Kind::Press,
            Some(4) => Kind::Typed,
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
pub(crate) struct From {
    pub(crate) id: u64,
    pub(crate) application: u64,
    pub(crate) token: String,
    pub(crate) channel: u64,
    pub(crate) guild: Option<u64>,
    pub(crate) speaker: Speaker,
    data: Value,
}

impl From {
    /// Reads an interaction.
    ///
    /// # Errors
    /// What it cannot do without is missing.
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

    /// What the bot wrote behind the button that was pressed.
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
            if lenient::int(option, "type") == Some(ATTACHMENT) {
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

/// Discord's type of an option that is a file.
const ATTACHMENT: i64 = 11;
/// The command that puts a question, which is a message like any other.
const ASK: &str = "ask";

/// A slash command, or the message that `/ask` puts. `via` leads the answer back to it, if it was acknowledged.
pub(crate) fn command(payload: &From, place: Place, via: Option<String>) -> Inbound {
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
