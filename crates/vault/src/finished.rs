//! The name of a file that was written whole under another one.

use std::{fs, io, path::Path};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Gives a finished file its name, which no other file has. The old name may or may not stay.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`]: another file has the name. Else the file system refuses.
pub fn put_in_place(finished: &Path, name: &Path) -> io::Result<()> {
    match fs::hard_link(finished, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => renamed(finished, name),
        linked => linked,
    }
}

/// The same where a file has one name: on USB sticks and some shares.
fn renamed(finished: &Path, name: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, finished, CWD, name, RenameFlags::NOREPLACE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_file_takes_a_name_that_is_free_and_no_other() {
        for put in [put_in_place, renamed] {
            let dir = tempfile::tempdir().expect("a directory");
            let file = |name: &str| dir.path().join(name);
            fs::write(file("finished"), "new").expect("a file");
            fs::write(file("taken"), "old").expect("a file");
            let error = put(&file("finished"), &file("taken")).expect_err("it is taken");
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(file("taken")).expect("a file"), "old");
            put(&file("finished"), &file("free")).expect("it is free");
            assert_eq!(fs::read_to_string(file("free")).expect("a file"), "new");
            put(&file("none"), &file("other")).expect_err("there is no such file");
        }
    }
}
