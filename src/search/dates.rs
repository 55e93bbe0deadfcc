//! The times that a question names: "in May", "8 May, 2023", "2026-03", "last week", "vor drei Tagen". Pure; by the
//! calendar of a time zone. What is not understood is no date: its words are looked for as all others are.

mod names;

use jiff::{ToSpan, Unit, Zoned, civil::Date, tz::TimeZone};

use self::names::{Counted, Relative};
use super::terms::terms;
use crate::clock::Timestamp;

/// The years that a number of four digits may be.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;
/// The most times of one question that count.
const MOST: usize = 8;

/// A time that a question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// From a moment until before another.
    Between(Timestamp, Timestamp),
    /// A month of any year, 1 to 12.
    Month(i8),
    /// A day of a month of any year.
    Day(i8, i8),
}

/// A moment as a calendar has it, to be compared with what is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    at: Timestamp,
    date: Date,
}

impl Moment {
    /// The moment by the calendar of a zone.
    pub fn of(at: Timestamp, zone: &TimeZone) -> Self {
        Self {
            at,
            date: at.to_jiff().to_zoned(zone.clone()).date(),
        }
    }

    /// The day.
    pub fn date(&self) -> Date {
        self.date
    }

    /// Whether it is of a time.
    pub fn is_of(&self, time: Time) -> bool {
        match time {
            Time::Between(from, to) => self.at >= from && self.at < to,
            Time::Month(month) => self.date.month() == month,
            Time::Day(month, day) => self.date.month() == month && self.date.day() == day,
        }
    }
}

/// Which end of a time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where it begins.
    First,
    /// Where it is over.
    Last,
}

/// Reads one end of a time that is given by itself: RFC 3339, `2026-03-15`, `2026-03`, `2026`, "yesterday".
///
/// # Errors
/// Says how it can be given.
pub fn bound(text: &str, end: End, zone: &TimeZone, now: Timestamp) -> Result<Timestamp, String> {
    if let Ok(at) = text.trim().parse::<jiff::Timestamp>() {
        return Ok(at.into());
    }
    let named = read(text, zone, now);
    // The narrowest time that is meant comes first.
    let between = named.iter().find_map(|time| match time {
        Time::Between(from, to) => Some((*from, *to)),
        Time::Month(_) | Time::Day(..) => None,
    });
    match (between, end) {
        (Some((from, _)), End::First) => Ok(from),
        (Some((_, to)), End::Last) => Ok(to),
        (None, _) => Err(format!(
            "`{text}` is no time: give 2026-03-15, 2026-03, 2026, \"yesterday\" or 2026-03-15T12:00:00Z"
        )),
    }
}

/// The times that a question names, the narrowest first of each. A day names its month, too: what happened is often
/// told on another day.
pub fn read(question: &str, zone: &TimeZone, now: Timestamp) -> Vec<Time> {
    let words: Vec<String> = terms(question).map(|term| term.text).collect();
    let calendar = Calendar {
        zone,
        today: now.to_jiff().to_zoned(zone.clone()).date(),
    };
    let mut times = Vec::new();
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let before = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .map(String::as_str);
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let (found, taken) = calendar.next(&rest, before).unwrap_or((Vec::new(), 1));
        times.extend(found);
        at += taken;
    }
    let mut known = Vec::new();
    for time in times {
        if !known.contains(&time) && known.len() < MOST {
            known.push(time);
        }
    }
    known
}

struct Calendar<'a> {
    zone: &'a TimeZone,
    today: Date,
}

