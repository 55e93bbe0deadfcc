//! Tables, as wide as the terminal.
//!
//! Words and ids stay whole, so that they can be read and copied. Where the columns have no room next to each other,
//! the last one stands below the others; where that is not enough, each row is told field by field.

use unicode_width::UnicodeWidthStr;

use super::paint::{Paint, marked, parts};

/// Between two columns.
const GAP: usize = 2;
/// How much of a long text a line of its column takes at least, so that it can be read.
const READABLE: usize = 16;
/// How far the last column is indented below the others.
const BELOW: usize = 4;

/// A cell: text only, and its colour.
struct Cell {
    text: String,
    paint: Option<Paint>,
}

impl Cell {
    fn new(text: &str) -> Self {
        let (paint, text) = parts(text);
        let text = super::cell(&clifford_markup::for_terminal(&text));
        Self {
            text: text.trim_end().to_owned(),
            paint,
        }
    }

    fn width(&self) -> usize {
        display_width(&self.text)
    }

    /// The width of its longest word.
    fn least(&self) -> usize {
        self.text.split(' ').map(display_width).max().unwrap_or(0)
    }

    /// Its text in lines of a width, each in its colour and filled up.
    fn lines(&self, width: usize) -> Vec<String> {
        let fill = |line: &str| " ".repeat(width.saturating_sub(display_width(line)));
        wrapped(&self.text, width)
            .iter()
            .map(|line| match self.paint {
                Some(paint) => marked(paint, line) + &fill(line),
                None => format!("{line}{}", fill(line)),
            })
            .collect()
    }
}

/// How many columns of a terminal a text takes, its marks of colour aside.
pub(super) fn display_width(text: &str) -> usize {
    parts(text).1.width()
}

/// A text in lines of a width; a word that is wider stands on a line of its own.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut filled = None;
    for word in text.split(' ') {
        let wide = display_width(word);
        let (Some(line), before) = (lines.last_mut(), filled) else {
            break;
        };
        match before {
            Some(before) if before + 1 + wide <= width => {
                line.push(' ');
                line.push_str(word);
                filled = Some(before + 1 + wide);
            }
            Some(_) => {
                lines.push(word.to_owned());
                filled = Some(wide);
            }
            None => {
                line.push_str(word);
                filled = Some(wide);
            }
        }
    }
    lines
}

