//! The mark of a restore that puts its parts in place: nothing works on a place where only some of them are.
//!
//! A restore moves key and files first, and the database last. The mark is there from before the first move until after
//! the last, or until all is moved back. So if it is there and nobody holds the database, a restore was killed in the
//! middle; only one that comes to its end takes the mark away.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clifford_store::StoreError;

use super::owned::RESTORE_MARK;

/// A restore that moves its parts.
pub(crate) struct Moving {
    mark: PathBuf,
    /// One that was killed before has made it: what that one moved is not undone by this one.
    was_there: bool,
}

impl Moving {
    /// Marks that parts are about to be moved.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn begin(data_dir: &Path) -> io::Result<Self> {
        let mark = data_dir.join(RESTORE_MARK);
        let was_there = mark.try_exists()?;
        if !was_there {
            // A file that a link of this name leads to is not ours.
            File::create_new(&mark)?.sync_all()?;
        }
        File::open(data_dir)?.sync_all()?;
        Ok(Self { mark, was_there })
    }

    /// All parts are in their places.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn end(self) -> io::Result<()> {
        fs::remove_file(&self.mark)
    }

    /// Everything that was moved is back.
    pub(crate) fn undone(self) {
        if !self.was_there {
            fs::remove_file(&self.mark).ok();
        }
    }
}

/// Nothing, if no restore of this place is in the middle.
///
/// # Errors
/// One is, or was killed there.
pub(crate) fn check(data_dir: &Path) -> Result<(), StoreError> {
    let mark = data_dir.join(RESTORE_MARK);
    if mark.exists() {
        return Err(StoreError::WrongState(format!(
            "{} says that a restore has not come to its end: if it does not run any more, give `clifford restore --force` \
             the same backup again",
            mark.display()
        )));
    }
    Ok(())
}
