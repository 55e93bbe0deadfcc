//! `[data]`: the directory for data outside of the database.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clifford_vault::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The directory for the default database and what is not in a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Data {
    /// The data directory. Without it: `$XDG_DATA_HOME/clifford`, else `~/.local/share/clifford`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1), example = "/var/lib/clifford")]
    pub dir: Option<PathBuf>,
    /// Whether only Clifford's own user may read the data directory and the SQLite database. New files get these
    /// permissions, and existing ones at the start. `false`: the permissions are yours to set.
    pub private: bool,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            dir: None,
            private: true,
        }
    }
}

impl Data {
    /// The directory that is set, else the platform's usual one, if the environment tells it.
    pub(super) fn resolve(&self, env: &BTreeMap<String, String>) -> Option<PathBuf> {
        self.dir
            .clone()
            .or_else(|| user_dir(env, "XDG_DATA_HOME", ".local/share"))
    }
}

/// The directory in which `bot.toml` is looked for after the working directory:
/// `$XDG_CONFIG_HOME/clifford`, else `~/.config/clifford`.
pub fn config_dir(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    user_dir(env, "XDG_CONFIG_HOME", ".config")
}

/// Clifford's directory below `$variable`, else below `~/fallback`. Relative values do not count, as the XDG
/// specification has it.
fn user_dir(env: &BTreeMap<String, String>, variable: &str, fallback: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env.get(name).map(Path::new).filter(|path| path.is_absolute());
    absolute(variable)
        .map(Path::to_owned)
        .or_else(|| absolute("HOME").map(|home| home.join(fallback)))
        .map(|base| base.join("clifford"))
}

/// The file of the SQLite database in the data directory, where `database.url` names no other.
pub const DATABASE_FILE: &str = "clifford.db";

/// The address of the SQLite database in `dir`: what follows `sqlite:` is a path as it is, with nothing encoded.
pub(super) fn database_url(dir: &Path) -> Url {
    Url::from(format!("sqlite:{}", dir.join(DATABASE_FILE).display()))
}
