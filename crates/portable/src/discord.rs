//! Discord's data package, unpacked: `messages/index.json` (the names of channels), and a directory a channel with
//! `channel.json` and `messages.json` (or `messages.csv`, as older packages have it). Discord describes it at
//! <https://support.discord.com/hc/en-us/articles/360004957991>; the names of the fields are those that packages have:
//! `ID`, `Timestamp`, `Contents` and `Attachments`.
//!
//! A package holds nothing but what its person wrote. Files stay with Discord: their addresses stand in the text.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use clifford_core::id::UserId;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{
    ImportError,
    conversation::{About, By, Conversation, Said, moment, skip},
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

/// A message.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    #[serde(rename = "ID")]
    id: Json,
    timestamp: String,
    #[serde(default)]
    contents: Option<String>,
    #[serde(default)]
    attachments: Option<String>,
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
        Err(format!("`{}` is no id of Discord", tree::shown(&id.to_string())))
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
        let channel: Channel = serde_json::from_str(&text).map_err(|error| ImportError::json(path, &error))?;
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
        let (text, sum) = tree::text(&file)?;
        digest.add(&shown(&file), &sum);
        let messages = if is_json {
            serde_json::from_str::<Vec<Message>>(&text).map_err(|error| ImportError::json(&file, &error))?
        } else {
            of_csv(&text).map_err(|why| ImportError::of(&file, why))?
        };
        let guild = channel.guild.and_then(|guild| guild.name);
        let name = names.get(&id).cloned().flatten().or(channel.name);
        let name = match (name, guild) {
            (Some(name), Some(guild)) if !name.contains(&guild) => format!("{name} in {guild}"),
            (Some(name), _) => name,
            (None, Some(guild)) => guild,
            (None, None) => format!("channel {id}"),
        };
        self.messages(&id, &name, &messages, shown(&file).into(), take)
    }

    fn messages(
        &self,
        id: &str,
        name: &str,
        messages: &[Message],
        file: Arc<str>,
        take: Take<'_>,
    ) -> Result<(), ImportError> {
        let owner = self.owner.ok_or(ImportError::Stopped)?;
        let mut conversation = None;
        for (number, message) in (1..).zip(messages) {
            let at = Position {
                file: Arc::clone(&file),
                number,
                unit: "message",
            };
            let source_id = snowflake(&message.id).map_err(|why| ImportError::at(&at, why))?;
            let sent = moment(&message.timestamp).map_err(|why| ImportError::at(&at, why))?;
            let mut text = message.contents.clone().unwrap_or_default();
            for address in message.attachments.iter().flat_map(|list| list.split_whitespace()) {
                text.push_str(&format!("{}[file: {address}]", if text.is_empty() { "" } else { "\n" }));
            }
            if text.is_empty() {
                skip("messages", "they have no text", take)?;
                continue;
            }
            if conversation.is_none() {
                let about = About {
                    format: Format::Discord,
                    owner,
                    source_id: id,
                    name,
                };
                conversation = Some(Conversation::begin(&about, &at, take)?);
            }
            if let Some(conversation) = &conversation {
                let said = Said {
                    source_id: &source_id,
                    by: By::Owner,
                    text: &text,
                    at: sent,
                };
                conversation.say(&said, &at, take)?;
            }
        }
        Ok(())
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
            names = serde_json::from_str(&text).map_err(|error| ImportError::json(&index, &error))?;
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
        let account: Account = serde_json::from_str(&text).map_err(|error| ImportError::json(&path, &error))?;
        let id = snowflake(&account.id).map_err(|why| ImportError::of(&path, why))?;
        Ok(Some(("discord".to_owned(), id)))
    }

    fn set_owner(&mut self, owner: UserId, _: &[(String, String)]) {
        self.owner = Some(owner);
    }
}

/// The messages of a table, whose first line names its columns.
fn of_csv(text: &str) -> Result<Vec<Message>, String> {
    let mut rows = rows_of(text)?.into_iter();
    let head = rows.next().unwrap_or_default();
    let place = |name: &str| {
        head.iter()
            .position(|column| column.trim_start_matches('\u{feff}') == name)
    };
    let (Some(id), Some(timestamp), Some(contents)) = (place("ID"), place("Timestamp"), place("Contents")) else {
        return Err("its first line does not name ID, Timestamp and Contents".to_owned());
    };
    let attachments = place("Attachments");
    (2..)
        .zip(rows)
        .map(|(number, row)| {
            let cell = |place: usize| row.get(place).cloned().ok_or(format!("row {number} is too short"));
            Ok(Message {
                id: Json::String(cell(id)?),
                timestamp: cell(timestamp)?,
                contents: Some(cell(contents)?),
                attachments: attachments.map(cell).transpose()?,
            })
        })
        .collect()
}

/// The rows of a table (RFC 4180): cells between commas, or in quotes, in which a quote is written twice.
fn rows_of(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            ('"', true) => is_quoted = false,
            ('"', false) if cell.is_empty() => is_quoted = true,
            (',', false) => row.push(std::mem::take(&mut cell)),
            ('\r', false) if letters.peek() == Some(&'\n') => {}
            ('\n', false) => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            (letter, _) => cell.push(letter),
        }
    }
    if is_quoted {
        return Err("its last cell is cut off".to_owned());
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_its_quotes() {
        let text = "ID,Timestamp,Contents,Attachments\r\n1,t,\"a, \"\"b\"\"\nc\",\n2,t,plain,https://x\n";
        let rows = rows_of(text).expect("a table");
        assert_eq!(rows[1], ["1", "t", "a, \"b\"\nc", ""]);
        assert_eq!(rows[2], ["2", "t", "plain", "https://x"]);
        assert_eq!(of_csv(text).expect("messages").len(), 2);
        assert!(rows_of("a,\"b").is_err());
        assert!(of_csv("id,when\n1,2").is_err());
    }
}
