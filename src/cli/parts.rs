//! The directory in which a file is put together, next to the place that it is for. It goes with its process; one that
//! was killed leaves it behind, with what may be all that the bot knows in it, so the next of its kind removes it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::Path,
};

use anyhow::anyhow;
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use tempfile::TempDir;

/// The beginning of the name of the directory of an export, and of an update.
pub(super) const EXPORT_PARTS: &str = ".clifford-export-";
pub(super) const UPDATE_PARTS: &str = ".clifford-update-";

/// The directory, held as long as this is.
pub(super) struct Parts {
    dir: TempDir,
    /// Its lock tells others that its process lives.
    _lock: File,
}

impl Parts {
    /// A new directory next to a file that is not there yet. `kind`: as of [`Parts::beside`].
    ///
    /// # Errors
    /// Something of that name is there, or nothing can be written next to it: with the way out.
    pub fn for_new(file: &Path, kind: &str) -> anyhow::Result<Self> {
        // A link that leads nowhere is there, too: what is written would stand where it leads.
        if file.symlink_metadata().is_ok() {
            return Err(unmade(file, ErrorKind::AlreadyExists.into()));
        }
        let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty());
        Self::beside(dir.unwrap_or(Path::new(".")), kind).map_err(|error| unmade(file, error))
    }

    /// Gives what was put together under this path its name, and takes no other file's.
    ///
    /// # Errors
    /// A file of that name came in the meantime, or the disk's.
    pub fn put(part: &Path, file: &Path) -> anyhow::Result<()> {
        clifford_vault::put_in_place(part, file).map_err(|error| unmade(file, error))
    }

    /// A new directory in this one, from which those of killed processes are removed. `kind`: how the names of all of
    /// its kind begin.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn beside(place: &Path, kind: &str) -> io::Result<Self> {
        remove_left(place, kind);
        loop {
            let dir = tempfile::Builder::new().prefix(kind).tempdir_in(place)?;
            // Another one that begins at this moment may have taken it for one that was left.
            let lock = match File::open(dir.path()) {
                Ok(lock) => lock,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            // On a disk without locks nobody can take it for one that was left.
            let is_ours = flock(&lock, FlockOperation::NonBlockingLockExclusive) != Err(Errno::WOULDBLOCK);
            if is_ours && dir.path().exists() {
                return Ok(Self { dir, _lock: lock });
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

fn unmade(file: &Path, error: io::Error) -> anyhow::Error {
    let file = file.display();
    match error.kind() {
        ErrorKind::AlreadyExists => anyhow!("{file} exists already: name a new file"),
        ErrorKind::NotFound => anyhow!("{file} cannot be made: its directory does not exist"),
        ErrorKind::PermissionDenied => anyhow!("{file} cannot be made: you may not write there; name another place"),
        _ => anyhow::Error::new(error).context(format!("{file} cannot be made: name another place")),
    }
}

/// Removes what killed processes of this user have left in a directory; what cannot be removed stays.
fn remove_left(place: &Path, kind: &str) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_left = || {
            let found = entry.metadata().ok()?;
            (found.is_dir() && found.uid() == own).then_some(())?;
            let lock = File::open(entry.path()).ok()?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
            Some(lock)
        };
        if entry.file_name().to_string_lossy().starts_with(kind)
            && let Some(_lock) = is_left()
        {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_and_what_another_works_with_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(format!("{EXPORT_PARTS}{name}"));
        fs::create_dir(at("killed")).unwrap();
        fs::write(at("killed").join("database"), "all that the bot knows").unwrap();
        fs::write(at("file"), "a file of that name").unwrap();
        fs::create_dir(dir.path().join("theirs")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("theirs"), at("link")).unwrap();
        let other = dir.path().join(format!("{UPDATE_PARTS}other"));
        fs::create_dir(&other).unwrap();
        let first = Parts::beside(dir.path(), EXPORT_PARTS).unwrap();
        let second = Parts::beside(dir.path(), EXPORT_PARTS).unwrap();
        assert!(first.path().exists() && second.path().exists());
        assert!(!at("killed").exists());
        assert!(other.exists() && at("file").exists() && at("link").exists() && dir.path().join("theirs").exists());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
