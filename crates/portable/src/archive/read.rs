//! Reads an archive, entry by entry.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufRead as _, BufReader, Read},
    path::{Component, Path, PathBuf},
};

use bytes::Bytes;
use clifford_core::id::FileId;
use clifford_store::portable::Record;

use super::{FILES, HEAD, Head, RECORDS, SUMS, VERSION, name_of_file, name_of_records};
use crate::{
    ImportError,
    error::in_words,
    source::{Format, Item, Position, Source, Take},
    tree::{self, MOST_TEXT, Summed, Watched, excerpt},
};

const NO_EXPORT: &str = "it is no archive that `clifford export` has written";
/// The most bytes of the head and of the sums.
const MOST_HEAD: u64 = 64 * 1024;
const MOST_SUMS: u64 = 512 * 1024 * 1024;

/// An archive of `clifford export`.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    most_file_bytes: u64,
}

impl Archive {
    /// The archive at a path; contents with more bytes are left out.
    ///
    /// # Errors
    /// It is no file.
    pub fn open(path: &Path, most_file_bytes: u64) -> Result<Self, ImportError> {
        // A name that the person gave may be a link.
        let about = std::fs::metadata(path).map_err(|error| ImportError::unreadable(path, error))?;
        if !about.is_file() {
            return Err(ImportError::of(path, "no archive, but a directory"));
        }
        Ok(Self {
            path: path.to_owned(),
            most_file_bytes,
        })
    }
}

/// The contents of an archive that were found so far.
#[derive(Default)]
struct Found {
    sums: BTreeMap<String, String>,
    /// Contents without a record yet, with their sums.
    contents: HashMap<FileId, String>,
    entries: u32,
    has_head: bool,
}

impl Source for Archive {
    fn format(&self) -> Format {
        Format::Clifford
    }

    fn read(&self, take: Take<'_>) -> Result<String, ImportError> {
        let file = File::open(&self.path).map_err(|error| ImportError::unreadable(&self.path, error))?;
        let (reader, has_ended) = Watched::new(BufReader::with_capacity(256 * 1024, file));
        let mut archive = tar::Archive::new(reader);
        let unreadable = |error| ImportError::unreadable(&self.path, error);
        let mut found = Found::default();
        let mut sums = None;
        // Raw: names in entries of their own, of whatever length, are nothing that an export holds.
        for entry in archive.entries().map_err(unreadable)?.raw(true) {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(_) if !found.has_head => return self.wrong(NO_EXPORT),
                // Only what fills its last blocks up is missing.
                Err(_) if has_ended.get() && sums.is_some() => break,
                Err(_) if has_ended.get() => return self.cut_short("before its sums"),
                Err(error) => return self.wrong(format_args!("the archive is damaged: {error}")),
            };
            let name = self.name_of(&entry)?;
            if sums.is_some() {
                return self.wrong(format_args!("`{name}` comes after the sums"));
            }
            if name == SUMS {
                let mut text = String::new();
                let read = entry.by_ref().take(MOST_SUMS).read_to_string(&mut text);
                if has_ended.get() {
                    return self.cut_short("in its sums");
                }
                read.map_err(unreadable)?;
                sums = Some(text);
                continue;
            }
            if !found.has_head && name != HEAD {
                return self.wrong(format_args!("it does not begin with {HEAD}"));
            }
            let size = entry.size();
            let mut content = Summed::new(&mut entry);
            let taken = self.entry(&name, size, &mut content, &mut found, take);
            // The rest of it counts for its sum, and may be missing: that is then why it was wrong.
            let rest = std::io::copy(&mut content, &mut std::io::sink());
            if has_ended.get() || (rest.is_ok() && content.bytes != size) {
                return self.cut_short(format_args!("in `{name}`"));
            }
            taken?;
            rest.map_err(unreadable)?;
            if found.sums.insert(name.clone(), content.sum()).is_some() {
                return self.wrong(format_args!("`{name}` is in it twice"));
            }
        }
        if !found.has_head {
            return self.wrong(NO_EXPORT);
        }
        let Some(sums) = sums else {
            return self.cut_short("before its sums");
        };
        self.compare(&found, &sums)?;
        if let Some(id) = found.contents.keys().next() {
            return self.wrong(format_args!("no record names the content {id}"));
        }
        let mut digest = tree::Digest::default();
        found.sums.iter().for_each(|(name, sum)| digest.add(name, sum));
        Ok(digest.finish())
    }
}

impl Archive {
    fn wrong<T>(&self, why: impl std::fmt::Display) -> Result<T, ImportError> {
        Err(ImportError::of(&self.path, why))
    }

    fn cut_short<T>(&self, place: impl std::fmt::Display) -> Result<T, ImportError> {
        self.wrong(format_args!("the archive is cut short {place}: copy it again"))
    }

