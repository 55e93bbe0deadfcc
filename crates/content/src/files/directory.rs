//! Contents in the data directory, in [`FILES`], spread over directories by the end of their ids.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use clifford_core::id::FileId;
use clifford_vault::give_to_owner;

use super::StorageError;

/// The directory of people's files in the data directory.
pub const FILES: &str = "files";

/// The data directory.
#[derive(Debug)]
pub(super) struct Directory(pub(super) PathBuf);

impl Directory {
    /// The path of a file, relative to the data directory. Ids made at the same time begin alike; their ends differ.
    pub(super) fn path(id: FileId) -> String {
        let name = id.0.simple().to_string();
        let shard = name.get(name.len() - 2..).unwrap_or("00");
        format!("{FILES}/{shard}/{name}")
    }

    /// Writes to a temporary file, syncs it, then renames it: a file that can be found is complete.
    pub(super) async fn put(&self, path: &str, content: Bytes) -> Result<(), StorageError> {
        let path = self.0.join(path);
        blocking(move || write(&path, &content)).await
    }

    pub(super) async fn get(&self, path: &str) -> Result<Bytes, StorageError> {
        let (data_dir, path) = (self.0.clone(), path.to_owned());
        blocking(move || match existing(Path::new(&path), &data_dir) {
            Some(file) => fs::read(file).map(Bytes::from),
            None => Err(ErrorKind::NotFound.into()),
        })
        .await
    }

    pub(super) async fn delete(&self, paths: Vec<String>) -> Result<(), StorageError> {
        if paths.is_empty() {
            return Ok(());
        }
        let data_dir = self.0.clone();
        blocking(move || paths.iter().try_for_each(|path| delete(Path::new(path), &data_dir))).await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, StorageError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) if error.kind() == ErrorKind::NotFound => Err(StorageError::Missing),
        Ok(Err(error)) => Err(StorageError::Unavailable(format!("the data directory: {error}"))),
        Err(_) => Err(StorageError::Unavailable("the data directory: it panicked".to_owned())),
    }
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let no_place = || io::Error::new(ErrorKind::InvalidInput, "a file needs a directory");
    let dir = path.parent().ok_or_else(no_place)?;
    // The directory of the files, and that of some of them.
    for dir in [dir.parent().unwrap_or(dir), dir] {
        if !dir.exists() {
            fs::create_dir_all(dir)?;
            give_to_owner(dir)?;
        }
    }
    let part = path.with_extension("part");
    fs::remove_file(&part).ok();
    let mut file = File::create_new(&part)?;
    give_to_owner(&part)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&part, path)?;
    File::open(dir)?.sync_all()
}

/// A file of the data directory, with every link followed; `None`: there is none there.
fn existing(path: &Path, data_dir: &Path) -> Option<PathBuf> {
    let data_dir = data_dir.canonicalize().ok()?;
    let file = data_dir.join(path).canonicalize().ok()?;
    (file.starts_with(&data_dir) && file.is_file()).then_some(file)
}

fn delete(path: &Path, data_dir: &Path) -> io::Result<()> {
    let part = existing(&path.with_extension("part"), data_dir);
    for file in existing(path, data_dir).into_iter().chain(part) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_content_is_had_as_it_was_stored_until_it_is_deleted() {
        let data = tempfile::tempdir().unwrap();
        let directory = Directory(data.path().to_owned());
        let path = Directory::path(FileId::new());
        assert_eq!(directory.get(&path).await, Err(StorageError::Missing));
        directory.put(&path, Bytes::from_static(b"\0\xff")).await.unwrap();
        assert_eq!(directory.get(&path).await, Ok(Bytes::from_static(b"\0\xff")));
        let shard = data.path().join(&path).parent().unwrap().to_owned();
        assert_eq!(fs::read_dir(&shard).unwrap().count(), 1, "nothing stays beside it");
        directory.delete(vec![path.clone()]).await.unwrap();
        assert_eq!(directory.get(&path).await, Err(StorageError::Missing));
        directory.delete(vec![path]).await.unwrap();
    }

    #[tokio::test]
    async fn nothing_outside_of_the_data_directory_is_read_or_deleted() {
        let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (inside, outside) = (data.path().join("a.txt"), other.path().join("b.txt"));
        for file in [&inside, &outside] {
            fs::write(file, "text").unwrap();
        }
        std::os::unix::fs::symlink(&outside, data.path().join("link")).unwrap();
        let around = format!("../{}/b.txt", other.path().file_name().unwrap().display());
        let directory = Directory(data.path().to_owned());
        let absolute = outside.display().to_string();
        for path in ["link", "tg:file-id", &around, &absolute, "/etc/hostname"] {
            assert_eq!(directory.get(path).await, Err(StorageError::Missing), "{path}");
            directory.delete(vec![path.to_owned()]).await.unwrap();
        }
        directory.delete(vec!["a.txt".to_owned()]).await.unwrap();
        assert!(!inside.exists() && outside.exists());
    }

    #[tokio::test]
    async fn a_directory_that_cannot_be_written_to_says_so() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("files"), "a file where a directory should be").unwrap();
        let directory = Directory(data.path().to_owned());
        let error = directory.put("files/aa/x", Bytes::new()).await.unwrap_err();
        assert!(
            matches!(&error, StorageError::Unavailable(why) if why.starts_with("the data directory: ")),
            "{error:?}"
        );
    }
}
