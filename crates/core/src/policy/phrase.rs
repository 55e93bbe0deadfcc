//! Whether a text holds a value: as a phrase, a number, a date or an address, exactly as it would be called. Pure.

use std::collections::BTreeSet;

use jiff::civil;

use super::{addresses, texts, words::KnownWords};
use crate::clock::Timestamp;

/// Texts in which values are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Haystack {
    texts: Vec<Tokens>,
    /// The words and numbers of all texts.
    pieces: BTreeSet<String>,
    known: KnownWords,
}

/// A text in pieces.
#[derive(Clone, Debug)]
struct Tokens {
    /// The text, without what only deceives.
    exact: String,
    /// The same, lower case.
    plain: String,
    /// Its words and numbers, in order.
    pieces: Vec<String>,
}

/// The months, by their first three letters.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Beginnings of the days of the week, in two languages.
const DAYS: [&str; 13] = [
    "monday",
    "tuesday",
    "wednes",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
];
/// Other words for times, in two languages.
const TIMES: [&str; 37] = [
    "today",
    "tonight",
    "tomorrow",
    "day",
    "days",
    "week",
    "weeks",
    "weekend",
    "month",
    "months",
    "year",
    "years",
    "hour",
    "hours",
    "minute",
    "minutes",
    "noon",
    "midnight",
    "morning",
    "afternoon",
    "evening",
    "now",
    "heute",
    "morgen",
    "abend",
    "mittag",
    "tag",
    "tage",
    "tagen",
    "woche",
    "wochen",
    "monat",
    "jahr",
    "stunde",
    "stunden",
    "uhr",
    "sonntag",
];

impl Haystack {
    /// Texts of somebody.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut said = Self::default();
        texts.into_iter().for_each(|text| said.learn(text));
        said
    }

    /// Takes in a text.
    pub fn learn(&mut self, text: &str) {
        self.known.learn(text);
        let exact = addresses::plain(text);
        self.pieces.extend(texts::pieces(text));
        self.texts.push(Tokens {
            plain: exact.to_lowercase(),
            exact,
            pieces: texts::pieces(text).collect(),
        });
    }

    /// The addresses and words of the texts.
    pub const fn known(&self) -> &KnownWords {
        &self.known
    }

    /// Whether a value stands in a text: an address letter by letter, a number by what it is worth, anything else as
    /// whole words in a row.
    pub fn holds(&self, value: &str) -> bool {
        let value = value.trim();
        // A value that only looks like the words said is something else.
        if addresses::plain(value) != value {
            return false;
        }
        if let Some(number) = decimal(value) {
            return self.count_number(&number) > 0;
        }
        if is_address(value) {
            // The path behind a host means another page in other letters.
            if value.contains("://") || value.contains('/') {
                return self.texts.iter().any(|text| stands_alone(&text.exact, value));
            }
            let value = value.to_lowercase();
            return self.texts.iter().any(|text| stands_alone(&text.plain, &value));
        }
        self.texts.iter().any(|text| holds_in_a_row(&text.pieces, value))
    }

    /// How often a number stands in the texts, by what it is worth: digit by digit. A number within a longer code, or
    /// next to the name of a month, is none.
    pub fn count_number(&self, wanted: &str) -> usize {
        let in_text = |text: &Tokens| {
            let words: Vec<_> = text.plain.split_whitespace().collect();
            let of = |at: usize| decimal(bare_number(words[at])).filter(|_| !is_part(&words, at));
            (0..words.len()).filter(|at| of(*at).as_deref() == Some(wanted)).count()
        };
        self.texts.iter().map(in_text).sum()
    }

    /// Whether a number stands in a text.
    pub fn holds_number(&self, wanted: &serde_json::Number) -> bool {
        exact(wanted).is_some_and(|wanted| self.count_number(&wanted) > 0)
    }

    /// Whether the texts name a day or a time, in whatever way.
    pub fn names_time(&self) -> bool {
        let is_time = |piece: &String| {
            TIMES.contains(&piece.as_str())
                || MONTHS.iter().any(|month| piece.starts_with(month))
                || DAYS.iter().any(|day| piece.starts_with(day))
        };
        let has_colon = |text: &Tokens| text.plain.split_whitespace().any(|word| When::read(word).is_some());
        self.texts
            .iter()
            .any(|text| text.pieces.iter().any(is_time) || has_colon(text))
    }

    /// Whether a word stands in a text.
    pub fn has_word(&self, word: &str) -> bool {
        self.pieces.contains(word)
    }

    /// Whether another form of a word stands in a text: one begins as the other does.
    pub fn has_form_of(&self, word: &str) -> bool {
        let is_form = |piece: &String| {
            let (short, long) = if piece.len() < word.len() {
                (piece.as_str(), word)
            } else {
                (word, piece.as_str())
            };
            short.chars().count() >= 4 && long.starts_with(short)
        };
        self.texts.iter().any(|text| text.pieces.iter().any(is_form))
    }

    /// Whether the day and the time of a date or time were said, in digits or by the name of the month.
    pub fn tells(&self, written: &str) -> bool {
        let Some(when) = When::read(written) else { return false };
        let has = |word: &str| self.has_word(word);
        let has_day = when.day.is_none_or(|(month, day)| {
            let day = [
                day.to_string(),
                format!("{day:02}"),
                format!("{day}st"),
                format!("{day}nd"),
                format!("{day}rd"),
                format!("{day}th"),
            ];
            let name = usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month));
            let is_name = |piece: &String| name.is_some_and(|name| piece.starts_with(name));
            let has_month = has(&month.to_string())
                || has(&format!("{month:02}"))
                || self.texts.iter().any(|text| text.pieces.iter().any(is_name));
            has_month && day.iter().any(|day| has(day))
        });
        let has_time = when.time.is_none_or(|(hour, minute)| {
            let said = |hour: i8| {
                let hours = [
                    hour.to_string(),
                    format!("{hour:02}"),
                    format!("{hour}am"),
                    format!("{hour}pm"),
                ];
                hours.iter().any(|hour| has(hour))
            };
            (said(hour) || said(if hour > 12 { hour - 12 } else { hour }))
                && (minute == 0
                    || self.texts.iter().any(|text| {
                        text.pieces
                            .iter()
                            .any(|piece| piece.starts_with(&format!("{minute:02}")))
                    }))
        });
        has_day && has_time
    }
}

