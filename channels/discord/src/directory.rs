//! A cache of channels: kind, name and guild. Small on purpose: a bot may be in a thousand guilds.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Mutex, PoisonError},
};

use clifford_channel::{Names, Place, PlaceKind, PlatformRole, Space, lenient};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use serenity::model::channel::ChannelType;
use tokio::sync::Notify;

use crate::map::Named;

/// The type of a channel that is a forum of pictures:
/// <https://docs.discord.com/developers/resources/channel#channel-object-channel-types>
const MEDIA: u8 = 16;

/// Channels and guilds by id.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    cache: Mutex<Cache>,
    /// Told of each guild that it learns of.
    learned: Notify,
}

#[derive(Debug, Default)]
struct Cache {
    channels: HashMap<u64, CachedChannel>,
    guilds: HashMap<u64, String>,
    /// By server: its roles.
    roles: HashMap<u64, Vec<RoleInfo>>,
}

#[derive(Clone, Debug)]
struct CachedChannel {
    kind: PlaceKind,
    name: Option<String>,
    guild: Option<u64>,
    /// The channel of a thread.
    parent: Option<u64>,
    /// A forum or the like: its threads are posts, which hold the messages at which they begin.
    holds_posts: bool,
}

/// A channel or thread as Discord describes it, as far as it matters here and can be read.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct ChannelInfo {
    id: Option<u64>,
    kind: ChannelType,
    name: Option<String>,
    guild: Option<u64>,
    /// The channel of a thread, the category of a channel.
    parent: Option<u64>,
}

impl From<Value> for ChannelInfo {
    fn from(value: Value) -> Self {
        Self {
            id: value.get("id").and_then(lenient::whole),
            kind: kind(&value),
            name: lenient::name(&value, "name"),
            guild: value.get("guild_id").and_then(lenient::whole),
            parent: value.get("parent_id").and_then(lenient::whole),
        }
    }
}

/// A kind that no reader knows is a group's.
fn kind(channel: &Value) -> ChannelType {
    let kind = lenient::size(channel, "type").unwrap_or_default();
    u8::try_from(kind).map_or(ChannelType::Unknown(u8::MAX), ChannelType::from)
}

impl ChannelInfo {
    /// Its id, if it is one.
    pub(crate) const fn id(&self) -> Option<u64> {
        self.id
    }
}

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleInfo {
    id: u64,
    name: Box<str>,
    /// The bot that Discord made it for.
    bot: Option<u64>,
}

impl RoleInfo {
    /// Reads a role by its id.
    pub(crate) fn read(role: &Value) -> Option<Self> {
        Some(Self {
            id: role.get("id").and_then(lenient::whole)?,
            name: lenient::name(role, "name").unwrap_or_default().into(),
            bot: lenient::object(role, "tags").and_then(|tags| tags.get("bot_id").and_then(lenient::whole)),
        })
    }
}

/// A guild as `GUILD_CREATE` and `GUILD_UPDATE` describe it.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct GuildInfo {
    id: Option<u64>,
    name: Option<String>,
    /// And its threads.
    channels: Vec<ChannelInfo>,
    roles: Vec<RoleInfo>,
    /// When the bot joined it. `GUILD_CREATE` alone says so.
    joined_at: Option<Timestamp>,
    /// The channel for messages such as a greeting: the one that the guild has for them, else the first text channel.
    greeted_in: Option<u64>,
}

/// How long after it joined a guild the bot may have been away and still greets.
const GREETS_WITHIN: SignedDuration = SignedDuration::from_hours(1);

impl GuildInfo {
    /// The channel in which the bot introduces itself, if it joined just now.
    pub(crate) fn joined(&self, now: Timestamp) -> Option<u64> {
        let at = self.joined_at?;
        (now.duration_since(at) < GREETS_WITHIN).then_some(self.greeted_in)?
    }

    /// Its name and those of its channels, where an event tells these: at each connection.
    pub(crate) fn names(&self) -> Option<Names> {
        let named = |channel: &ChannelInfo| Some((channel.id?.to_string(), channel.name.clone()?));
        let places: Vec<_> = self.channels.iter().filter_map(named).collect();
        let space = self.id.filter(|_| !places.is_empty())?.to_string();
        Some(Names {
            platform: crate::PLATFORM,
            space,
            name: self.name.clone(),
            places,
        })
    }
}

