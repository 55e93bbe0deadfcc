//! Archives that documents are packed in, read within limits: a few bytes can unpack to any number.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Cursor, Read},
};

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
    /// Its entries by their [folded] names.
    places: BTreeMap<String, usize>,
}

impl<'a> Archive<'a> {
    pub(super) fn open(content: &'a [u8]) -> Result<Self, Unreadable> {
        let zip = ZipArchive::new(Cursor::new(content)).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        if zip.len() > MOST_ENTRIES {
            return Err(Unreadable::TooLarge);
        }
        let names = (0..zip.len()).filter_map(|index| Some((zip.name_for_index(index)?.ok()?, index)));
        let places = names.map(|(name, index)| (folded(&name), index)).collect();
        Ok(Self {
            zip,
            left: MOST_OF_ALL,
            places,
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.index(name).is_some()
    }

    /// The names of entries, in the order in which they are packed.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names.map(Cow::into_owned).collect()
    }

    /// The entry that a part in a folder refers to: relative to the folder or to the root, as it is written or with its
    /// escapes read. `None`: there is no such entry.
    pub(super) fn referred(&self, folder: &str, reference: &str) -> Option<String> {
        let as_written = self.index(&joined(folder, reference));
        let index = as_written.or_else(|| self.index(&joined(folder, &unescaped(reference))))?;
        let name = self.zip.name_for_index(index)?.ok()?;
        Some(name.replace('\\', "/"))
    }

    /// An entry as text; `None`: there is no such entry.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Unreadable> {
        let Some(index) = self.index(name) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        self.unpack(index, &mut bytes)?;
        Ok(Some(decoded(&bytes)))
    }

    /// Unpacks all of it into nothing, to learn whether it keeps to the limits.
    pub(super) fn check_all(&mut self) -> Result<(), Unreadable> {
        (0..self.zip.len()).try_for_each(|index| self.unpack(index, &mut io::sink()))
    }

    fn index(&self, name: &str) -> Option<usize> {
        let exact = self.zip.index_for_name(name);
        exact.or_else(|| self.places.get(&folded(name)).copied())
    }

    /// The size that an entry claims is not believed.
    fn unpack(&mut self, index: usize, into: &mut impl io::Write) -> Result<(), Unreadable> {
        let damaged = |error: &dyn std::fmt::Display| match error.to_string() {
            reason if super::is_locked(&reason) => Unreadable::Locked,
            reason => Unreadable::Damaged(reason),
        };
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

/// The folder of an entry.
pub(super) fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name as entries are told apart: some programs write backslashes, others refer to parts in letters of another case.
fn folded(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// A reference as a path from the root.
fn joined(folder: &str, reference: &str) -> String {
    let reference = reference.split('#').next().unwrap_or_default().replace('\\', "/");
    let from = if reference.starts_with('/') { "" } else { folder };
    let mut path = Vec::new();
    for step in from.split('/').chain(reference.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}

/// A reference with its escapes (`%20`) read.
fn unescaped(reference: &str) -> String {
    let mut bytes = Vec::with_capacity(reference.len());
    let mut rest = reference.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind
            .get(..2)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = behind.get(if byte.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// UTF-8, or UTF-16 that says so, as XML may be.
fn decoded(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_leads_from_its_folder_or_from_the_root() {
        for (folder, reference, expected) in [
            ("OPS", "x.xhtml", "OPS/x.xhtml"),
            ("OPS/text", "../x.xhtml#p3", "OPS/x.xhtml"),
            ("OPS", "./a/./b.xml", "OPS/a/b.xml"),
            ("word", "/word/document2.xml", "word/document2.xml"),
            ("", "a.xml", "a.xml"),
            ("OPS", "../../../x", "x"),
        ] {
            assert_eq!(joined(folder, reference), expected, "{folder} {reference}");
        }
    }

    #[test]
    fn escapes_are_read_where_they_are_some() {
        for (reference, expected) in [
            ("a%20b.xhtml", "a b.xhtml"),
            ("Z%C3%BCrich", "Zürich"),
            ("100%", "100%"),
            ("a%2", "a%2"),
            ("%zz", "%zz"),
            ("%+1", "%+1"),
        ] {
            assert_eq!(unescaped(reference), expected);
        }
    }
}
