//! The owner of files that root makes alongside a service: who manages a bot as root must not leave it what it cannot
//! read.

use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

use rustix::{
    fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, Uid, chownat, fstat, openat},
    io::Errno,
    process::geteuid,
};

/// Gives a file or directory that root has made to the owner of the directory that it is in. In a directory of root's,
/// and of any other user, it stays as it is; so does what has a second name somewhere, and what a link leads to.
///
/// The file is not opened for this: to close one takes the locks away that this process has on it.
///
/// # Errors
/// The file system refuses.
pub fn give_to_owner(path: &Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let owner = fs::metadata(dir.unwrap_or(Path::new(".")))?;
    let found = match openat(
        CWD,
        path,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    ) {
        Err(Errno::NOENT) => return Ok(()),
        found => found?,
    };
    let about = fstat(&found)?;
    let is_made = match FileType::from_raw_mode(about.st_mode) {
        FileType::RegularFile => about.st_nlink == 1,
        kind => kind == FileType::Directory,
    };
    if owner.uid() != 0 && about.st_uid == 0 && is_made {
        let (user, group) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
        match chownat(&found, "", Some(user), Some(group), AtFlags::EMPTY_PATH) {
            // In a container root may have no right to, or its users may be none here: then it stays root's.
            Err(Errno::PERM | Errno::INVAL | Errno::NOTSUP | Errno::ROFS) => {}
            given => given?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    #[test]
    fn what_root_makes_belongs_to_the_owner_of_its_directory() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        for name in ["theirs", "ours", "theirs/dir"] {
            fs::create_dir(at(name)).expect("a directory");
        }
        for name in ["theirs/file", "ours/file", "elsewhere", "other"] {
            fs::write(at(name), "text").expect("a file");
        }
        symlink(at("elsewhere"), at("theirs/link")).expect("a link");
        fs::hard_link(at("other"), at("theirs/second")).expect("a name");
        // Only root can give a directory away.
        let is_root = geteuid().is_root();
        let own = (geteuid().as_raw(), fs::metadata(at("ours")).expect("it").gid());
        let given = if is_root { (4711, 4712) } else { own };
        if is_root {
            chown(at("theirs"), Some(4711), Some(4712)).expect("given away");
        }
        for (name, of, expected) in [
            ("theirs/file", "theirs/file", given),
            ("theirs/dir", "theirs/dir", given),
            ("theirs/link", "elsewhere", own),
            ("theirs/second", "other", own),
            ("ours/file", "ours/file", own),
        ] {
            give_to_owner(&at(name)).expect("given");
            let found = fs::metadata(at(of)).expect("it is there");
            assert_eq!((found.uid(), found.gid()), expected, "{name}");
        }
        give_to_owner(&at("theirs/nothing")).expect("nothing to give");
    }
}
