//! The words in which people say a time, in English and German. All in lower case.

use jiff::civil::Weekday;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

impl Part {
    /// The hour that is meant where none is said.
    pub(super) const fn hour(self) -> i8 {
        match self {
            Self::Morning => 8,
            Self::Afternoon => 15,
            Self::Evening => 19,
            Self::Night => 21,
        }
    }

    /// An hour as it is meant in this part of the day: 8 in the evening is 20.
    pub(super) const fn of_hour(self, hour: i8) -> i8 {
        match self {
            Self::Afternoon | Self::Evening if hour < 12 => hour + 12,
            Self::Night if hour >= 6 && hour < 12 => hour + 12,
            _ => hour,
        }
    }
}

/// Whether a word carries no meaning of its own.
pub(super) fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "at" | "@"
            | "um"
            | "on"
            | "the"
            | "den"
            | "der"
            | "dem"
            | "die"
            | "von"
            | "of"
            | "in"
            | "im"
            | "am"
            | "and"
            | "und"
            | "&"
            | "gegen"
            | "ab"
            | "bitte"
            | "please"
            | "from"
            | "now"
            | "later"
            | "uhr"
            | "o'clock"
            | "sharp"
            | "punkt"
            | "jeweils"
            | "always"
            | "immer"
            | "once"
            | "einmal"
            | "starting"
            | "beginning"
            | "this"
            | "jetzt"
            | "nach"
            | "after"
            | "à"
    )
}

/// Whether a word joins two things.
pub(super) fn is_and(word: &str) -> bool {
    matches!(word, "and" | "und" | "&" | "plus")
}

/// Whether a word introduces an hour.
pub(super) fn is_at(word: &str) -> bool {
    matches!(word, "at" | "@" | "um" | "gegen" | "ab" | "starting" | "from")
}

/// A number in digits, or a small one in letters.
pub(super) fn number(word: &str) -> Option<i64> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok();
    }
    Some(match word {
        "a" | "an" | "one" | "ein" | "eine" | "einer" | "einem" | "einen" | "eins" => 1,
        "two" | "zwei" => 2,
        "three" | "drei" => 3,
        "four" | "vier" => 4,
        "five" | "fünf" => 5,
        "six" | "sechs" => 6,
        "seven" | "sieben" => 7,
        "eight" | "acht" => 8,
        "nine" | "neun" => 9,
        "ten" | "zehn" => 10,
        "eleven" | "elf" => 11,
        "twelve" | "zwölf" => 12,
        "fifteen" | "fünfzehn" => 15,
        "twenty" | "zwanzig" => 20,
        "thirty" | "dreißig" => 30,
        _ => return None,
    })
}

/// Every other one: every second one.
pub(super) fn is_other(word: &str) -> bool {
    matches!(
        word,
        "other" | "second" | "2nd" | "zweite" | "zweiten" | "zweiter" | "zweites" | "2."
    )
}

/// Every third one, every 4th one.
pub(super) fn nth(word: &str) -> Option<i64> {
    Some(match word {
        _ if is_other(word) => 2,
        "third" | "dritte" | "dritten" | "drittes" => 3,
        "fourth" | "vierte" | "vierten" | "viertes" => 4,
        _ => i64::from(ordinal(word)?),
    })
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" | "sekunde" | "sekunden" => Unit::Second,
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" => Unit::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" | "stunde" | "stunden" => Unit::Hour,
        "d" | "day" | "days" | "tag" | "tage" | "tagen" => Unit::Day,
        "w" | "week" | "weeks" | "woche" | "wochen" => Unit::Week,
        "month" | "months" | "monat" | "monate" | "monaten" => Unit::Month,
        "year" | "years" | "jahr" | "jahre" | "jahren" => Unit::Year,
        _ => return None,
    })
}

pub(super) fn part(word: &str) -> Option<Part> {
    Some(match word {
        "morning" | "mornings" | "früh" | "frueh" | "morgens" | "vormittag" | "vormittags" => Part::Morning,
        "afternoon" | "afternoons" | "nachmittag" | "nachmittags" => Part::Afternoon,
        "evening" | "evenings" | "abend" | "abends" => Part::Evening,
        "night" | "nights" | "nacht" | "nachts" => Part::Night,
        _ => return None,
    })
}

const WEEKDAYS: [(&str, &str, Weekday); 8] = [
    ("monday", "montag", Weekday::Monday),
    ("tuesday", "dienstag", Weekday::Tuesday),
    ("wednesday", "mittwoch", Weekday::Wednesday),
    ("thursday", "donnerstag", Weekday::Thursday),
    ("friday", "freitag", Weekday::Friday),
    ("saturday", "samstag", Weekday::Saturday),
    ("sunday", "sonntag", Weekday::Sunday),
    ("saturday", "sonnabend", Weekday::Saturday),
];

/// A day of the week, whole or by its first three letters or more.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let word = word.trim_end_matches('.');
    // `die` is an article.
    let is = |name: &str| word.len() >= 3 && word != "die" && name.starts_with(word);
    let found = WEEKDAYS.iter().find(|(english, german, _)| is(english) || is(german));
    found.map(|(.., day)| *day)
}

/// A day of the week as what happens on each of them: `mondays`, `montags`.
pub(super) fn weekdays(word: &str) -> Option<Weekday> {
    let one = word.strip_suffix('s')?;
    let found = WEEKDAYS
        .iter()
        .find(|(english, german, _)| one == *english || one == *german);
    found.map(|(.., day)| *day)
}

/// The month of a name, whole or by its first three letters or more.
pub(super) fn month(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["january", "januar", "jänner"],
        &["february", "februar"],
        &["march", "märz", "maerz"],
        &["april"],
        &["may", "mai"],
        &["june", "juni"],
        &["july", "juli"],
        &["august"],
        &["september"],
        &["october", "oktober"],
        &["november"],
        &["december", "dezember"],
    ];
    let word = word.trim_end_matches('.');
    let is = |name: &&str| word.chars().count() >= 3 && name.starts_with(word);
    (1..)
        .zip(MONTHS)
        .find(|(_, names)| names.iter().any(is))
        .map(|(month, _)| month)
}

/// A day of a month: `24`, `24.`, `24th`.
pub(super) fn ordinal(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th", "."]
        .iter()
        .find_map(|end| word.strip_suffix(end))?;
    day_of_month(digits)
}

/// A day of a month in digits.
pub(super) fn day_of_month(digits: &str) -> Option<i8> {
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}