/// The day of the year and the time of the day that a text names.
struct When {
    day: Option<(i8, i8)>,
    time: Option<(i8, i8)>,
}

impl When {
    fn read(written: &str) -> Option<Self> {
        let written = written.trim();
        let of = |date: civil::Date| (date.month(), date.day());
        let at = |time: civil::Time| (time.hour(), time.minute());
        if written.len() >= 16
            && let Ok(moment) = written.parse::<civil::DateTime>()
        {
            return Some(Self {
                day: Some(of(moment.date())),
                time: Some(at(moment.time())),
            });
        }
        if written.len() >= 16
            && let Ok(moment) = written.parse::<jiff::Timestamp>()
        {
            let moment = moment.to_zoned(jiff::tz::TimeZone::UTC);
            return Some(Self {
                day: Some(of(moment.date())),
                time: Some(at(moment.time())),
            });
        }
        if let Some(date) = (written.len() == 10)
            .then(|| written.parse::<civil::Date>().ok())
            .flatten()
        {
            return Some(Self {
                day: Some(of(date)),
                time: None,
            });
        }
        let is_time = written.contains(':') && written.len() <= 8;
        let time = is_time.then(|| written.parse::<civil::Time>().ok()).flatten()?;
        Some(Self {
            day: None,
            time: Some(at(time)),
        })
    }
}

/// Whether a text is a date, a time, or both, as calendars write them.
pub(super) fn is_date(text: &str) -> bool {
    When::read(text).is_some()
}

/// The first date that a text begins with.
fn day(text: &str) -> Option<civil::Date> {
    text.get(..10)?.parse().ok()
}

/// Whether a date or time is of no other year than those around the beginning of the run, and names no parts of a
/// second.
pub(super) fn is_near(text: &str, began: Option<Timestamp>) -> bool {
    let Some(day) = day(text) else {
        return text.chars().filter(char::is_ascii_digit).count() <= 6;
    };
    let year = began.and_then(of).map(civil::Date::year);
    text.len() <= 25 && year.is_some_and(|year| (year - 1..=year + 2).contains(&day.year()))
}

/// Whether a text is the day on which a run began, somewhere on earth, and no more.
pub(super) fn is_day_of(text: &str, began: Option<Timestamp>) -> bool {
    let (Some(day), Some(began)) = (day(text), began.and_then(of)) else {
        return false;
    };
    let around = [began.yesterday(), Ok(began), began.tomorrow()];
    text.len() == 10 && around.into_iter().flatten().any(|near| near == day)
}

fn of(time: Timestamp) -> Option<civil::Date> {
    let time = jiff::Timestamp::from_millisecond(time.0).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// Whether a text is an address that something is sent to or fetched from: of mail, of a page, of a host.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim();
    text.contains('@')
        || text.contains("://")
        || (!text.contains(char::is_whitespace) && addresses::whole(text) != Ok(None))
        || (!text.contains(char::is_whitespace) && !addresses::all(text).is_empty())
}

/// Whether a text names somebody or something by a code that nobody would write by chance: an account, a telephone
/// number, a key.
pub(super) fn is_code(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 6 || (digits > 0 && text.chars().filter(|c| c.is_alphanumeric()).count() >= 10)
}

