//! Events of a platform, in the words of all platforms.

mod place;
mod reaction;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    place::{ANSWERS_ONLY, Place, PlaceKind, Served, Space, Speaker},
    reaction::{Reacted, Reaction, Verdict},
};
use crate::platform::Platform;

/// The mark that an adapter writes before the text of a forwarded message: its author is not its sender, so the text
/// is data, and never a command.
pub const FORWARDED: &str = "[forwarded]";

/// The same before a text that another bot made for whoever sends it (Telegram's inline bots).
pub const BY_INLINE_BOT: &str = "[by an inline bot]";

/// Whether a text holds words that its sender did not write.
pub fn is_of_others(text: &str) -> bool {
    text.contains(FORWARDED) || text.contains(BY_INLINE_BOT)
}

/// An event. Everything that adapters hand in is one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// Somebody wrote.
    Message(Message),
    /// Somebody changed what they had written.
    Edit(Edit),
    /// Messages were deleted by whoever wrote them, or by somebody who may.
    Deleted(Deleted),
    /// Somebody used a command.
    Command(Command),
    /// A place got a new id (a Telegram group that became a supergroup).
    Moved(Moved),
    /// A place, or a group or server, got another name.
    Renamed(Renamed),
    /// Somebody likes a message or not, or takes that back.
    Reaction(Reaction),
    /// The bot was added to a group or server.
    Joined(Joined),
    /// The bot was removed from a place, or a person blocked it.
    Left(Left),
    /// Something that the adapter could not read; it is kept for inspection, and passed over.
    Unreadable(Unreadable),
}

impl Inbound {
    /// The platform that it comes from.
    pub const fn platform(&self) -> Platform {
        match self {
            Self::Message(message) => message.place.platform,
            Self::Edit(edit) => edit.place.platform,
            Self::Deleted(deleted) => deleted.platform,
            Self::Command(command) => command.place.platform,
            Self::Moved(moved) => moved.platform,
            Self::Renamed(renamed) => renamed.platform,
            Self::Reaction(reaction) => reaction.platform,
            Self::Joined(joined) => joined.place.platform,
            Self::Left(left) => left.platform,
            Self::Unreadable(unreadable) => unreadable.platform,
        }
    }
}

/// A message that somebody wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Where.
    pub place: Place,
    /// The person.
    pub speaker: Speaker,
    /// The platform's id of the message, unique within its place.
    pub id: String,
    /// The text, without the bot's own mention, with other mentions as readable names. May be empty if
    /// there are attachments.
    pub text: String,
    /// When it was sent, by the platform's clock.
    pub sent_at: Timestamp,
    /// The platform's id of the message that this one answers.
    pub reply_to: Option<String>,
    /// Whether it speaks to the bot.
    pub addressed: Addressed,
    /// Files that came with it.
    pub attachments: Vec<Attachment>,
    /// Messages of one place with the same album id are one message.
    pub album: Option<String>,
    /// Read from the platform's history after a gap, not received as it happened.
    pub backfilled: bool,
    /// As [`Command::via`], for a message that came as a command (Discord's `/ask`).
    pub via: Option<String>,
    /// The message that it replies to or quotes, as far as the platform tells. The stored message says more.
    pub quoted: Option<Quoted>,
}

/// The message that another one answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quoted {
    /// The platform's id of it, if it stands in the same place.
    pub id: Option<String>,
    /// The bot wrote it.
    pub is_own: bool,
    /// The platform's id of the account that wrote it, where the platform tells.
    pub author_id: Option<String>,
    /// The name that people see; empty, where the platform tells none.
    pub author: String,
    /// Its text, as in [`Message::text`], or the part that was chosen.
    pub text: String,
    /// Only a part was chosen.
    pub is_part: bool,
    /// Files that came with it.
    pub attachments: Vec<Attachment>,
}

/// How a message speaks to the bot, as far as the platform tells. Wake words are judged behind the ingress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addressed {
    /// It mentions the bot.
    pub mention: bool,
    /// It answers a message of the bot.
    pub reply: bool,
    /// Its author wants to be answered in a new thread.
    pub in_thread: bool,
}

/// A changed message.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where.
    pub place: Place,
    /// The author.
    pub speaker: Speaker,
    /// The platform's id of the message.
    pub id: String,
    /// The new text, as in [`Message::text`].
    pub text: String,
}

/// Messages that are gone. They may never have been handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The platform.
    pub platform: Platform,
    /// [`Place::external_id`] of where they stood.
    pub place: String,
    /// The platform's ids of them.
    pub ids: Vec<String>,
}

/// A command, such as `/new Trip to Rome`.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Where.
    pub place: Place,
    /// The person.
    pub speaker: Speaker,
    /// The platform's id of the message or interaction.
    pub id: String,
    /// Its name without the slash, in lower case.
    pub name: String,
    /// The text behind the name, trimmed.
    pub argument: String,
    /// When it was sent, by the platform's clock.
    pub sent_at: Timestamp,
    /// The value that [`crate::outbound::Address::via`] must carry so that the answer reaches this command
    /// (a Discord interaction's token).
    pub via: Option<String>,
    /// Others share the place, but the answer is seen by whoever gave the command alone.
    pub answered_alone: bool,
    /// The platform's id of the bot's message that a pressed button stands below, where the platform does not tell in which
    /// thread or topic of the place that is.
    pub below: Option<String>,
}

