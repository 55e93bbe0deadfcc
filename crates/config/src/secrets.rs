//! `[secrets]`: how what people entrust to the bot is kept.

use clifford_vault::SecretSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How secrets that are stored (keys of people's own, webhooks' secrets) are sealed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sealing {
    /// The key that seals them: 32 bytes as Base64. Without it: the file `secret.key` in the data directory, made
    /// when it is first needed. Processes that share a database need the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "CLIFFORD_SECRET_KEY"}]))]
    pub key: Option<SecretSource>,
}
