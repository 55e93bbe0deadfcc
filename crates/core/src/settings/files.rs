//! `[files]`: where files are kept, and how much of them.

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Storage of files: those that people send and those that the bot makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// The store of new files: `directory` (in the data directory) or `s3`. Existing files stay where they are.
    pub store: FileStore,
    /// The largest file that the bot accepts or makes.
    #[schemars(range(min = 1024, max = 104_857_600))]
    pub max_file_bytes: u64,
    /// The total size of one person's files.
    #[schemars(range(min = 1024, max = 1_099_511_627_776_u64))]
    pub max_user_bytes: u64,
    /// S3: the address of its API.
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
    /// S3: the prefix of every key in the bucket.
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
    /// The keys of a bucket that are required and not set, by name.
    pub fn missing(&self) -> Vec<&'static str> {
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
