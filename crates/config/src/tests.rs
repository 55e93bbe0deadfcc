//! Whole configurations: their sources, and the errors of wrong values.

mod errors;
mod precedence;

use std::{collections::BTreeMap, path::Path};

use clifford_channel::{Platforms, Row};
use clifford_discord::Discord;
use clifford_telegram::Telegram;

use super::{ConfigErrors, Loaded, Sources, load};

/// Two platforms to read the sections of. The list of those that are shipped is `src/app/platforms.rs`.
const PLATFORMS: Platforms = Platforms::new(&[Row::of::<Telegram>(), Row::of::<Discord>()]);

/// An environment with a home, and these variables.
fn env(variables: &[(&str, &str)]) -> BTreeMap<String, String> {
    let home = [("HOME", "/home/ada")];
    home.iter()
        .chain(variables)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Loads with this text as the working directory's `bot.toml`, or without a file.
fn load_with(
    text: Option<&str>,
    variables: &[(&str, &str)],
    overrides: &[(&str, &str)],
) -> Result<Loaded, ConfigErrors> {
    let cwd = tempfile::tempdir().unwrap();
    if let Some(text) = text {
        std::fs::write(cwd.path().join("bot.toml"), text).unwrap();
    }
    load(&sources(cwd.path(), variables, overrides))
}

fn sources(cwd: &Path, variables: &[(&str, &str)], overrides: &[(&str, &str)]) -> Sources {
    Sources {
        file: None,
        cwd: cwd.to_owned(),
        config_dir: None,
        env: env(variables),
        overrides: overrides
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        platforms: PLATFORMS,
    }
}
