//! Sources of imports: records with their places in them.

use std::{
    fmt,
    fs::{self, File},
    io::Read as _,
    path::Path,
    sync::Arc,
};

use bytes::Bytes;
use clifford_core::id::{FileId, UserId};
use clifford_store::portable::Record;
use serde::Serialize;

use crate::{Archive, Discord, Hermes, ImportError, OpenClaw, Telegram};

/// A place in what is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file, as it is called in there.
    pub file: Arc<str>,
    /// Its line, or the number of a message in it, from 1. 0: the file as a whole.
    pub number: u64,
    /// The things that are counted.
    pub unit: &'static str,
}

impl Position {
    /// A line of a file.
    pub const fn line(file: Arc<str>, number: u64) -> Self {
        let unit = "line";
        Self { file, number, unit }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            0 => f.write_str(&self.file),
            number => write!(f, "{}, {} {number}", self.file, self.unit),
        }
    }
}

/// One thing that is read.
#[derive(Clone, Debug)]
pub enum Item {
    /// A record.
    Record {
        /// The record.
        record: Box<Record>,
        /// Its place.
        at: Position,
    },
    /// The content of a file, whose record comes later.
    Content {
        /// The file.
        id: FileId,
        /// Its bytes; none: they are too many.
        bytes: Option<Bytes>,
        /// Their SHA-256.
        sha256: String,
    },
    /// Something that is left out.
    Skipped {
        /// Its kind, in the plural.
        what: &'static str,
        /// Why.
        why: &'static str,
    },
}

/// Takes one thing after another; an error ends the reading.
pub type Take<'t> = &'t mut dyn FnMut(Item) -> Result<(), ImportError>;

/// The source of an import. It reads the same each time: by that a killed import goes on.
pub trait Source: Send + Sync {
    /// Its format.
    fn format(&self) -> Format;

    /// Reads all of it, and returns a digest of what was read.
    ///
    /// # Errors
    /// Something in it is wrong, and where.
    fn read(&self, take: Take<'_>) -> Result<String, ImportError>;

    /// The account of the person whose data it is, as far as it tells: platform and id.
    ///
    /// # Errors
    /// It cannot be read.
    fn account(&self) -> Result<Option<(String, String)>, ImportError> {
        Ok(None)
    }

    /// Sets for whom it is imported, with their accounts here: of data that name no person of this bot.
    fn set_owner(&mut self, owner: UserId, accounts: &[(String, String)]) {
        let _ = (owner, accounts);
    }
}

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// An archive of `clifford export`.
    Clifford,
    /// The JSON that Telegram Desktop exports.
    Telegram,
    /// The data package of Discord.
    Discord,
    /// The directory of OpenClaw.
    OpenClaw,
    /// The directory of Hermes.
    Hermes,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [
        Self::Clifford,
        Self::Telegram,
        Self::Discord,
        Self::OpenClaw,
        Self::Hermes,
    ];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clifford => "clifford",
            Self::Telegram => "telegram",
            Self::Discord => "discord",
            Self::OpenClaw => "openclaw",
            Self::Hermes => "hermes",
        }
    }

    /// Its name, as people know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clifford => "Clifford",
            Self::Telegram => "Telegram",
            Self::Discord => "Discord",
            Self::OpenClaw => "OpenClaw",
            Self::Hermes => "Hermes",
        }
    }

    /// A source of this format.
    ///
    /// # Errors
    /// There is none.
    pub fn open(self, path: &Path, most_file_bytes: u64) -> Result<Box<dyn Source>, ImportError> {
        Ok(match self {
            Self::Clifford => Box::new(Archive::open(path, most_file_bytes)?),
            Self::Telegram => Box::new(Telegram::open(path, most_file_bytes)?),
            Self::Discord => Box::new(Discord::open(path)?),
            Self::OpenClaw => Box::new(OpenClaw::open(path)?),
            Self::Hermes => Box::new(Hermes::open(path)?),
        })
    }
}

/// The format of what is at a path, by what stands there.
///
/// # Errors
/// It is none that is known.
pub fn detect(path: &Path) -> Result<Format, ImportError> {
    let about = fs::metadata(path).map_err(|error| ImportError::unreadable(path, error))?;
    let has = |name: &str| path.join(name).exists();
    let none = |why: &str| Err(ImportError::of(path, why));
    if about.is_dir() {
        return match () {
            () if has("result.json") => Ok(Format::Telegram),
            () if has("messages/index.json") || has("Messages/index.json") => Ok(Format::Discord),
            () if has("state.db") || has("memories") => Ok(Format::Hermes),
            () if has("agents") || has("workspace") || has("MEMORY.md") || has("memory") => Ok(Format::OpenClaw),
            () => none("nothing in this directory is of a format that is read; name one with --from"),
        };
    }
    if !about.is_file() {
        return none("neither a file nor a directory: it is read twice, so save what a pipe gives in a file");
    }
    let mut head = [0; 512];
    let mut file = File::open(path).map_err(|error| ImportError::unreadable(path, error))?;
    let read = file
        .read(&mut head)
        .map_err(|error| ImportError::unreadable(path, error))?;
    let head = head.get(..read).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match head {
        _ if head.get(257..262) == Some(b"ustar".as_slice()) => Ok(Format::Clifford),
        [0x1f, 0x8b, ..] => none("compressed with gzip: unpack it first, and name the archive"),
        [b'P', b'K', ..] => none("a zip file: unpack it first, and name the directory"),
        _ if head.starts_with(b"{\"type\":\"export\"") => {
            none("JSON Lines are to be read by people; `clifford export --out FILE` writes an archive to import")
        }
        _ if name.ends_with(".jsonl") && head.starts_with(b"{\"type\":\"session\"") => Ok(Format::OpenClaw),
        _ if name.ends_with(".jsonl") => Ok(Format::Hermes),
        [b'{', ..] => Ok(Format::Telegram),
        _ => none("it is of no format that is read; name one with --from"),
    }
}
