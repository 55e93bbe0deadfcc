//! Hermes' data: memory (`memories/MEMORY.md` and `memories/USER.md`, entries between `§`), and sessions as
//! `hermes sessions export FILE.jsonl` writes them, an object a line with its `messages`. Described at
//! <https://hermes-agent.nousresearch.com/docs/user-guide/features/memory> and, in the same place, `user-guide/sessions`.
//!
//! All of it goes to the person who is named. Sessions that came in over a platform say whose they were: those of somebody
//! else are left out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clifford_core::{clock::Timestamp, id::UserId};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{
    ImportError,
    characters::whole,
    conversation::{About, Conversation, ImportedMessage, Notes, Speaker, content_text, moment, notes, skip},
    error::in_words,
    source::{Format, Position, Source, Take},
    tree,
};

/// Files with notes, and what they are about.
const NOTES: [(&str, &str); 2] = [("MEMORY.md", "environment"), ("USER.md", "identity")];

/// A directory of Hermes, or a file of sessions.
#[derive(Debug)]
pub struct Hermes {
    path: PathBuf,
    owner: Option<UserId>,
    accounts: Vec<(String, String)>,
}

/// A session.
#[derive(Deserialize)]
struct Session {
    id: String,
    source: Option<String>,
    user_id: Option<Json>,
    title: Option<String>,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<Json>,
    role: String,
    #[serde(default)]
    content: Json,
    timestamp: Option<Json>,
}

impl Hermes {
    /// The directory at a path, or the sessions in a file.
    ///
    /// # Errors
    /// It is not there.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        std::fs::metadata(path).map_err(|error| ImportError::unreadable(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            owner: None,
            accounts: Vec::new(),
        })
    }

    fn notes(&self, digest: &mut tree::Digest, take: Take<'_>) -> Result<(), ImportError> {
        let owner = self.owner.ok_or(ImportError::Stopped)?;
        for (name, module) in NOTES {
            let path = self.path.join("memories").join(name);
            if !path.exists() {
                continue;
            }
            let (text, sum) = tree::text(&path)?;
            digest.add(name, &sum);
            let about = Notes {
                format: Format::Hermes,
                owner,
                title: name,
                module,
                made: Timestamp(0),
            };
            let entries: Vec<_> = text.split('§').collect();
            notes(
                &about,
                &entries,
                &Position::line(format!("memories/{name}").into(), 0),
                take,
            )?;
        }
        Ok(())
    }

    fn sessions(&self, path: &Path, digest: &mut tree::Digest, take: Take<'_>) -> Result<(), ImportError> {
        let file: Arc<str> = path.file_name().unwrap_or_default().to_string_lossy().into();
        let sum = tree::lines(path, &mut |number, text| {
            let at = Position::line(Arc::clone(&file), number);
            let session: Session =
                serde_json::from_str(&whole(text)).map_err(|error| ImportError::at(&at, in_words(&error)))?;
            if !self.is_owners(&session) {
                return skip("sessions", "they are of somebody else", take);
            }
            self.session(&session, &at, take)
        })?;
        digest.add(&file, &sum);
        Ok(())
    }

    /// Whether a session is of the person for whom it is imported.
    fn is_owners(&self, session: &Session) -> bool {
        let account = match &session.user_id {
            None | Some(Json::Null) => return true,
            Some(Json::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let platform = session.source.as_deref().unwrap_or("cli");
        platform == "cli" || (self.accounts.iter()).any(|(of, own)| of == platform && *own == account)
    }

    fn session(&self, session: &Session, at: &Position, take: Take<'_>) -> Result<(), ImportError> {
        let owner = self.owner.ok_or(ImportError::Stopped)?;
        let mut conversation: Option<Conversation> = None;
        for (number, message) in session.messages.iter().enumerate() {
            let by = match message.role.as_str() {
                "user" => Speaker::Owner,
                "assistant" => Speaker::Bot,
                _ => {
                    skip("results of tools", "only what was said is taken", take)?;
                    continue;
                }
            };
            let text = content_text(&message.content);
            if text.trim().is_empty() {
                skip("messages", "they have no text", take)?;
                continue;
            }
            let wrong = |why: String| ImportError::at(at, format_args!("message {}: {why}", number + 1));
            let sent = when_of(message.timestamp.as_ref()).map_err(wrong)?;
            if conversation.is_none() {
                let day = sent.to_jiff().strftime("%Y-%m-%d");
                let name = session.title.clone().unwrap_or_else(|| format!("session of {day}"));
                let about = About {
                    format: Format::Hermes,
                    owner,
                    source_id: &session.id,
                    name: &name,
                };
                conversation = Some(Conversation::begin(&about, at, take)?);
            }
            let id = message
                .id
                .as_ref()
                .map_or_else(|| format!("number {number}"), ToString::to_string);
            if let Some(conversation) = &conversation {
                let said = ImportedMessage {
                    source_id: &id,
                    by,
                    text: &text,
                    at: sent,
                };
                conversation.say(&said, at, take)?;
            }
        }
        Ok(())
    }
}

impl Source for Hermes {
    fn format(&self) -> Format {
        Format::Hermes
    }

    fn read(&self, take: Take<'_>) -> Result<String, ImportError> {
        let mut digest = tree::Digest::default();
        if self.path.is_file() {
            self.sessions(&self.path, &mut digest, take)?;
            return Ok(digest.finish());
        }
        self.notes(&mut digest, take)?;
        if self.path.join("state.db").exists() {
            skip(
                "sessions",
                "`hermes sessions export FILE.jsonl` writes state.db to a file: import that",
                take,
            )?;
        }
        Ok(digest.finish())
    }

    fn set_owner(&mut self, owner: UserId, accounts: &[(String, String)]) {
        self.owner = Some(owner);
        self.accounts = accounts.to_vec();
    }
}

/// A moment: seconds, with a fraction, or RFC 3339.
fn when_of(when: Option<&Json>) -> Result<Timestamp, String> {
    match when {
        Some(Json::String(text)) => moment(text),
        Some(Json::Number(number)) => {
            let seconds = number.as_f64().unwrap_or(-1.0);
            #[expect(clippy::cast_possible_truncation, reason = "checked to be of this age")]
            let millis = (seconds * 1000.0) as i64;
            match (0.0..1e11).contains(&seconds) {
                true => Ok(Timestamp(millis)),
                false => Err("its timestamp is no number of seconds".to_owned()),
            }
        }
        _ => Err("no timestamp".to_owned()),
    }
}
