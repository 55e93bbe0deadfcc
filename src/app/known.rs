//! The databases that Clifford has worked with from this data directory, and its newest backup: a file there.
//!
//! A database that is not known and holds nothing is a new one. One that is known and holds nothing was emptied,
//! deleted or lost, and a bot that began anew there would have forgotten everybody without a word. So nothing is opened
//! then, until the operator brings the data back or says that it is to begin anew.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf, absolute},
};

use clifford_config::Loaded;
use clifford_core::clock::Timestamp;
use clifford_store::{StoreError, is_new};
use clifford_vault::give_to_owner;
use serde::{Deserialize, Serialize};

use super::{db_options, local_data, owned::KNOWN};

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    /// Their names, by their hashes.
    databases: BTreeSet<String>,
    /// The newest backup.
    backup: Option<Backup>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Backup {
    path: PathBuf,
    /// When it was written, in milliseconds since the epoch.
    at: i64,
}

impl Known {
    /// The content of the file; nothing, if there is none that can be read.
    fn read(data_dir: &Path) -> Self {
        let path = data_dir.join(KNOWN);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        let text = is_file.then(|| fs::read(path).ok()).flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    /// A sentence about the newest backup, and its path for a command.
    fn newest(&self) -> (String, String) {
        let Some(Backup { path, at }) = self.backup.as_ref().filter(|backup| backup.path.exists()) else {
            return ("no backup is known here".to_owned(), "BACKUP".to_owned());
        };
        let day = jiff::Timestamp::from_millisecond(*at).map(|at| at.strftime("%F %H:%M UTC").to_string());
        let path = path.display().to_string();
        let known = format!("the newest backup known here is {path}, of {}", day.unwrap_or_default());
        (known, path)
    }

    fn write(&self, data_dir: &Path) -> io::Result<()> {
        fs::create_dir_all(data_dir)?;
        let mut file = tempfile::Builder::new().prefix(KNOWN).tempfile_in(data_dir)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        give_to_owner(file.path())?;
        file.persist(data_dir.join(KNOWN)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Changes the file, if that changes anything. It is a help, so one that cannot be written stops nothing.
fn change(data_dir: &Path, change: impl FnOnce(&mut Known)) {
    let before = Known::read(data_dir);
    let mut after = Known {
        databases: before.databases.clone(),
        backup: before.backup.clone(),
    };
    change(&mut after);
    if after != before
        && let Err(error) = after.write(data_dir)
    {
        tracing::debug!(directory = %data_dir.display(), %error, "failed to note the database");
    }
}

/// The name of the database: in the data directory its path there, so that the whole may be moved.
fn name(loaded: &Loaded) -> String {
    let Some(path) = local_data(loaded).database else {
        return clifford_vault::hash(&loaded.database_url.to_string());
    };
    let real = |path: &Path| path.canonicalize().or_else(|_| absolute(path));
    let dir = path
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let whole = real(dir).map_or_else(|_| path.clone(), |dir| dir.join(path.file_name().unwrap_or_default()));
    let inside = real(&loaded.data_dir).ok();
    let inside = inside.and_then(|data_dir| whole.strip_prefix(data_dir).ok().map(Path::to_owned));
    clifford_vault::hash(&inside.unwrap_or(whole).display().to_string())
}

/// Nothing, if the database holds something, or was never worked with from here.
///
/// # Errors
/// [`StoreError::WrongState`]: it was, and holds nothing now. Else it cannot be looked at.
pub(crate) async fn check(loaded: &Loaded) -> Result<(), StoreError> {
    let known = Known::read(&loaded.data_dir);
    if !known.databases.contains(&name(loaded)) || !is_new(&db_options(loaded, false)).await? {
        return Ok(());
    }
    let what = match local_data(loaded).database {
        Some(path) if path.exists() => format!("{} is empty", path.display()),
        Some(path) => format!("{} is gone", path.display()),
        None => format!("the database at {} is empty", loaded.database_url),
    };
    let backup = known.newest();
    Err(StoreError::WrongState(format!(
        "{what}, though this bot has worked with it: {}. Put the data back (`clifford restore {} --force`), or begin anew \
         without them (`clifford db migrate --new`)",
        backup.0, backup.1
    )))
}

/// The way out of a damaged database.
pub(crate) fn rescue(loaded: &Loaded) -> String {
    let Some(path) = local_data(loaded).database else {
        return "look into the log of the PostgreSQL server, which names what is damaged, and restore a backup"
            .to_owned();
    };
    let path = path.display();
    let (known, backup) = Known::read(&loaded.data_dir).newest();
    format!(
        "{path} is damaged: {known}. Stop the bot and put the data back (`clifford restore {backup} --force`), or rescue \
         what can be read of the file (`sqlite3 {path} .recover | sqlite3 NEW`)"
    )
}

/// From now on the database is one that holds something.
pub(crate) fn remember(loaded: &Loaded) {
    let name = name(loaded);
    change(&loaded.data_dir, |known| {
        known.databases.insert(name);
    });
}

/// The database may be new.
pub(crate) fn forget(loaded: &Loaded) {
    let name = name(loaded);
    change(&loaded.data_dir, |known| {
        known.databases.remove(&name);
    });
}

/// The newest backup is here.
pub(crate) fn backed_up(loaded: &Loaded, path: &Path, now: Timestamp) {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    change(&loaded.data_dir, |known| {
        known.backup = Some(Backup { path, at: now.0 })
    });
}
