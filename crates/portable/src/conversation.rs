//! Conversations of other bots and platforms: each a private channel of the person for whom they are imported, known to no
//! platform, with one conversation that is over.
//!
//! The person's messages are theirs. All others are words of others, as data: of people with their names in
//! front and without a person of ours, of bots as answers that a run stands for which had read who knows what.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, DocumentId, MemoryItemId, MessageId, UserId},
    memory::{levels, secrets},
    messages::{Direction, MessageStatus},
    places::{ChannelKind, Mode},
};
use clifford_store::portable::{Channel, Context, Document, MemoryItem, Message, Record};
use serde_json::Value as Json;

use crate::{
    ImportError,
    ids::stable,
    plan::PLATFORM,
    source::{Format, Item, Position, Take},
};

/// The most characters of a document's piece.
const PIECE: usize = 1200;
/// The level of facts that another bot had noted.
const LEVEL: i64 = 4;
/// When a conversation began and ended, its messages tell once all are read.
const UNKNOWN: Timestamp = Timestamp(0);
/// The most characters of a name.
const LONGEST_NAME: usize = 120;

/// An author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker<'n> {
    /// The person for whom it is imported.
    Owner,
    /// A bot.
    Bot,
    /// Somebody else, by their name.
    Other(&'n str),
}

/// A conversation whose messages follow.
pub struct Conversation {
    format: Format,
    owner: UserId,
    /// The id of it in its source.
    source_id: String,
    channel: ChannelId,
    context: ContextId,
}

/// The facts of a conversation before its messages.
pub struct About<'a> {
    /// Where it is from.
    pub format: Format,
    /// For whom it is.
    pub owner: UserId,
    /// Its id in its source.
    pub source_id: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// A message of a conversation.
pub struct ImportedMessage<'a> {
    /// Its id in its source, unique in its conversation.
    pub source_id: &'a str,
    /// Its author.
    pub by: Speaker<'a>,
    /// Its text.
    pub text: &'a str,
    /// When.
    pub at: Timestamp,
}

impl Conversation {
    /// Begins one.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn begin(about: &About<'_>, at: &Position, take: Take<'_>) -> Result<Self, ImportError> {
        let owner = about.owner.to_string();
        let words = [about.format.as_str(), &owner, about.source_id];
        let conversation = Self {
            format: about.format,
            owner: about.owner,
            source_id: about.source_id.to_owned(),
            channel: ChannelId(stable(UNKNOWN, &["channel", words[0], words[1], words[2]])),
            context: ContextId(stable(UNKNOWN, &["context", words[0], words[1], words[2]])),
        };
        let name = format!("{}: {}", about.format.name(), name(about.name));
        let channel = Channel {
            id: conversation.channel,
            platform: PLATFORM.to_owned(),
            external_id: words.join(":"),
            kind: ChannelKind::Private,
            name: Some(name.clone()),
            space_id: None,
            user_id: Some(about.owner),
            account: None,
            enabled: false,
            disabled_reason: Some("imported".to_owned()),
            mode: Mode::Run,
            agent_id: None,
            parent_id: None,
            followed_at: None,
            active_context_id: None,
            last_message_at: None,
            created_at: UNKNOWN,
        };
        let context = Context {
            id: conversation.context,
            channel_id: conversation.channel,
            user_id: Some(about.owner),
            space_id: None,
            name: Some(name),
            summary: None,
            summary_of: None,
            compacted_through: None,
            remembered_through: None,
            continued_from: None,
            model: None,
            turn_count: 0,
            last_user_interaction_at: UNKNOWN,
            closed_at: None,
            created_at: UNKNOWN,
        };
        emit(Record::Channel(channel.into()), at, take)?;
        emit(Record::Context(context.into()), at, take)?;
        Ok(conversation)
    }

    /// Adds a message.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn say(&self, said: &ImportedMessage<'_>, at: &Position, take: Take<'_>) -> Result<MessageId, ImportError> {
        let owner = self.owner.to_string();
        let words = ["message", self.format.as_str(), &owner, &self.source_id, said.source_id];
        let (direction, status) = match said.by {
            Speaker::Owner | Speaker::Other(_) => (Direction::Inbound, MessageStatus::History),
            Speaker::Bot => (Direction::Outbound, MessageStatus::Delivered),
        };
        let content = match said.by {
            Speaker::Owner | Speaker::Bot => said.text.to_owned(),
            Speaker::Other(other) => format!("[{}] {}", name(other).replace(['[', ']'], ""), said.text),
        };
        let message = Message {
            id: MessageId(stable(said.at, &words)),
            direction,
            channel_id: self.channel,
            context_id: Some(self.context),
            user_id: (!matches!(said.by, Speaker::Other(_))).then_some(self.owner),
            run_id: None,
            content,
            quote: None,
            quoted_user_id: None,
            attachments: None,
            platform_message_id: None,
            status,
            error: None,
            sent_at: said.at,
            edited_at: None,
            deleted_at: None,
            created_at: said.at,
        };
        let id = message.id;
        emit(Record::Message(message.into()), at, take)?;
        Ok(id)
    }

    /// Its channel.
    pub const fn channel(&self) -> ChannelId {
        self.channel
    }
}

/// Notes of another bot.
pub struct Notes<'a> {
    /// Where they are from.
    pub format: Format,
    /// About whom.
    pub owner: UserId,
    /// Their title.
    pub title: &'a str,
    /// Their subject.
    pub module: &'a str,
    /// When they were made.
    pub made: Timestamp,
}

