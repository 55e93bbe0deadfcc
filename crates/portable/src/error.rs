//! Why an import does not take place.

use std::{io, path::Path};

use clifford_store::StoreError;

use crate::source::Position;

/// Why an import does not take place.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// What is imported is wrong: where, and why. Nothing of it was written.
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
