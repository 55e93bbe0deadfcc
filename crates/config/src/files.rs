//! `[files]`: where files are kept, and how much of them.

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where files are kept: those that people send and those that the bot makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// Where new files go: `directory` (in the data directory) or `s3`. Those that are there already stay where they are.
    pub store: FileStore,
    /// The largest file that is taken or made.
    #[schemars(range(min = 1024, max = 104_857_600))]
    pub max_file_bytes: u64,
    /// How much is kept of one person.
    #[schemars(range(min = 1024, max = 1_099_511_627_776_u64))]
    pub max_user_bytes: u64,
    /// S3: where its API is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://s3.eu-central-1.amazonaws.com")]
    pub endpoint: Option<Url>,
    /// S3: the bucket's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), example = "clifford-files")]
    pub bucket: Option<String>,
    /// S3: its region.
    #[schemars(length(min = 1, max = 63))]
    pub region: String,
    /// S3: what every key in the bucket begins with.
    #[schemars(length(min = 0, max = 200))]
    pub prefix: String,
    /// S3: the access key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "AWS_ACCESS_KEY_ID"}]))]
    pub access_key: Option<SecretSource>,
    /// S3: the secret key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "AWS_SECRET_ACCESS_KEY"}]))]
    pub secret_key: Option<SecretSource>,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            store: FileStore::Directory,
            max_file_bytes: 20 * 1024 * 1024,
            max_user_bytes: 1024 * 1024 * 1024,
            endpoint: None,
            bucket: None,
            region: "us-east-1".to_owned(),
            prefix: "clifford/".to_owned(),
            access_key: None,
            secret_key: None,
        }
    }
}

impl Files {
    /// What a bucket needs and is not set, by the names of their keys.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let set = [
            ("endpoint", self.endpoint.is_some()),
            ("bucket", self.bucket.is_some()),
            ("access_key", self.access_key.is_some()),
            ("secret_key", self.secret_key.is_some()),
        ];
        let is_needed = self.store == FileStore::S3;
        let missing = set.into_iter().filter(|(_, is_set)| is_needed && !is_set);
        missing.map(|(key, _)| key).collect()
    }
}

/// Where new files go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStore {
    /// Into the data directory.
    #[default]
    Directory,
    /// Into a bucket of S3, or of whatever speaks like it.
    S3,
}
