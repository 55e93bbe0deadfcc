//! Lays a table out as lines of text whose columns stand one below the other.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

/// Cells wider than this are not waited for: their row is out of line, but the table stays readable and
/// its size in proportion to its text.
const WIDEST: usize = 40;

/// A table while it is read.
#[derive(Debug)]
pub(crate) struct Table {
    /// Where in the source it starts.
    pub(crate) start: usize,
    alignments: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) const fn new(start: usize, alignments: Vec<Alignment>) -> Self {
        Self {
            start,
            alignments,
            rows: Vec::new(),
        }
    }

    pub(crate) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(crate) fn push_cell(&mut self, text: String) {
        if let Some(row) = self.rows.last_mut() {
            row.push(text);
        }
    }

    pub(crate) fn layout(&self) -> String {
        layout(&self.rows, &self.alignments)
    }
}

/// Lines of text, without a line feed at the end. The first row is the heading.
fn layout(rows: &[Vec<String>], alignments: &[Alignment]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width().min(WIDEST))
                .max()
        })
        .map(Option::unwrap_or_default)
        .collect();
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for (index, row) in rows.iter().enumerate() {
        lines.push(line(row, &widths, alignments));
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            lines.push(rules.join("-+-"));
        }
    }
    lines.join("\n")
}

fn line(row: &[String], widths: &[usize], alignments: &[Alignment]) -> String {
    let shown = row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    let mut line = String::new();
    for (column, cell) in row[..shown].iter().enumerate() {
        if column > 0 {
            line.push_str(" | ");
        }
        let room = widths[column].saturating_sub(cell.width());
        let before = match alignments.get(column) {
            Some(Alignment::Right) => room,
            Some(Alignment::Center) => room / 2,
            Some(Alignment::None | Alignment::Left) | None => 0,
        };
        let after = if column + 1 == shown { 0 } else { room - before };
        line.extend(std::iter::repeat_n(' ', before));
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', after));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect())
            .collect()
    }

    #[test]
    fn columns_stand_below_each_other_whatever_the_width_of_their_characters() {
        let rows = rows(&[&["Name", "Age", "City"], &["Anna", "7", "東京"], &["日本語", "100", ""]]);
        let alignments = [Alignment::None, Alignment::Right, Alignment::Center];
        let expected = "Name   | Age | City\n-------+-----+-----\nAnna   |   7 | 東京\n日本語 | 100";
        assert_eq!(layout(&rows, &alignments), expected);
    }

    #[test]
    fn a_very_wide_cell_does_not_widen_the_other_rows() {
        let wide = "x".repeat(100);
        let rows = rows(&[&["a", "b"], &[&wide, "c"]]);
        let expected = format!("a{} | b\n{}-+--\n{wide} | c", " ".repeat(39), "-".repeat(40));
        assert_eq!(layout(&rows, &[]), expected);
    }
}
