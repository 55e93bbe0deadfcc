//! Writes an archive, one piece of it after another.

use std::io::{self, Read, Write};

use clifford_core::id::FileId;
use clifford_store::portable::Record;

use super::{HEAD, Head, SUMS, name_of_file, name_of_records};
use crate::tree::Summed;

/// Records are gathered up to so many bytes, and become an entry.
const MOST_GATHERED: usize = 4 * 1024 * 1024;

/// An archive that is being written.
pub struct Writer<W: Write> {
    tar: tar::Builder<W>,
    sums: String,
    gathered: Vec<u8>,
    entries: u32,
}

impl<W: Write> Writer<W> {
    /// A new archive.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W, head: &Head) -> io::Result<Self> {
        let mut archive = Self {
            tar: tar::Builder::new(out),
            sums: String::new(),
            gathered: Vec::new(),
            entries: 0,
        };
        let head = serde_json::to_vec(head)?;
        archive.put(HEAD, &head)?;
        Ok(archive)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn record(&mut self, record: &Record) -> io::Result<()> {
        serde_json::to_writer(&mut self.gathered, record)?;
        self.gathered.push(b'\n');
        if self.gathered.len() >= MOST_GATHERED {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds the content of a file, whose record comes later.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn content(&mut self, id: FileId, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.put(&name_of_file(id), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        self.entries += 1;
        let gathered = std::mem::take(&mut self.gathered);
        self.put(&name_of_records(self.entries), &gathered)
    }

    fn put(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(content.len()).unwrap_or(u64::MAX));
        header.set_mode(0o600);
        let mut content = Summed::new(content);
        self.tar.append_data(&mut header, name, content.by_ref())?;
        self.sums.push_str(&format!("{}  {name}\n", content.sum()));
        Ok(())
    }

    /// Writes the sums, and returns what it was written to.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        let sums = std::mem::take(&mut self.sums);
        self.put(SUMS, sums.as_bytes())?;
        self.tar.into_inner()
    }
}
