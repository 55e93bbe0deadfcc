//! A bucket, as files see it. Which service it is with, and how that is asked, is the business of a crate of its own.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use clifford_core::id::FileId;
use clifford_vault::Secret;

use super::StorageError;

/// The access key and the secret key of a bucket.
pub type BucketKeys = (Secret, Secret);

/// A bucket of object storage.
#[async_trait]
pub trait Bucket: Debug + Send + Sync {
    /// The key of a file.
    fn key(&self, id: FileId) -> String;

    /// Stores a content under a key. The service has confirmed it when this returns.
    ///
    /// # Errors
    /// It was not stored.
    async fn put(&self, key: &str, content: Bytes) -> Result<(), StorageError>;

    /// The content under a key.
    ///
    /// # Errors
    /// [`StorageError::Missing`]: there is none.
    async fn get(&self, key: &str) -> Result<Bytes, StorageError>;

    /// Deletes what is under a key, if anything is.
    ///
    /// # Errors
    /// It is there and was not deleted.
    async fn delete(&self, key: &str) -> Result<(), StorageError>;
}
