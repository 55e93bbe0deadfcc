//! OpenClaw's directory: sessions as JSON Lines (`agents/ID/sessions/*.jsonl`, with `sessions.json` saying to which chat
//! each belongs), and memory as Markdown (`MEMORY.md`, `USER.md` and `memory/*.md` of the workspace). Described at
//! <https://docs.openclaw.ai/reference/session-management-compaction> and <https://docs.openclaw.ai/concepts/memory>.
//!
//! All of it goes to the person who is named. Sessions of groups, and of direct chats that have a session of their own,
//! are of others as well, and left out. Where nothing says of whom a session is, what was said to the bot counts as
//! others' words.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use clifford_core::{clock::Timestamp, id::UserId};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{
    ImportError,
    characters::whole,
    conversation::{About, Conversation, ImportedMessage, Notes, Speaker, content_text, document, moment, notes, skip},
    error::in_words,
    source::{Format, Position, Source, Take},
    tree,
};

/// Files of the workspace that hold notes on the person, and what they are about.
const NOTES: [(&str, &str); 2] = [("MEMORY.md", "environment"), ("USER.md", "identity")];

/// A directory of OpenClaw, or one session of it.
#[derive(Debug)]
pub struct OpenClaw {
    path: PathBuf,
    owner: Option<UserId>,
}

/// A line of a session.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    timestamp: Option<Json>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Json,
    timestamp: Option<Json>,
}

/// The person of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Owner,
    Others,
    Unknown,
}

impl OpenClaw {
    /// The directory at a path, or the session in a file.
    ///
    /// # Errors
    /// It is not there.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        std::fs::metadata(path).map_err(|error| ImportError::unreadable(path, error))?;
        let path = path.to_owned();
        Ok(Self { path, owner: None })
    }

    /// The workspace, where notes are.
    fn workspace(&self) -> PathBuf {
        let inner = self.path.join("workspace");
        if inner.is_dir() { inner } else { self.path.clone() }
    }

    fn shown(&self, path: &Path) -> Arc<str> {
        let shown = path
            .strip_prefix(&self.path)
            .ok()
            .filter(|path| !path.as_os_str().is_empty());
        let name = path.file_name().map(Path::new).unwrap_or(path);
        shown.unwrap_or(name).display().to_string().into()
    }

    fn session(&self, path: &Path, of: Of, digest: &mut tree::Digest, take: Take<'_>) -> Result<(), ImportError> {
        let owner = self.owner.ok_or(ImportError::Stopped)?;
        let file = self.shown(path);
        let mut conversation: Option<Conversation> = None;
        let mut session = None;
        let sum = tree::lines(path, &mut |number, text| {
            let at = Position::line(Arc::clone(&file), number);
            let line: Line =
                serde_json::from_str(&whole(text)).map_err(|error| ImportError::at(&at, in_words(&error)))?;
            match (line.kind.as_str(), &session, line.id.as_deref()) {
                ("session", None, Some(id)) => {
                    session = Some(id.to_owned());
                    return Ok(());
                }
                (_, None, _) => {
                    return Err(ImportError::at(
                        &at,
                        "no session of OpenClaw: its first line names none",
                    ));
                }
                ("message", Some(_), Some(_)) => {}
                ("message", Some(_), None) => return Err(ImportError::at(&at, "a message without an id")),
                _ => return Ok(()),
            }
            let (Some(message), Some(id), Some(session)) = (&line.message, &line.id, &session) else {
                return Err(ImportError::at(&at, "a message without a message"));
            };
            let by = match (message.role.as_str(), of) {
                ("user", Of::Owner) => Speaker::Owner,
                ("user", _) => Speaker::Other("user"),
                ("assistant", _) => Speaker::Bot,
                _ => return skip("results of tools", "only what was said is taken", take),
            };
            let text = content_text(&message.content);
            if text.trim().is_empty() {
                return skip("messages", "they have no text", take);
            }
            let when = message.timestamp.as_ref().or(line.timestamp.as_ref());
            let sent = when_of(when).map_err(|why| ImportError::at(&at, why))?;
            if conversation.is_none() {
                let about = About {
                    format: Format::OpenClaw,
                    owner,
                    source_id: session,
                    name: &format!("session of {}", sent.to_jiff().strftime("%Y-%m-%d")),
                };
                conversation = Some(Conversation::begin(&about, &at, take)?);
            }
            let Some(conversation) = &conversation else {
                return Ok(());
            };
            let said = ImportedMessage {
                source_id: id,
                by,
                text: &text,
                at: sent,
            };
            conversation.say(&said, &at, take).map(|_| ())
        })?;
        digest.add(&self.shown(path), &sum);
        Ok(())
    }

    fn notes(&self, digest: &mut tree::Digest, take: Take<'_>) -> Result<(), ImportError> {
        let owner = self.owner.ok_or(ImportError::Stopped)?;
        let workspace = self.workspace();
        for (name, module) in NOTES {
            let path = workspace.join(name);
            if !path.exists() {
                continue;
            }
            let (text, sum) = tree::text(&path)?;
            digest.add(name, &sum);
            let about = about(owner, name, module);
            let entries: Vec<_> = text.lines().filter_map(entry_of).collect();
            notes(&about, &entries, &Position::line(self.shown(&path), 0), take)?;
        }
        let daily = workspace.join("memory");
        if !daily.is_dir() {
            return Ok(());
        }
        for path in tree::files(&daily, ".md")? {
            let (text, sum) = tree::text(&path)?;
            let name = self.shown(&path);
            digest.add(&name, &sum);
            document(
                &about(owner, &name, "environment"),
                &text,
                &Position::line(Arc::clone(&name), 0),
                take,
            )?;
        }
        Ok(())
    }
}

