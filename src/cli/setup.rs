//! The first steps of every command: the settings, the secrets, the database.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, Write},
    iter,
    path::PathBuf,
};

use anyhow::{Context, bail};
use clifford_channel::Platforms;
use clifford_config::{self as config, Loaded, Secrets, Sources};
use clifford_core::clock::{Clock, SystemClock, Timestamp};
use clifford_store::{Db, StoreError};

use crate::app::{self, App, Options, StartError};

/// Flags of every command, before it or after it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Globals {
    /// The configuration file [default: bot.toml here, else in the configuration directory].
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// A setting in place of the file's, such as `log.level=debug` or `data.dir=/srv/bot`; can be repeated.
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// The platforms that this binary can be on.
    #[arg(skip)]
    pub platforms: Platforms,
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, such as log.level=debug".to_owned()),
    }
}

/// Takes every `--set KEY=VALUE` out of the arguments, wherever it stands: a flag that is repeated before and after a
/// command would lose what stands before. The parser reports anything that is no setting.
pub(super) fn take_settings(args: impl IntoIterator<Item = OsString>) -> (Vec<(String, String)>, Vec<OsString>) {
    let mut args = args.into_iter();
    let (mut settings, mut rest) = (Vec::new(), Vec::new());
    let read = |text: &OsStr| text.to_str().and_then(|text| setting(text).ok());
    while let Some(arg) = args.next() {
        if arg == "--" {
            rest.push(arg);
            rest.extend(args);
            break;
        }
        if arg == "--set" {
            let value = args.next();
            match value.as_deref().and_then(read) {
                Some(setting) => settings.push(setting),
                None => rest.extend(iter::once(arg).chain(value)),
            }
        } else {
            let joined = arg.to_str().and_then(|text| text.strip_prefix("--set="));
            match joined.and_then(|text| setting(text).ok()) {
                Some(setting) => settings.push(setting),
                None => rest.push(arg),
            }
        }
    }
    (settings, rest)
}

impl Globals {
    /// Where the settings come from here.
    ///
    /// # Errors
    /// There is no working directory, or a variable that is read is not text.
    pub fn sources(&self) -> anyhow::Result<Sources> {
        let env = environment();
        if let Some(name) = std::env::vars_os().find_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| self.is_read(name))?;
            value.to_str().is_none().then_some(name)
        }) {
            bail!("{name}: is not text (UTF-8)");
        }
        Ok(Sources {
            file: self.config.clone(),
            cwd: std::env::current_dir().context("the working directory cannot be found; go to one that exists")?,
            config_dir: config::config_dir(&env),
            env,
            overrides: self.set.clone(),
            platforms: self.platforms,
        })
    }

    /// A variable of this name is read, whatever the settings refer to.
    fn is_read(&self, name: &str) -> bool {
        let prefixes = ["CLIFFORD_", "OPENAI_", "ANTHROPIC_"];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
            || name == "DATABASE_URL"
            || self.platforms.rows().any(|row| row.about.token_variable == name)
    }

    /// The settings that are in force here.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn load(&self) -> anyhow::Result<Loaded> {
        Ok(config::load(&self.sources()?)?)
    }

    /// The settings and the secrets that they refer to.
    ///
    /// # Errors
    /// Everything that is wrong with them, or missing.
    pub fn load_with_secrets(&self) -> anyhow::Result<(Loaded, Secrets)> {
        let loaded = self.load()?;
        let secrets = loaded.secrets(&environment())?;
        Ok((loaded, secrets))
    }

    /// The database, which must be there; a server that uses it is not disturbed.
    ///
    /// # Errors
    /// The settings are wrong, or the database is not there or cannot be used.
    pub async fn database(&self) -> anyhow::Result<Db> {
        let loaded = self.load()?;
        existing(&loaded).await?;
        open(&loaded).await
    }
}