/// Where a guild is greeted.
fn greeted_in(guild: &Value) -> Option<u64> {
    let own = guild.get("system_channel_id").and_then(lenient::whole);
    own.or_else(|| {
        let texts = lenient::list(guild, "channels")
            .iter()
            .filter(|channel| kind(channel) == ChannelType::Text);
        let ranked = texts.filter_map(|channel| {
            let id = channel.get("id").and_then(lenient::whole)?;
            Some((lenient::size(channel, "position").unwrap_or_default(), id))
        });
        ranked.min().map(|(_, id)| id)
    })
}

impl From<Value> for GuildInfo {
    fn from(value: Value) -> Self {
        let channels = lenient::list(&value, "channels")
            .iter()
            .chain(lenient::list(&value, "threads"));
        Self {
            id: value.get("id").and_then(lenient::whole),
            name: lenient::name(&value, "name"),
            channels: channels.cloned().map(ChannelInfo::from).collect(),
            roles: lenient::list(&value, "roles")
                .iter()
                .filter_map(RoleInfo::read)
                .collect(),
            joined_at: value
                .get("joined_at")
                .and_then(Value::as_str)
                .and_then(|at| at.parse().ok()),
            greeted_in: greeted_in(&value),
        }
    }
}

impl Directory {
    /// Learns of a guild and its channels. Returns the guild and its name, where that is another than before.
    pub(crate) fn guild(&self, guild: GuildInfo) -> Option<(u64, String)> {
        let id = guild.id?;
        let renamed = self.with(|cache| {
            let mut renamed = None;
            if !guild.roles.is_empty() {
                cache.roles.insert(id, guild.roles);
            }
            if let Some(name) = guild.name {
                let before = cache.guilds.insert(id, name.clone());
                renamed = before.filter(|before| *before != name).map(|_| (id, name));
            }
            for channel in guild.channels {
                cache.add(channel, Some(id));
            }
            renamed
        });
        self.learned.notify_waiters();
        renamed
    }

    /// Waits until a guild is known: Discord tells of each after READY.
    pub(crate) async fn learns_of(&self, guild: u64) {
        let mut learned = pin!(self.learned.notified());
        loop {
            learned.as_mut().enable();
            if self.with(|cache| cache.guilds.contains_key(&guild)) {
                return;
            }
            learned.as_mut().await;
            learned.set(self.learned.notified());
        }
    }

    /// Learns of a role, or of its new name.
    pub(crate) fn role(&self, guild: u64, role: RoleInfo) {
        self.with(|cache| {
            let roles = cache.roles.entry(guild).or_default();
            roles.retain(|other| other.id != role.id);
            roles.push(role);
        });
    }

    /// The role that Discord made for a bot in a server.
    pub(crate) fn own_role(&self, guild: u64, bot: u64) -> Option<u64> {
        self.with(|cache| {
            let roles = cache.roles.get(&guild)?;
            roles.iter().find(|role| role.bot == Some(bot)).map(|role| role.id)
        })
    }

    /// Roles of a server, by their ids; one that is not known has no name.
    pub(crate) fn named_roles(&self, guild: u64, ids: &[u64]) -> Vec<PlatformRole> {
        self.with(|cache| {
            let known = cache.roles.get(&guild).map(Vec::as_slice).unwrap_or_default();
            let named = |id: &u64| PlatformRole {
                id: id.to_string(),
                name: (known.iter().find(|role| role.id == *id)).map_or_else(String::new, |role| role.name.to_string()),
            };
            ids.iter().map(named).collect()
        })
    }

    /// Forgets a role.
    pub(crate) fn forget_role(&self, guild: u64, id: u64) {
        self.with(|cache| {
            if let Some(roles) = cache.roles.get_mut(&guild) {
                roles.retain(|role| role.id != id);
            }
        });
    }

