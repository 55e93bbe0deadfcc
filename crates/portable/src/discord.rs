//! Discord's data package, unpacked: `messages/index.json` (the names of channels), and a directory a channel with
//! `channel.json` and `messages.json` (or `messages.csv`, as older packages have it). Discord describes it at
//! <https://support.discord.com/hc/en-us/articles/360004957991>; the names of the fields are those that packages have:
//! `ID`, `Timestamp`, `Contents` and `Attachments`.
//!
//! A package holds nothing but what its person wrote. Files stay with Discord: their addresses stand in the text. Messages
//! are read one at a time, however many a channel has.

mod messages;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use clifford_core::id::UserId;
use serde::Deserialize;
use serde_json::Value as Json;

use self::messages::Message;
use crate::{
    ImportError,
    characters::whole,
    conversation::{About, Conversation, ImportedMessage, Speaker, moment, skip},
    source::{Format, Position, Source, Take},
    tree,
};

/// A data package of Discord.
#[derive(Debug)]
pub struct Discord {
    dir: PathBuf,
    messages: PathBuf,
    owner: Option<UserId>,
}

/// The content of `channel.json`.
#[derive(Deserialize)]
struct Channel {
    id: Json,
    name: Option<String>,
    guild: Option<Guild>,
}

#[derive(Deserialize)]
struct Guild {
    name: Option<String>,
}

/// A snowflake: a number, or its digits.
fn snowflake(id: &Json) -> Result<String, String> {
    let digits = match id {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let is_one = !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_one {
        Ok(digits)
    } else {
        Err(format!("`{}` is no id of Discord", tree::excerpt(&id.to_string())))
    }
}

/// A directory of a package, however it is written.
fn dir_of(root: &Path, name: &str) -> PathBuf {
    let capital = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    let lower = root.join(name);
    if lower.exists() { lower } else { root.join(capital) }
}

impl Discord {
    /// The package that was unpacked into a directory.
    ///
    /// # Errors
    /// It is none.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let messages = dir_of(path, "messages");
        if !path.is_dir() || !messages.is_dir() {
            return Err(ImportError::of(
                path,
                "no unpacked data package of Discord: it has no directory `messages`",
            ));
        }
        Ok(Self {
            dir: path.to_owned(),
            messages,
            owner: None,
        })
    }

    fn channel(
        &self,
        path: &Path,
        names: &BTreeMap<String, Option<String>>,
        digest: &mut tree::Digest,
        take: Take<'_>,
    ) -> Result<(), ImportError> {
        let (text, sum) = tree::text(path)?;
        let shown = |path: &Path| path.strip_prefix(&self.dir).unwrap_or(path).display().to_string();
        digest.add(&shown(path), &sum);
        let channel: Channel = serde_json::from_str(&whole(&text)).map_err(|error| ImportError::json(path, &error))?;
        let id = snowflake(&channel.id).map_err(|why| ImportError::of(path, why))?;
        let dir = path.parent().unwrap_or(&self.messages);
        let json = dir.join("messages.json");
        let (file, is_json) = if json.exists() {
            (json, true)
        } else {
            (dir.join("messages.csv"), false)
        };
        if !file.exists() {
            return skip("channels", "they have no messages", take);
        }
        let guild = channel.guild.and_then(|guild| guild.name);
        let name = names.get(&id).cloned().flatten().or(channel.name);
        let name = match (name, guild) {
            (Some(name), Some(guild)) if !name.contains(&guild) => format!("{name} in {guild}"),
            (Some(name), _) => name,
            (None, Some(guild)) => guild,
            (None, None) => format!("channel {id}"),
        };
        let mut reading = ChannelReading {
            owner: self.owner.ok_or(ImportError::Stopped)?,
            id: &id,
            name: &name,
            file: shown(&file).into(),
            number: 0,
            conversation: None,
            take,
        };
        let sum = if is_json {
            messages::of_json(&file, &mut |message| reading.message(&message))?
        } else {
            messages::of_csv(&file, &mut |message| reading.message(&message))?
        };
        digest.add(&shown(&file), &sum);
        Ok(())
    }
}

/// A channel whose messages are being read.
struct ChannelReading<'a> {
    owner: UserId,
    id: &'a str,
    name: &'a str,
    file: Arc<str>,
    /// The number of the newest message, from 1.
    number: u64,
    /// It begins with the first message that has a text.
    conversation: Option<Conversation>,
    take: Take<'a>,
}

impl ChannelReading<'_> {
    fn message(&mut self, message: &Message) -> Result<(), ImportError> {
        self.number += 1;
        let at = Position {
            file: Arc::clone(&self.file),
            number: self.number,
            unit: "message",
        };
        let source_id = snowflake(&message.id).map_err(|why| ImportError::at(&at, why))?;
        let sent = moment(&message.timestamp).map_err(|why| ImportError::at(&at, why))?;
        let mut text = message.contents.clone().unwrap_or_default();
        for address in message.attachments.iter().flat_map(|list| list.split_whitespace()) {
            text.push_str(&format!("{}[file: {address}]", if text.is_empty() { "" } else { "\n" }));
        }
        if text.is_empty() {
            return skip("messages", "they have no text", self.take);
        }
        let conversation = match &mut self.conversation {
            Some(conversation) => conversation,
            none => none.insert(Conversation::begin(
                &About {
                    format: Format::Discord,
                    owner: self.owner,
                    source_id: self.id,
                    name: self.name,
                },
                &at,
                self.take,
            )?),
        };
        let said = ImportedMessage {
            source_id: &source_id,
            by: Speaker::Owner,
            text: &text,
            at: sent,
        };
        conversation.say(&said, &at, self.take).map(|_| ())
    }
}

impl Source for Discord {
    fn format(&self) -> Format {
        Format::Discord
    }

    fn read(&self, take: Take<'_>) -> Result<String, ImportError> {
        let mut digest = tree::Digest::default();
        let index = self.messages.join("index.json");
        let mut names = BTreeMap::new();
        if index.exists() {
            let (text, sum) = tree::text(&index)?;
            digest.add("index.json", &sum);
            names = serde_json::from_str(&whole(&text)).map_err(|error| ImportError::json(&index, &error))?;
        }
        let channels = tree::files(&self.messages, "channel.json")?;
        if channels.is_empty() {
            return Err(ImportError::of(&self.messages, "no channel.json is in it"));
        }
        for path in channels {
            self.channel(&path, &names, &mut digest, take)?;
        }
        Ok(digest.finish())
    }

    fn account(&self) -> Result<Option<(String, String)>, ImportError> {
        #[derive(Deserialize)]
        struct Account {
            id: Json,
        }
        let path = dir_of(&self.dir, "account").join("user.json");
        if !path.exists() {
            return Ok(None);
        }
        let (text, _) = tree::text(&path)?;
        let account: Account = serde_json::from_str(&whole(&text)).map_err(|error| ImportError::json(&path, &error))?;
        let id = snowflake(&account.id).map_err(|why| ImportError::of(&path, why))?;
        Ok(Some(("discord".to_owned(), id)))
    }

    fn set_owner(&mut self, owner: UserId, _: &[(String, String)]) {
        self.owner = Some(owner);
    }
}
