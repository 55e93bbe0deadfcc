//! Buckets in a build without them: a configured bucket is an error at the start.

use bytes::Bytes;
use clifford_core::{clock::SharedClock, id::FileId, settings::Files as Section};

use super::{BucketKeys, StorageError};

/// A bucket: there is none.
#[derive(Debug)]
pub enum S3 {}

impl S3 {
    /// There is none to be had.
    ///
    /// # Errors
    /// Always, with the way out.
    pub fn new(_: &Section, _: &BucketKeys, _: SharedClock) -> Result<Self, String> {
        Err(
            "files.store: this Clifford was built without buckets; build it with `--features s3`, or keep files in the \
             data directory (`store = \"directory\"`)"
                .to_owned(),
        )
    }

    pub(super) fn key(&self, _: FileId) -> String {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as a bucket does it")]
    pub(super) async fn put(&self, _: &str, _: Bytes) -> Result<(), StorageError> {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as a bucket does it")]
    pub(super) async fn get(&self, _: &str) -> Result<Bytes, StorageError> {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as a bucket does it")]
    pub(super) async fn delete(&self, _: &str) -> Result<(), StorageError> {
        match *self {}
    }
}