    /// Learns of a channel or thread. Returns its id and name, where that is another than before.
    pub(crate) fn channel(&self, channel: ChannelInfo) -> Option<(u64, String)> {
        let (id, name) = (channel.id?, channel.name.clone());
        self.with(|cache| {
            let before = cache.channels.get(&id).and_then(|known| known.name.clone());
            cache.add(channel, None);
            let name = name.filter(|name| before.is_some_and(|before| before != *name))?;
            Some((id, name))
        })
    }

    /// Forgets a channel.
    pub(crate) fn forget_channel(&self, id: u64) {
        self.with(|cache| cache.channels.remove(&id));
    }

    /// Forgets a guild and its channels.
    pub(crate) fn forget_guild(&self, id: u64) {
        self.with(|cache| {
            cache.guilds.remove(&id);
            cache.roles.remove(&id);
            cache.channels.retain(|_, channel| channel.guild != Some(id));
        });
    }

    /// The name of something in a server. What another server calls its own is nothing for those who are here.
    pub(crate) fn name(&self, guild: Option<u64>, named: Named) -> Option<String> {
        self.with(|cache| match named {
            Named::Channel(id) => {
                let channel = cache.channels.get(&id).filter(|channel| channel.guild == guild)?;
                channel.name.clone()
            }
            // Whoever forwards from another server has seen its name; those who read it here may not have.
            Named::Origin(id) => {
                let is_here = |channel: &&CachedChannel| guild.is_none() || channel.guild == guild;
                cache.channels.get(&id).filter(is_here)?.name.clone()
            }
            Named::Role(id) => {
                let role = cache.roles.get(&guild?)?.iter().find(|role| role.id == id)?;
                Some(role.name.to_string()).filter(|name| !name.is_empty())
            }
        })
    }

    /// Whether the threads of a channel are posts, as in a forum.
    pub(crate) fn holds_posts(&self, id: u64) -> bool {
        self.with(|cache| cache.channels.get(&id).is_some_and(|channel| channel.holds_posts))
    }

    /// A channel as a place, if it is cached.
    pub(crate) fn place(&self, id: u64) -> Option<Place> {
        self.with(|cache| cache.channels.get(&id).map(|channel| cache.as_place(id, channel)))
    }

    /// A channel of which only the guild is known; `None` means a direct message.
    pub(crate) fn place_within(&self, id: u64, guild: Option<u64>) -> Place {
        let kind = if guild.is_some() {
            PlaceKind::Group
        } else {
            PlaceKind::Private
        };
        self.with(|cache| {
            cache.as_place(
                id,
                &CachedChannel {
                    kind,
                    name: None,
                    guild,
                    parent: None,
                    holds_posts: false,
                },
            )
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Cache) -> T) -> T {
        look(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A private channel of people that the bot is no member of. It stands for a server of its own: others read along there, so
/// nothing that its person told the bot in private is known.
pub(crate) fn elsewhere(id: u64) -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: id.to_string(),
        parent: None,
        kind: PlaceKind::Group,
        name: None,
        space: Some(Space {
            external_id: id.to_string(),
            name: None,
        }),
    }
}

impl Cache {
    fn add(&mut self, channel: ChannelInfo, guild: Option<u64>) {
        let Some(id) = channel.id else {
            return;
        };
        let kind = match channel.kind {
            ChannelType::Category => return,
            ChannelType::Private => PlaceKind::Private,
            ChannelType::NewsThread | ChannelType::PublicThread | ChannelType::PrivateThread => PlaceKind::Thread,
            _ => PlaceKind::Group,
        };
        self.channels.insert(
            id,
            CachedChannel {
                kind,
                name: channel.name,
                guild: channel.guild.or(guild),
                parent: channel.parent.filter(|_| kind == PlaceKind::Thread),
                holds_posts: matches!(channel.kind, ChannelType::Forum | ChannelType::Unknown(MEDIA)),
            },
        );
    }

    fn as_place(&self, id: u64, channel: &CachedChannel) -> Place {
        Place {
            platform: crate::PLATFORM,
            external_id: id.to_string(),
            parent: channel.parent.map(|parent| parent.to_string()),
            kind: channel.kind,
            name: channel.name.clone(),
            space: channel.guild.map(|guild| Space {
                external_id: guild.to_string(),
                name: self.guilds.get(&guild).cloned(),
            }),
        }
    }
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
