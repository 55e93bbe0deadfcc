//! Times, numbers and amounts as people read them. Pure. The script tells them anew in the reader's own language and
//! zone.

use std::{fmt, ops::Deref};

use clifford_core::clock::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, Render, html};
use serde::{Deserialize, Deserializer, de::Error as _};

/// A moment of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At(pub(crate) Timestamp);

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text)
            .map(Self)
            .ok_or_else(|| D::Error::custom("no time"))
    }
}

/// How long ago, or in what time; the whole moment stands in the title.
pub(crate) fn when(at: At, now: Timestamp) -> Markup {
    let exact = exact(at);
    let relative = relative(at.0, now);
    let form = if relative.is_none() { "date" } else { "relative" };
    html! {
        time datetime=(machine(at)) title=(exact) data-form=(form) { (relative.unwrap_or_else(|| exact.clone())) }
    }
}

/// In what time, and the moment; once, where both are the same.
pub(crate) fn when_exactly(at: At, now: Timestamp) -> Markup {
    html! { (when(at, now)) @if relative(at.0, now).is_some() { ", " (date(at)) } }
}

/// The moment as a date and time.
pub(crate) fn date(at: At) -> Markup {
    html! { time datetime=(machine(at)) data-form="date" { (exact(at)) } }
}

fn machine(at: At) -> String {
    at.0.to_jiff().to_string()
}

fn exact(at: At) -> String {
    let zoned = at.0.to_jiff().to_zoned(TimeZone::UTC);
    zoned.strftime("%-d %b %Y, %H:%M UTC").to_string()
}

/// In words, within a week.
fn relative(at: Timestamp, now: Timestamp) -> Option<String> {
    let ahead = at > now;
    let seconds = if ahead { at.since(now) } else { now.since(at) }.as_secs();
    let (length, unit) = match seconds {
        0..10 => return Some(if ahead { "in a moment" } else { "just now" }.to_owned()),
        10..60 => (1, "s"),
        60..3600 => (60, "min"),
        3600..86_400 => (3600, "h"),
        86_400..604_800 => (86_400, "day"),
        _ => return None,
    };
    // A time nearly two hours ahead is in two; one nearly two hours past was one ago.
    let count = (seconds + if ahead { length / 2 } else { 0 }) / length;
    let unit = if unit == "day" && count > 1 { "days" } else { unit };
    Some(if ahead {
        format!("in {count} {unit}")
    } else {
        format!("{count} {unit} ago")
    })
}

/// A number as text. On a page it is marked, so that the script can write it as its reader does.
#[derive(Debug)]
pub(crate) struct Number(String);

impl Render for Number {
    fn render(&self) -> Markup {
        html! { data data-number { (self.0) } }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Deref for Number {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A count with its thousands set apart.
pub(crate) fn count(number: u64) -> Number {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    Number(out)
}

/// Money, in the providers' currency: as many digits as it takes to see it.
pub(crate) fn cost(amount: f64) -> Number {
    Number(match amount.abs() {
        0.0 => "0".to_owned(),
        ..0.0001 => "< 0.0001".to_owned(),
        ..1.0 => format!("{amount:.4}"),
        _ => format!("{amount:.2}"),
    })
}

/// The bot's share of a cost: all but the calls by people's own keys, as budgets count it.
pub(crate) fn of_bot(cost: f64, own_keys: f64) -> f64 {
    // Two sums of the same numbers may differ in their last digits.
    let rest = cost - own_keys;
    if rest > cost.abs() * 1e-9 { rest } else { 0.0 }
}

/// A time that something took.
pub(crate) fn duration(milliseconds: u64) -> Number {
    Number(match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1000),
        _ => format!(
            "{} h {} min",
            milliseconds / 3_600_000,
            milliseconds % 3_600_000 / 60_000
        ),
    })
}

/// A size in bytes.
pub(crate) fn size(bytes: u64) -> Number {
    Number(match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    })
}