impl Calendar<'_> {
    /// The times that these words begin with, and how many words they take.
    fn next(&self, words: &[&str], before: Option<&str>) -> Option<(Vec<Time>, usize)> {
        self.iso(words)
            .or_else(|| self.named(words, before))
            .or_else(|| self.relative(words))
            .or_else(|| self.counted(words))
    }

    /// `2026 03 15`, `2026 03`, `2026`.
    fn iso(&self, words: &[&str]) -> Option<(Vec<Time>, usize)> {
        let year = year(words.first()?)?;
        let month = words
            .get(1)
            .filter(|word| word.len() == 2)
            .and_then(|word| number(word, 1, 12));
        let day = words
            .get(2)
            .filter(|word| word.len() <= 2)
            .and_then(|word| number(word, 1, 31));
        match (month, day) {
            (Some(month), Some(day)) => Some((self.day(year, month, day)?, 3)),
            (Some(month), None) => Some((vec![self.month(year, month)?], 2)),
            (None, _) => Some((vec![self.year(year)?], 1)),
        }
    }

    /// "8 May 2023", "May 8th, 2023", "8. Mai", "May 2023", "in May".
    fn named(&self, words: &[&str], before: Option<&str>) -> Option<(Vec<Time>, usize)> {
        let mut taken = 0;
        let mut day = words.first().and_then(|word| ordinal(word));
        if day.is_some() {
            taken += 1;
            taken += usize::from(words.get(taken).is_some_and(|word| matches!(*word, "of" | "de")));
        }
        let month = names::month(words.get(taken)?)?;
        taken += 1;
        if day.is_none() {
            day = words.get(taken).and_then(|word| ordinal(word));
            taken += usize::from(day.is_some());
        }
        let links = words.get(taken).is_some_and(|word| matches!(*word, "of" | "de"));
        let year_at = taken + usize::from(links);
        let year = words.get(year_at).and_then(|word| year(word));
        if year.is_some() {
            taken = year_at + 1;
        }
        // "May I", "march on": a word that means something else, too, needs something beside it.
        let is_sure = month.is_sure || day.is_some() || year.is_some() || before.is_some_and(names::leads_to_a_month);
        is_sure.then_some(())?;
        let times = match (year, day) {
            (Some(year), Some(day)) => self.day(year, month.number, day)?,
            (Some(year), None) => vec![self.month(year, month.number)?],
            (None, Some(day)) => vec![Time::Day(month.number, day), Time::Month(month.number)],
            (None, None) => vec![Time::Month(month.number)],
        };
        Some((times, taken))
    }

    /// "yesterday", "last week", "letzten Monat", "la semana pasada", "last Friday".
    fn relative(&self, words: &[&str]) -> Option<(Vec<Time>, usize)> {
        let (relative, taken) = names::relative(words)?;
        let today = self.today;
        let monday = today
            .checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())
            .ok()?;
        let month = today.first_of_month();
        let year = today.first_of_year();
        let (from, to) = match relative {
            Relative::Days(ago) => {
                let from = today.checked_sub(ago.days()).ok()?;
                (from, from.tomorrow().ok()?)
            }
            Relative::Weeks(ago) => {
                let from = monday.checked_sub(ago.weeks()).ok()?;
                (from, from.checked_add(1.week()).ok()?)
            }
            Relative::Weekend => {
                let saturday = monday.checked_sub(2.days()).ok()?;
                (saturday, saturday.checked_add(2.days()).ok()?)
            }
            Relative::Months(ago) => {
                let from = month.checked_sub(ago.months()).ok()?;
                (from, from.checked_add(1.month()).ok()?)
            }
            Relative::Years(ago) => {
                let from = year.checked_sub(ago.years()).ok()?;
                (from, from.checked_add(1.year()).ok()?)
            }
            Relative::Weekday(weekday) => {
                let from = today.nth_weekday(-1, weekday).ok()?;
                (from, from.tomorrow().ok()?)
            }
        };
        Some((vec![self.between(from, to)?], taken))
    }

    /// "three weeks ago", "vor 3 Wochen", "hace 3 semanas", "il y a 3 semaines", "3 недели назад".
    fn counted(&self, words: &[&str]) -> Option<(Vec<Time>, usize)> {
        let (Counted { number, unit }, taken) = names::counted(words)?;
        let (from, reach) = match unit {
            Unit::Day => (self.today.checked_sub(number.days()).ok()?, 0),
            Unit::Week => (self.today.checked_sub(number.weeks()).ok()?, 3),
            Unit::Month => (self.today.checked_sub(number.months()).ok()?, 15),
            _ => (self.today.checked_sub(number.years()).ok()?, 180),
        };
        let first = from.checked_sub(i64::from(reach).days()).ok()?;
        let last = from.checked_add(i64::from(reach + 1).days()).ok()?;
        Some((vec![self.between(first, last)?], taken))
    }

    fn day(&self, year: i16, month: i8, day: i8) -> Option<Vec<Time>> {
        let date = Date::new(year, month, day).ok()?;
        Some(vec![
            self.between(date, date.tomorrow().ok()?)?,
            self.month(year, month)?,
        ])
    }

    fn month(&self, year: i16, month: i8) -> Option<Time> {
        let first = Date::new(year, month, 1).ok()?;
        self.between(first, first.checked_add(1.month()).ok()?)
    }

    fn year(&self, year: i16) -> Option<Time> {
        self.between(Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?)
    }

    fn between(&self, from: Date, to: Date) -> Option<Time> {
        let at = |date: Date| {
            let midnight: Zoned = date.to_zoned(self.zone.clone()).ok()?;
            Some(Timestamp::from(midnight.timestamp()))
        };
        Some(Time::Between(at(from)?, at(to)?))
    }
}

fn year(word: &str) -> Option<i16> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    YEARS.contains(&year).then_some(year)
}

fn number(word: &str, least: i8, most: i8) -> Option<i8> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse().ok().filter(|_| is_number)?;
    (least..=most).contains(&number).then_some(number)
}

/// A day of a month: "8", "8th", "1st", "1er".
fn ordinal(word: &str) -> Option<i8> {
    let bare = ["st", "nd", "rd", "th", "er"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    number(bare.unwrap_or(word), 1, 31)
}

#[cfg(test)]
mod tests;
