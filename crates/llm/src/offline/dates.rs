//! Dates and spans as people say them, in English and German.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use super::language::Language;

const MONTHS: [(&str, &str); 12] = [
    ("January", "Januar"),
    ("February", "Februar"),
    ("March", "März"),
    ("April", "April"),
    ("May", "Mai"),
    ("June", "Juni"),
    ("July", "Juli"),
    ("August", "August"),
    ("September", "September"),
    ("October", "Oktober"),
    ("November", "November"),
    ("December", "Dezember"),
];
const WEEKDAYS: [(&str, &str); 7] = [
    ("Monday", "Montag"),
    ("Tuesday", "Dienstag"),
    ("Wednesday", "Mittwoch"),
    ("Thursday", "Donnerstag"),
    ("Friday", "Freitag"),
    ("Saturday", "Samstag"),
    ("Sunday", "Sonntag"),
];
/// Days that have a name: month and day.
const FEASTS: [(&str, i8, i8); 12] = [
    ("christmas", 12, 25),
    ("christmas day", 12, 25),
    ("christmas eve", 12, 24),
    ("weihnachten", 12, 25),
    ("heiligabend", 12, 24),
    ("new year", 1, 1),
    ("new year's day", 1, 1),
    ("neujahr", 1, 1),
    ("new year's eve", 12, 31),
    ("silvester", 12, 31),
    ("halloween", 10, 31),
    ("valentine's day", 2, 14),
];
const NUMBERS: [(&str, &str); 12] = [
    ("one", "einem"),
    ("two", "zwei"),
    ("three", "drei"),
    ("four", "vier"),
    ("five", "fünf"),
    ("six", "sechs"),
    ("seven", "sieben"),
    ("eight", "acht"),
    ("nine", "neun"),
    ("ten", "zehn"),
    ("eleven", "elf"),
    ("twelve", "zwölf"),
];

/// The day on which a run began, by its person's calendar.
pub(super) fn today(now: &str, zone: &str) -> Option<Date> {
    let now: Timestamp = now.parse().ok()?;
    Some(now.to_zoned(TimeZone::get(zone).ok()?).date())
}

/// The date that is meant; one without a year is the next of its kind from today on.
pub(super) fn read(text: &str, today: Date) -> Option<Date> {
    let text = text.trim();
    let text = ["the ", "am ", "der ", "den ", "dem ", "zum ", "on "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim();
    match text {
        "today" | "heute" => return Some(today),
        "tomorrow" | "morgen" => return today.tomorrow().ok(),
        "yesterday" | "gestern" => return today.yesterday().ok(),
        _ => {}
    }
    if let Some((_, month, day)) = FEASTS.iter().find(|(name, ..)| *name == text) {
        return next(today, *month, *day);
    }
    if let Ok(date) = text.parse::<Date>() {
        return Some(date);
    }
    by_dots(text, today).or_else(|| by_month(text, today))
}

/// `24.12.2026`, `24.12.`, as only German writes it.
fn by_dots(text: &str, today: Date) -> Option<Date> {
    let mut parts = text.trim_end_matches('.').split('.').map(str::trim);
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (day, month) = (day.parse().ok()?, month.parse().ok()?);
    match year {
        Some(year) => Date::new(year_of(year)?, month, day).ok(),
        None => next(today, month, day),
    }
}

/// `24 December`, `December 24th, 2026`, `24. Dezember 2026`.
fn by_month(text: &str, today: Date) -> Option<Date> {
    let (mut month, mut numbers) = (None, Vec::new());
    for word in text.split([' ', ',']).filter(|word| !word.is_empty() && *word != "of") {
        if let Some(found) = month_of(word) {
            if month.replace(found).is_some() {
                return None;
            }
        } else {
            numbers.push(word);
        }
    }
    let month = month?;
    let day = |word: &str| -> Option<i8> {
        let word = word.trim_end_matches('.');
        let word = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| word.strip_suffix(end))
            .unwrap_or(word);
        word.parse().ok()
    };
    match numbers[..] {
        [one] => next(today, month, day(one)?),
        [one, year] => Date::new(year_of(year)?, month, day(one)?).ok(),
        _ => None,
    }
}

fn month_of(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    let is = |name: &str| {
        let name = name.to_lowercase();
        word == name || (word.chars().count() == 3 && name.starts_with(word))
    };
    let at = MONTHS.iter().position(|(english, german)| is(english) || is(german))?;
    i8::try_from(at + 1).ok()
}

/// Years are written in four digits: two could be another century.
fn year_of(text: &str) -> Option<i16> {
    (text.len() == 4).then(|| text.parse().ok()).flatten()
}

fn next(today: Date, month: i8, day: i8) -> Option<Date> {
    let this = Date::new(today.year(), month, day).ok().filter(|date| *date >= today);
    this.or_else(|| Date::new(today.year() + 1, month, day).ok())
}

