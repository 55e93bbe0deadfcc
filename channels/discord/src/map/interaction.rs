//! Interactions: their kinds, their authors and places, and slash commands. Read leniently, as messages are.

use clifford_channel::{Addressed, Attachment, Button, Command, Inbound, Message, Place, Press, Speaker, lenient};
use serde_json::Value;
use serenity::model::{
    Permissions,
    application::{CommandOptionType, CommandType, InteractionType},
    channel::MessageFlags,
};

use super::{
    created_at,
    payload::{Account, Payload, attachment, id, roles},
    speaker,
};
use crate::{post::PICKER, via::Via};

/// A menu of roles: <https://docs.discord.com/developers/components/reference#component-object-component-types>
const ROLE_SELECT: i64 = 6;

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
    /// A button was pressed, something was chosen from a menu, or a form was filled in.
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
            Some(InteractionType::Component | InteractionType::Modal) => InteractionKind::Press,
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

/// The context of private channels but for that with the bot:
/// <https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-context-types>
const PRIVATE_CHANNEL: i64 = 2;

/// An interaction: who, where, and what of.
#[derive(Clone, Debug)]
pub(crate) struct InteractionPayload {
    pub(crate) id: u64,
    pub(crate) application: u64,
    pub(crate) token: String,
    pub(crate) channel: u64,
    pub(crate) guild: Option<u64>,
    pub(crate) speaker: Speaker,
    /// The ids of their roles.
    pub(crate) roles: Vec<u64>,
    may_open_threads: bool,
    /// It was given in a private channel of people that the bot is no member of.
    elsewhere: bool,
    /// The button stands below a message that only this person sees.
    below_private: bool,
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
            roles: member.map(roles).unwrap_or_default(),
            may_open_threads: member.is_some_and(opens_threads),
            elsewhere: lenient::int(&value, "context") == Some(PRIVATE_CHANNEL),
            below_private: lenient::object(&value, "message").is_some_and(is_ephemeral),
            data: value.get("data").cloned().unwrap_or_default(),
        })
    }

    /// Whether what was pressed stands where others read along, but its message is this person's alone.
    pub(crate) fn is_below_private(&self) -> bool {
        self.below_private && self.is_shared()
    }

    /// Whether others read along where it was given.
    pub(crate) const fn is_shared(&self) -> bool {
        self.guild.is_some() || self.elsewhere
    }

    /// Whether it was given in a private channel of people that the bot is no member of: it comes there with a person who
    /// added it to their own account.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// The name of the command; empty, if it is none.
    pub(crate) fn command(&self) -> String {
        lenient::text(&self.data, "name").unwrap_or_default()
    }

    /// The message in whose menu the command stands, if it is such a command and Discord tells the message.
    pub(crate) fn target(&self) -> Option<Payload> {
        let is_of_message = lenient::int(&self.data, "type") == Some(i64::from(u8::from(CommandType::Message)));
        let target = id(&self.data, "target_id").filter(|_| is_of_message)?;
        let messages = lenient::object(&self.data, "resolved").and_then(|given| lenient::object(given, "messages"))?;
        Payload::of(messages.get(target.to_string())?.clone()).ok()
    }

    /// The bot's own text behind the button that was pressed, the choice that was made, or the form.
    pub(crate) fn pressed(&self) -> Option<String> {
        if let Some(command) = self.picker() {
            return Some(command);
        }
        let chosen = lenient::list(&self.data, "values").first().and_then(Value::as_str);
        chosen
            .map(str::to_owned)
            .or_else(|| lenient::text(&self.data, "custom_id"))
    }

    /// The command of the menu of roles in which something was chosen.
    fn picker(&self) -> Option<String> {
        let is_of_roles = lenient::int(&self.data, "component_type") == Some(ROLE_SELECT);
        let id = lenient::text(&self.data, "custom_id").filter(|_| is_of_roles)?;
        id.strip_prefix(PICKER).map(str::to_owned)
    }

    /// The roles that were chosen, by name; one whose name would be taken for two, by id.
    fn picked(&self) -> Vec<String> {
        let known = lenient::object(&self.data, "resolved").and_then(|given| lenient::object(given, "roles"));
        let ids = lenient::list(&self.data, "values").iter().filter_map(Value::as_str);
        let named = ids.map(|id| {
            let role = known.and_then(|known| known.get(id));
            let name = role.and_then(|role| lenient::name(role, "name"));
            name.filter(|name| !name.contains(',')).unwrap_or_else(|| id.to_owned())
        });
        named.collect()
    }

    /// The effect of a press.
    pub(crate) fn press(&self) -> Press {
        if self.picker().is_some() {
            return Press::InPlace;
        }
        let data = self.pressed().unwrap_or_default();
        match Button::behind(&data).0 {
            // A form that was filled in.
            Press::Form if self.is_filled_in() => Press::InPlace,
            press => press,
        }
    }

    fn is_filled_in(&self) -> bool {
        !lenient::list(&self.data, "components").is_empty()
    }

    /// The words that were written into a form, on one line, or the roles that were chosen.
    pub(crate) fn written(&self) -> String {
        if self.picker().is_some() {
            return self.picked().join(", ");
        }
        let rows = lenient::list(&self.data, "components").iter();
        let inputs = rows.flat_map(|row| {
            let within = lenient::object(row, "component").into_iter();
            within.chain(lenient::list(row, "components")).collect::<Vec<_>>()
        });
        let words = inputs.filter_map(|input| lenient::text(input, "value"));
        words
            .collect::<Vec<_>>()
            .join(" ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
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
            let is = |kind: CommandOptionType| lenient::int(option, "type") == Some(i64::from(u8::from(kind)));
            if is(CommandOptionType::Attachment) || is_of_thread(option) {
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

    /// Whether the answer is to have a thread of its own, and whoever asks may open one.
    fn wants_thread(&self) -> bool {
        let chosen = |option: &Value| is_of_thread(option) && lenient::flag(option, "value");
        self.may_open_threads && lenient::list(&self.data, "options").iter().any(chosen)
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

/// Whether it is the option for an answer in a thread.
fn is_of_thread(option: &Value) -> bool {
    lenient::int(option, "type") == Some(i64::from(u8::from(CommandOptionType::Boolean)))
        && lenient::text(option, "name").as_deref() == Some(IN_THREAD)
}

/// Whether only one person sees a message: <https://docs.discord.com/developers/resources/message#message-object-message-flags>
fn is_ephemeral(message: &Value) -> bool {
    let flags = lenient::int(message, "flags").and_then(|flags| u64::try_from(flags).ok());
    flags.is_some_and(|flags| flags & MessageFlags::EPHEMERAL.bits() != 0)
}

/// Whether a member may open threads in the channel: <https://docs.discord.com/developers/topics/permissions>
fn opens_threads(member: &Value) -> bool {
    let rights = lenient::text(member, "permissions").and_then(|rights| rights.parse().ok());
    let rights = rights.map(Permissions::from_bits_truncate);
    rights.is_some_and(|rights| rights.contains(Permissions::CREATE_PUBLIC_THREADS))
}

/// The command that puts a question, which is a message like any other.
pub(crate) const ASK: &str = "ask";
/// Its option for an answer in a new thread.
pub(crate) const IN_THREAD: &str = "thread";

/// A slash command, or the message that `/ask` puts. `via` leads the answer back to it, if it was acknowledged.
pub(crate) fn command(payload: &InteractionPayload, place: Place, via: Option<&Via>) -> Inbound {
    let answered_alone = via.is_some_and(|via| via.alone) && !place.kind.is_private();
    let via = via.map(Via::to_string);
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
                in_thread: payload.wants_thread(),
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
        answered_alone,
        below: None,
    })
}

#[cfg(test)]
#[path = "interaction_tests.rs"]
mod tests;
