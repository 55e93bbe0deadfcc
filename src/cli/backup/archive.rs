//! The archive of a backup: a tar file of `clifford-backup.json` (the head, with the version of the format), the database
//! as a file of SQLite's, `secret.key`, people's files, and `SHA256SUMS` at the end.
//!
//! Nothing in an archive is trusted. Entries are plain files with the names above, each once, and the sums tell whether
//! all of them are there and whole.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Component, Path},
};

use anyhow::{Context, bail};
use clifford_config::DATABASE_FILE;
use clifford_content::files::FILES;
use clifford_core::clock::Timestamp;
use clifford_portable::{Summed, Watched};
use clifford_vault::KEY_FILE;
use serde::{Deserialize, Serialize};

use crate::cli::bar::{Bar, Unit};

const HEAD: &str = "clifford-backup.json";
const SUMS: &str = "SHA256SUMS";
const NO_BACKUP: &str = "`clifford backup` has not written it";
/// The version of the format.
const VERSION: u32 = 1;
/// The most bytes of the head and of the sums.
const MOST_HEAD: u64 = 64 * 1024;
const MOST_SUMS: u64 = 512 * 1024 * 1024;

/// The head of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct Head {
    /// The version of the format.
    pub version: u32,
    /// The Clifford that wrote it.
    pub clifford: String,
    /// When, in milliseconds since the epoch.
    pub created_at: i64,
    /// The version of the database's schema.
    pub schema: i64,
}

impl Head {
    pub fn new(now: Timestamp, schema: i64) -> Self {
        Self {
            version: VERSION,
            clifford: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now.0,
            schema,
        }
    }
}

/// An archive that is being written.
pub(in crate::cli) struct Writer {
    tar: tar::Builder<File>,
    sums: String,
    bar: Bar,
}

impl Writer {
    /// A new archive, which only its owner may read.
    pub fn create(path: &Path, head: &Head) -> anyhow::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut archive = Self {
            tar: tar::Builder::new(file),
            sums: String::new(),
            bar: Bar::none(),
        };
        let head = serde_json::to_vec(head)?;
        let size = u64::try_from(head.len())?;
        archive.put(HEAD, size, head.as_slice())?;
        Ok(archive)
    }

    /// The same, with a bar for what is added.
    pub fn shown_by(mut self, bar: Bar) -> Self {
        self.bar = bar;
        self
    }

    /// Adds a file. `false`: there is none, or it is no plain file.
    pub fn add(&mut self, name: &str, path: &Path) -> anyhow::Result<bool> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        let about = file.metadata()?;
        if !about.is_file() {
            return Ok(false);
        }
        self.put(name, about.len(), self.bar.reading(file))
            .with_context(|| format!("{} cannot be added", path.display()))?;
        Ok(true)
    }

    fn put(&mut self, name: &str, size: u64, content: impl Read) -> anyhow::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o600);
        let mut content = Summed::new(content.take(size));
        self.tar.append_data(&mut header, name, &mut content)?;
        if content.bytes != size {
            bail!("it became shorter while it was read");
        }
        self.sums.push_str(&format!("{}  {name}\n", content.sum()));
        Ok(())
    }

    /// Writes the sums, and syncs the file.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let sums = std::mem::take(&mut self.sums);
        self.put(SUMS, u64::try_from(sums.len())?, sums.as_bytes())?;
        self.tar.into_inner()?.sync_all()?;
        Ok(())
    }
}

/// Takes an archive apart into an empty directory, and checks all of it; returns its head and how many files of people
/// it has. Errors call it by its name.
pub(in crate::cli) fn extract(archive: File, name: &Path, into: &Path, shown: bool) -> anyhow::Result<(Head, u64)> {
    let bar = Bar::new(
        shown,
        "reading the archive",
        Unit::Bytes,
        Some(archive.metadata()?.len()),
    );
    take_apart(bar.reading(archive), into).map_err(|error| {
        let of_disk = |error: &io::Error| matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let is_full = error.chain().filter_map(|cause| cause.downcast_ref()).any(of_disk);
        error.context(match is_full {
            true => format!(
                "{} cannot be unpacked beside the data, where there is no room for it",
                name.display()
            ),
            false => format!("{} is no whole backup", name.display()),
        })
    })
}