impl Command {
    /// The prefix of the id of a pressed button's command, where the platform gives it none that no message can have.
    pub const PRESS: &str = "press:";

    /// Whether it came by other means than a message, so that whoever gave it can be answered alone.
    pub fn is_interaction(&self) -> bool {
        self.via.is_some() || self.id.starts_with(Self::PRESS)
    }

    /// Splits `/name@bot argument` into name and argument. `None` if the text is no command, or one for
    /// another bot than `bot_name`.
    pub fn split(text: &str, bot_name: Option<&str>) -> Option<(String, String)> {
        let (name, addressee, argument) = written(text)?;
        let is_ours = addressee.is_none_or(|bot| bot_name.is_some_and(|own| own.eq_ignore_ascii_case(bot)));
        is_ours.then(|| (name.to_ascii_lowercase(), argument.trim().to_owned()))
    }

    /// Whether a text is a command that names another bot than the one of this name.
    pub fn is_for_another(text: &str, bot_name: Option<&str>) -> bool {
        written(text).is_some_and(|(_, addressee, _)| addressee.is_some()) && Self::split(text, bot_name).is_none()
    }
}

/// The name, the addressee and the argument of a command, as they are written.
fn written(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (name, addressee) = word
        .split_once('@')
        .map_or((word, None), |(name, bot)| (name, Some(bot)));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, addressee, argument))
}

/// A place got a new id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The platform.
    pub platform: Platform,
    /// The old [`Place::external_id`].
    pub from: String,
    /// The new one.
    pub to: String,
}

/// A place got another name, or a space did, or both at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The platform.
    pub platform: Platform,
    /// [`Place::external_id`], if it is a place's name.
    pub place: Option<String>,
    /// [`Space::external_id`], if it is a space's name.
    pub space: Option<String>,
    /// The name from now on.
    pub name: String,
    /// Messages of the place go on to tell the name that it had first.
    pub first_is_retold: bool,
}

/// The names of a space and of its places as a platform has them now. Some may have changed while nobody listened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The platform.
    pub platform: Platform,
    /// [`Space::external_id`].
    pub space: String,
    /// The name of the space, where the platform tells it.
    pub name: Option<String>,
    /// [`Place::external_id`] and name of places in it.
    pub places: Vec<(String, String)>,
}

/// The bot was added to a group or server. Handing it in again changes nothing, until the bot left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Where it introduces itself: the group, or the server's channel for such messages. It has a [`Place::space`].
    pub place: Place,
}

/// The bot cannot write to a place any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The platform.
    pub platform: Platform,
    /// [`Place::external_id`] of the channel, if one channel was left.
    pub place: Option<String>,
    /// [`Space::external_id`], if a whole space was left.
    pub space: Option<String>,
    /// Why, in the platform's words.
    pub reason: String,
}

/// A payload that the adapter could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The platform.
    pub platform: Platform,
    /// The payload as it came.
    pub payload: String,
    /// The fault of the event.
    pub error: String,
}

/// A file that came with a message. It stays on the platform; its id says how to get it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// `photo`, `document`, `voice`, `audio`, `video`, `location`, …
    pub kind: String,
    /// The platform's id or address of the file.
    pub id: String,
    /// Its file name, where it has one.
    pub name: Option<String>,
    /// Its media type, where the platform tells.
    pub media_type: Option<String>,
    /// Its size in bytes, where the platform tells.
    pub size: Option<u64>,
    /// How many seconds it plays, where the platform tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
}

impl Attachment {
    /// Whether it is a file that can be fetched: what is a place, a card or a poll can only be told of.
    pub fn is_file(&self) -> bool {
        const CARDS: [&str; 12] = [
            "location",
            "venue",
            "contact",
            "poll",
            "game",
            "checklist",
            "story",
            "paid_media",
            "dice",
            "invoice",
            "giveaway",
            "giveaway_winners",
        ];
        !self.id.is_empty() && !CARDS.contains(&self.kind.as_str())
    }
}

/// The outcome of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Stored; it will be answered.
    Answering,
    /// Stored behind what is at work there: its turn comes with whatever else waits, and the answer may go to
    /// where a later message was written.
    Queued,
    /// Stored; nothing is answered (not addressed, history, an edit).
    Stored,
    /// It was there already.
    Duplicate,
    /// Not for the bot, or from somebody who may not speak to it; nothing of it was stored.
    Ignored,
    /// An [interaction](Command::is_interaction) that its giver may not have: the adapter tells them so, alone.
    Refused(String),
}

/// The state of a platform's connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// Connected, under this name.
    Connected(String),
    /// Connected, but the platform withholds something from the bot. A connection that begins anew on SIGHUP asks for
    /// it again.
    Limited {
        /// The bot's name.
        name: String,
        /// The withheld thing, the work that goes on without it, and the way to get it.
        lacks: String,
    },
    /// Not connected, and why.
    Disconnected(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_from_its_argument_and_its_bot() {
        let cases = [
            ("/new", Some(("new", ""))),
            ("/New  Trip to Rome ", Some(("new", "Trip to Rome"))),
            ("/new@clifford_bot x", Some(("new", "x"))),
            ("/new@CLIFFORD_BOT", Some(("new", ""))),
            ("/new@other_bot", None),
            ("hello /new", None),
            ("/", None),
            ("/usr/bin is a path", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(name, argument)| (name.to_owned(), argument.to_owned()));
            assert_eq!(Command::split(text, Some("clifford_bot")), expected, "{text}");
        }
    }
}
