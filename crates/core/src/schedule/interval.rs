//! Repeats that cron cannot say, such as every two weeks: ISO 8601's repeating intervals, `R/2026-06-01T08:00:00/P2W`,
//! counted from their start by a time zone's calendar; several with semicolons between them. Pure.

use jiff::{
    Span, Zoned,
    civil::{DateTime, Time},
    tz::TimeZone,
};

use crate::clock::Timestamp;

/// How it begins.
const PREFIX: &str = "R/";
/// The separator of several.
const BETWEEN: &str = ";";
/// How far around the reckoned occurrence is looked: months and years are not all equally long.
const AROUND: i64 = 3;

/// Whether this is a repeating interval.
pub(crate) fn is_interval(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// The interval that repeats from a start.
pub fn repeating(start: DateTime, every: &Span) -> String {
    format!("{PREFIX}{start}/{every}")
}

/// Several intervals as one expression, which comes due whenever one of them does.
pub(crate) fn together(intervals: Vec<String>) -> String {
    intervals.join(BETWEEN)
}

/// When it next comes due in a time zone, after a moment.
///
/// # Errors
/// It cannot be read, or never comes due.
pub fn next_occurrence(text: &str, zone: &TimeZone, after: Timestamp) -> Result<Timestamp, String> {
    let each = text.split(BETWEEN).map(|one| next_of_one(one, zone, after));
    let next = each.collect::<Result<Vec<_>, _>>()?.into_iter().min();
    next.ok_or_else(|| unreadable(text))
}

fn unreadable(text: &str) -> String {
    format!("`{text}` is no repeating interval such as R/2026-06-01T08:00:00/P2W.")
}

fn next_of_one(text: &str, zone: &TimeZone, after: Timestamp) -> Result<Timestamp, String> {
    let Interval { start, every } = Interval::read(text).ok_or_else(|| unreadable(text))?;
    let never = || format!("`{text}` never comes due again.");
    let is_of_clock = !is_of_calendar(&every);
    let first = start.to_zoned(zone.clone()).map_err(|_| unreadable(text))?;
    // Counted from the start, so that the 31st stays the 31st where a month has one, and an hour that the clock skips
    // on one day is skipped on that day alone.
    let nth = |number: i64| -> Option<Zoned> {
        let span = every.checked_mul(number).ok()?;
        match is_of_clock {
            true => first.checked_add(span).ok(),
            false => start.checked_add(span).ok()?.to_zoned(zone.clone()).ok(),
        }
    };
    let second = nth(1).ok_or_else(never)?;
    let length = second.timestamp().as_millisecond() - first.timestamp().as_millisecond();
    if length <= 0 {
        return Err(unreadable(text));
    }
    let passed = (after.0 - first.timestamp().as_millisecond()).max(0) / length;
    // Months differ, and a day in which the clock is put forward has 23 hours.
    let slack = if is_of_clock { 0 } else { passed / 8 };
    let mut number = (passed - slack - AROUND).max(0);
    loop {
        let at = Timestamp::from(nth(number).ok_or_else(never)?.timestamp());
        if at > after {
            return Ok(at);
        }
        number += 1;
    }
}

fn is_of_calendar(every: &Span) -> bool {
    every.get_years() != 0 || every.get_months() != 0 || every.get_weeks() != 0 || every.get_days() != 0
}

/// The same days at another time of the day; `None`: it is no matter of days.
pub fn moved(text: &str, to: Time) -> Option<String> {
    let each = read(text)?.into_iter().map(|Interval { start, every }| {
        let is_of_days = every.get_hours() == 0 && every.get_minutes() == 0 && every.get_seconds() == 0;
        is_of_days.then(|| repeating(start.date().to_datetime(to), &every))
    });
    each.collect::<Option<Vec<_>>>().map(together)
}

/// One repeating interval.
pub(crate) struct Interval {
    /// When it first comes due, by the calendar.
    pub start: DateTime,
    /// The time from one to the next.
    pub every: Span,
}

impl Interval {
    fn read(text: &str) -> Option<Self> {
        let (start, every) = text.strip_prefix(PREFIX)?.split_once('/')?;
        Some(Self {
            start: start.parse().ok()?,
            every: every.parse().ok()?,
        })
    }
}

/// All intervals of an expression; `None`: it cannot be read.
pub(crate) fn read(text: &str) -> Option<Vec<Interval>> {
    text.split(BETWEEN).map(Interval::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(text: &str, after: &str) -> Result<String, String> {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let after = after.parse::<jiff::Timestamp>().unwrap().into();
        next_occurrence(text, &zone, after).map(|at| at.to_string())
    }

    #[test]
    fn it_comes_due_by_the_calendar_counted_from_its_start() {
        let cases = [
            // Not before it starts.
            (
                "R/2026-06-01T08:00:00/P2W",
                "2026-01-01T00:00:00Z",
                "2026-06-01T06:00:00Z",
            ),
            (
                "R/2026-06-01T08:00:00/P2W",
                "2026-06-01T06:00:00Z",
                "2026-06-15T06:00:00Z",
            ),
            // The same hour over the end of summer time, years later too.
            (
                "R/2026-10-19T08:00:00/P1W",
                "2026-10-20T00:00:00Z",
                "2026-10-26T07:00:00Z",
            ),
            (
                "R/2016-06-01T08:00:00/P2D",
                "2026-06-01T12:00:00Z",
                "2026-06-03T06:00:00Z",
            ),
            // The last of a month, where it has one.
            (
                "R/2026-01-31T08:00:00/P1M",
                "2026-02-01T00:00:00Z",
                "2026-02-28T07:00:00Z",
            ),
            (
                "R/2026-01-31T08:00:00/P1M",
                "2026-03-01T00:00:00Z",
                "2026-03-31T06:00:00Z",
            ),
            // An hour that the clock skips on the first day is there on all others.
            (
                "R/2026-03-29T02:30:00/P1D",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:30:00Z",
            ),
            (
                "R/2026-03-29T02:30:00/P1D",
                "2026-03-29T12:00:00Z",
                "2026-03-30T00:30:00Z",
            ),
            // An hour that the clock has twice comes once.
            (
                "R/2026-10-23T02:30:00/P2D",
                "2026-10-25T00:29:59Z",
                "2026-10-25T00:30:00Z",
            ),
            (
                "R/2026-10-23T02:30:00/P2D",
                "2026-10-25T00:30:00Z",
                "2026-10-27T01:30:00Z",
            ),
            // 28 February for a leap day.
            (
                "R/2024-02-29T09:00:00/P1Y",
                "2026-01-01T00:00:00Z",
                "2026-02-28T08:00:00Z",
            ),
            (
                "R/2024-02-29T09:00:00/P1Y",
                "2028-01-01T00:00:00Z",
                "2028-02-29T08:00:00Z",
            ),
            // Whichever of several is next.
            (
                "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
                "2026-06-01T06:00:00Z",
                "2026-06-04T06:00:00Z",
            ),
            (
                "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
                "2026-06-04T06:00:00Z",
                "2026-06-15T06:00:00Z",
            ),
            // Hours are hours, whatever the clock shows.
            (
                "R/2026-10-25T00:30:00/PT90M",
                "2026-10-24T23:00:00Z",
                "2026-10-25T00:00:00Z",
            ),
        ];
        for (text, after, expected) in cases {
            assert_eq!(next(text, after), Ok(expected.to_owned()), "{text} {after}");
        }
    }

    #[test]
    fn what_never_moves_on_is_none() {
        for text in [
            "R/2026-06-01T08:00:00/P0D",
            "R/2026-06-01T08:00:00/-P1D",
            "R/x/P1D",
            "R/2026-06-01",
            "R//",
        ] {
            let fault = format!("`{text}` is no repeating interval such as R/2026-06-01T08:00:00/P2W.");
            assert_eq!(next(text, "2026-01-01T00:00:00Z"), Err(fault), "{text}");
        }
    }
}
