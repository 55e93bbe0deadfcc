//! The records, as they stand in the lines of an export: some are rows, some have what hangs on them in themselves.

mod kinds;
mod rows;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, DocumentId, FileId, UserId},
    places::{AgentSource, Mode},
    row::FromRow,
};
use serde::{Deserialize, Serialize};

pub use self::{kinds::*, rows::*};

/// An account of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonAccount {
    /// The platform.
    pub platform: String,
    /// The platform's id of it.
    pub account: String,
    /// Its name there.
    pub name: String,
    /// Its handle there.
    pub handle: Option<String>,
    /// Since when it is known.
    pub created_at: Timestamp,
}

/// A person with their accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Whether they may talk to the bot. Its owner is never told.
    pub is_allowed: bool,
    /// Their language.
    pub language: Option<String>,
    /// They set it themselves.
    #[serde(default)]
    pub language_set: bool,
    /// Their time zone.
    pub time_zone: Option<String>,
    /// Since when they are known.
    pub created_at: Timestamp,
    /// Their accounts.
    pub accounts: Vec<PersonAccount>,
}

/// A document with its pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Its owner.
    pub user_id: Option<UserId>,
    /// The shared channel that it belongs to.
    pub channel_id: Option<ChannelId>,
    /// The person who had it indexed.
    pub made_by: Option<UserId>,
    /// The file that it was read from.
    pub file_id: Option<FileId>,
    /// Its title.
    pub title: String,
    /// When it was indexed.
    pub created_at: Timestamp,
    /// Its text, cut into pieces.
    pub pieces: Vec<String>,
}

/// An agent with the versions of its prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Its name, unique.
    pub name: String,
    /// Its prompt.
    pub prompt: String,
    /// How it answers.
    pub mode: Mode,
    /// Whether it takes runs. The configuration tells which agent is the default.
    pub enabled: bool,
    /// Where it comes from.
    pub source: AgentSource,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was deleted; runs that it did know it still.
    pub deleted_at: Option<Timestamp>,
    /// The versions of its prompt, the newest last.
    pub prompts: Vec<AgentPrompt>,
}

/// A version of an agent's prompt.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentPrompt {
    /// Its number, from 1.
    pub version: i64,
    /// Its text.
    pub prompt: String,
    /// Where it comes from.
    pub source: AgentSource,
    /// The version that it brought back.
    pub restores: Option<i64>,
    /// When it came into use.
    pub created_at: Timestamp,
}