/// The lines of a table; without a width it is as wide as its cells.
pub(super) fn rendered<const N: usize>(head: [&str; N], rows: &[[String; N]], width: Option<usize>) -> String {
    let head = head.map(Cell::new);
    let rows: Vec<_> = rows
        .iter()
        .map(|row| row.each_ref().map(|text| Cell::new(text)))
        .collect();
    let width = width.unwrap_or(usize::MAX);
    let lines = if let Some(widths) = fitting(&columns(&head, &rows), width) {
        beside(&head, &rows, &widths)
    } else {
        let (above, _) = head.split_at(N.saturating_sub(1));
        let short: Vec<_> = rows.iter().map(|row| &row[..above.len()]).collect();
        match fitting(&columns(above, &short), width) {
            Some(widths) if !above.is_empty() => with_last_below(&head, &rows, &widths, width),
            _ => records(&head, &rows, width),
        }
    };
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// The least and the whole width of a column.
#[derive(Clone, Copy)]
struct Column {
    least: usize,
    whole: usize,
}

fn columns<R: AsRef<[Cell]>>(head: &[Cell], rows: &[R]) -> Vec<Column> {
    let column = |(place, head): (usize, &Cell)| {
        let cells = || rows.iter().filter_map(move |row| row.as_ref().get(place)).chain([head]);
        let whole = cells().map(Cell::width).max().unwrap_or(0);
        let word = cells().map(Cell::least).max().unwrap_or(0);
        Column {
            least: word.max(whole.min(READABLE)),
            whole,
        }
    };
    head.iter().enumerate().map(column).collect()
}

/// How wide each column is, if all of them have room: what is left goes to all alike, as far as they need it.
fn fitting(columns: &[Column], width: usize) -> Option<Vec<usize>> {
    let gaps = GAP * columns.len().saturating_sub(1);
    let least: usize = columns.iter().map(|column| column.least).sum();
    let mut left = width.checked_sub(least + gaps)?;
    let mut widths: Vec<_> = columns.iter().map(|column| column.least).collect();
    let mut order: Vec<_> = columns.iter().zip(&mut widths).collect();
    order.sort_by_key(|(column, _)| column.whole - column.least);
    let count = order.len();
    for (place, (column, width)) in order.into_iter().enumerate() {
        let given = (column.whole - column.least).min(left / (count - place));
        *width += given;
        left -= given;
    }
    Some(widths)
}

/// The lines of one row of cells.
fn row_lines(cells: &[Cell], widths: &[usize]) -> Vec<String> {
    let cells: Vec<_> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| cell.lines(*width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let pieces = cells.iter().zip(widths).map(|(lines, width)| {
            let piece = lines.get(number).cloned();
            piece.unwrap_or_else(|| " ".repeat(*width))
        });
        pieces.collect::<Vec<_>>().join(&" ".repeat(GAP))
    };
    (0..height).map(line).collect()
}

fn beside<const N: usize>(head: &[Cell; N], rows: &[[Cell; N]], widths: &[usize]) -> Vec<String> {
    let all = std::iter::once(head).chain(rows);
    all.flat_map(|row| row_lines(row, widths)).collect()
}

fn with_last_below<const N: usize>(
    head: &[Cell; N],
    rows: &[[Cell; N]],
    widths: &[usize],
    width: usize,
) -> Vec<String> {
    let all = std::iter::once(head).chain(rows);
    let lines = all.flat_map(|row| {
        let mut lines = row_lines(&row[..widths.len()], widths);
        if let Some(last) = row.last().filter(|last| !last.text.is_empty()) {
            let below = last.lines(width.saturating_sub(BELOW));
            lines.extend(below.iter().map(|line| format!("{}{line}", " ".repeat(BELOW))));
        }
        lines
    });
    lines.collect()
}

/// Each row as a paragraph: its first cell, and below it the name and text of each other one that has any.
fn records<const N: usize>(head: &[Cell; N], rows: &[[Cell; N]], width: usize) -> Vec<String> {
    let names = head.iter().skip(1).map(Cell::width).max().unwrap_or(0);
    let before = GAP + names + GAP;
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(row.first().map(|first| first.lines(width)).unwrap_or_default());
        for (name, cell) in head.iter().zip(row).skip(1) {
            if cell.text.is_empty() {
                continue;
            }
            let named = format!("{}{}", " ".repeat(GAP), name.lines(names).concat());
            // A word that has no room next to its name stands below it.
            let (room, indent) = if cell.least() + before <= width {
                (width - before, before)
            } else {
                lines.push(named.clone());
                (width.saturating_sub(GAP), GAP)
            };
            for (number, line) in cell.lines(room).iter().enumerate() {
                if number == 0 && indent == before {
                    lines.push(format!("{named}{}{line}", " ".repeat(GAP)));
                } else {
                    lines.push(format!("{}{line}", " ".repeat(indent)));
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{super::paint::coloured, *};

    const ID: &str = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";

    fn runs(width: usize) -> String {
        let row = |text: &str| [ID, "completed", "24 s ago", text].map(str::to_owned);
        let rows = [
            row("remind me tomorrow at 8 to call mom, and to buy milk on the way"),
            row(""),
        ];
        rendered(["RUN", "STATUS", "BEGAN", "INPUT"], &rows, Some(width))
    }

    #[test]
    fn a_table_fits_any_terminal_and_keeps_ids_and_words_whole() {
        for width in 38..200 {
            let shown = runs(width);
            assert!(shown.contains(ID), "{shown}");
            for word in ["completed", "remind", "tomorrow"] {
                assert!(shown.contains(word), "{width}: {word} in\n{shown}");
            }
            for line in shown.lines() {
                assert!(display_width(line) <= width, "{width}:\n{shown}");
            }
        }
    }

    #[test]
    fn the_columns_stand_beside_each_other_where_they_have_room() {
        assert_eq!(
            runs(100),
            format!(
                "RUN                                   STATUS     BEGAN     INPUT\n\
                 {ID}  completed  24 s ago  remind me tomorrow at 8 to call mom, and\n{:59}to buy milk on the way\n\
                 {ID}  completed  24 s ago",
                ""
            )
        );
    }

    #[test]
    fn the_last_column_stands_below_where_it_has_none() {
        assert_eq!(
            runs(70),
            format!(
                "RUN                                   STATUS     BEGAN\n    INPUT\n\
                 {ID}  completed  24 s ago\n    remind me tomorrow at 8 to call mom, and to buy milk on the way\n\
                 {ID}  completed  24 s ago"
            )
        );
    }

    #[test]
    fn a_narrow_terminal_gets_field_by_field() {
        assert_eq!(
            runs(40),
            format!(
                "{ID}\n  STATUS  completed\n  BEGAN   24 s ago\n  INPUT   remind me tomorrow at 8 to\n          \
                 call mom, and to buy milk on\n          the way\n\n{ID}\n  STATUS  completed\n  BEGAN   24 s ago"
            )
        );
    }

    #[test]
    fn an_id_that_has_no_room_beside_its_name_stands_below_it() {
        let rows = [["a", ID, "x"].map(str::to_owned)];
        assert_eq!(
            rendered(["NAME", "CHANNEL", "STATE"], &rows, Some(40)),
            format!("a\n  CHANNEL\n  {ID}\n  STATE    x")
        );
    }

    #[test]
    fn a_pipe_gets_a_line_a_row() {
        let rows = [["a", &"word ".repeat(100)].map(str::to_owned)];
        assert_eq!(rendered(["A", "B"], &rows, None).lines().count(), 2);
    }

    #[test]
    fn a_painted_cell_is_as_wide_as_its_words_and_each_line_has_its_colour() {
        let painted = marked(Paint::Red, "failed");
        let shown = rendered(["STATUS", "X"], &[[painted, "y".to_owned()]], Some(70));
        assert_eq!(coloured(&shown).lines().nth(1), Some("\u{1b}[31mfailed\u{1b}[0m  y"));
        let long = marked(Paint::Dim, "one two three four five six");
        let shown = rendered(["A"], &[[long]], Some(18));
        let expected = [
            "A",
            "\u{1b}[2mone two three four\u{1b}[0m",
            "\u{1b}[2mfive six\u{1b}[0m",
        ];
        assert_eq!(
            coloured(&shown).lines().map(str::trim_end).collect::<Vec<_>>(),
            expected
        );
    }
}