/// Nothing, if the database is there or cannot be looked for.
///
/// # Errors
/// It is not there, and how to make it; or it was there once, and is empty.
pub(super) async fn existing(loaded: &Loaded) -> anyhow::Result<()> {
    app::restoring::check(&loaded.data_dir)?;
    app::known::check(loaded).await?;
    match sqlite_path(loaded).filter(|path| !path.exists()) {
        None => Ok(()),
        Some(path) => bail!(
            "there is no database at {} yet: `clifford serve` makes it, or name another by --config or --set database.url=…",
            path.display()
        ),
    }
}

/// The database, which is made if it is not there and never was.
///
/// # Errors
/// The database cannot be used.
pub(super) async fn database_or_new(loaded: &Loaded) -> anyhow::Result<Db> {
    app::restoring::check(&loaded.data_dir)?;
    app::known::check(loaded).await?;
    open(loaded).await
}

async fn open(loaded: &Loaded) -> anyhow::Result<Db> {
    restrict(loaded);
    let db = Db::open(&app::db_options(loaded, false)).await?;
    app::known::remember(loaded);
    Ok(db)
}

/// Makes what is kept on this machine private, and warns of what other users can still read.
pub(super) fn restrict(loaded: &Loaded) {
    for (path, error) in app::restrict(loaded).failed {
        // There is nobody to tell that standard error cannot be written to.
        let _ = writeln!(
            io::stderr(),
            "warning: other users of this machine may read {}, and its permissions cannot be changed ({error})",
            path.display()
        );
    }
}

/// The environment, as far as it is text.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The database's file, if it is SQLite's.
pub(super) fn sqlite_path(loaded: &Loaded) -> Option<PathBuf> {
    app::local_data(loaded).database
}

/// Starts an engine in this process.
///
/// # Errors
/// As [`App::start`]; a database that is in use names the ways out.
pub(super) async fn start(loaded: &Loaded, secrets: &Secrets, options: Options) -> anyhow::Result<App> {
    App::start(loaded, secrets, options).await.map_err(|error| match error {
        StartError::Store(StoreError::InUse(_)) => in_use(loaded),
        other => other.into(),
    })
}

/// Starts an engine in this process, for a command that talks to a person. Where a server holds the database, it works
/// besides that: on what this command asks for, and nothing else.
///
/// # Errors
/// As [`App::start`].
pub(super) async fn start_or_beside(loaded: &Loaded, secrets: &Secrets, options: Options) -> anyhow::Result<App> {
    match App::start(loaded, secrets, options.clone()).await {
        Err(StartError::Store(StoreError::InUse(_))) if !options.channels => {
            let beside = Options {
                beside: true,
                workers: false,
                ..options
            };
            Ok(App::start(loaded, secrets, beside).await?)
        }
        Err(StartError::Store(StoreError::InUse(_))) => Err(in_use(loaded)),
        started => Ok(started?),
    }
}

/// Whether a process holds the database, which does the work that waits there.
pub(super) fn is_held(loaded: &Loaded) -> bool {
    sqlite_path(loaded).is_some_and(|path| clifford_store::is_held(&path))
}

/// Whether it is known that no process works on the database: of PostgreSQL that cannot be told.
pub(super) fn is_idle(loaded: &Loaded) -> bool {
    sqlite_path(loaded).is_some_and(|path| !clifford_store::is_held(&path))
}

fn in_use(loaded: &Loaded) -> anyhow::Error {
    let path = sqlite_path(loaded).unwrap_or_default();
    anyhow::anyhow!(
        "{} is in use by another Clifford (`clifford serve`?): stop that one, talk to it with `clifford chat` or `clifford ask`, or take another \
         database here with --set database.url=sqlite:PATH; several processes can share PostgreSQL",
        path.display()
    )
}

/// The time now.
pub(super) fn now() -> Timestamp {
    SystemClock.now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_taken_out_of_the_arguments_wherever_they_stand() {
        let args = [
            "clifford",
            "--set",
            "a=1",
            "ask",
            "--set=b=2=3",
            "x",
            "--set",
            "none",
            "--",
            "--set",
            "c=4",
        ];
        let (settings, rest) = take_settings(args.map(OsString::from));
        let expected = [("a", "1"), ("b", "2=3")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(settings, expected);
        assert_eq!(rest, ["clifford", "ask", "x", "--set", "none", "--", "--set", "c=4"]);
    }
}