/// A word of the API as one of a sentence: `follow_up` as `Follow up`.
pub(crate) fn title(word: &str) -> String {
    sentence(&word.replace(['_', '-'], " "))
}

/// Fields of the API that pages call otherwise.
const CALLED: [(&str, &str); 6] = [
    ("at", "Time"),
    ("content", "Text"),
    ("fileIds", "Files"),
    ("user", "Person"),
    ("userId", "Person"),
    ("value", "Text"),
];

/// The name of a field of the API as people read it: `promptVersion` and `places[0]` as `Prompt version` and `Places`.
pub(crate) fn field_name(field: &str) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    let name = last.split('[').next().unwrap_or(last);
    if let Some((_, called)) = CALLED.iter().find(|(known, _)| *known == name) {
        return (*called).to_owned();
    }
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(letter.to_ascii_lowercase());
    }
    title(&spaced)
}

/// A text that begins as a sentence does.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bot_pays_what_people_do_not() {
        for (cost, own_keys, expected) in [
            (5.0, 0.0, 5.0),
            (5.0, 5.0, 0.0),
            (5.0, 3.0, 2.0),
            (0.0, 0.0, 0.0),
            (0.1 + 0.2, 0.3, 0.0),
        ] {
            let paid = of_bot(cost, own_keys);
            assert!((paid - expected).abs() < f64::EPSILON, "{cost} - {own_keys} = {paid}");
        }
    }

    #[test]
    fn a_field_is_named_in_words() {
        for (field, expected) in [
            ("name", "Name"),
            ("promptVersion", "Prompt version"),
            ("places[0]", "Places"),
            ("settings.max_results", "Max results"),
        ] {
            assert_eq!(field_name(field), expected);
        }
    }

    #[test]
    fn times_are_told_as_people_tell_them() {
        let now = Timestamp(1_000_000_000);
        for (seconds, expected) in [
            (0, Some("just now")),
            (-3, Some("just now")),
            (3, Some("in a moment")),
            (-30, Some("30 s ago")),
            (-150, Some("2 min ago")),
            (7_200, Some("in 2 h")),
            (7_190, Some("in 2 h")),
            (-7_190, Some("1 h ago")),
            (5_000, Some("in 1 h")),
            (170_000, Some("in 2 days")),
            (-90_000, Some("1 day ago")),
            (-200_000, Some("2 days ago")),
            (-604_800, None),
        ] {
            let at = Timestamp(now.0 + seconds * 1000);
            assert_eq!(relative(at, now).as_deref(), expected, "{seconds}");
        }
        let shown = date(At(Timestamp(0))).into_string();
        assert_eq!(
            shown,
            "<time datetime=\"1970-01-01T00:00:00Z\" data-form=\"date\">1 Jan 1970, 00:00 UTC</time>"
        );
    }

    #[test]
    fn numbers_are_readable() {
        let counts = [0, 999, 1000, 1_234_567].map(|number| count(number).to_string());
        assert_eq!(counts, ["0", "999", "1,000", "1,234,567"]);
        let costs = [0.0, 0.000_01, 0.0123, 3.456].map(|amount| cost(amount).to_string());
        assert_eq!(costs, ["0", "< 0.0001", "0.0123", "3.46"]);
        let times = [0, 999, 1500, 61_000, 3_660_000].map(|time| duration(time).to_string());
        assert_eq!(times, ["0 ms", "999 ms", "1.5 s", "1 min 1 s", "1 h 1 min"]);
        assert_eq!(
            [12, 1500, 2_345_678].map(|bytes| size(bytes).to_string()),
            ["12 B", "1.5 kB", "2.3 MB"]
        );
        assert_eq!(
            html! { (cost(0.000_01)) }.into_string(),
            "<data data-number>&lt; 0.0001</data>"
        );
        assert_eq!(title("follow_up"), "Follow up");
        assert_eq!(sentence("tools by Open-Meteo"), "Tools by Open-Meteo");
    }
}
