//! `[secrets]`: the encryption of stored secrets.

use clifford_vault::SecretSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Encryption of stored secrets: people's own keys, secrets of webhooks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StoredSecrets {
    /// The encryption key: 32 bytes as Base64. Without it: the file `secret.key` in the data directory, made when it is
    /// first needed. Processes that share a database need the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "CLIFFORD_SECRET_KEY"}]))]
    pub key: Option<SecretSource>,
}
