//! The output of commands: standard output that may be closed early, tables, JSON, colours on terminals only.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
    sync::LazyLock,
};

use anyhow::Context;
use clifford_core::clock::Timestamp;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};
use serde::Serialize;

/// The reader of the output has stopped (`| head -1`). That is no error.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads the output any more")]
pub(super) struct Closed;

/// `--json`, for every command that prints data.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Format {
    /// Print JSON, for programs.
    #[arg(long)]
    pub json: bool,
}

/// Prints lines to standard output. Words of people and models may stand in them: only text, and the colours of
/// [`paint`], reach the terminal.
///
/// # Errors
/// [`Closed`], or the output cannot be written to.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    write_line(&coloured(&clifford_markup::for_terminal(text)))
}

fn write_line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Closed.into()),
        written => written.context("standard output cannot be written to; is the disk full?"),
    }
}

/// Prints one JSON document, over several lines.
///
/// # Errors
/// As [`print`].
pub(super) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    write_line(&clifford_markup::json_for_terminal(&serde_json::to_string_pretty(
        value,
    )?))
}

/// Prints one JSON document on a line of its own.
///
/// # Errors
/// As [`print`].
pub(super) fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    write_line(&clifford_markup::json_for_terminal(&serde_json::to_string(value)?))
}

/// Prints a table, as wide as the terminal; `none` is said if it has no rows. Ids stay whole, whatever the width: the
/// other columns are wrapped.
///
/// # Errors
/// As [`print`].
pub(super) fn table<const N: usize>(head: [&str; N], rows: Vec<[String; N]>, none: &str) -> anyhow::Result<()> {
    if rows.is_empty() {
        return print(none);
    }
    write_line(&rendered(head, &rows, None))
}

/// The lines of a table; `width` is the terminal's, if it is not to be asked for.
fn rendered<const N: usize>(head: [&str; N], rows: &[[String; N]], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width {
        table.set_width(width);
    }
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(head)
        .add_rows(rows.iter().map(|row| row.iter().map(|text| table_cell(text))));
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        let is_whole = |row: &[String; N]| row.get(place).is_some_and(|text| is_id(text));
        if rows.iter().any(is_whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Whether a text is an id, which people copy.
fn is_id(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// A cell: text only, in the colour that it was painted in.
fn table_cell(text: &str) -> Cell {
    let mut pieces = text.split(&**MARK);
    let (before, painted) = (pieces.next().unwrap_or_default(), pieces.next());
    let plain = |text: &str| cell(&clifford_markup::for_terminal(text));
    let Some(painted) = painted else {
        return Cell::new(plain(before));
    };
    let mut rest = painted.chars();
    let sign = rest.next();
    // After the end of the colour stands its sign, `.`.
    let after: String = pieces.map(|piece| piece.get(1..).unwrap_or_default()).collect();
    let whole = Cell::new(plain(&format!("{before}{}{after}", rest.as_str())));
    match sign {
        Some('g') => whole.fg(Color::Green),
        Some('y') => whole.fg(Color::Yellow),
        Some('r') => whole.fg(Color::Red),
        Some('b') => whole.add_attribute(Attribute::Bold),
        Some('d') => whole.add_attribute(Attribute::Dim),
        _ => whole,
    }
}

/// Prints lines that tell of one thing, a field each: no value begins a line of its own.
///
/// # Errors
/// As [`print`].
pub(super) fn fields(lines: &[String]) -> anyhow::Result<()> {
    let lines: Vec<_> = lines.iter().map(|line| cell(line)).collect();
    print(&lines.join("\n"))
}

/// A text on one line: no name of somebody looks like a row of its own.
pub(super) fn cell(text: &str) -> String {
    text.replace(
        |c: char| {
            matches!(
                c,
                '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
            )
        },
        " ",
    )
}

/// How a word is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Good.
    Green,
    /// To be looked at.
    Yellow,
    /// Bad.
    Red,
    /// A heading.
    Bold,
    /// Less important.
    Dim,
}

/// A word in colour, if standard output is a terminal that wants colours.
pub(super) fn paint(paint: Paint, text: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if plain || !io::stdout().is_terminal() {
        return text.to_owned();
    }
    let sign = match paint {
        Paint::Green => 'g',
        Paint::Yellow => 'y',
        Paint::Red => 'r',
        Paint::Bold => 'b',
        Paint::Dim => 'd',
    };
    format!("{0}{sign}{text}{0}.", *MARK)
}

/// Stands where a colour begins or ends until the text is printed. Drawn for this process: no text from elsewhere holds
/// it.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let drawn = std::iter::repeat_with(|| rand::random_range('\u{fdd0}'..='\u{fdef}'));
    drawn.take(12).collect()
});

