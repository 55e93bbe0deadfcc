//! Discord's payloads as inbound events: pure functions, one file per kind.

mod about;
mod component;
mod interaction;
mod message;
mod payload;
mod text;
mod typed;

pub(crate) use about::{ASK_ABOUT, about};
use clifford_channel::Speaker;
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

/// Finds the name of a channel, if it is known.
pub(crate) type ChannelName<'a> = &'a dyn Fn(u64) -> Option<String>;

/// The time that a snowflake carries, in milliseconds since 1970.
pub(crate) fn created_ms(id: u64) -> i64 {
    i64::try_from((id >> 22) + DISCORD_EPOCH).unwrap_or(i64::MAX)
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
