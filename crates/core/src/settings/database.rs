//! `[database]`: where everything is kept.

use clifford_vault::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where Clifford keeps everything it knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite:PATH` or `postgres://user:password@host/name`. Without it: `clifford.db` in the data directory
    /// (SQLite, for one process). To keep a password out of this file, set `CLIFFORD_DATABASE__URL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "database-url"), example = "sqlite:clifford.db")]
    pub url: Option<Url>,
    /// `full`: an accepted message survives a power cut. `normal`: it survives a crash of the process, and
    /// commits are faster. SQLite only.
    pub synchronous: Synchronous,
    /// The most connections: to PostgreSQL in all, to SQLite for reading.
    #[schemars(range(min = 1, max = 1000))]
    pub max_connections: u32,
    /// The longest wait at the start for a PostgreSQL server that does not answer.
    #[schemars(range(max = 3600))]
    pub wait_seconds: u64,
}

impl Default for Database {
    fn default() -> Self {
        Self {
            url: None,
            synchronous: Synchronous::Full,
            max_connections: 8,
            wait_seconds: 30,
        }
    }
}

/// How far SQLite waits for the disk before a commit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Synchronous {
    /// Until the disk has it.
    Full,
    /// Until the operating system has it.
    Normal,
}
