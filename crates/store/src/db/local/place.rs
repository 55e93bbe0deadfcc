//! Checks that the files of a database are still where they were opened. A file that is moved or deleted while it is
//! open can still be written, and all of that is lost with its last user: so nothing is committed to it. Nor is a
//! connection opened: it would carry the log of the first file into its replacement.

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::StoreError;

/// The files of one database, as they were found when it was opened.
#[derive(Debug)]
pub(super) struct DatabaseFiles {
    file: PathBuf,
    /// Which file that is: its device and its number there. `None`: it could not be looked at then, nor is it now.
    identity: Option<(u64, u64)>,
    /// It had nothing in it then.
    is_empty: bool,
    /// Its log, where there is one: as long as somebody has the file open, it is there.
    log: Option<PathBuf>,
}

impl DatabaseFiles {
    /// Looks at a database that is open.
    pub(super) fn of(file: &Path) -> Self {
        let mut log = file.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        let found = std::fs::metadata(file).ok();
        Self {
            file: file.to_owned(),
            identity: found.as_ref().map(identity),
            is_empty: found.is_some_and(|found| found.len() == 0),
            log: log.exists().then_some(log),
        }
    }

    /// Looks again, which costs no more than asking for a file's name.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]: what is there is not what is open, and what to do.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let Some(identity) = self.identity else { return Ok(()) };
        let missing = |path: &Path| {
            StoreError::Unavailable(format!(
                "{} was moved or deleted while it is in use: put that file back, and it goes on; or stop, restore a \
                 backup, and start again",
                path.display()
            ))
        };
        match std::fs::metadata(&self.file) {
            Ok(found) if self::identity(&found) == identity && (found.len() > 0 || self.is_empty) => {}
            Ok(found) if self::identity(&found) == identity => {
                return Err(StoreError::Unavailable(format!(
                    "{} was emptied while it is in use: stop, restore a backup, and start again",
                    self.file.display()
                )));
            }
            Ok(_) => {
                return Err(StoreError::Unavailable(format!(
                    "another file was put in the place of {} while that is in use: restart to work with the one that is \
                     there now, or put the old one back",
                    self.file.display()
                )));
            }
            Err(_) => return Err(missing(&self.file)),
        }
        match &self.log {
            Some(log) if !log.exists() => Err(missing(log)),
            _ => Ok(()),
        }
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn told(place: &DatabaseFiles) -> String {
        place.check().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_file_is_in_its_place_as_long_as_it_is_that_file_with_its_log() {
        let dir = tempfile::tempdir().unwrap();
        let [file, log, away] = ["a.db", "a.db-wal", "away"].map(|name| dir.path().join(name));
        fs::write(&file, "1").unwrap();
        fs::write(&log, "").unwrap();
        let place = DatabaseFiles::of(&file);
        assert_eq!(told(&place), "");
        // However much is written to it.
        fs::write(&file, "2").unwrap();
        assert_eq!(told(&place), "");
        fs::write(&file, "").unwrap();
        assert!(told(&place).contains("a.db was emptied"), "{}", told(&place));
        fs::write(&file, "2").unwrap();
        fs::rename(&file, &away).unwrap();
        assert!(told(&place).contains("a.db was moved or deleted"), "{}", told(&place));
        fs::copy(&away, &file).unwrap();
        assert!(told(&place).contains("another file was put"), "{}", told(&place));
        fs::rename(&away, &file).unwrap();
        assert_eq!(told(&place), "");
        fs::remove_file(&log).unwrap();
        assert!(
            told(&place).contains("a.db-wal was moved or deleted"),
            "{}",
            told(&place)
        );
    }

    #[test]
    fn a_database_without_a_log_needs_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.db");
        fs::write(&file, "1").unwrap();
        assert_eq!(told(&DatabaseFiles::of(&file)), "");
    }
}
