//! The output of commands: standard output that may be closed early, tables, JSON, colours on terminals only.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
    sync::LazyLock,
};

use anyhow::Context;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

/// The reader of the output has stopped (`| head -1`). That is no error.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads the output any more")]
pub(super) struct Closed;

/// `--json`, for every command that prints data.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Format {
    /// Prints JSON, for programs.
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

/// Prints a table, as wide as the terminal; `none` is said if it has no rows.
///
/// # Errors
/// As [`print`].
pub(super) fn table<const N: usize>(head: [&str; N], rows: Vec<[String; N]>, none: &str) -> anyhow::Result<()> {
    if rows.is_empty() {
        return print(none);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(head)
        .add_rows(rows.into_iter().map(|row| row.map(|text| cell(&text))));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    print(&lines.join("\n"))
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
pub(super) fn when(at: clifford_core::clock::Timestamp) -> String {
    at.to_jiff().strftime("%Y-%m-%d %H:%M:%SZ").to_string()
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
    fn moments_are_shown_to_the_second() {
        assert_eq!(
            when(clifford_core::clock::Timestamp(1_750_000_000_999)),
            "2025-06-15 15:06:40Z"
        );
    }
}
