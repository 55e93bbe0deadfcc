//! Where something happens on a platform, and who does it.

use serde::{Deserialize, Serialize};

use crate::{platform::Platform, role::PlatformRole};

/// Begins the id of a place in which the bot answers what it is asked and can say nothing else: a chat that it is no
/// member of.
pub const ANSWERS_ONLY: &str = "guest:";

/// One place where messages are exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The platform.
    pub platform: Platform,
    /// The platform's id, unique on the platform; the adapter finds the place by it alone.
    pub external_id: String,
    /// The place that a thread or topic belongs to, whose rules and settings hold there too.
    pub parent: Option<String>,
    /// Private or shared, and what the platform calls it.
    pub kind: PlaceKind,
    /// Its name as people see it.
    pub name: Option<String>,
    /// The guild or group that it belongs to; `None` for a private chat.
    pub space: Option<Space>,
}

impl Place {
    /// Whether the bot answers there what it is asked and can do nothing else: it is no member.
    pub fn only_answers(&self) -> bool {
        self.external_id.starts_with(ANSWERS_ONLY)
    }
}

/// The kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceKind {
    /// One person and the bot.
    Private,
    /// Several people: a group, a guild's text channel.
    Group,
    /// A thread or topic within a shared place.
    Thread,
}

impl PlaceKind {
    /// One person and the bot, nobody else.
    pub const fn is_private(self) -> bool {
        matches!(self, Self::Private)
    }
}

/// A place with members: a Discord guild, a Telegram group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The platform's id.
    pub external_id: String,
    /// Its name as people see it.
    pub name: Option<String>,
}

/// The speaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// The platform's id of the account.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// The unique handle, without `@`, where the platform has one.
    pub handle: Option<String>,
    /// A bot or webhook.
    pub is_bot: bool,
    /// The language that the account is set to (BCP 47), where the platform tells.
    pub language: Option<String>,
    /// The roles that the account has in the place's server or group, as they came with the event; `None`: the event
    /// does not tell.
    pub roles: Option<Vec<PlatformRole>>,
}

/// A place that was served lately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// [`Place::external_id`].
    pub external_id: String,
    /// Private or shared.
    pub kind: PlaceKind,
    /// The platform's id of the space that it belongs to, if it does.
    pub space: Option<String>,
    /// The platform's id of the newest inbound message stored, there or at the beginning of a thread there.
    pub last_message_id: Option<String>,
}
