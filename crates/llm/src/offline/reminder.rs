//! Reads when to remind, and of what.

use super::intent::{Intent, strip};

/// The longest reminder: about a year.
const LONGEST_WAIT: u64 = 366 * 86_400;

/// Finds "in 10 minutes" in front or at the end; the rest is what to remind of.
pub(super) fn remind(text: &str) -> Intent {
    let text = text.trim().trim_end_matches(['.', '!', '?']);
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = (0..words.len())
        .rev()
        .filter(|at| words[*at].eq_ignore_ascii_case("in"))
        .find_map(|at| {
            let (seconds, length) = duration(&words[at + 1..])?;
            Some((seconds, [&words[..at], &words[at + 1 + length..]].concat().join(" ")))
        });
    let Some((seconds, what)) = found else {
        return Intent::RemindWhen;
    };
    let what = ["to ", "that ", "about ", "of ", "daran, ", "daran ", "an "]
        .into_iter()
        .find_map(|word| strip(&what, word))
        .unwrap_or(&what);
    Intent::Remind {
        seconds,
        what: if what.is_empty() {
            "it is time".to_owned()
        } else {
            what.to_owned()
        },
    }
}

/// A number and a unit at the front: its seconds, and how many words it took.
fn duration(words: &[&str]) -> Option<(u64, usize)> {
    const NUMBERS: [&str; 11] = [
        "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let first = words.first()?.to_lowercase();
    if first == "half" && words.len() >= 3 && words[2].eq_ignore_ascii_case("hour") {
        return Some((1800, 3));
    }
    let digits = first.find(|c: char| !c.is_ascii_digit()).unwrap_or(first.len());
    let (number, glued) = first.split_at(digits);
    let number = match number {
        "" if ["a", "an", "einer", "einem"].contains(&glued) => 1,
        "" => NUMBERS.iter().skip(1).position(|word| *word == glued)? as u64 + 1,
        digits => digits.parse().ok()?,
    };
    let (unit, length) = if digits > 0 && !glued.is_empty() {
        (glued.to_owned(), 1)
    } else {
        (words.get(1)?.to_lowercase(), 2)
    };
    let seconds = match unit.trim_end_matches([',', ':']) {
        "s" | "sec" | "secs" | "second" | "seconds" | "sekunde" | "sekunden" => 1,
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" => 60,
        "h" | "hour" | "hours" | "stunde" | "stunden" => 3_600,
        "d" | "day" | "days" | "tag" | "tagen" => 86_400,
        _ => return None,
    };
    let seconds = u64::checked_mul(number, seconds).filter(|seconds| *seconds <= LONGEST_WAIT)?;
    Some((seconds, length))
}
