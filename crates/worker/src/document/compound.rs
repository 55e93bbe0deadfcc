//! The container of office programs of old. Of what it holds only tables are read; of everything else is said what it is.

use std::io::Cursor;

use calamine::{Reader as _, Xls, XlsError};

use super::{Pages, Unreadable, sheets};

/// The length of an entry of the directory, of which each begins at a multiple of that.
const ENTRY: usize = 128;

pub(super) fn read(content: &[u8]) -> Result<Pages, Unreadable> {
    let has = |name: &str| has_entry(content, name);
    if has("EncryptedPackage") {
        return Err(Unreadable::Locked);
    }
    // A letter may have a table in it, and a table a letter: the root says what the whole is.
    let program = program(content).or_else(|| {
        let streams = [
            ("WordDocument", Program::Word),
            ("PowerPoint Document", Program::PowerPoint),
            ("Workbook", Program::Excel),
            ("Book", Program::Excel),
        ];
        let found = streams.iter().find(|(name, _)| has(name));
        found.map(|(_, program)| *program)
    });
    match program {
        Some(Program::Word) => Err(Unreadable::Old("Word document (.doc)", ".docx")),
        Some(Program::PowerPoint) => Err(Unreadable::Old("PowerPoint presentation (.ppt)", ".pptx")),
        Some(Program::Excel) => match Xls::new(Cursor::new(content)) {
            Ok(book) => sheets::of(book),
            Err(XlsError::Password) => Err(Unreadable::Locked),
            Err(error) => Err(Unreadable::Damaged(error.to_string())),
        },
        None => Err(Unreadable::Unknown),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Word,
    PowerPoint,
    Excel,
}

/// The program that the root names.
fn program(content: &[u8]) -> Option<Program> {
    let number = |at: usize| Some(u16::from_le_bytes(content.get(at..at + 2)?.try_into().ok()?));
    let sector = u32::from_le_bytes(content.get(48..52)?.try_into().ok()?);
    let length = 1_usize.checked_shl(u32::from(number(30)?))?;
    let root = usize::try_from(sector).ok()?.checked_add(1)?.checked_mul(length)?;
    let class = content.get(root.checked_add(80)?..root.checked_add(84)?)?;
    Some(match class {
        [0x06, 0x09, 0x02, 0x00] => Program::Word,
        [0x10, 0x8d, 0x81, 0x64] => Program::PowerPoint,
        [0x10 | 0x20, 0x08, 0x02, 0x00] => Program::Excel,
        _ => return None,
    })
}

/// Whether the directory has an entry of this name.
fn has_entry(content: &[u8], name: &str) -> bool {
    let mut head: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    head.extend([0, 0]);
    let length = u16::try_from(head.len()).unwrap_or_default().to_le_bytes();
    let is_it = |entry: &[u8]| entry.starts_with(&head) && entry.get(64..66) == Some(length.as_slice());
    content.chunks_exact(ENTRY).any(is_it)
}
