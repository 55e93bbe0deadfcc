//! What every command begins with: the settings, the secrets, the log.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Context;

use crate::config::{self, Loaded, Secrets, Sources};

/// Who sits at this machine: `chat` and `ask` share what they remember of them.
pub(super) const LOCAL_SPEAKER: &str = "you";

/// The environment, as far as it is text.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The settings that are in force here.
pub(super) fn load(file: Option<PathBuf>, overrides: Vec<(String, String)>) -> anyhow::Result<Loaded> {
    let env = environment();
    let cwd = std::env::current_dir().context("the working directory cannot be found")?;
    let sources = Sources {
        file,
        cwd,
        config_dir: config::config_dir(&env),
        env,
        overrides,
    };
    Ok(config::load(&sources)?)
}

/// The settings and the secrets that they refer to.
pub(super) fn load_with_secrets(
    file: Option<PathBuf>,
    overrides: Vec<(String, String)>,
) -> anyhow::Result<(Loaded, Secrets)> {
    let loaded = load(file, overrides)?;
    let secrets = loaded.secrets(&environment())?;
    Ok((loaded, secrets))
}
