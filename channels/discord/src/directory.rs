//! What is known of channels: kind, name and guild. Small on purpose: a bot may be in a thousand guilds.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use clifford_channel::{Place, PlaceKind, Platform, Space};
use serde::Deserialize;

/// Channels and guilds by id.
#[derive(Debug, Default)]
pub(crate) struct Directory(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    rooms: HashMap<u64, Room>,
    guilds: HashMap<u64, String>,
}

#[derive(Clone, Debug)]
struct Room {
    kind: PlaceKind,
    name: Option<String>,
    guild: Option<u64>,
}

/// A channel or thread as Discord describes it, as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ChannelInfo {
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    name: Option<String>,
    guild_id: Option<String>,
}

impl ChannelInfo {
    /// Its id, if it is one.
    pub(crate) fn id(&self) -> Option<u64> {
        self.id.parse().ok()
    }
}

/// A guild as `GUILD_CREATE` and `GUILD_UPDATE` describe it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GuildInfo {
    id: String,
    name: Option<String>,
    #[serde(default)]
    channels: Vec<ChannelInfo>,
    #[serde(default)]
    threads: Vec<ChannelInfo>,
}

/// Discord's channel types that matter: direct message, category and the three kinds of threads.
const DM: u8 = 1;
const CATEGORY: u8 = 4;
const THREADS: [u8; 3] = [10, 11, 12];

impl Directory {
    /// Learns of a guild and its channels.
    pub(crate) fn guild(&self, guild: GuildInfo) {
        let Ok(id) = guild.id.parse::<u64>() else {
            return;
        };
        self.with(|known| {
            if let Some(name) = guild.name {
                known.guilds.insert(id, name);
            }
            for channel in guild.channels.into_iter().chain(guild.threads) {
                known.add(channel, Some(id));
            }
        });
    }

    /// Learns of a channel or thread, or of its new name.
    pub(crate) fn channel(&self, channel: ChannelInfo) {
        self.with(|known| known.add(channel, None));
    }

    /// Forgets a channel.
    pub(crate) fn forget_channel(&self, id: u64) {
        self.with(|known| known.rooms.remove(&id));
    }

    /// Forgets a guild and its channels.
    pub(crate) fn forget_guild(&self, id: u64) {
        self.with(|known| {
            known.guilds.remove(&id);
            known.rooms.retain(|_, room| room.guild != Some(id));
        });
    }

    /// The name of a channel.
    pub(crate) fn name(&self, id: u64) -> Option<String> {
        self.with(|known| known.rooms.get(&id)?.name.clone())
    }

    /// A channel as a place, if it is known.
    pub(crate) fn place(&self, id: u64) -> Option<Place> {
        self.with(|known| known.rooms.get(&id).map(|room| known.as_place(id, room)))
    }

    /// A channel of which only the guild is known; `None` means a direct message.
    pub(crate) fn place_within(&self, id: u64, guild: Option<u64>) -> Place {
        let kind = if guild.is_some() {
            PlaceKind::Group
        } else {
            PlaceKind::Private
        };
        self.with(|known| {
            known.as_place(
                id,
                &Room {
                    kind,
                    name: None,
                    guild,
                },
            )
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn add(&mut self, channel: ChannelInfo, guild: Option<u64>) {
        let Ok(id) = channel.id.parse() else {
            return;
        };
        let kind = match channel.kind {
            CATEGORY => return,
            DM => PlaceKind::Private,
            kind if THREADS.contains(&kind) => PlaceKind::Thread,
            _ => PlaceKind::Group,
        };
        let own_guild = channel.guild_id.and_then(|id| id.parse().ok());
        self.rooms.insert(
            id,
            Room {
                kind,
                name: channel.name,
                guild: own_guild.or(guild),
            },
        );
    }

    fn as_place(&self, id: u64, room: &Room) -> Place {
        Place {
            platform: Platform::Discord,
            external_id: id.to_string(),
            kind: room.kind,
            name: room.name.clone(),
            space: room.guild.map(|guild| Space {
                external_id: guild.to_string(),
                name: self.guilds.get(&guild).cloned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guild_tells_of_its_channels_and_threads() {
        let directory = Directory::default();
        let guild = r#"{"id": "1", "name": "Home", "channels": [
            {"id": "2", "type": 0, "name": "general"}, {"id": "3", "type": 4, "name": "a category"}],
            "threads": [{"id": "4", "type": 11, "name": "a thread", "guild_id": "1"}]}"#;
        directory.guild(serde_json::from_str(guild).unwrap());
        let space = Space {
            external_id: "1".to_owned(),
            name: Some("Home".to_owned()),
        };
        let place = |id: &str, kind, name: &str| Place {
            platform: Platform::Discord,
            external_id: id.to_owned(),
            kind,
            name: Some(name.to_owned()),
            space: Some(space.clone()),
        };
        assert_eq!(directory.place(2), Some(place("2", PlaceKind::Group, "general")));
        assert_eq!(directory.place(3), None);
        assert_eq!(directory.place(4), Some(place("4", PlaceKind::Thread, "a thread")));
        directory.forget_guild(1);
        assert_eq!(directory.place(2), None);
    }

    #[test]
    fn a_channel_without_a_guild_is_a_direct_message() {
        let directory = Directory::default();
        assert_eq!(directory.place_within(5, None).kind, PlaceKind::Private);
        assert_eq!(directory.place_within(5, Some(1)).kind, PlaceKind::Group);
    }
}