/// A span such as `3 weeks` or `zwei Tagen`, in the words that `compute.date` reads.
pub(super) fn span(text: &str) -> Option<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let [number, unit] = words[..] else { return None };
    let number = match number {
        "a" | "an" | "ein" | "eine" | "einer" | "einen" => 1,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse::<u32>().ok().filter(|number| *number <= 100_000)?
        }
        word => {
            let at = NUMBERS
                .iter()
                .position(|(english, german)| [*english, *german].contains(&word))?;
            u32::try_from(at + 1).ok()?
        }
    };
    let unit = match unit {
        "minute" | "minutes" | "minuten" => "minutes",
        "hour" | "hours" | "stunde" | "stunden" => "hours",
        "day" | "days" | "tag" | "tage" | "tagen" => "days",
        "week" | "weeks" | "woche" | "wochen" => "weeks",
        "month" | "months" | "monat" | "monate" | "monaten" => "months",
        "year" | "years" | "jahr" | "jahre" | "jahren" => "years",
        _ => return None,
    };
    Some(format!("{number} {unit}"))
}

/// Whether a span counts hours or minutes: it leads to a time and not to a day.
pub(super) fn is_of_hours(span: &str) -> bool {
    span.ends_with("hours") || span.ends_with("minutes")
}

/// A date as it is told: `24 December 2026`, `24. Dezember 2026`.
pub(super) fn date_text(date: Date, language: Language) -> String {
    let month = usize::try_from(date.month() - 1).unwrap_or_default();
    let (english, german) = MONTHS.get(month).copied().unwrap_or_default();
    let (day, year) = (date.day(), date.year());
    match language {
        Language::English => format!("{day} {english} {year}"),
        Language::German => format!("{day}. {german} {year}"),
    }
}

/// The name of its weekday.
pub(super) fn weekday(date: Date, language: Language) -> &'static str {
    let at = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default();
    let (english, german) = WEEKDAYS.get(at).copied().unwrap_or_default();
    language.pick(english, german)
}

/// How often something comes, as the tool of reminders tells it (`every Monday at 08:00`), in a language. What it tells in
/// other words stays.
pub(super) fn repeated(told: &str, language: Language) -> String {
    let german = || {
        let (days, time) = told.split_once(" at ")?;
        let days = match days {
            "every day" => "jeden Tag".to_owned(),
            "every weekday" => "montags bis freitags".to_owned(),
            "every Saturday and Sunday" => "samstags und sonntags".to_owned(),
            days => match days
                .strip_prefix("on day ")
                .and_then(|day| day.strip_suffix(" of every month"))
            {
                Some(day) => format!("am {day}. jedes Monats"),
                None => {
                    let day = days.strip_prefix("every ")?;
                    format!("jeden {}", WEEKDAYS.iter().find(|(english, _)| *english == day)?.1)
                }
            },
        };
        Some(format!("{days} um {time} Uhr"))
    };
    match language {
        Language::English => told.to_owned(),
        Language::German => german().unwrap_or_else(|| told.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_say_them() {
        let today = "2026-06-03".parse().expect("a date");
        let cases = [
            ("2026-12-24", "2026-12-24"),
            ("24 december", "2026-12-24"),
            ("december 24th, 2027", "2027-12-24"),
            ("24th of december 2027", "2027-12-24"),
            ("24. dezember", "2026-12-24"),
            ("der 24. dezember 2026", "2026-12-24"),
            ("24.12.2026", "2026-12-24"),
            ("1.5.", "2027-05-01"),
            ("may 1", "2027-05-01"),
            ("jan 2", "2027-01-02"),
            ("christmas", "2026-12-25"),
            ("heiligabend", "2026-12-24"),
            ("new year", "2027-01-01"),
            ("tomorrow", "2026-06-04"),
            ("3 june", "2026-06-03"),
        ];
        for (text, expected) in cases {
            let expected = expected.parse().expect("a date");
            assert_eq!(read(text, today), Some(expected), "{text}");
        }
        for text in [
            "",
            "31 february",
            "24.12.26",
            "12/24/2026",
            "my birthday",
            "may",
            "easter",
            "24 may june",
            "it",
        ] {
            assert_eq!(read(text, today), None, "{text}");
        }
    }

    #[test]
    fn spans_are_read_in_both_languages() {
        let cases = [
            ("3 weeks", Some("3 weeks")),
            ("a month", Some("1 months")),
            ("zwei tagen", Some("2 days")),
            ("einem jahr", Some("1 years")),
            ("10 hours", Some("10 hours")),
            ("3 apples", None),
            ("weeks", None),
            ("99999999999 days", None),
        ];
        for (text, expected) in cases {
            assert_eq!(span(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn dates_are_told_in_both_languages() {
        let date = "2026-12-24".parse().expect("a date");
        let told =
            [Language::English, Language::German].map(|language| (date_text(date, language), weekday(date, language)));
        let expected = [
            ("24 December 2026".to_owned(), "Thursday"),
            ("24. Dezember 2026".to_owned(), "Donnerstag"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_comes_again_is_told_in_german() {
        for (told, german) in [
            ("every day at 08:00", "jeden Tag um 08:00 Uhr"),
            ("every weekday at 08:00", "montags bis freitags um 08:00 Uhr"),
            (
                "every Saturday and Sunday at 09:30",
                "samstags und sonntags um 09:30 Uhr",
            ),
            ("every Wednesday at 18:00", "jeden Mittwoch um 18:00 Uhr"),
            ("on day 3 of every month at 07:15", "am 3. jedes Monats um 07:15 Uhr"),
            ("by cron */5 * * * *", "by cron */5 * * * *"),
            ("every blue moon at 08:00", "every blue moon at 08:00"),
        ] {
            assert_eq!(repeated(told, Language::German), german);
            assert_eq!(repeated(told, Language::English), told);
        }
    }
}
