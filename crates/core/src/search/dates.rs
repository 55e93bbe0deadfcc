//! The times that a question names: "in May", "8 May, 2023", "2026-03", "last week", "vor drei Tagen". Pure; by the
//! calendar of a time zone. Words that are not understood are no date: they are searched like all others.

mod names;
mod rest;

use std::ops::Range;

use jiff::{
    ToSpan, Unit, Zoned,
    civil::{Date, DateTime},
    tz::TimeZone,
};

use self::{
    names::{Counted, Relative},
    rest::{Rest, number, ordinal, year},
};
use super::{
    query::head,
    terms::{Term, terms},
};
use crate::clock::Timestamp;

/// The most times of one question that count.
const MOST: usize = 8;
/// How many years back a month or a day is meant that is of no year.
const LAST_YEARS: i16 = 10;
/// A year that has every day.
const LEAP_YEAR: i16 = 2024;

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

/// The end of a time that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where it begins.
    First,
    /// Where it is over.
    Last,
}

/// Reads one end of a time that is given by itself: `2026-03-15`, `2026-03`, `2026`, `2026-03-15T12:00` by the calendar
/// of the zone or with an offset, `16.03.2026`, "yesterday". All of the text must be understood.
///
/// # Errors
/// Says how it can be given.
pub fn bound(text: &str, end: End, zone: &TimeZone, now: Timestamp) -> Result<Timestamp, String> {
    let text = text.trim();
    if let Some(at) = moment(text, zone) {
        return Ok(at);
    }
    let times = match &named(text, zone, now)[..] {
        [one] if !one.has_clock && one.is_all_of(text, end) => one.times.clone(),
        _ => Vec::new(),
    };
    match (&times[..], end) {
        ([Time::Between(from, _)], End::First) => Ok(*from),
        ([Time::Between(_, to)], End::Last) => Ok(*to),
        ([Time::Between(one, _), Time::Between(other, _)], _) => {
            let date = |at: &Timestamp| Moment::of(*at, zone).date();
            Err(format!(
                "`{text}` may be {} or {}: give one of them",
                date(one),
                date(other)
            ))
        }
        _ => Err(format!(
            "`{text}` is no time: give 2026-03-15, 2026-03, 2026, 16.03.2026, \"yesterday\", \"last week\", \
             2026-03-15T12:00 or 2026-03-15T12:00:00Z"
        )),
    }
}

/// A moment that is given with its time of day.
fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.into());
    }
    if !text.contains(['T', 't', ':']) {
        return None;
    }
    let at = match text.parse::<Zoned>() {
        Ok(at) => at,
        Err(_) => text.parse::<DateTime>().ok()?.to_zoned(zone.clone()).ok()?,
    };
    Some(at.timestamp().into())
}

/// A date or a distance that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The times that it may be: several, if it does not say which.
    pub times: Vec<Time>,
    /// The month of a day: what happened is often told on another day.
    month: Option<Time>,
    /// A time of day stands with it.
    has_clock: bool,
    /// It is the same whenever somebody names it.
    is_absolute: bool,
    /// Where it stands in the text.
    span: Range<usize>,
    /// Where the names of its month and its year stand: a text may tell of that time by them.
    spelled: Vec<Range<usize>>,
}

impl Named {
    /// Whether it covers this place of the text.
    pub fn covers(&self, place: usize) -> bool {
        self.span.contains(&place)
    }

    /// Whether a text may tell of it in the same words: "8 May" and "2026-05-08" are the same whenever somebody says
    /// so, "yesterday" is not.
    pub fn is_absolute(&self) -> bool {
        self.is_absolute
    }

    /// Whether it covers this place of the text by something else than the names of its month and its year.
    pub(crate) fn covers_unspelled(&self, place: usize) -> bool {
        self.covers(place) && !self.spelled.iter().any(|name| name.contains(&place))
    }

    /// Whether nothing else stands in the text but words that belong to any date.
    fn is_all_of(&self, text: &str, end: End) -> bool {
        let mut beside = terms(text).filter(|term| !self.covers(term.start));
        beside.all(|term| names::belongs_to(end, &term.text))
    }
}

/// The times of what a question names, the narrowest first of each.
pub fn times(named: &[Named]) -> Vec<Time> {
    let mut known = Vec::new();
    for time in named.iter().flat_map(|one| one.times.iter().chain(&one.month)) {
        if !known.contains(time) && known.len() < MOST {
            known.push(*time);
        }
    }
    known
}

