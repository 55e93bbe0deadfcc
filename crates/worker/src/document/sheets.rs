//! Tables: a line a row, and a tab between cells.

use std::io::{Cursor, Read, Seek};

use calamine::{Data, Reader, open_workbook_auto_from_rs};

use super::{Pages, Unreadable};

/// The most cells of a sheet that are read: one value far out makes a sheet of billions.
const MOST_CELLS: usize = 2_000_000;

pub(super) fn read(content: &[u8]) -> Result<Pages, Unreadable> {
    let damaged = |error: calamine::Error| Unreadable::Damaged(error.to_string());
    of(open_workbook_auto_from_rs(Cursor::new(content)).map_err(damaged)?)
}

/// The tables of a book that was opened.
pub(super) fn of<R: Read + Seek, B: Reader<R>>(mut book: B) -> Result<Pages, Unreadable> {
    let mut pages = Pages::default();
    for name in book.sheet_names() {
        let Ok(range) = book.worksheet_range(&name) else {
            continue;
        };
        if range.is_empty() {
            continue;
        }
        let (height, width) = range.get_size();
        if height.saturating_mul(width) > MOST_CELLS {
            return Err(Unreadable::TooLarge);
        }
        pages.begin(&format!("sheet {name}"));
        for row in range.rows() {
            let cells: Vec<_> = row.iter().map(rendered).collect();
            pages.add(cells.join("\t").trim_end());
            pages.add("\n");
            if pages.is_full() {
                return Ok(pages);
            }
        }
    }
    Ok(pages)
}

/// A cell, as it is read: dates as dates.
fn rendered(cell: &Data) -> String {
    match cell {
        Data::DateTime(at) if at.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            match (hour, minute, second) {
                (0, 0, 0) => date,
                _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
            }
        }
        // Two cells must not look like three, nor two rows.
        other => other.to_string().replace(['\t', '\n', '\r'], " "),
    }
}
