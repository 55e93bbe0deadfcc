//! The export of a person's data, as JSON Lines: an object a line, whose `type` names its kind.

use clifford_core::{clock::Timestamp, id::UserId};
use clifford_store::{
    Conn, StoreError,
    people::export::{self, Cursor},
};
use serde_json::{Value, json};

/// The version of the format.
const VERSION: u32 = 1;

/// The export of some people, a page at a time.
#[derive(Clone, Debug)]
pub struct Export {
    head: Option<Value>,
    people: std::vec::IntoIter<UserId>,
    current: Option<UserId>,
    cursor: Cursor,
}

impl Export {
    /// An export of these people, one after the other.
    pub fn of(people: Vec<UserId>, now: Timestamp) -> Self {
        let mut people = people.into_iter();
        Self {
            head: Some(json!({ "type": "export", "version": VERSION, "at": now })),
            current: people.next(),
            people,
            cursor: Cursor::start(),
        }
    }

    /// The next lines, each with its line break. `None`: there are no more.
    pub async fn next(&mut self, conn: &mut Conn) -> Result<Option<String>, StoreError> {
        if let Some(head) = self.head.take() {
            return Ok(Some(format!("{head}\n")));
        }
        while let Some(person) = self.current {
            let records = export::page(conn, person, &mut self.cursor).await?;
            if records.is_empty() {
                self.current = self.people.next();
                self.cursor = Cursor::start();
                continue;
            }
            let mut lines = String::new();
            for record in records {
                lines.push_str(&serde_json::to_string(&record)?);
                lines.push('\n');
            }
            return Ok(Some(lines));
        }
        Ok(None)
    }

    /// All of it, if it is at most so many bytes long.
    pub async fn whole(mut self, conn: &mut Conn, most: usize) -> Result<Option<String>, StoreError> {
        let mut text = String::new();
        while let Some(lines) = self.next(conn).await? {
            text.push_str(&lines);
            if text.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(text))
    }
}

/// The name of the file of an export.
pub fn file_name(now: Timestamp) -> String {
    format!("clifford-export-{}.jsonl", now.to_jiff().strftime("%Y-%m-%d"))
}
