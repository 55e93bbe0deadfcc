//! The output of commands: standard output that may be closed early, tables, JSON, colours on terminals only.

mod page;
mod paint;
mod table;

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use clifford_core::clock::Timestamp;
use serde::Serialize;

use self::paint::coloured;
pub(super) use self::{
    page::{Way, one_more, page},
    paint::{Paint, paint},
};

/// The narrowest terminal that output is made for.
const NARROWEST: usize = 20;

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

/// Tells something on standard error, besides what is printed for people or programs.
pub(super) fn warn(text: &str) {
    // Nobody is left to be told that this failed.
    let _ = writeln!(io::stderr().lock(), "warning: {}", clifford_markup::for_terminal(text));
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
    write_line(&coloured(&table::rendered(head, &rows, width())))
}

/// Prints something with what stands before it: the lines behind the first begin below it.
///
/// # Errors
/// As [`print`].
pub(super) fn item(before: &str, text: &str) -> anyhow::Result<()> {
    let below = " ".repeat(table::display_width(before));
    let lines = text.split('\n').enumerate().flat_map(|(number, line)| {
        let before = if number == 0 { before } else { &below };
        hung(before, &cell(line), width().unwrap_or(usize::MAX))
    });
    print(&lines.collect::<Vec<_>>().join("\n"))
}

/// The width that output is to have: that of the terminal, or `COLUMNS`. A pipe has none.
fn width() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    asked.filter(|columns| *columns >= NARROWEST).or_else(|| {
        let out = io::stdout();
        let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(out).ok());
        size.flatten()
            .map(|size| usize::from(size.ws_col))
            .filter(|columns| *columns >= NARROWEST)
    })
}

/// Prints lines that tell of one thing, a field each: no value begins a line of its own. A value that is longer than
/// the terminal is wide goes on below its value.
///
/// # Errors
/// As [`print`].
pub(super) fn fields(lines: &[String]) -> anyhow::Result<()> {
    let lines = lines.iter().map(|line| cell(line));
    let lines: Vec<_> = match width() {
        Some(width) => lines.flat_map(|line| hanging(&line, width)).collect(),
        None => lines.collect(),
    };
    print(&lines.join("\n"))
}

/// Prints a text, with its lines as long as the terminal is wide.
pub(super) fn text(text: &str) -> anyhow::Result<()> {
    let lines = text.split('\n');
    let lines: Vec<_> = match width() {
        Some(width) => lines.flat_map(|line| hanging(line, width)).collect(),
        None => lines.map(str::to_owned).collect(),
    };
    print(&lines.join("\n"))
}

/// A line in as many as a width needs: those behind the first begin below its value, which stands behind two spaces.
fn hanging(line: &str, width: usize) -> Vec<String> {
    let name = line.len() - line.trim_start().len();
    let value = line[name..].find("  ").map(|place| {
        let rest = &line[name + place..];
        name + place + (rest.len() - rest.trim_start().len())
    });
    let (before, value) = line.split_at(value.unwrap_or(name));
    hung(before, value, width)
}

/// A value in as many lines as a width needs, all of them behind what stands before the first one.
fn hung(before: &str, value: &str, width: usize) -> Vec<String> {
    let indent = table::display_width(before);
    if indent + table::display_width(value) <= width {
        return vec![format!("{before}{value}")];
    }
    // A value needs more of a line than its name, and room for each of its words.
    let widest = value.split(' ').map(table::display_width).max().unwrap_or(0);
    if indent > 2 && (indent * 2 > width || indent + widest > width) {
        let whole = format!("{}{value}", before.trim_start());
        return hung("  ", &whole, width);
    }
    let lines = table::wrapped(value, width - indent).into_iter().enumerate();
    lines
        .map(|(number, line)| match number {
            0 => format!("{before}{line}"),
            _ => format!("{}{line}", " ".repeat(indent)),
        })
        .collect()
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

/// The head of a text, on one line.
pub(super) fn head(text: &str, most: usize) -> String {
    clifford_markup::shortened(text, most)
}

/// A count in groups of three digits: `46,253`.
pub(super) fn grouped(count: impl Into<i128>) -> String {
    let count = count.into();
    let digits = count.unsigned_abs().to_string();
    let mut text = if count < 0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A moment to the second, as people read it.
pub(super) fn when(at: Timestamp) -> String {
    at.to_jiff().strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// A moment as seen from now, for tables: `2 min ago`. A moment more than a month ago is a date.
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

/// A number of things: `1 file`, `1,200 files`. The plural is the word with an `s`, unless it is given.
pub(super) fn count(number: impl TryInto<i128>, one: &str, many: Option<&str>) -> String {
    let number = number.try_into().unwrap_or(i128::MAX);
    match (number, many) {
        (1, _) => format!("1 {one}"),
        (_, Some(many)) => format!("{} {many}", grouped(number)),
        (_, None) => format!("{} {one}s", grouped(number)),
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
    fn one_thing_is_told_from_several() {
        let said = [0_u64, 1, 2, 1200].map(|number| count(number, "file", None));
        assert_eq!(said, ["0 files", "1 file", "2 files", "1,200 files"]);
        let said = [1_u64, 2].map(|number| count(number, "person", Some("people")));
        assert_eq!(said, ["1 person", "2 people"]);
    }

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
    fn a_long_field_goes_on_below_its_value() {
        assert_eq!(
            hanging("database  sqlite:/srv/bot/clifford.db, schema version 24", 44),
            ["database  sqlite:/srv/bot/clifford.db,", "          schema version 24"]
        );
        assert_eq!(hanging("a sentence of words", 12), ["a sentence", "of words"]);
        assert_eq!(hanging("name  Ada", 40), ["name  Ada"]);
        let wide = hanging("database  sqlite:/srv/bot/clifford.db", 32);
        let wide: Vec<_> = wide.iter().map(|line| line.trim_end()).collect();
        assert_eq!(wide, ["  database", "  sqlite:/srv/bot/clifford.db"]);
    }

    #[test]
    fn a_count_is_in_groups_of_three_digits() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_193_492, "1,193,492"),
            (-1_000, "-1,000"),
        ];
        assert_eq!(
            cases.map(|(count, _)| grouped(count)),
            cases.map(|(_, text)| text.to_owned())
        );
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
