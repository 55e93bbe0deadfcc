//! Telegram's export: the `result.json` that Telegram Desktop writes, of one chat or of all, with its files next to it.
//! The format is described by <https://core.telegram.org/import-export>.
//!
//! An export holds what its person can see, so all of it goes into private places of that person: their own words as
//! theirs, those of bots as answers, and those of others, or forwarded ones, as others' words. Messages are read one at
//! a time, however long a chat is.

mod json;

use std::{
    collections::BTreeSet,
    io::{BufReader, Read as _},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use clifford_core::{
    clock::Timestamp,
    id::{FileId, UserId},
};
use clifford_store::portable::{File, Record};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use self::json::Top;
use crate::{
    ImportError,
    characters::Whole,
    conversation::{About, Conversation, ImportedMessage, Speaker, emit, moment, skip},
    ids::stable,
    source::{Format, Item, Position, Source, Take},
    tree::{self, Summed},
};

/// A path that stands for a file that was not exported begins like this.
const NOT_INCLUDED: &str = "(File ";

/// An export of Telegram.
#[derive(Debug)]
pub struct Telegram {
    dir: PathBuf,
    path: PathBuf,
    most_file_bytes: u64,
    owner: Option<UserId>,
    /// The owner's accounts, as senders of messages are called.
    own: BTreeSet<String>,
}

impl Telegram {
    /// The export at a path: its directory, or the JSON in there. Files with more bytes are left out.
    ///
    /// # Errors
    /// It is not there.
    pub fn open(path: &Path, most_file_bytes: u64) -> Result<Self, ImportError> {
        let path = if path.is_dir() {
            path.join("result.json")
        } else {
            path.to_owned()
        };
        tree::open(&path)?;
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        Ok(Self {
            dir: dir.unwrap_or(Path::new(".")).to_owned(),
            path,
            most_file_bytes,
            owner: None,
            own: BTreeSet::new(),
        })
    }

    fn walk(&self, reading: &mut Reading<'_, '_>) -> Result<String, ImportError> {
        let mut summed = Summed::new(tree::open(&self.path)?);
        let mut json =
            serde_json::Deserializer::from_reader(BufReader::with_capacity(256 * 1024, Whole::new(&mut summed)));
        let outcome = (&mut json).deserialize_map(Top(reading)).and_then(|()| json.end());
        drop(json);
        match (reading.error.take(), outcome) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(ImportError::json(&self.path, &error)),
            (None, Ok(())) => Ok(summed.sum()),
        }
    }
}

impl Source for Telegram {
    fn format(&self) -> Format {
        Format::Telegram
    }

    fn read(&self, take: Take<'_>) -> Result<String, ImportError> {
        let mut reading = Reading::new(self, take);
        let sum = self.walk(&mut reading)?;
        if !reading.has_chats {
            return Err(ImportError::of(&self.path, "no export of Telegram: it has no chats"));
        }
        let mut digest = tree::Digest::default();
        digest.add("result.json", &sum);
        reading.files.iter().for_each(|(name, sum)| digest.add(name, sum));
        Ok(digest.finish())
    }

    fn account(&self) -> Result<Option<(String, String)>, ImportError> {
        let mut nothing = |_: Item| Ok(());
        let mut reading = Reading::new(self, &mut nothing);
        reading.is_look = true;
        match self.walk(&mut reading) {
            Ok(_) | Err(ImportError::Stopped) => {}
            Err(error) => return Err(error),
        }
        Ok(reading.account.map(|id| ("telegram".to_owned(), id.to_string())))
    }

    fn set_owner(&mut self, owner: UserId, accounts: &[(String, String)]) {
        self.owner = Some(owner);
        let own = accounts.iter().filter(|(platform, _)| platform == "telegram");
        self.own = own.map(|(_, account)| format!("user{account}")).collect();
    }
}

/// An export that is being read.
struct Reading<'r, 't> {
    telegram: &'r Telegram,
    take: Take<'t>,
    /// Why the reading ended, where that is not the JSON's fault.
    error: Option<ImportError>,
    /// The person of the export, as it says.
    account: Option<i64>,
    /// Only that is looked for.
    is_look: bool,
    has_chats: bool,
    files: Vec<(String, String)>,
}

impl<'r, 't> Reading<'r, 't> {
    fn new(telegram: &'r Telegram, take: Take<'t>) -> Self {
        Self {
            telegram,
            take,
            error: None,
            account: None,
            is_look: false,
            has_chats: false,
            files: Vec::new(),
        }
    }

    /// Ends the reading.
    fn fail<E: serde::de::Error>(&mut self, error: ImportError) -> E {
        self.error.get_or_insert(error);
        E::custom("stopped")
    }
}

/// A message.
#[derive(Deserialize)]
struct Message {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
    date: Option<String>,
    date_unixtime: Option<String>,
    from: Option<String>,
    #[serde(default, deserialize_with = "sender")]
    from_id: Option<String>,
    #[serde(default)]
    text: Json,
    photo: Option<String>,
    file: Option<String>,
    file_name: Option<String>,
    media_type: Option<String>,
    mime_type: Option<String>,
    forwarded_from: Option<String>,
}

/// A chat whose messages are read.
struct ChatReading<'a> {
    id: String,
    name: &'a str,
    is_with_bot: bool,
    /// Begun with the first message.
    conversation: Option<Conversation>,
    file: std::sync::Arc<str>,
}

