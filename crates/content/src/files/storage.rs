//! Where contents are kept: new ones in the data directory or in a bucket, as is set; old ones wherever they are.

use std::path::PathBuf;

use bytes::Bytes;
use clifford_core::id::FileId;

use super::{Bucket, Location, directory::Directory};

/// Why a content was not stored, read or deleted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// It is not there.
    #[error("it is not there")]
    Missing,
    /// The storage did not answer, or refused: try again later.
    #[error("{0}")]
    Unavailable(String),
}

/// Where contents are kept.
#[derive(Debug)]
pub struct Storage {
    directory: Directory,
    bucket: Option<Box<dyn Bucket>>,
}

impl Storage {
    /// In the data directory; new ones in the bucket, if there is one.
    pub fn new(data_dir: impl Into<PathBuf>, bucket: Option<Box<dyn Bucket>>) -> Self {
        Self {
            directory: Directory(data_dir.into()),
            bucket,
        }
    }

    /// Where the content of a new file is to be.
    pub fn place(&self, id: FileId) -> Location {
        match &self.bucket {
            Some(bucket) => Location::Bucket(bucket.key(id)),
            None => Location::Directory(Directory::path(id)),
        }
    }

    /// Where a content is on this machine, if it is.
    pub fn path(&self, location: &Location) -> Option<PathBuf> {
        match location {
            Location::Directory(path) => Some(self.directory.0.join(path)),
            Location::Bucket(_) | Location::Platform(..) => None,
        }
    }

    /// Stores a content. It is on the disk, or the bucket has confirmed it, when this returns.
    ///
    /// # Errors
    /// It was not stored.
    pub async fn put(&self, location: &Location, content: Bytes) -> Result<(), StorageError> {
        match location {
            Location::Directory(path) => self.directory.put(path, content).await,
            Location::Bucket(key) => self.bucket()?.put(key, content).await,
            Location::Platform(..) => Err(StorageError::Missing),
        }
    }

    /// A content that is kept here.
    ///
    /// # Errors
    /// [`StorageError::Missing`]: it is not, or no more.
    pub async fn get(&self, location: &Location) -> Result<Bytes, StorageError> {
        match location {
            Location::Directory(path) => self.directory.get(path).await,
            Location::Bucket(key) => self.bucket()?.get(key).await,
            Location::Platform(..) => Err(StorageError::Missing),
        }
    }

    /// Deletes contents that are kept here; others are where nobody can delete them.
    ///
    /// # Errors
    /// One is there and cannot be deleted.
    pub async fn delete(&self, locations: Vec<String>) -> Result<(), StorageError> {
        let mut here = Vec::new();
        for location in locations {
            match location.parse() {
                Ok(Location::Bucket(key)) => self.bucket()?.delete(&key).await?,
                Ok(Location::Platform(..)) => {}
                Ok(Location::Directory(_)) | Err(_) => here.push(location),
            }
        }
        self.directory.delete(here).await
    }

    fn bucket(&self) -> Result<&dyn Bucket, StorageError> {
        let missing = || StorageError::Unavailable("a file is in a bucket, and [files] names none".to_owned());
        self.bucket.as_deref().ok_or_else(missing)
    }
}