fn take_apart(archive: impl Read, into: &Path) -> anyhow::Result<(Head, u64)> {
    let (archive, has_ended) = Watched::new(archive);
    let mut archive = tar::Archive::new(archive);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let (mut head, mut sums, mut files) = (None, None, 0);
    // Raw: names in entries of their own, of whatever length, are nothing that a backup holds.
    for entry in archive.entries()?.raw(true) {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(_) if head.is_none() => bail!(NO_BACKUP),
            // Only what fills its last blocks up is missing.
            Err(_) if has_ended.get() && sums.is_some() => break,
            Err(_) if has_ended.get() => bail!("it is cut short before its sums: copy it again"),
            Err(error) => return Err(error).context("it is damaged"),
        };
        let name = name_of(&entry)?;
        if sums.is_some() {
            bail!("`{name}` comes after the sums");
        }
        if head.is_none() && name != HEAD {
            bail!("it does not begin with {HEAD}");
        }
        let size = entry.size();
        let mut content = Summed::new(&mut entry);
        if name == HEAD {
            let read = read_head(&mut content);
            if has_ended.get() {
                bail!("it is cut short in `{name}`: copy it again");
            }
            head = Some(read?);
        } else if name == SUMS {
            let mut text = String::new();
            let read = content.by_ref().take(MOST_SUMS).read_to_string(&mut text);
            if has_ended.get() {
                bail!("it is cut short in its sums: copy it again");
            }
            read?;
            sums = Some(text);
            continue;
        } else {
            let path = into.join(&name);
            if let Some(dir) = path.parent() {
                fs::create_dir_all(dir)?;
            }
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)?;
            io::copy(&mut content, &mut file)?;
            file.flush()?;
            file.sync_all()?;
            files += u64::from(name != DATABASE_FILE && name != KEY_FILE);
        }
        if content.bytes != size {
            bail!("it is cut short in `{name}`: copy it again");
        }
        if found.insert(name.clone(), content.sum()).is_some() {
            bail!("`{name}` is in it twice");
        }
    }
    let Some(head) = head else { bail!(NO_BACKUP) };
    let Some(sums) = sums else {
        bail!("it is cut short before its sums: copy it again");
    };
    compare(&found, &sums)?;
    if !found.contains_key(DATABASE_FILE) {
        bail!("it has no database");
    }
    Ok((head, files))
}

fn read_head(content: &mut impl Read) -> anyhow::Result<Head> {
    let mut text = String::new();
    content.take(MOST_HEAD).read_to_string(&mut text)?;
    let value: serde_json::Value = serde_json::from_str(&text).with_context(|| format!("{HEAD} is no JSON"))?;
    let version = value.get("version").and_then(serde_json::Value::as_u64);
    match version {
        Some(version) if version > u64::from(VERSION) => bail!(
            "it has version {version} of the format, and this Clifford reads up to {VERSION}: restore it with a newer one"
        ),
        Some(_) => Ok(serde_json::from_value(value).with_context(|| format!("{HEAD} lacks a field"))?),
        None => bail!("{HEAD} names no version"),
    }
}

/// The name of an entry, if a backup has such a one.
fn name_of<R: Read>(entry: &tar::Entry<'_, R>) -> anyhow::Result<String> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let path = Path::new(&name);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let depth = path.components().count();
    let known =
        [HEAD, DATABASE_FILE, KEY_FILE, SUMS].contains(&name.as_str()) || (path.starts_with(FILES) && depth == 3);
    if !plain || !known || name.contains('\0') || !entry.header().entry_type().is_file() {
        bail!("`{name}` is nothing that a backup holds");
    }
    Ok(name)
}

/// Nothing, if what was found is what the sums name.
fn compare(found: &BTreeMap<String, String>, sums: &str) -> anyhow::Result<()> {
    let mut named = 0;
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").context("a line of the sums cannot be read")?;
        match found.get(name) {
            None => bail!("`{name}` is missing"),
            Some(of_content) if of_content != sum => bail!("`{name}` is damaged"),
            Some(_) => named += 1,
        }
    }
    if named != found.len() {
        bail!("it holds files that its sums do not name");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
