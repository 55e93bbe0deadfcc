//! The user to whom restored files belong: that of the data directory, also where root restores them.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt, lchown},
    path::Path,
};

use anyhow::Context;

/// The owner of the data directory, where files that this process makes would belong to root.
pub(super) struct Heir(Option<(u32, u32)>);

impl Heir {
    pub fn of(data_dir: &Path) -> anyhow::Result<Self> {
        let found = fs::metadata(data_dir).with_context(|| format!("{} cannot be read", data_dir.display()))?;
        let is_other = rustix::process::geteuid().is_root() && found.uid() != 0;
        Ok(Self(is_other.then(|| (found.uid(), found.gid()))))
    }

    /// Gives a file, or a directory with all that is in it, to the owner; what is not there stays so.
    pub fn inherit(&self, path: &Path) -> anyhow::Result<()> {
        let Some(owner) = self.0 else { return Ok(()) };
        give(path, owner).with_context(|| format!("{} cannot be given to the data directory's owner", path.display()))
    }
}

fn give(path: &Path, owner: (u32, u32)) -> io::Result<()> {
    match lchown(path, Some(owner.0), Some(owner.1)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        given => given?,
    }
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), owner)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_root_restores_belongs_to_the_owner_of_the_data_directory() {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data"), dir.path().join("parts/files/ab/a"));
        fs::create_dir(&data).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "text").unwrap();
        let before = fs::metadata(&file).unwrap().uid();
        // Only root can give a file away.
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            lchown(&data, Some(4711), Some(4712)).unwrap();
        }
        let heir = Heir::of(&data).unwrap();
        heir.inherit(&dir.path().join("parts")).unwrap();
        heir.inherit(&dir.path().join("nothing")).unwrap();
        let now = fs::metadata(&file).unwrap();
        assert_eq!(now.uid(), if is_root { 4711 } else { before });
        assert_eq!(now.gid() == 4712, is_root);
    }
}