/// A text with its colours as a terminal knows them.
fn coloured(text: &str) -> Cow<'_, str> {
    if !text.contains(&**MARK) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split(&**MARK);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = match piece.chars().next() {
            Some('g') => 32,
            Some('y') => 33,
            Some('r') => 31,
            Some('b') => 1,
            Some('d') => 2,
            _ => 0,
        };
        whole.push_str(&format!("\u{1b}[{code}m"));
        whole.push_str(piece.get(1..).unwrap_or_default());
    }
    Cow::Owned(whole)
}

/// The head of a text, on one line.
pub(super) fn head(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let head: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// A moment to the second, as people read it.
pub(super) fn when(at: Timestamp) -> String {
    at.to_jiff().strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// A moment as seen from now, for tables: `2 min ago`. What is longer ago than a month is a date.
pub(super) fn ago(at: Timestamp) -> String {
    relative(at, super::setup::now())
}

fn relative(at: Timestamp, now: Timestamp) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let seconds = (now.0 - at.0) / 1000;
    let (unit, word) = match seconds.abs() {
        ..10 => return "now".to_owned(),
        10..MINUTE => (1, "s"),
        MINUTE..HOUR => (MINUTE, "min"),
        HOUR..DAY => (HOUR, "h"),
        DAY..2_592_000 => (DAY, "d"),
        _ => return at.to_jiff().strftime("%Y-%m-%d").to_string(),
    };
    let count = seconds.abs() / unit;
    if seconds < 0 {
        format!("in {count} {word}")
    } else {
        format!("{count} {word} ago")
    }
}

/// Where something stands, in the colour of its word.
pub(super) fn state(word: &str) -> String {
    let colour = match word {
        "completed" | "delivered" | "done" | "in use" | "ok" | "on" | "open" => Paint::Green,
        "pending" | "running" | "sending" | "waiting" => Paint::Yellow,
        "cancelled" | "failed" | "left" | "off" => Paint::Red,
        "closed" => Paint::Dim,
        _ => return word.to_owned(),
    };
    paint(colour, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_one_line_and_no_longer_than_asked() {
        assert_eq!(head("one\n  two", 10), "one two");
        assert_eq!(head("one two three", 8), "one two…");
        assert_eq!(head("ééééé", 5), "ééééé");
    }

    #[test]
    fn a_cell_is_one_line() {
        assert_eq!(cell("Ada\n0190  completed\r\tx"), "Ada 0190  completed  x");
    }

    #[test]
    fn a_terminal_gets_no_colours_but_those_that_are_painted() {
        let painted = format!("{0}rFAIL{0}. {1}", *MARK, "\u{1b}[32mok\u{9b}0m");
        assert_eq!(
            coloured(&clifford_markup::for_terminal(&painted)),
            "\u{1b}[31mFAIL\u{1b}[0m [32mok0m"
        );
    }

    #[test]
    fn a_table_fits_its_terminal_and_keeps_ids_whole() {
        let id = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
        let text = "a question that is longer than what is left of the line";
        let rows = vec![[id.to_owned(), "failed".to_owned(), text.to_owned()]];
        let shown = rendered(["RUN", "STATUS", "INPUT"], &rows, Some(70));
        assert!(shown.contains(id), "{shown}");
        assert!(shown.lines().count() > 2, "{shown}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 70, "{shown}");
        }
    }

    #[test]
    fn a_painted_cell_is_as_wide_as_its_word() {
        let painted = format!("{0}rfailed{0}.", *MARK);
        let shown = rendered(["STATUS", "X"], &[[painted, "y".to_owned()]], Some(70));
        assert_eq!(shown.lines().nth(1).map(str::trim_end), Some("failed  y"));
    }

    #[test]
    fn a_moment_is_told_from_now_and_an_old_one_by_its_date() {
        let now = Timestamp(1_750_000_000_000);
        for (seconds, expected) in [
            (0, "now"),
            (-5, "now"),
            (30, "30 s ago"),
            (119, "1 min ago"),
            (7_300, "2 h ago"),
            (200_000, "2 d ago"),
            (-7_300, "in 2 h"),
            (40_000_000, "2024-03-09"),
        ] {
            assert_eq!(relative(Timestamp(now.0 - seconds * 1000), now), expected);
        }
    }

    #[test]
    fn moments_are_shown_to_the_second() {
        assert_eq!(when(Timestamp(1_750_000_000_999)), "2025-06-15 15:06:40Z");
    }
}
