//! Discord's payloads as inbound events: pure functions, one file per kind.

mod about;
mod component;
mod embedded;
mod interaction;
mod message;
mod payload;
mod text;
mod typed;

pub(crate) use about::{ASK_ABOUT, about};
use clifford_channel::{Place, Speaker};
pub(crate) use component::press;
pub(crate) use interaction::{ASK, IN_THREAD, InteractionHeader, InteractionKind, InteractionPayload, command};
use jiff::Timestamp;
pub(crate) use message::{edit, message, quote};
pub(crate) use payload::{Payload, id};
pub(crate) use typed::typed;

use self::payload::Account;

/// The first second of 2015, where Discord's ids begin, in milliseconds.
const DISCORD_EPOCH: u64 = 1_420_070_400_000;

/// The bot's own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Me {
    pub(crate) user: u64,
    pub(crate) application: u64,
    /// The role that Discord made for it, in the server that is spoken of.
    pub(crate) role: Option<u64>,
}

/// Something that a message names by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Channel(u64),
    Role(u64),
    /// The channel of a message that was forwarded: its sender has seen it, wherever it is.
    Origin(u64),
}

/// Finds the name of something, if it is known to those who read the message.
pub(crate) type NameOf<'a> = &'a dyn Fn(Named) -> Option<String>;

/// The server that a place is in.
pub(crate) fn guild_of(place: &Place) -> Option<u64> {
    place.space.as_ref()?.external_id.parse().ok()
}

/// The time that a snowflake carries, in milliseconds since 1970.
pub(crate) fn created_ms(id: u64) -> i64 {
    i64::try_from((id >> 22) + DISCORD_EPOCH).unwrap_or(i64::MAX)
}

/// The first id of a moment.
pub(crate) fn first_id(at: Timestamp) -> u64 {
    let since = u64::try_from(at.as_millisecond()).unwrap_or_default();
    since.saturating_sub(DISCORD_EPOCH) << 22
}

fn created_at(id: u64) -> Timestamp {
    Timestamp::from_millisecond(created_ms(id)).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// `nick` is the name in the guild, where there is one.
fn speaker(user: &Account, nick: Option<&str>, webhook: bool) -> Speaker {
    Speaker {
        id: user.id.to_string(),
        name: nick.unwrap_or_else(|| user.name()).to_owned(),
        handle: Some(user.username.clone()),
        is_bot: user.is_bot || webhook,
        language: None,
        roles: None,
    }
}
