//! Reads when to remind, and of what.

use super::{
    super::{intent::Intent, phrases::TIME_WORDS},
    strip,
};

/// The longest reminder: about a year.
const LONGEST_WAIT: u64 = 366 * 86_400;

/// Finds when, in front or at the end: "in 10 minutes", "every weekday at 8"; the rest is what to remind of.
pub(super) fn remind(text: &str) -> Intent {
    let text = text.trim().trim_end_matches(['.', '!', '?']);
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = in_a_while(&words)
        .or_else(|| in_front(&words))
        .or_else(|| at_the_end(&words));
    let Some((when, what)) = found else {
        return Intent::RemindWhen;
    };
    let what = ABOUT
        .into_iter()
        .find_map(|word| strip(&what, &format!("{word} ")))
        .unwrap_or(&what);
    Intent::Remind {
        when,
        what: if what.is_empty() {
            "it is time".to_owned()
        } else {
            what.to_owned()
        },
    }
}

/// "wait 10 minutes": how many seconds.
pub(super) fn wait(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.trim_end_matches(['.', '!', '?']).split_whitespace().collect();
    let (seconds, length) = duration(&words)?;
    (length == words.len()).then_some(seconds)
}

/// The words before the thing to be reminded of.
const ABOUT: [&str; 8] = ["to", "that", "about", "of", "daran,", "daran", "an", "dass"];

/// "in 10 minutes", wherever it stands.
fn in_a_while(words: &[&str]) -> Option<(String, String)> {
    (0..words.len())
        .rev()
        .filter(|at| words[*at].eq_ignore_ascii_case("in"))
        .find_map(|at| {
            let (_, length) = duration(&words[at + 1..])?;
            let end = at + 1 + length;
            let when = words[at..end].join(" ");
            let when = when.trim_end_matches([',', ':']).to_owned();
            Some((when, [&words[..at], &words[end..]].concat().join(" ")))
        })
}

/// "every weekday at 8 to stretch".
fn in_front(words: &[&str]) -> Option<(String, String)> {
    let end = words
        .iter()
        .position(|word| ABOUT.contains(&word.to_lowercase().as_str()) && *word != "an")?;
    let when = &words[..end];
    (end > 0 && when.iter().all(|word| tells_time(word))).then(|| (when.join(" "), words[end..].join(" ")))
}

/// "to stretch every weekday at 8".
fn at_the_end(words: &[&str]) -> Option<(String, String)> {
    let at = (1..words.len()).find(|at| words[*at..].iter().all(|word| tells_time(word)))?;
    // "in zwei Minuten": what stands before the unit is a number that is not known.
    let is_told = !UNITS.contains(&words[at].to_lowercase().as_str()) && !words[at - 1].eq_ignore_ascii_case("in");
    is_told.then(|| (words[at..].join(" "), words[..at].join(" ")))
}

/// Units by themselves tell no time.
const UNITS: [&str; 14] = [
    "minute", "minutes", "hour", "hours", "day", "days", "week", "month", "minuten", "stunde", "stunden", "tag",
    "tagen", "wochen",
];

/// Whether a word is one of those in which times are said; the tool reads them.
fn tells_time(word: &str) -> bool {
    let word = word.to_lowercase();
    let word = word.trim_end_matches([',', ':']);
    word.starts_with(|c: char| c.is_ascii_digit()) || TIME_WORDS.contains(&word)
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
