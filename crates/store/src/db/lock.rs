//! The lock of a SQLite database: one process works on it at a time.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clifford_vault::{give_to_owner, irregular, irregular_itself};

use super::StoreError;

pub(super) enum LockError {
    Held,
    /// The path is no file's, but something of this kind.
    Irregular(&'static str),
    Io(io::Error),
}

impl LockError {
    pub(super) fn into_store(self, path: &Path) -> StoreError {
        match self {
            Self::Held => StoreError::InUse(format!(
                "another process works with {}: stop it first; for several processes set database.url to a PostgreSQL database",
                path.display()
            )),
            Self::Irregular(kind) => no_file(path, kind),
            Self::Io(error) => StoreError::Unavailable(format!(
                "the lock beside {} cannot be made: {error}; check that the directory is writable and has space, or set database.url",
                path.display()
            )),
        }
    }
}

/// Nothing, if a regular file is at the place of a database, or nothing yet.
///
/// # Errors
/// [`StoreError::BadUrl`]: a directory, a device or something else is there, which no database is put into.
pub(super) fn regular(database: &Path) -> Result<(), StoreError> {
    irregular(database).map_or(Ok(()), |kind| Err(no_file(database, kind)))
}

fn no_file(path: &Path, kind: &str) -> StoreError {
    StoreError::BadUrl(format!(
        "{} is {kind}, and no database can be there: name a file as sqlite:PATH (database.url)",
        path.display()
    ))
}

/// Whether a process holds the lock of a SQLite database.
pub fn is_held(database: &Path) -> bool {
    let path = lock_path(database);
    // A pipe would be waited for.
    if irregular_itself(&path).is_some() {
        return false;
    }
    let Ok(file) = File::open(path) else {
        return false;
    };
    // A shared lock does not wait for others that ask as well, and ends with the file.
    let locked = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockShared);
    matches!(locked, Err(rustix::io::Errno::WOULDBLOCK))
}

/// Holds the lock of a SQLite database, whether or not it is there, until the file is dropped.
///
/// # Errors
/// Another process holds it, or its file cannot be made.
pub fn hold(database: &Path) -> Result<File, StoreError> {
    lock(database).map_err(|error| error.into_store(database))
}

/// The file whose lock tells that a process works with the database: next to the file itself, whatever links lead
/// there.
fn lock_path(database: &Path) -> PathBuf {
    let linked = || {
        // The file that a link leads to may have to be made yet.
        let target = fs::read_link(database)?;
        Ok::<_, io::Error>(database.parent().unwrap_or(Path::new("")).join(target))
    };
    let real = fs::canonicalize(database).or_else(|_| linked());
    let mut path = real.unwrap_or_else(|_| database.to_owned()).into_os_string();
    path.push(".lock");
    PathBuf::from(path)
}

pub(super) fn lock(database: &Path) -> Result<File, LockError> {
    if let Some(kind) = irregular(database) {
        return Err(LockError::Irregular(kind));
    }
    let path = lock_path(database);
    if let Some(kind) = irregular_itself(&path) {
        let why = format!("{} is {kind}; remove it", path.display());
        return Err(LockError::Io(io::Error::other(why)));
    }
    let file = opened(&path).map_err(LockError::Io)?;
    match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(LockError::Held),
        Err(error) => Err(LockError::Io(error.into())),
    }
}

/// The file, which belongs to the owner of its directory if it is made here.
fn opened(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Ok(file) => give_to_owner(path).map(|()| file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::options().write(true).open(path),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn whoever_comes_by_a_link_finds_the_same_lock() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = |name: &str| dir.path().join(name);
        for name in ["relative.db", "absolute.db"] {
            let target = if name.starts_with('r') {
                "real.db".into()
            } else {
                file("real.db")
            };
            symlink(target, file(name)).expect("a link");
        }
        let ways = [
            file("real.db"),
            file("./real.db"),
            file("relative.db"),
            file("absolute.db"),
        ];
        // Before the database is made, and after that.
        for exists in [false, true] {
            if exists {
                fs::write(file("real.db"), "").expect("a file");
            }
            for held in &ways {
                let lock = hold(held).expect("nobody holds it");
                for way in &ways {
                    assert!(is_held(way), "{held:?} {way:?} {exists}");
                    hold(way).expect_err("somebody holds it");
                }
                drop(lock);
                assert!(!is_held(held));
            }
        }
    }

    #[test]
    fn only_a_regular_file_is_locked() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = |name: &str| dir.path().join(name);
        fs::create_dir(file("directory.db")).expect("a directory");
        symlink("/dev/null", file("device.db")).expect("a link");
        for (name, kind) in [("directory.db", "a directory"), ("device.db", "a device")] {
            let error = hold(&file(name)).expect_err(name).to_string();
            assert!(error.contains(&format!("{name} is {kind}, and no database")), "{error}");
            assert!(!is_held(&file(name)));
        }
        // Nothing is made where a link at the place of the lock leads.
        symlink(file("elsewhere"), file("a.db.lock")).expect("a link");
        let error = hold(&file("a.db")).expect_err("a link").to_string();
        assert!(error.contains("a.db.lock is a symbolic link; remove it"), "{error}");
        assert!(!is_held(&file("a.db")));
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .expect("entries")
            .map(|entry| entry.expect("one").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["a.db.lock", "device.db", "directory.db"]);
    }
}
