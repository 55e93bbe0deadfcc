//! Files of a directory that somebody else put together: read within it, and never through a link out of it.

use std::{
    cell::Cell,
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read},
    path::{Component, Path, PathBuf},
    rc::Rc,
};

use sha2::{Digest as _, Sha256};

use crate::ImportError;

/// The most bytes of a line, and of a text that is read whole.
pub const MOST_TEXT: u64 = 64 * 1024 * 1024;
/// How deep directories are looked into.
const DEEPEST: usize = 6;

/// Reads, and sums up what was read.
pub struct Summed<R> {
    inner: R,
    hash: Sha256,
    /// How many bytes were read.
    pub bytes: u64,
}

impl<R: Read> Summed<R> {
    /// Reads from there.
    pub fn new(inner: R) -> Self {
        let hash = Sha256::new();
        let bytes = 0;
        Self { inner, hash, bytes }
    }

    /// The SHA-256 of what was read.
    pub fn sum(self) -> String {
        clifford_vault::hex(&self.hash.finalize())
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(new) = buffer.get(..read) {
            self.hash.update(new);
            self.bytes += u64::try_from(read).unwrap_or(0);
        }
        Ok(read)
    }
}

/// Reads, and tells whether more was asked for than there is: so an archive that is cut short is known from a damaged one.
pub struct Watched<R> {
    inner: R,
    has_ended: Rc<Cell<bool>>,
}

impl<R: Read> Watched<R> {
    /// Reads from there; the mark is set at the end.
    pub fn new(inner: R) -> (Self, Rc<Cell<bool>>) {
        let has_ended = Rc::new(Cell::new(false));
        let mark = Rc::clone(&has_ended);
        (Self { inner, has_ended }, mark)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            self.has_ended.set(true);
        }
        Ok(read)
    }
}

/// A digest of several files, in their order.
#[derive(Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Takes a file in.
    pub fn add(&mut self, name: &str, sum: &str) {
        self.0.update(format!("{sum}  {name}\n"));
    }

    /// The digest.
    pub fn finish(self) -> String {
        clifford_vault::hex(&self.0.finalize())
    }
}

/// A file below a directory, by a path that stands in its data.
///
/// # Errors
/// The path leads out of the directory, or to no plain file.
pub fn below(root: &Path, name: &str) -> Result<PathBuf, ImportError> {
    let relative = Path::new(name);
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || name.contains('\0') || !is_plain {
        return Err(ImportError::of(
            root,
            format_args!("`{}` leads out of it", excerpt(name)),
        ));
    }
    let mut path = root.to_owned();
    for part in relative.components() {
        path.push(part);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
        if is_link {
            return Err(ImportError::of(&path, "a link, which is not followed"));
        }
    }
    Ok(path)
}

/// The beginning of a text, for messages.
pub fn excerpt(text: &str) -> String {
    let head: String = text.chars().take(80).collect();
    if head.len() < text.len() {
        format!("{head}…")
    } else {
        head
    }
}

/// The files below a directory whose names end like this, in order.
///
/// # Errors
/// It cannot be read, or holds a link.
pub fn files(root: &Path, ending: &str) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    collect(root, ending, DEEPEST, &mut found)?;
    found.sort_unstable();
    Ok(found)
}

fn collect(dir: &Path, ending: &str, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let unreadable = |error| ImportError::unreadable(dir, error);
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let about = fs::symlink_metadata(&path).map_err(|error| ImportError::unreadable(&path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if about.is_dir() && depth > 0 {
            collect(&path, ending, depth - 1, found)?;
        } else if name.ends_with(ending) {
            if !about.is_file() {
                return Err(ImportError::of(&path, "a link, which is not followed"));
            }
            found.push(path);
        }
    }
    Ok(())
}

/// A plain file, opened.
///
/// # Errors
/// It is none, or cannot be read.
pub fn open(path: &Path) -> Result<File, ImportError> {
    let about = fs::symlink_metadata(path).map_err(|error| ImportError::unreadable(path, error))?;
    if !about.is_file() {
        return Err(ImportError::of(path, "no plain file"));
    }
    File::open(path).map_err(|error| ImportError::unreadable(path, error))
}

/// A whole text, and its sum.
///
/// # Errors
/// It is too long or not UTF-8, or cannot be read.
pub fn text(path: &Path) -> Result<(String, String), ImportError> {
    let mut reader = Summed::new(open(path)?.take(MOST_TEXT + 1));
    let mut bytes = Vec::new();
    reader
        .read_to_end(&mut bytes)
        .map_err(|error| ImportError::unreadable(path, error))?;
    if reader.bytes > MOST_TEXT {
        return Err(ImportError::of(path, format_args!("longer than {MOST_TEXT} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        ImportError::of(
            path,
            format_args!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()),
        )
    })?;
    Ok((text, reader.sum()))
}

/// Reads a file line by line, and returns its sum.
///
/// # Errors
/// A line is too long or not UTF-8, the file cannot be read, or those of `each`.
pub fn lines(path: &Path, each: &mut dyn FnMut(u64, &str) -> Result<(), ImportError>) -> Result<String, ImportError> {
    let mut reader = BufReader::new(Summed::new(open(path)?));
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = reader.by_ref().take(MOST_TEXT + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| ImportError::unreadable(path, error))?;
        if read == 0 {
            return Ok(reader.into_inner().sum());
        }
        number += 1;
        let wrong = |why: String| Err(ImportError::of(path, format_args!("line {number}: {why}")));
        if u64::try_from(read).unwrap_or(u64::MAX) > MOST_TEXT {
            return wrong(format!("longer than {MOST_TEXT} bytes"));
        }
        // Editors put a byte order mark in front of the first line.
        let text = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1);
        match std::str::from_utf8(text.unwrap_or(&line)) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => each(number, text.trim_end_matches(['\n', '\r']))?,
            Err(error) => return wrong(format!("not UTF-8 at byte {}", error.valid_up_to())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_its_directory() {
        let dir = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink("/etc", dir.path().join("link")).expect("a link");
        for name in ["", "/etc/passwd", "../x", "a/../../x", "link/passwd", "./x", "a\0b"] {
            assert!(below(dir.path(), name).is_err(), "{name:?}");
        }
        assert_eq!(below(dir.path(), "a/b.jpg").expect("below"), dir.path().join("a/b.jpg"));
    }

    #[test]
    fn a_line_is_text_and_is_counted() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x");
        fs::write(&path, b"one\n\ntwo\r\nthr\xffee\n").expect("a file");
        let mut seen = Vec::new();
        let error = lines(&path, &mut |number, text| {
            seen.push((number, text.to_owned()));
            Ok(())
        });
        assert_eq!(seen, [(1, "one".to_owned()), (3, "two".to_owned())]);
        let error = error.expect_err("not UTF-8").to_string();
        assert!(error.ends_with("x: line 4: not UTF-8 at byte 3"), "{error}");
    }
}
