//! Why a file could not be had or kept.

use clifford_store::StoreError;

use super::StorageError;

/// Why a file could not be had or kept, in words for a model or a person.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is larger than a file may be.
    #[error("{name} is too large: at most {most} bytes are taken (files.max_file_bytes)")]
    TooLarge {
        /// Its name.
        name: String,
        /// The most bytes of a file.
        most: u64,
    },
    /// Its person has no more room.
    #[error(
        "there is no room for {name}: {most} bytes are kept of each person at most (files.max_user_bytes); delete files first"
    )]
    NoRoom {
        /// Its name.
        name: String,
        /// The most bytes of a person.
        most: u64,
    },
    /// Its content is not there any more, or cannot be had.
    #[error("{name} cannot be had: {why}")]
    Gone {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// It may be had later.
    #[error("{0}")]
    Unavailable(String),
}

impl From<StoreError> for FileError {
    fn from(error: StoreError) -> Self {
        tracing::warn!(%error, "failed to use a file's row");
        Self::Unavailable("the database is not available".to_owned())
    }
}

impl From<StorageError> for StoreError {
    /// For work that is tried again when both are back.
    fn from(error: StorageError) -> Self {
        Self::Unavailable(format!("the storage of files: {error}"))
    }
}

impl FileError {
    /// The meaning of a storage's error for a file.
    pub(super) fn of(name: &str, error: StorageError) -> Self {
        match error {
            StorageError::Missing => Self::Gone {
                name: name.to_owned(),
                why: "it was deleted".to_owned(),
            },
            StorageError::Unavailable(why) => {
                tracing::warn!(why, "file storage did not answer");
                Self::Unavailable("the storage of files does not answer".to_owned())
            }
        }
    }
}