/// The number that a text is, digit by digit and without zeros that say nothing: `1,100.50` and `1100.5` are `1100.5`,
/// `12,50` is `12.5`. None, if it is no number, or one that some read otherwise: `1.100`.
pub(super) fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits.starts_with(|c: char| c.is_ascii_digit())
        || !digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    {
        return None;
    }
    let last = digits.rfind(['.', ',']);
    let (whole, fraction) = match last {
        None => (digits, ""),
        Some(at) => {
            let (whole, fraction) = (&digits[..at], &digits[at + 1..]);
            let (mark, is_only) = (digits.as_bytes()[at], !whole.contains(['.', ',']));
            let is_grouped = fraction.len() == 3 && !whole.starts_with('0');
            match (mark, is_only, is_grouped) {
                // Thousands.
                (b',', true, true) => (digits, ""),
                (b'.', true, true) => return None,
                (mark, false, true) if whole.contains(char::from(mark)) => (digits, ""),
                _ => (whole, fraction),
            }
        }
    };
    let groups: Vec<_> = whole.split(['.', ',']).collect();
    let is_group = |(at, group): (usize, &&str)| is_plain(group) && (at == 0 || group.len() == 3);
    let is_mixed = whole.contains('.') && whole.contains(',');
    if is_mixed || !groups.iter().enumerate().all(is_group) || !(fraction.is_empty() || is_plain(fraction)) {
        return None;
    }
    if last.is_some() && fraction.is_empty() && groups.len() == 1 {
        return None;
    }
    let whole = groups.concat();
    // A code, not a number.
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let sign = if whole == "0" && fraction.is_empty() { "" } else { sign };
    Some(match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    })
}

/// The same of a number; none of one that has lost digits.
pub(super) fn exact(number: &serde_json::Number) -> Option<String> {
    if number.is_i64() || number.is_u64() {
        return Some(number.to_string());
    }
    let is_kept = number.as_f64().is_some_and(|number| number.abs() < 1e15);
    let written = number.to_string();
    let written = written.strip_suffix(".0").unwrap_or(&written);
    let (sign, digits) = written.strip_prefix('-').map_or(("", written), |rest| ("-", rest));
    let is_plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    (is_kept && is_plain).then(|| format!("{sign}{digits}"))
}

/// Whether a number is a part of something longer: of a code that is written in groups, or of a date.
fn is_part(words: &[&str], at: usize) -> bool {
    let ends = |word: &str| word.ends_with([',', '.', ';', ':', '!', '?', ')']);
    let is_group = |word: &str| {
        let bare = bare_number(word);
        let digits = bare.chars().filter(char::is_ascii_digit).count();
        digits >= 2 && bare.chars().all(|c| c.is_ascii_alphanumeric()) && (digits >= 4 || bare.len() > digits)
    };
    let is_month = |word: &str| MONTHS.iter().any(|month| word.starts_with(month)) && word.chars().count() >= 3;
    let before = at.checked_sub(1).map(|at| words[at]).filter(|word| !ends(word));
    let behind = words.get(at + 1).copied().filter(|_| !ends(words[at]));
    let is_beside = |word: &str| is_group(word) || is_month(word);
    let is_short_group = |word: &str| bare_number(word).len() == 4 && word.chars().all(|c| c.is_ascii_alphanumeric());
    before.is_some_and(|word| is_beside(word) || (is_short_group(word) && is_short_group(words[at])))
        || behind.is_some_and(is_beside)
}

/// A word without the signs around a number.
fn bare_number(word: &str) -> &str {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    word.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// The fewest letters of each of several words that are written as one: "book club" as `bookclub`.
const JOINED: usize = 4;

/// Whether words in a row make a value, without what stands between them. Short words make one of theirs only where
/// it is a code: "Ann a" is no `Anna`.
fn holds_in_a_row(pieces: &[String], value: &str) -> bool {
    let parts: Vec<_> = texts::pieces(value).collect();
    let wanted = parts.concat();
    let is_code = wanted.chars().any(|c| c.is_ascii_digit());
    if wanted.is_empty() {
        return false;
    }
    if pieces.windows(parts.len()).any(|row| row == parts) {
        return true;
    }
    (0..pieces.len()).any(|start| {
        let mut rest = wanted.as_str();
        for piece in &pieces[start..] {
            let is_whole = piece == &wanted;
            if !is_code && !is_whole && piece.chars().count() < JOINED {
                return false;
            }
            match rest.strip_prefix(piece.as_str()) {
                Some("") => return true,
                Some(more) => rest = more,
                None => return false,
            }
        }
        false
    })
}

/// Whether an address stands in a text and does not go on before or behind it.
fn stands_alone(text: &str, address: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "@_-+%/=&?#~:".contains(c);
    text.match_indices(address).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + address.len()..].chars();
        let next = behind.next();
        // A full stop ends a sentence, or goes on.
        let ends = match next {
            Some('.') => !behind.next().is_some_and(goes_on),
            next => !next.is_some_and(|c| goes_on(c) && c != ':'),
        };
        ends && !before.is_some_and(|c| goes_on(c) && c != ':' || c == '.')
    })
}
