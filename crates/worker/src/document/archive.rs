//! Archives that documents are packed in, read within limits: a few bytes can unpack to any number.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;

use super::Unreadable;

/// The most entries of an archive.
const MOST_ENTRIES: usize = 10_000;
/// The most bytes that one entry unpacks to.
const MOST_OF_ONE: u64 = 16 << 20;
/// The most bytes that are unpacked of one archive.
const MOST_OF_ALL: u64 = 64 << 20;

/// An archive, and how much of it may still be unpacked.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Archive<'a> {
    pub(super) fn open(content: &'a [u8]) -> Result<Self, Unreadable> {
        let zip = ZipArchive::new(Cursor::new(content)).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        if zip.len() > MOST_ENTRIES {
            return Err(Unreadable::TooLarge);
        }
        Ok(Self { zip, left: MOST_OF_ALL })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The names of entries, in the order in which they are packed.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names.map(|name| name.into_owned()).collect()
    }

    /// An entry as text; `None`: there is no such entry.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Unreadable> {
        let Some(index) = self.zip.index_for_name(name) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        self.unpack(index, &mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Unpacks all of it into nothing, to learn whether it keeps to the limits.
    pub(super) fn check_all(&mut self) -> Result<(), Unreadable> {
        (0..self.zip.len()).try_for_each(|index| self.unpack(index, &mut io::sink()))
    }

    /// The size that an entry claims is not believed.
    fn unpack(&mut self, index: usize, into: &mut impl io::Write) -> Result<(), Unreadable> {
        let damaged = |error: &dyn std::fmt::Display| Unreadable::Damaged(error.to_string());
        let entry = self.zip.by_index(index).map_err(|error| damaged(&error))?;
        let most = self.left.min(MOST_OF_ONE);
        let read = io::copy(&mut entry.take(most + 1), into).map_err(|error| damaged(&error))?;
        if read > most {
            return Err(Unreadable::TooLarge);
        }
        self.left -= read;
        Ok(())
    }
}