/// A text that a person can have found, as a document of theirs.
///
/// # Errors
/// Those of `take`.
pub fn document(notes: &Notes<'_>, text: &str, at: &Position, take: Take<'_>) -> Result<(), ImportError> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let owner = notes.owner.to_string();
    let words = ["document", notes.format.as_str(), &owner, notes.title, text];
    let document = Document {
        id: DocumentId(stable(notes.made, &words)),
        user_id: Some(notes.owner),
        channel_id: None,
        made_by: Some(notes.owner),
        file_id: None,
        title: format!("{}: {}", notes.format.name(), name(notes.title)),
        created_at: notes.made,
        pieces: pieces(text),
    };
    emit(Record::Document(document.into()), at, take)
}

/// A text in pieces of whole lines, as far as lines are short enough.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut piece = String::new();
    let mut length = 0;
    for line in text.lines() {
        let characters: Vec<char> = line.chars().collect();
        for part in characters.chunks(PIECE) {
            if length > 0 && length + part.len() > PIECE {
                pieces.push(std::mem::take(&mut piece));
                length = 0;
            }
            piece.extend(part);
            length += part.len();
        }
        piece.push('\n');
        length += 1;
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
        .iter_mut()
        .for_each(|piece| piece.truncate(piece.trim_end().len()));
    pieces
}

/// A name on one line, not too long.
fn name(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Facts about the person that another bot had noted: what is short enough is remembered, as far as there is room, and all
/// of it can be found as a document.
///
/// # Errors
/// Those of `take`.
pub fn notes(notes: &Notes<'_>, entries: &[&str], at: &Position, take: Take<'_>) -> Result<(), ImportError> {
    let (mut kept, mut text) = (0, String::new());
    for entry in entries
        .iter()
        .map(|entry| entry.trim())
        .filter(|entry| !entry.is_empty())
    {
        let key = key(entry);
        if secrets::why_secret(&key, entry).is_some() {
            skip("notes", "they look like a secret", take)?;
            continue;
        }
        text.push_str(entry);
        text.push('\n');
        let value = entry.split_whitespace().collect::<Vec<_>>().join(" ");
        let level = levels::of(LEVEL).filter(|level| value.chars().count() <= level.characters && kept < level.items);
        if level.is_none() {
            continue;
        }
        kept += 1;
        let owner = notes.owner.to_string();
        let item = MemoryItem {
            id: MemoryItemId(stable(notes.made, &["item", notes.format.as_str(), &owner, &value])),
            user_id: notes.owner,
            level: LEVEL,
            module: notes.module.to_owned(),
            key,
            value,
            confidence: 0.6,
            context_id: None,
            origin_space: None,
            shareable: false,
            pinned: false,
            archived: false,
            created_at: notes.made,
            last_seen_at: notes.made,
        };
        emit(Record::MemoryItem(item.into()), at, take)?;
    }
    document(notes, &text, at, take)
}

/// A key for a fact: its first words.
fn key(text: &str) -> String {
    let words: Vec<String> = (text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .take(5)
        .map(|word| word.chars().take(10).collect::<String>().to_lowercase())
        .collect();
    let hash = stable(UNKNOWN, &[text]).simple().to_string();
    format!("{}_{}", words.join("_"), hash.get(28..).unwrap_or_default())
}

/// Hands a record over.
///
/// # Errors
/// Those of `take`.
pub fn emit(record: Record, at: &Position, take: Take<'_>) -> Result<(), ImportError> {
    let record = Box::new(record);
    take(Item::Record { record, at: at.clone() })
}

/// Leaves something out.
///
/// # Errors
/// Those of `take`.
pub fn skip(what: &'static str, why: &'static str, take: Take<'_>) -> Result<(), ImportError> {
    take(Item::Skipped { what, why })
}

/// The words in the content of a message to or of a model: a text, or pieces, of which some are text.
pub fn content_text(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(pieces) => {
            let texts = pieces.iter().filter(|piece| piece["type"] == "text");
            let texts: Vec<_> = texts.filter_map(|piece| piece["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// A moment as other programs write it.
///
/// # Errors
/// It is none.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    // Discord has a space where RFC 3339 has a `T`, and no zone: UTC.
    let text = text.trim().replacen(' ', "T", 1);
    let is_zoned = text.ends_with(['Z', 'z']) || text.get(10..).is_some_and(|time| time.contains(['+', '-']));
    let zoned = if is_zoned { text.clone() } else { format!("{text}Z") };
    Timestamp::parse(&zoned).filter(|at| at.0 >= 0).ok_or_else(|| {
        format!(
            "`{}` is no time such as 2026-01-02T03:04:05Z",
            crate::tree::excerpt(&text)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_others_write_them() {
        let at = Timestamp(1_700_000_000_000);
        for text in [
            "2023-11-14T22:13:20Z",
            "2023-11-14 22:13:20",
            "2023-11-14 22:13:20+00:00",
            "2023-11-14T23:13:20.000+01:00",
            "2023-11-14T22:13:20.000Z",
        ] {
            assert_eq!(moment(text), Ok(at), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2023-13-01T00:00:00Z",
            "1960-01-01T00:00:00Z",
            "é€2023-11-14 22",
        ] {
            assert!(moment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_is_cut_into_pieces_between_lines() {
        let text = format!("{}\n{}\nend", "a".repeat(1000), "b".repeat(2500));
        let pieces = pieces(&text);
        assert!(
            pieces.iter().all(|piece| piece.chars().count() <= PIECE + 1),
            "{pieces:?}"
        );
        assert_eq!(pieces.concat().replace('\n', ""), text.replace('\n', ""));
    }
}
