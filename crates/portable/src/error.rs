//! Why an import does not take place.

use std::{io, path::Path};

use clifford_store::StoreError;
use serde_json::error::Category;

use crate::source::Position;

/// Why an import does not take place.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The import's data are wrong: where, and why. Nothing of it was written.
    #[error("{0}")]
    Input(String),
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// It does not go with what is here. Nothing of it was written.
    #[error("{0}")]
    Refused(String),
    /// The database's.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A content could not be stored.
    #[error("a file's content cannot be stored: {0}")]
    Storage(String),
    /// Nobody takes the records any more.
    #[error("the import was stopped")]
    Stopped,
}

impl ImportError {
    /// Something wrong at a place.
    pub fn at(position: &Position, why: impl std::fmt::Display) -> Self {
        Self::Input(format!("{position}: {why}"))
    }

    /// Something wrong with a file.
    pub fn of(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Input(format!("{}: {why}", path.display()))
    }

    /// The error for a file whose JSON is wrong.
    pub fn json(path: &Path, error: &serde_json::Error) -> Self {
        let place = match error.classify() {
            Category::Syntax | Category::Data => format!("line {}, column {}: ", error.line(), error.column()),
            Category::Eof | Category::Io => String::new(),
        };
        Self::of(path, format_args!("{place}{}", in_words(error)))
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::Unreadable {
            path: path.display().to_string(),
            error,
        }
    }

    /// Somebody came up meanwhile whom the import takes for new: a new plan knows them.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self, Self::Store(StoreError::WrongState(_) | StoreError::Conflict(_)))
    }
}

/// A JSON error in words for people, without its place.
pub(crate) fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why);
    match error.classify() {
        Category::Eof if (error.line(), error.column()) <= (1, 0) => "it is empty".to_owned(),
        Category::Eof => "it is cut short: it ends in the middle of a value; copy it again".to_owned(),
        Category::Syntax => format!("no JSON: {text}"),
        Category::Io => format!("it cannot be read: {text}"),
        Category::Data => match text
            .strip_prefix("invalid type: ")
            .and_then(|text| text.split_once(", expected "))
        {
            Some((found, expected)) => format!("{found} stands where {expected} belongs"),
            None => text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_json_is_told_in_words_for_people() {
        let told = |text: &str| {
            let error = serde_json::from_str::<Vec<u64>>(text).expect_err(text);
            ImportError::json(Path::new("a.json"), &error).to_string()
        };
        assert_eq!(told(""), "a.json: it is empty");
        assert_eq!(
            told("[1, 2"),
            "a.json: it is cut short: it ends in the middle of a value; copy it again"
        );
        assert_eq!(told("[1,\n x]"), "a.json: line 2, column 2: no JSON: expected value");
        assert_eq!(
            told("[\"x\"]"),
            "a.json: line 1, column 4: string \"x\" stands where u64 belongs"
        );
    }
}
