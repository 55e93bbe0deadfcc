//! The directory in which a backup is put together, beside the place that it is for. It goes with its process; one that was
//! killed leaves it behind, with all that the bot knows in it, so the next backup removes it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::Path,
};

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::app::owned::BACKUP_PARTS;

/// The directory, held as long as this is.
pub(in crate::cli) struct Parts {
    dir: TempDir,
    /// Its lock tells others that its process lives.
    _lock: File,
}

impl Parts {
    /// A new directory in this one, from which those of killed backups are removed.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn beside(place: &Path) -> io::Result<Self> {
        remove_left(place);
        loop {
            let dir = tempfile::Builder::new().prefix(BACKUP_PARTS).tempdir_in(place)?;
            // Another backup that begins at this moment may have taken it for one that was left.
            match File::open(dir.path()) {
                Ok(lock) if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() && dir.path().exists() => {
                    return Ok(Self { dir, _lock: lock });
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes what killed backups of this user have left in a directory; what cannot be removed stays.
fn remove_left(place: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_left = || {
            let found = entry.metadata().ok()?;
            (found.is_dir() && found.uid() == own).then_some(())?;
            let lock = File::open(entry.path()).ok()?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
            Some(lock)
        };
        if entry.file_name().to_string_lossy().starts_with(BACKUP_PARTS)
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
    fn what_a_killed_backup_left_goes_and_what_another_works_with_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(format!("{BACKUP_PARTS}{name}"));
        fs::create_dir(at("killed")).unwrap();
        fs::write(at("killed").join("database"), "all that the bot knows").unwrap();
        fs::write(at("file"), "a file of that name").unwrap();
        fs::create_dir(dir.path().join("theirs")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("theirs"), at("link")).unwrap();
        let first = Parts::beside(dir.path()).unwrap();
        let second = Parts::beside(dir.path()).unwrap();
        assert!(first.path().exists() && second.path().exists());
        assert!(!at("killed").exists());
        assert!(at("file").exists() && at("link").exists() && dir.path().join("theirs").exists());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
