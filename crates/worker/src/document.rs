//! The text of documents: PDF, what office programs write, and e-books. Strangers write documents, so everything is
//! bounded: what is unpacked, how much is read of it, and how much text is returned.
//!
//! Pages, slides and sheets begin with a line that names them, so that a reader knows where a text stands.

mod archive;
mod book;
mod compound;
mod office;
mod parts;
mod sheets;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

use self::archive::Archive;
use super::{page, scan, task::Document};

/// The most bytes of text that are returned.
const MOST_TEXT: usize = 900_000;
/// The most pages of a PDF that are read.
const MOST_PAGES: usize = 2_000;

/// Said of a PDF whose pages have no text.
pub const PICTURES: &str = "has no text: its pages are pictures";

/// Why a document cannot be read: the end of a sentence that begins with its name.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    /// It is of no kind that is read.
    #[error("is no document that can be read")]
    Unknown,
    /// It cannot be made out.
    #[error("is damaged or protected: {0}")]
    Damaged(String),
    /// It is encrypted.
    #[error("is locked with a password: save it without one, and send that")]
    Locked,
    /// It is a book that was bought with a lock.
    #[error("has the copy protection of a shop, whose own readers alone open it")]
    Protected,
    /// It is of a format of old, which is named; the present one behind it.
    #[error("is an older {0}, which is not read: save it as {1} or PDF, and send that")]
    Old(&'static str, &'static str),
    /// Unpacked it is too large.
    #[error("is too large when it is unpacked")]
    TooLarge,
    /// It is a PDF with pictures of pages, most likely.
    #[error("{PICTURES}")]
    Pictures,
    /// It is another document, and empty.
    #[error("has no text")]
    NoText,
}

/// The text of a document.
pub(super) fn text(content: &[u8]) -> Result<Document, Unreadable> {
    // A reader of a library that panics has met a document that it does not understand.
    let read = catch_unwind(AssertUnwindSafe(|| read(content)));
    let text = read.unwrap_or_else(|_| Err(Unreadable::Damaged("it cannot be understood".to_owned())))?;
    let text = text.finished();
    if text.text.trim().is_empty() {
        return Err(match is_pdf(content) {
            true => Unreadable::Pictures,
            false => Unreadable::NoText,
        });
    }
    Ok(text)
}

/// Whether it is a PDF. Some begin with a few bytes of something else.
fn is_pdf(content: &[u8]) -> bool {
    let head = content.get(..1024).unwrap_or(content);
    head.windows(5).any(|bytes| bytes == b"%PDF-")
}

fn read(content: &[u8]) -> Result<Pages, Unreadable> {
    match content {
        _ if is_pdf(content) => pdf(content),
        [b'P', b'K', ..] => packed(content),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => compound::read(content),
        _ => html(content),
    }
}

fn packed(content: &[u8]) -> Result<Pages, Unreadable> {
    let mut archive = Archive::open(content)?;
    let kind = archive.text("mimetype")?.unwrap_or_default();
    match kind.trim() {
        "application/epub+zip" => return book::read(&mut archive),
        kind if kind.starts_with("application/vnd.oasis.opendocument") => {
            if office::is_locked(&mut archive)? {
                return Err(Unreadable::Locked);
            }
            return match kind.contains("spreadsheet") {
                true => tables(&mut archive, content),
                false => office::open_document(&mut archive),
            };
        }
        _ => {}
    }
    let relations = parts::of(&mut archive, "")?;
    let usual = [
        "word/document.xml",
        "ppt/presentation.xml",
        "xl/workbook.xml",
        "xl/workbook.bin",
    ];
    let usual = || {
        usual
            .iter()
            .find(|name| archive.has(name))
            .map(|name| (*name).to_owned())
    };
    let main = parts::find(&relations, "officeDocument").or_else(usual);
    let Some(main) = main else {
        // Some programs leave the media type out.
        return match archive.has("META-INF/container.xml") {
            true => book::read(&mut archive),
            false if archive.has("content.xml") => office::open_document(&mut archive),
            false => Err(Unreadable::Unknown),
        };
    };
    match main.split('/').next() {
        Some("word") => office::word(&mut archive, &main),
        Some("ppt") => office::slides(&mut archive, &main),
        Some("xl") => tables(&mut archive, content),
        _ => match office::root(&mut archive, &main)?.as_str() {
            "document" => office::word(&mut archive, &main),
            "presentation" => office::slides(&mut archive, &main),
            "workbook" => tables(&mut archive, content),
            _ => Err(Unreadable::Unknown),
        },
    }
}

/// The tables of an archive. Its unpacked size is checked before the library unpacks it.
fn tables(archive: &mut Archive<'_>, content: &[u8]) -> Result<Pages, Unreadable> {
    archive.check_all()?;
    sheets::read(content)
}

fn pdf(content: &[u8]) -> Result<Pages, Unreadable> {
    let bare = scan::without_pictures(content);
    let pages = pdf_extract::extract_text_from_mem_by_pages(bare.as_deref().unwrap_or(content));
    let pages = pages.map_err(|error| match error.to_string() {
        reason if is_locked(&reason) => Unreadable::Locked,
        reason => Unreadable::Damaged(reason),
    })?;
    let has_text = pages.iter().any(|page| !page.trim().is_empty());
    let mut text = Pages::default();
    for (number, page) in pages.iter().take(MOST_PAGES).enumerate().filter(|_| has_text) {
        text.begin(&format!("page {}", number + 1));
        text.add(page.trim());
    }
    text.is_cut |= pages.len() > MOST_PAGES;
    Ok(text)
}

/// Whether a reader's error speaks of encryption.
fn is_locked(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["password", "decrypt", "encrypt"]
        .iter()
        .any(|word| reason.contains(word))
}

fn html(content: &[u8]) -> Result<Pages, Unreadable> {
    let text = std::str::from_utf8(content).map_err(|_| Unreadable::Unknown)?;
    let mut pages = Pages::default();
    pages.add(&of_html(text)?);
    Ok(pages)
}

/// The text of an HTML page.
fn of_html(html: &str) -> Result<String, Unreadable> {
    page::text(html).map_err(|error| Unreadable::Damaged(error.to_string()))
}

/// A text that grows page by page, up to its limit.
#[derive(Debug, Default)]
struct Pages {
    text: String,
    is_cut: bool,
}

impl Pages {
    /// Begins a page.
    fn begin(&mut self, name: &str) {
        if !self.text.is_empty() {
            self.add("\n\n");
        }
        self.add(&format!("--- {name} ---\n"));
    }

    /// Adds text; characters that no text has are left out.
    fn add(&mut self, text: &str) {
        for c in text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')) {
            if self.text.len() + c.len_utf8() > MOST_TEXT {
                self.is_cut = true;
                return;
            }
            self.text.push(c);
        }
    }

    /// Nothing more has room.
    const fn is_full(&self) -> bool {
        self.is_cut
    }

    fn finished(self) -> Document {
        Document {
            text: self.text.trim().to_owned(),
            is_cut: self.is_cut,
        }
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