/// When what a question names was, in each of the last years if it does not say in which.
pub fn spans(named: &[Named], zone: &TimeZone, now: Timestamp) -> Vec<(Timestamp, Timestamp)> {
    let calendar = Calendar::of(zone, now);
    let this_year = calendar.today.year();
    let in_years = |of: &dyn Fn(i16) -> Option<Time>| -> Vec<Time> {
        (this_year - LAST_YEARS..=this_year).rev().filter_map(of).collect()
    };
    let spans = named.iter().flat_map(|one| &one.times).flat_map(|time| match *time {
        Time::Between(..) => vec![*time],
        Time::Month(month) => in_years(&|year| calendar.month(year, month)),
        Time::Day(month, day) => in_years(&|year| calendar.day(year, month, day)),
    });
    let spans = spans.filter_map(|time| match time {
        Time::Between(from, to) => Some((from, to)),
        Time::Month(_) | Time::Day(..) => None,
    });
    spans.collect()
}

/// The times that a text names, as far as it counts.
pub fn named(text: &str, zone: &TimeZone, now: Timestamp) -> Vec<Named> {
    let text = head(text);
    let all: Vec<Term> = terms(text).collect();
    let calendar = Calendar::of(zone, now);
    let words: Vec<&str> = all.iter().map(|term| term.text.as_str()).collect();
    let mut end = 0;
    let gaps = all.iter().map(|term| {
        let gap = text.get(end..term.start).unwrap_or_default();
        end = term.end;
        gap
    });
    let gaps: Vec<&str> = gaps.collect();
    let of_others = names::false_friends(&words);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() && found.len() < MOST {
        let rest = Rest {
            words: words.get(at..).unwrap_or_default(),
            gaps: gaps.get(at..).unwrap_or_default(),
        };
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied();
        let is_other = rest.words.first().is_some_and(|word| of_others.contains(word));
        let Some(reading) = calendar.next(&rest, before).filter(|_| !is_other) else {
            at += 1;
            continue;
        };
        let place = |word: usize| all.get(at + word).map(|term| term.start..term.end);
        let last = reading.taken + usize::from(rest.is_genitive(reading.taken)) - 1;
        let span = place(0)
            .zip(place(last))
            .map_or(0..0, |(first, last)| first.start..last.end);
        found.push(Named {
            times: reading.times,
            month: reading.month,
            has_clock: reading.has_clock,
            is_absolute: reading.is_absolute,
            span,
            spelled: reading.spelled.into_iter().filter_map(place).collect(),
        });
        at += last + 1;
    }
    found
}

/// One reading of some words.
#[derive(Default)]
struct Reading {
    times: Vec<Time>,
    month: Option<Time>,
    has_clock: bool,
    is_absolute: bool,
    /// How many words it takes; at least one.
    taken: usize,
    /// Those of them that name the month and the year.
    spelled: Vec<usize>,
}

struct Calendar<'a> {
    zone: &'a TimeZone,
    today: Date,
}

impl<'a> Calendar<'a> {
    fn of(zone: &'a TimeZone, now: Timestamp) -> Self {
        Self {
            zone,
            today: now.to_jiff().to_zoned(zone.clone()).date(),
        }
    }

    /// The reading of the first words.
    fn next(&self, rest: &Rest<'_>, before: Option<&str>) -> Option<Reading> {
        let absolute = self
            .iso(rest)
            .or_else(|| self.written(rest))
            .or_else(|| self.named(rest.words, before));
        let is_absolute = absolute.is_some();
        let mut reading = absolute
            .or_else(|| self.relative(rest.words))
            .or_else(|| self.counted(rest.words))?;
        reading.is_absolute = is_absolute;
        let clock = rest.clock(reading.taken);
        if reading.month.is_some() && clock > 0 {
            reading.taken += clock;
            reading.has_clock = true;
        }
        Some(reading)
    }

    /// `2026-03-15`, `2026-03-15T11:00:00Z`, `2026-03`, `2026`.
    fn iso(&self, rest: &Rest<'_>) -> Option<Reading> {
        let year = year(rest.word(0)?)?;
        let joint = rest.gap(1);
        let is_joint = matches!(joint, "-" | "/" | ".");
        let month = rest.word(1).filter(|_| is_joint).and_then(|word| number(word, 1, 12));
        let last = rest.word(2).filter(|_| rest.gap(2) == joint);
        // `15T11:00` is one word up to the colon.
        let (last, has_clock) = match last.and_then(|word| word.split_once('t')) {
            Some((day, _)) => (Some(day), true),
            None => (last, false),
        };
        let day = last.and_then(|word| number(word, 1, 31));
        match (month, day) {
            (Some(month), Some(day)) => Some(Reading {
                times: vec![self.day(year, month, day)?],
                month: self.month(year, month),
                has_clock,
                taken: 3 + if has_clock { rest.clock_goes_on(3) } else { 0 },
                ..Reading::default()
            }),
            (Some(month), None) if rest.word(1).is_some_and(|word| word.len() == 2) => Some(Reading {
                times: vec![self.month(year, month)?],
                taken: 2,
                ..Reading::default()
            }),
            _ => Some(Reading {
                times: vec![self.year(year)?],
                taken: 1,
                spelled: vec![0],
                ..Reading::default()
            }),
        }
    }

