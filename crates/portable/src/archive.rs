//! The archive of an export: a tar file of `clifford-export.json` (the head, with the version of the format), records as
//! JSON Lines, people's files, and `SHA256SUMS` at the end. `docs/reference/export-archive.md` describes it.
//!
//! Nothing in an archive is trusted. Entries are plain files with these names, each once, and the sums tell whether all of
//! them are there and whole.

mod read;
#[cfg(test)]
mod tests;
mod write;

use clifford_core::{clock::Timestamp, id::FileId};
use serde::{Deserialize, Serialize};

pub use self::{read::Archive, write::Writer};

const HEAD: &str = "clifford-export.json";
const RECORDS: &str = "records";
const FILES: &str = "files";
const SUMS: &str = "SHA256SUMS";
/// The version of the format. Version 1 had neither steps, parts, usage, feedback, agents, rules nor changes of settings.
const VERSION: u32 = 2;

/// The head of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The version of the format.
    pub version: u32,
    /// The Clifford that wrote it.
    pub clifford: String,
    /// When.
    pub created_at: Timestamp,
    /// The scope: `everything`, `user:ID`, `space:ID` or `channel:ID`.
    pub scope: String,
}

impl Head {
    /// The head of an archive of this version.
    pub fn new(clifford: &str, created_at: Timestamp, scope: String) -> Self {
        Self {
            version: VERSION,
            clifford: clifford.to_owned(),
            created_at,
            scope,
        }
    }
}

/// The entry of some records.
fn name_of_records(number: u32) -> String {
    format!("{RECORDS}/{number:06}.jsonl")
}

/// The entry of a file's content.
fn name_of_file(id: FileId) -> String {
    let id = id.0.simple().to_string();
    format!("{FILES}/{}/{id}", id.get(30..).unwrap_or_default())
}
