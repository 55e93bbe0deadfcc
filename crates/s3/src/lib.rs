//! Contents in a bucket of S3, or of a service with its API. The library signs; the requests are ours.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use clifford_content::files::{Bucket, BucketKeys, StorageError};
use clifford_core::{clock::SharedClock, id::FileId, settings::Files as Section};
use clifford_vault::Redirected;
use reqwest::{Client, Response, StatusCode, redirect::Policy};
use rusty_s3::{Bucket as Address, Credentials, S3Action, UrlStyle};

/// How long a signed request is good for.
const GOOD_FOR: Duration = Duration::from_secs(300);
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A bucket.
pub struct S3 {
    bucket: Address,
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
        let bucket = Address::new(endpoint, UrlStyle::Path, name.clone(), section.region.clone())
            .map_err(|error| format!("files.bucket or files.endpoint cannot be used: {error}"))?;
        let http = Client::builder()
            .timeout(TIMEOUT)
            .redirect(Policy::custom(|attempt| {
                let place = Redirected::new(attempt.url().as_str(), "files.endpoint");
                attempt.error(place)
            }))
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

    fn signed<'a>(&self, action: &impl S3Action<'a>) -> url::Url {
        action.sign_with_time(GOOD_FOR, &self.clock.now().to_jiff())
    }
}

#[async_trait]
impl Bucket for S3 {
    fn key(&self, id: FileId) -> String {
        format!("{}{id}", self.prefix)
    }

    async fn put(&self, key: &str, content: Bytes) -> Result<(), StorageError> {
        let action = self.bucket.put_object(Some(&self.credentials), key);
        let request = self.http.put(self.signed(&action)).body(content);
        checked(request.send().await).await.map(drop)
    }

    async fn get(&self, key: &str) -> Result<Bytes, StorageError> {
        let action = self.bucket.get_object(Some(&self.credentials), key);
        let response = checked(self.http.get(self.signed(&action)).send().await).await?;
        response.bytes().await.map_err(unreachable)
    }

    async fn delete(&self, key: &str) -> Result<(), StorageError> {
        let action = self.bucket.delete_object(Some(&self.credentials), key);
        match checked(self.http.delete(self.signed(&action)).send().await).await {
            Ok(_) | Err(StorageError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
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
    let error = error.without_url();
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    let cause = cause.unwrap_or_default();
    StorageError::Unavailable(format!("the bucket could not be reached: {error}{cause}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clifford_content::files::Storage;
    use clifford_core::{clock::SystemClock, settings::FileStore};
    use clifford_fakes::{s3::S3Fake, site::SiteFake};
    use clifford_vault::Secret;

    use super::*;

    #[tokio::test]
    async fn a_bucket_takes_gives_and_deletes_contents() {
        let fake = S3Fake::start().await;
        let section = Section {
            store: FileStore::S3,
            endpoint: Some(fake.endpoint().into()),
            bucket: Some(S3Fake::BUCKET.to_owned()),
            region: S3Fake::REGION.to_owned(),
            prefix: "bot/".to_owned(),
            ..Section::default()
        };
        let storage = |secret: &str| {
            let keys = (Secret::new(S3Fake::ACCESS_KEY), Secret::new(secret));
            let bucket = S3::new(&section, &keys, Arc::new(SystemClock)).unwrap();
            Storage::new("/nonexistent", Some(Box::new(bucket)))
        };
        let (storage, stranger) = (storage(S3Fake::SECRET_KEY), storage("another-key"));
        let id = FileId::new();
        let place = storage.place(id);
        assert_eq!(place.to_string(), format!("s3:bot/{id}"));
        assert_eq!(storage.get(&place).await, Err(StorageError::Missing));
        storage.put(&place, "hello".into()).await.unwrap();
        assert_eq!(fake.keys(), [format!("bot/{id}")]);
        assert_eq!(storage.get(&place).await.as_deref(), Ok(b"hello".as_slice()));
        fake.is_down(true);
        let down = "the bucket answered 503 Service Unavailable (SlowDown)".to_owned();
        assert_eq!(storage.get(&place).await, Err(StorageError::Unavailable(down)));
        fake.is_down(false);
        storage
            .delete(vec![place.to_string(), "telegram:a".to_owned()])
            .await
            .unwrap();
        storage.delete(vec![place.to_string()]).await.unwrap();
        assert_eq!(fake.keys(), Vec::<String>::new());
        assert_eq!(fake.violations(), Vec::<String>::new());
        let refused = "the bucket answered 403 Forbidden (SignatureDoesNotMatch)".to_owned();
        assert_eq!(stranger.get(&place).await, Err(StorageError::Unavailable(refused)));
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_with_the_content() {
        let (old, new) = SiteFake::start_moved().await.unwrap();
        let section = Section {
            endpoint: Some(old.url("").into()),
            bucket: Some("files".to_owned()),
            ..Section::default()
        };
        let keys = (Secret::new("key"), Secret::new("secret"));
        let bucket = S3::new(&section, &keys, Arc::new(SystemClock)).unwrap();
        let error = bucket.put("a", Bytes::from_static(b"private")).await.unwrap_err();
        let told = format!(
            "it redirects to {}, which is not followed: name the server itself in files.endpoint",
            new.url("")
        );
        assert!(error.to_string().ends_with(&told), "{error}");
        assert_eq!((old.visits().len(), new.connections()), (1, 0));
    }
}
