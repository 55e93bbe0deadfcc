//! Contents in a bucket of S3, or of a service with its API. The library signs; the requests are ours.

use std::time::Duration;

use bytes::Bytes;
use clifford_core::{clock::SharedClock, id::FileId, settings::Files as Section};
use reqwest::{Client, Response, StatusCode};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

use super::{BucketKeys, StorageError};

/// How long a signed request is good for.
const GOOD_FOR: Duration = Duration::from_secs(300);
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A bucket.
pub struct S3 {
    bucket: Bucket,
    credentials: Credentials,
    prefix: String,
    http: Client,
    clock: SharedClock,
}

impl std::fmt::Debug for S3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("S3")
            .field("bucket", &self.bucket.name())
            .finish_non_exhaustive()
    }
}

impl S3 {
    /// Nothing is asked before a content is stored or read.
    ///
    /// # Errors
    /// Why the settings cannot be right.
    pub fn new(section: &Section, (access_key, secret_key): &BucketKeys, clock: SharedClock) -> Result<Self, String> {
        let (Some(endpoint), Some(name)) = (&section.endpoint, &section.bucket) else {
            return Err("files.endpoint or files.bucket is missing".to_owned());
        };
        let endpoint =
            (endpoint.as_str().parse()).map_err(|_| format!("files.endpoint: `{endpoint}` is no address"))?;
        // A path names the bucket on every server; a host name does so only where its owner set that up.
        let bucket = Bucket::new(endpoint, UrlStyle::Path, name.clone(), section.region.clone())
            .map_err(|error| format!("files.bucket or files.endpoint cannot be used: {error}"))?;
        let http = Client::builder()
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| format!("the HTTP client cannot be made: {error}"))?;
        Ok(Self {
            bucket,
            credentials: Credentials::new(access_key.expose(), secret_key.expose()),
            prefix: section.prefix.clone(),
            http,
            clock,
        })
    }

    /// The key of a file.
    pub(super) fn key(&self, id: FileId) -> String {
        format!("{}{id}", self.prefix)
    }

    pub(super) async fn put(&self, key: &str, content: Bytes) -> Result<(), StorageError> {
        let action = self.bucket.put_object(Some(&self.credentials), key);
        let request = self.http.put(self.signed(&action)).body(content);
        checked(request.send().await).await.map(drop)
    }

    pub(super) async fn get(&self, key: &str) -> Result<Bytes, StorageError> {
        let action = self.bucket.get_object(Some(&self.credentials), key);
        let response = checked(self.http.get(self.signed(&action)).send().await).await?;
        response.bytes().await.map_err(unreachable)
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), StorageError> {
        let action = self.bucket.delete_object(Some(&self.credentials), key);
        match checked(self.http.delete(self.signed(&action)).send().await).await {
            Ok(_) | Err(StorageError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn signed<'a>(&self, action: &impl S3Action<'a>) -> url::Url {
        action.sign_with_time(GOOD_FOR, &self.clock.now().to_jiff())
    }
}

async fn checked(response: Result<Response, reqwest::Error>) -> Result<Response, StorageError> {
    let response = response.map_err(unreachable)?;
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::NOT_FOUND => Err(StorageError::Missing),
        status => {
            let body = response.text().await.unwrap_or_default();
            let code = code(&body).unwrap_or("no code");
            Err(StorageError::Unavailable(format!(
                "the bucket answered {status} ({code})"
            )))
        }
    }
}

/// The code of an S3 error: `<Error><Code>AccessDenied</Code>…`.
fn code(body: &str) -> Option<&str> {
    body.split_once("<Code>")?.1.split_once("</Code>").map(|(code, _)| code)
}

/// The address is left out: it holds the signature.
fn unreachable(error: reqwest::Error) -> StorageError {
    StorageError::Unavailable(format!("the bucket could not be reached: {}", error.without_url()))
}
