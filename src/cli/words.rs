//! Words for people: what they typed wrong, and what libraries and the system say of an error.

use std::str::FromStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clifford_core::unread;
use clifford_store::{DAMAGED, SEE};
use serde::de::DeserializeOwned;

use super::setup::Globals;
use crate::app::known;

/// A fault of the command line without a hint at an option that is hardly alike: `--config` for `--count`.
pub(super) fn without_wrong_hint(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.trim_start_matches('-').to_owned(),
        _ => String::new(),
    };
    let (written, meant) = (text(ContextKind::InvalidArg), text(ContextKind::SuggestedArg));
    let alike = written.chars().zip(meant.chars()).take_while(|(a, b)| a == b).count();
    if error.kind() == ErrorKind::UnknownArgument && alike < ALIKE {
        error.remove(ContextKind::SuggestedArg);
    }
    error
}

/// A whole number from 1 to `MOST`, as an argument.
pub(super) fn up_to<const MOST: u32>(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("write a whole number from 1 to {MOST}"))
}

/// A level of memory, as an argument.
pub(super) fn level(text: &str) -> Result<i64, String> {
    let number = text.parse().ok().filter(|number| (0..=5).contains(number));
    number.ok_or_else(|| "write a level from 0 (durable) to 5 (detailed and recent)".to_owned())
}

/// A whole number, as an argument.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "write a whole number".to_owned())
}

/// A word as JSON and the configuration write it, as an argument.
pub(super) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| {
        let error = error.to_string();
        match error.split_once("expected ") {
            Some((_, known)) => format!("write {}", known.replace('`', "")),
            None => error,
        }
    })
}

/// How many letters an option that is hinted at has in common with the beginning of what was written.
const ALIKE: usize = 3;

/// The words of a database's driver before those of an error: of no use to people.
const DRIVERS: [&str; 2] = ["error returned from database: ", "error communicating with database: "];

/// An error without the words that only programs need.
pub(super) fn plain(error: &str) -> String {
    let mut text = error.to_owned();
    for driver in DRIVERS {
        text = text.replace(driver, "");
    }
    for (before, after) in [(" (os error ", ")"), ("(code: ", ") ")] {
        text = stripped(&text, before, after);
    }
    readers(&text.replace("stream did not contain valid UTF-8", "it is not text (UTF-8)"))
}

/// An error without the words of the libraries that read JSON, TOML and texts.
fn readers(text: &str) -> String {
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A line, whose end may be a reader's: behind a colon, where that is not its own.
fn line(text: &str) -> String {
    if let Some(words) = unread::in_words(text) {
        return words;
    }
    for (at, between) in text.match_indices(": ") {
        let (before, fault) = (&text[..at], &text[at + between.len()..]);
        if fault.starts_with("invalid utf-8 sequence of ") || fault.starts_with("incomplete utf-8 byte sequence ") {
            return before.to_owned();
        }
        if fault == "entity not found" {
            return format!("{before}: there is nothing of that name");
        }
        if let Some(words) = unread::in_words(fault) {
            return format!("{before}: {words}");
        }
    }
    text.to_owned()
}

/// A text without the numbers that stand between two marks.
fn stripped(text: &str, before: &str, after: &str) -> String {
    let mut pieces = text.split(before);
    let mut left = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(after) {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => left.push_str(rest),
            _ => {
                left.push_str(before);
                left.push_str(piece);
            }
        }
    }
    left
}

/// An error, with what to do about it in place of where that is told, if it is that the database is damaged.
pub(super) fn with_rescue(globals: &Globals, error: anyhow::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    if !text.contains(DAMAGED) {
        return error;
    }
    match globals.load() {
        Ok(loaded) => anyhow::anyhow!("{}\n{}", text.replace(SEE, ""), known::rescue(&loaded)),
        Err(_) => error,
    }
}

/// Why a server did not answer a request.
pub(super) fn unanswered(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "did not answer in time"
    } else if error.is_connect() {
        "cannot be reached; is this machine online?"
    } else {
        "broke off"
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::policy::Action;

    use super::*;

    #[test]
    fn an_argument_is_answered_by_what_is_to_be_written() {
        assert_eq!(up_to::<200>("20"), Ok(20));
        for text in ["0", "201", "x", "-1", "99999999999999999999"] {
            assert_eq!(up_to::<200>(text), Err("write a whole number from 1 to 200".to_owned()));
        }
        assert_eq!(level("5"), Ok(5));
        assert!(level("6").is_err());
        assert_eq!(whole::<usize>("x"), Err("write a whole number".to_owned()));
        assert_eq!(word::<Action>("deny"), Ok(Action::Deny));
        assert_eq!(
            word::<Action>("forbid"),
            Err("write one of allow, allow_tainted, confirm, deny, limit".to_owned())
        );
    }

    #[test]
    fn an_error_has_no_words_for_programs() {
        for (error, expected) in [
            (
                "x cannot be read: No such file or directory (os error 2)",
                "x cannot be read: No such file or directory",
            ),
            (
                "it cannot be used: error returned from database: (code: 14) unable to open database file; check it",
                "it cannot be used: unable to open database file; check it",
            ),
            (
                "a (os error) and (os error x) stay",
                "a (os error) and (os error x) stay",
            ),
            ("x: stream did not contain valid UTF-8", "x: it is not text (UTF-8)"),
            (
                "t.jsonl: line 1: missing field `expect`",
                "t.jsonl: line 1: `expect` is missing",
            ),
            (
                "standard input is not text (UTF-8): invalid utf-8 sequence of 1 bytes from index 1",
                "standard input is not text (UTF-8)",
            ),
            (
                "line 2: unknown field `answer`, expected one of `calls`, `afterwards`\nb",
                "line 2: there is no `answer` here; there are calls, afterwards\nb",
            ),
            (
                "a: unknown variant `x`, expected `y` or `z`",
                "a: `x` is none of y or z",
            ),
            (
                "a.json: EOF while parsing an object at line 1 column 2",
                "a.json: it ends too early",
            ),
            (
                "line 1: invalid type: integer `1`, expected a string",
                "line 1: expected a text, but got integer `1`",
            ),
            (
                "what is missing: nothing, expected everything",
                "what is missing: nothing, expected everything",
            ),
        ] {
            assert_eq!(plain(error), expected);
        }
    }
}
