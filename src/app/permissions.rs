//! Permissions of Clifford's files on this machine: only its own user reads them, unless `data.private` is off.
//!
//! The process's umask makes new files and directories private, whoever makes them (SQLite, too). Existing files are
//! restricted when the data is opened. A directory that is private keeps others out of all that is in it, so only one
//! that is not is gone through. A data directory in which somebody has other files too (`data.dir = "."`) stays open
//! with those, and only what Clifford makes there is closed (`owned.rs`). Devices, and directories that everybody
//! shares (`/tmp`), are nobody's to close.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{fs::Mode, process::umask};

use super::owned::{self, Level};

/// The permission bits of other users.
const OTHERS: u32 = 0o077;
/// The bit of a directory in which everybody may remove only what is their own.
const STICKY: u32 = 0o1000;

/// Files and directories on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalData {
    /// The data directory.
    pub data_dir: PathBuf,
    /// It is where it is by itself, so all of it is Clifford's, whatever is in it.
    pub is_usual: bool,
    /// The database, if it is a file.
    pub database: Option<PathBuf>,
}

/// The outcome of making private what is there.
#[derive(Debug, Default)]
pub struct Restricted {
    /// Files and directories that other users could read before.
    pub changed: usize,
    /// Those that they still can.
    pub failed: Vec<(PathBuf, io::Error)>,
}

impl LocalData {
    /// Makes everything private that this process makes from now on, and what is there already.
    pub fn restrict(&self) -> Restricted {
        umask(Mode::from_raw_mode(OTHERS));
        let mut outcome = Restricted::default();
        let mut found = Vec::new();
        self.walk(&mut found);
        for (path, mode) in found {
            let private = fs::Permissions::from_mode(mode & !OTHERS);
            match fs::set_permissions(&path, private) {
                Ok(()) => outcome.changed += 1,
                Err(error) => outcome.failed.push((path, error)),
            }
        }
        outcome
    }

    /// The paths that other users of this machine may read or change.
    pub fn open_to_others(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        self.walk(&mut found);
        found.into_iter().map(|(path, _)| path).collect()
    }

    /// Finds what is open to others, each with its mode.
    fn walk(&self, found: &mut Vec<(PathBuf, u32)>) {
        let database: Vec<_> = self.database.iter().flat_map(|path| owned::of_database(path)).collect();
        if let Ok(metadata) = fs::metadata(&self.data_dir)
            && metadata.is_dir()
            && !is_shared(&self.data_dir, &metadata)
        {
            let level = if self.is_usual { Level::Whole } else { Level::Data };
            // Its own entries are looked at in any case: there are a handful of files.
            if let Err(error) = within(&self.data_dir, &metadata, level, &database, found) {
                tracing::warn!(directory = %self.data_dir.display(), %error, "failed to check permissions");
            }
        }
        for file in database {
            if let Ok(metadata) = fs::symlink_metadata(&file)
                && metadata.is_file()
                && is_open(&metadata)
                && !found.iter().any(|(path, _)| is_same(path, &file))
            {
                found.push((file, metadata.mode() & 0o7777));
            }
        }
    }
}

/// Goes through a directory: what is Clifford's there, and the directory itself, unless something else is in it as
/// well.
fn within(
    directory: &Path,
    metadata: &Metadata,
    level: Level,
    database: &[PathBuf],
    found: &mut Vec<(PathBuf, u32)>,
) -> io::Result<()> {
    let mut has_others = false;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let is_database = || database.iter().any(|file| is_same(file, &path)).then_some(Level::Whole);
        let Some(level) = level.entry(&name).or_else(is_database) else {
            has_others |= !owned::is_nobodys(&name);
            continue;
        };
        // Links are not followed: what they lead to is not ours.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && is_open(&metadata) {
            within(&path, &metadata, level, database, found)?;
        } else if metadata.is_file() && is_open(&metadata) {
            found.push((path, metadata.mode() & 0o7777));
        }
    }
    if is_open(metadata) && !has_others {
        found.push((directory.to_owned(), metadata.mode() & 0o7777));
    }
    Ok(())
}

/// Whether two paths name one entry of a directory.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.parent().and_then(|parent| parent.canonicalize().ok());
    one.file_name() == other.file_name() && place(one) == place(other)
}

/// Whether a directory is one of the whole machine: the root, or one in which everybody makes files of their own.
fn is_shared(directory: &Path, metadata: &Metadata) -> bool {
    let is_root = fs::canonicalize(directory).is_ok_and(|path| path.parent().is_none());
    is_root || metadata.mode() & STICKY != 0
}