impl Reading<'_, '_> {
    fn message(&mut self, chat: &mut ChatReading<'_>, message: &Message) -> Result<(), ImportError> {
        let at = Position {
            file: std::sync::Arc::clone(&chat.file),
            number: u64::try_from(message.id).unwrap_or(0),
            unit: "message",
        };
        if message.kind != "message" {
            return skip("service messages", "nobody wrote them", self.take);
        }
        let sent = sent_at(message).map_err(|why| ImportError::at(&at, why))?;
        let owner = self.telegram.owner.ok_or(ImportError::Stopped)?;
        let media = message.photo.as_deref().or(message.file.as_deref());
        let mut text = text_of(&message.text).map_err(|why| ImportError::at(&at, why))?;
        if let Some(media) = media {
            let kind = message
                .media_type
                .as_deref()
                .unwrap_or(if message.photo.is_some() { "photo" } else { "file" });
            let name = message.file_name.as_deref().unwrap_or(media);
            let name = if name.starts_with(NOT_INCLUDED) {
                "not exported"
            } else {
                name
            };
            text.push_str(&format!("{}[{kind}: {name}]", if text.is_empty() { "" } else { "\n" }));
        }
        if text.is_empty() {
            return skip("messages", "they have no text", self.take);
        }
        if chat.conversation.is_none() {
            let about = About {
                format: Format::Telegram,
                owner,
                source_id: &chat.id,
                name: chat.name,
            };
            chat.conversation = Some(Conversation::begin(&about, &at, self.take)?);
        }
        let Some(conversation) = &chat.conversation else {
            return Ok(());
        };
        let is_own = message.from_id.as_ref().is_some_and(|from| {
            self.telegram.own.contains(from) || self.account.is_some_and(|id| *from == format!("user{id}"))
        });
        let by = match (&message.forwarded_from, is_own) {
            (Some(from), _) => Speaker::Other(from),
            (None, true) => Speaker::Owner,
            (None, false) if chat.is_with_bot => Speaker::Bot,
            (None, false) => Speaker::Other(message.from.as_deref().unwrap_or("Deleted Account")),
        };
        let said = ImportedMessage {
            source_id: &message.id.to_string(),
            by,
            text: &text,
            at: sent,
        };
        let id = conversation.say(&said, &at, self.take)?;
        match media {
            Some(media) if !media.starts_with(NOT_INCLUDED) => {
                let row = File {
                    id: FileId(stable(sent, &["file", &id.to_string(), media])),
                    user_id: Some(owner),
                    channel_id: Some(conversation.channel()),
                    space_id: None,
                    message_id: Some(id),
                    name: message.file_name.clone().unwrap_or_else(|| last_part(media).to_owned()),
                    media_type: message.mime_type.clone(),
                    size: None,
                    sha256: None,
                    came_as: None,
                    seconds: None,
                    of_others: by != Speaker::Owner,
                    created_at: sent,
                };
                self.file(row, media, &at)
            }
            _ => Ok(()),
        }
    }

    /// A file that lies next to the JSON.
    fn file(&mut self, mut row: File, name: &str, at: &Position) -> Result<(), ImportError> {
        let path = tree::below(&self.telegram.dir, name).map_err(|error| ImportError::at(at, error))?;
        if !path.exists() {
            return skip("files", "they were not exported", self.take);
        }
        let file = tree::open(&path)?;
        let unreadable = |error| ImportError::unreadable(&path, error);
        let size = file.metadata().map_err(unreadable)?.len();
        if size > self.telegram.most_file_bytes {
            return skip("files", "larger than files.max_file_bytes", self.take);
        }
        let mut bytes = Vec::new();
        let mut summed = Summed::new(file.take(self.telegram.most_file_bytes));
        summed.read_to_end(&mut bytes).map_err(unreadable)?;
        let sha256 = summed.sum();
        self.files.push((name.to_owned(), sha256.clone()));
        row.size = i64::try_from(bytes.len()).ok();
        row.sha256 = Some(sha256.clone());
        (self.take)(Item::Content {
            id: row.id,
            bytes: Some(Bytes::from(bytes)),
            sha256,
        })?;
        emit(Record::File(row.into()), at, self.take)
    }
}

/// The sender of a message. Versions until 2021 wrote numbers; those of people are the small ones.
fn sender<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Json::deserialize(from)? {
        Json::String(sender) => Some(sender),
        Json::Number(number) if number.as_u64().is_some_and(|id| id <= u64::from(u32::MAX)) => {
            Some(format!("user{number}"))
        }
        Json::Number(number) => Some(format!("peer{number}")),
        _ => None,
    })
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn sent_at(message: &Message) -> Result<Timestamp, String> {
    if let Some(seconds) = &message.date_unixtime {
        let seconds: Option<i64> = seconds.parse().ok();
        let millis = seconds
            .filter(|seconds| *seconds >= 0)
            .and_then(|seconds| seconds.checked_mul(1000));
        return millis
            .map(Timestamp)
            .ok_or_else(|| "date_unixtime is no number of seconds".to_owned());
    }
    moment(message.date.as_deref().unwrap_or_default())
}

/// A text: a string, or pieces of one.
fn text_of(text: &Json) -> Result<String, String> {
    let piece = |piece: &Json| match piece {
        Json::String(text) => Some(text.clone()),
        Json::Object(fields) => fields.get("text")?.as_str().map(str::to_owned),
        _ => None,
    };
    match text {
        Json::Null => Ok(String::new()),
        Json::String(text) => Ok(text.clone()),
        Json::Array(pieces) => pieces
            .iter()
            .map(|one| piece(one).ok_or("a piece of its text is none".to_owned()))
            .collect(),
        _ => Err("its text is none".to_owned()),
    }
}