    /// `16.03.2026`, `16/03/2026`, `03/16/2026`; `03/04/2026` may be either of two days.
    fn written(&self, rest: &Rest<'_>) -> Option<Reading> {
        let one = number(rest.word(0)?, 1, 31)?;
        let other = number(rest.word(1)?, 1, 31)?;
        let year = year(rest.word(2)?)?;
        let is_alike = rest.gap(1).trim_end() == rest.gap(2).trim_end();
        let days = match rest.gap(1) {
            _ if !is_alike => return None,
            "/" | "-" if one != other => vec![(one, other), (other, one)],
            "/" | "-" | "." | ". " => vec![(one, other)],
            _ => return None,
        };
        let dates = days
            .into_iter()
            .filter_map(|(day, month)| Some((self.day(year, month, day)?, month)));
        let (times, months): (Vec<_>, Vec<_>) = dates.unzip();
        let month = match months[..] {
            [] => return None,
            [month] => self.month(year, month),
            _ => None,
        };
        Some(Reading {
            times,
            month,
            taken: 3,
            ..Reading::default()
        })
    }

    /// "8 May 2023", "May 8th, 2023", "8. Mai", "May 2023", "in May".
    fn named(&self, words: &[&str], before: Option<&str>) -> Option<Reading> {
        let mut taken = 0;
        let mut day = words.first().and_then(|word| ordinal(word));
        if day.is_some() {
            taken += 1;
            taken += usize::from(words.get(taken).is_some_and(|word| matches!(*word, "of" | "de")));
        }
        let month_at = taken;
        let month = names::month(words.get(taken)?)?;
        taken += 1;
        // A day that the month never has does not belong to it.
        let is_of_month = |day: &i8| Date::new(LEAP_YEAR, month.number, *day).is_ok();
        match day {
            Some(day) => is_of_month(&day).then_some(())?,
            None => {
                day = words.get(taken).and_then(|word| ordinal(word)).filter(is_of_month);
                taken += usize::from(day.is_some());
            }
        }
        let links = words.get(taken).is_some_and(|word| matches!(*word, "of" | "de"));
        let year_at = taken + usize::from(links);
        let year = words.get(year_at).and_then(|word| year(word));
        let mut spelled = vec![month_at];
        if year.is_some() {
            taken = year_at + 1;
            spelled.push(year_at);
        }
        // "May I", "march on": a word that means something else, too, needs something next to it.
        let is_sure = month.is_sure || day.is_some() || year.is_some() || before.is_some_and(names::leads_to_a_month);
        is_sure.then_some(())?;
        let number = month.number;
        let (time, month) = match (year, day) {
            (Some(year), Some(day)) => (self.day(year, number, day)?, self.month(year, number)),
            (Some(year), None) => (self.month(year, number)?, None),
            (None, Some(day)) => (Time::Day(number, day), Some(Time::Month(number))),
            (None, None) => (Time::Month(number), None),
        };
        Some(Reading {
            times: vec![time],
            month,
            taken,
            spelled,
            ..Reading::default()
        })
    }

    /// "yesterday", "last week", "letzten Monat", "la semana pasada", "last Friday".
    fn relative(&self, words: &[&str]) -> Option<Reading> {
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
        Some(Reading {
            times: vec![self.between(from, to)?],
            taken,
            ..Reading::default()
        })
    }

    /// "three weeks ago", "vor 3 Wochen", "hace 3 semanas", "il y a 3 semaines", "3 недели назад".
    fn counted(&self, words: &[&str]) -> Option<Reading> {
        let (Counted { number, unit }, taken) = names::counted(words)?;
        let (from, reach) = match unit {
            Unit::Day => (self.today.checked_sub(number.days()).ok()?, 0),
            Unit::Week => (self.today.checked_sub(number.weeks()).ok()?, 3),
            Unit::Month => (self.today.checked_sub(number.months()).ok()?, 15),
            _ => (self.today.checked_sub(number.years()).ok()?, 180),
        };
        let first = from.checked_sub(i64::from(reach).days()).ok()?;
        let last = from.checked_add(i64::from(reach + 1).days()).ok()?;
        Some(Reading {
            times: vec![self.between(first, last)?],
            taken,
            ..Reading::default()
        })
    }

    fn day(&self, year: i16, month: i8, day: i8) -> Option<Time> {
        let date = Date::new(year, month, day).ok()?;
        self.between(date, date.tomorrow().ok()?)
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

#[cfg(test)]
mod tests;