fn is_open(metadata: &Metadata) -> bool {
    metadata.mode() & OTHERS != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0192cafe0000700080000000000000aa";

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_could_read_is_private_after_and_links_are_not_followed() {
        let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data_dir = root.path().join("data");
        let shard = data_dir.join("files/aa");
        fs::create_dir_all(&shard).unwrap();
        let (file, log) = (shard.join(ID), data_dir.join("clifford.db-wal"));
        let (database, outside) = (root.path().join("other.db"), elsewhere.path().join("theirs"));
        for path in [&file, &log, &database, &outside] {
            fs::write(path, "text").unwrap();
            set(path, 0o644);
        }
        std::os::unix::fs::symlink(&outside, data_dir.join("secret.key")).unwrap();
        for directory in [&data_dir, &data_dir.join("files"), &shard] {
            set(directory, 0o755);
        }
        let kept = LocalData {
            data_dir: data_dir.clone(),
            is_usual: false,
            database: Some(database.clone()),
        };
        let mut open = kept.open_to_others();
        open.sort();
        let mut expected = vec![
            data_dir.clone(),
            data_dir.join("files"),
            shard.clone(),
            file.clone(),
            log.clone(),
        ];
        expected.push(database.clone());
        expected.sort();
        assert_eq!(open, expected);
        let Restricted { changed, failed } = kept.restrict();
        assert_eq!((changed, failed.len()), (expected.len(), 0));
        assert_eq!(kept.open_to_others(), Vec::<PathBuf>::new());
        assert_eq!([&data_dir, &shard].map(|path| mode(path)), [0o700; 2]);
        assert_eq!([&file, &log, &database].map(|path| mode(path)), [0o600; 3]);
        assert_eq!(mode(&outside), 0o644);
        // New files are private by themselves.
        fs::write(data_dir.join("new"), "text").unwrap();
        assert_eq!(mode(&data_dir.join("new")), 0o600);
    }

    #[test]
    fn what_stands_in_a_private_directory_is_open_to_nobody() {
        let root = tempfile::tempdir().unwrap();
        let data_dir = root.path().join("data");
        let (private, open) = (data_dir.join("private"), data_dir.join("open"));
        for directory in [&private, &open] {
            fs::create_dir_all(directory).unwrap();
            fs::write(directory.join("a"), "text").unwrap();
            set(&directory.join("a"), 0o644);
        }
        set(&open, 0o755);
        set(&private, 0o700);
        set(&data_dir, 0o700);
        let kept = LocalData {
            data_dir,
            is_usual: true,
            database: None,
        };
        let mut found = kept.open_to_others();
        found.sort();
        assert_eq!(found, [open.clone(), open.join("a")]);
        kept.restrict();
        assert_eq!(kept.open_to_others(), Vec::<PathBuf>::new());
    }

    #[test]
    fn where_others_have_files_too_only_what_clifford_makes_is_closed() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| root.path().join(name);
        let own_file = format!("files/aa/{ID}");
        let own = [
            "bot.db",
            "bot.db-wal",
            "secret.key",
            "before-restore-1/clifford.db",
            &own_file,
        ];
        let theirs = ["letter.txt", "src/main.rs", "files/photo.jpg", "clifford.db.txt"];
        for directory in ["src", "files/aa", "before-restore-1"] {
            fs::create_dir_all(file(directory)).unwrap();
        }
        for name in own.iter().chain(&theirs) {
            fs::write(file(name), "text").unwrap();
            set(&file(name), 0o644);
        }
        // The database is named by a link, and its log stands next to the file that the link leads to.
        std::os::unix::fs::symlink("bot.db", file("link.db")).unwrap();
        let directories = ["", "src", "files", "files/aa", "before-restore-1"];
        for name in directories {
            set(&file(name), 0o755);
        }
        let kept = LocalData {
            data_dir: root.path().to_owned(),
            is_usual: false,
            database: Some(file("link.db")),
        };
        kept.restrict();
        assert_eq!(kept.open_to_others(), Vec::<PathBuf>::new());
        assert_eq!(own.map(|name| mode(&file(name))), [0o600; 5]);
        assert_eq!(theirs.map(|name| mode(&file(name))), [0o644; 4]);
        assert_eq!(
            directories.map(|name| mode(&file(name))),
            [0o755, 0o755, 0o755, 0o700, 0o700]
        );
        // Without the others' files the directory is Clifford's own.
        for name in ["letter.txt", "files/photo.jpg", "clifford.db.txt", "link.db"] {
            fs::remove_file(file(name)).unwrap();
        }
        fs::remove_dir_all(file("src")).unwrap();
        let kept = LocalData {
            database: Some(file("bot.db")),
            ..kept
        };
        kept.restrict();
        assert_eq!(["", "files"].map(|name| mode(&file(name))), [0o700; 2]);
    }

    #[test]
    fn devices_and_directories_of_everybody_stay_as_they_are() {
        let root = tempfile::tempdir().unwrap();
        let shared = root.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::write(shared.join("theirs"), "text").unwrap();
        set(&shared.join("theirs"), 0o644);
        fs::write(shared.join("clifford.db"), "text").unwrap();
        set(&shared.join("clifford.db"), 0o644);
        set(&shared, 0o1777);
        let open = |data_dir: &Path, database: &Path| {
            let kept = LocalData {
                data_dir: data_dir.to_owned(),
                is_usual: false,
                database: Some(database.to_owned()),
            };
            kept.open_to_others()
        };
        let database = shared.join("clifford.db");
        assert_eq!(open(&shared, &database), std::slice::from_ref(&database));
        assert_eq!(open(Path::new("/"), &database), [database]);
        assert_eq!(open(&shared, Path::new("/dev/null")), Vec::<PathBuf>::new());
        let socket = root.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        set(&socket, 0o666);
        assert_eq!(open(&shared, &socket), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_is_not_there_yet_is_no_fault() {
        let root = tempfile::tempdir().unwrap();
        let kept = LocalData {
            data_dir: root.path().join("none"),
            is_usual: true,
            database: None,
        };
        kept.restrict();
        assert_eq!(kept.open_to_others(), Vec::<PathBuf>::new());
    }
}