/// Notes without a time of their own: their ids are by their words.
fn about<'a>(owner: UserId, title: &'a str, module: &'a str) -> Notes<'a> {
    let made = Timestamp(0);
    Notes {
        format: Format::OpenClaw,
        owner,
        title,
        module,
        made,
    }
}

/// A line of notes that says something: no heading.
fn entry_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line
        .strip_prefix("- ")
        .or(line.strip_prefix("* "))
        .unwrap_or(line)
        .trim();
    (!line.is_empty() && !line.starts_with('#')).then_some(line)
}

impl Source for OpenClaw {
    fn format(&self) -> Format {
        Format::OpenClaw
    }

    fn read(&self, take: Take<'_>) -> Result<String, ImportError> {
        let mut digest = tree::Digest::default();
        if self.path.is_file() {
            // A session that is named was chosen.
            self.session(&self.path, Of::Owner, &mut digest, take)?;
            return Ok(digest.finish());
        }
        self.notes(&mut digest, take)?;
        let agents = self.path.join("agents");
        let sessions = if agents.is_dir() {
            tree::files(&agents, ".jsonl")?
        } else {
            Vec::new()
        };
        let mut whose: BTreeMap<PathBuf, BTreeMap<String, Of>> = BTreeMap::new();
        for path in sessions {
            let dir = path.parent().unwrap_or(&agents).to_owned();
            if !whose.contains_key(&dir) {
                whose.insert(dir.clone(), index(&dir)?);
            }
            let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let of = whose
                .get(&dir)
                .and_then(|known| known.get(&id))
                .copied()
                .unwrap_or(Of::Unknown);
            if of == Of::Others {
                skip("sessions", "they are of groups, or of others' direct chats", take)?;
                continue;
            }
            self.session(&path, of, &mut digest, take)?;
        }
        Ok(digest.finish())
    }

    fn set_owner(&mut self, owner: UserId, _: &[(String, String)]) {
        self.owner = Some(owner);
    }
}

/// The person of each session of a directory, by the key of its chat in `sessions.json`.
fn index(dir: &Path) -> Result<BTreeMap<String, Of>, ImportError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Entry {
        session_id: Option<String>,
    }
    let path = dir.join("sessions.json");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let (text, _) = tree::text(&path)?;
    let entries: BTreeMap<String, Entry> =
        serde_json::from_str(&whole(&text)).map_err(|error| ImportError::json(&path, &error))?;
    Ok(entries
        .into_iter()
        .filter_map(|(key, entry)| {
            // `agent:ID:main` is the chat of the person whose bot it is.
            let of = match key.split(':').nth(2) {
                Some("main") | None => Of::Owner,
                Some(_) => Of::Others,
            };
            Some((entry.session_id?, of))
        })
        .collect())
}

/// A moment: milliseconds, or RFC 3339.
fn when_of(when: Option<&Json>) -> Result<Timestamp, String> {
    match when {
        Some(Json::String(text)) => moment(text),
        Some(Json::Number(number)) => number
            .as_i64()
            .filter(|millis| *millis >= 0)
            .map(Timestamp)
            .ok_or_else(|| "its timestamp is no number of milliseconds".to_owned()),
        _ => Err("a message without a timestamp".to_owned()),
    }
}