    /// The name of an entry, if an export has such a one.
    fn name_of<R: Read>(&self, entry: &tar::Entry<'_, R>) -> Result<String, ImportError> {
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = Path::new(&name);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_known = [HEAD, SUMS].contains(&name.as_str())
            || path.starts_with(RECORDS)
            || (path.starts_with(FILES) && file_of(&name).is_some());
        if !is_plain || !is_known || name.contains('\0') || !entry.header().entry_type().is_file() {
            return self.wrong(format_args!("`{}` is nothing that an export holds", excerpt(&name)));
        }
        Ok(name)
    }

    fn entry<R: Read>(
        &self,
        name: &str,
        size: u64,
        content: &mut Summed<R>,
        found: &mut Found,
        take: Take<'_>,
    ) -> Result<(), ImportError> {
        if name == HEAD {
            found.has_head = true;
            return self.head(content);
        }
        if let Some(id) = file_of(name) {
            return self.content(id, name, size, content, found, take);
        }
        found.entries += 1;
        if name != name_of_records(found.entries) {
            let expected = name_of_records(found.entries);
            return self.wrong(format_args!("`{}` comes where `{expected}` belongs", excerpt(name)));
        }
        self.records(name, content, found, take)
    }

    fn head(&self, content: &mut impl Read) -> Result<(), ImportError> {
        let mut text = String::new();
        let read = content.take(MOST_HEAD).read_to_string(&mut text);
        read.map_err(|error| ImportError::of(&self.path, format_args!("{HEAD} cannot be read: {error}")))?;
        let value: serde_json::Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => return self.wrong(format_args!("{HEAD} is no JSON: {error}")),
        };
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version > u64::from(VERSION) => self.wrong(format_args!(
                "it has version {version} of the format, and this Clifford reads up to {VERSION}: import it with a newer one"
            )),
            Some(_) => match serde_json::from_value::<Head>(value) {
                Ok(_) => Ok(()),
                Err(error) => self.wrong(format_args!("{HEAD}: {error}")),
            },
            None => self.wrong(format_args!("{HEAD} names no version")),
        }
    }

    fn records(
        &self,
        name: &str,
        content: &mut impl Read,
        found: &mut Found,
        take: Take<'_>,
    ) -> Result<(), ImportError> {
        let file = name.into();
        let mut reader = BufReader::with_capacity(256 * 1024, content);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let at = Position::line(std::sync::Arc::clone(&file), number);
            let read = reader.by_ref().take(MOST_TEXT + 1).read_until(b'\n', &mut line);
            match read {
                Ok(0) => break,
                Ok(read) if u64::try_from(read).unwrap_or(u64::MAX) > MOST_TEXT => {
                    return Err(ImportError::at(&at, format_args!("longer than {MOST_TEXT} bytes")));
                }
                Ok(_) => {}
                Err(error) => return Err(ImportError::at(&at, error)),
            }
            let record: Record = serde_json::from_slice(&line).map_err(|error| {
                ImportError::at(&at, format_args!("column {}: {}", error.column(), in_words(&error)))
            })?;
            if let Record::File(row) = &record
                && row.sha256 != found.contents.remove(&row.id)
            {
                return Err(ImportError::at(&at, "its content is missing, or another than it says"));
            }
            let record = Box::new(record);
            take(Item::Record { record, at })?;
        }
        Ok(())
    }

    fn content<R: Read>(
        &self,
        id: FileId,
        name: &str,
        size: u64,
        content: &mut Summed<R>,
        found: &mut Found,
        take: Take<'_>,
    ) -> Result<(), ImportError> {
        let unreadable = |error| ImportError::of(&self.path, format_args!("`{name}`: {error}"));
        let is_small = size <= self.most_file_bytes;
        let mut whole = Summed::new(content.by_ref());
        let mut bytes = Vec::new();
        if is_small {
            whole.read_to_end(&mut bytes).map_err(unreadable)?;
        } else {
            std::io::copy(&mut whole, &mut std::io::sink()).map_err(unreadable)?;
        }
        let sha256 = whole.sum();
        found.contents.insert(id, sha256.clone());
        let bytes = is_small.then(|| Bytes::from(bytes));
        take(Item::Content { id, bytes, sha256 })
    }

    /// Nothing, if what was found is what the sums name.
    fn compare(&self, found: &Found, sums: &str) -> Result<(), ImportError> {
        let mut named = 0;
        for line in sums.lines() {
            let Some((sum, name)) = line.split_once("  ") else {
                return self.wrong("a line of the sums cannot be read");
            };
            match found.sums.get(name) {
                None => return self.wrong(format_args!("`{}` is missing", excerpt(name))),
                Some(of_content) if of_content != sum => return self.wrong(format_args!("`{name}` is damaged")),
                Some(_) => named += 1,
            }
        }
        if named != found.sums.len() {
            return self.wrong("it holds files that its sums do not name");
        }
        Ok(())
    }
}

/// The file whose content an entry is.
fn file_of(name: &str) -> Option<FileId> {
    let id = name.rsplit('/').next()?;
    let id = FileId(uuid::Uuid::try_parse(id).ok()?);
    (name_of_file(id) == name).then_some(id)
}
