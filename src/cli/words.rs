//! Words for people: what they typed wrong, and what libraries and the system say of an error.

use std::str::FromStr;

use serde::de::DeserializeOwned;

/// A whole number from 1 to `MOST`, as an argument.
pub(super) fn up_to<const MOST: u32>(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("write a whole number from 1 to {MOST}"))
}

/// So many things, as people say it.
pub(super) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
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

/// What stands before the words of an error that a database's driver tells, and is of no use to people.
const DRIVERS: [&str; 2] = ["error returned from database: ", "error communicating with database: "];

/// An error without the words that only programs need.
pub(super) fn plain(error: &str) -> String {
    let mut text = error.to_owned();
    for driver in DRIVERS {
        text = text.replace(driver, "");
    }
    for (before, after) in [(" (os error ", ")"), ("(code: ", ") ")] {
        text = without(&text, before, after);
    }
    text.replace("stream did not contain valid UTF-8", "it is not text (UTF-8)")
}

/// A text without the numbers that stand between two marks.
fn without(text: &str, before: &str, after: &str) -> String {
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
        ] {
            assert_eq!(plain(error), expected);
        }
    }
}
