//! Days and months in the bot's time zone, in which a day has 23 to 25 hours. Pure.

use jiff::{ToSpan, Zoned, tz::TimeZone};

use super::Period;
use crate::clock::Timestamp;

/// One day or month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its name: `2026-11-22`, `2026-11`.
    pub key: String,
    /// When it began.
    pub from: Timestamp,
    /// When the next one begins.
    pub until: Timestamp,
}

impl Period {
    /// The day or month of a moment.
    pub fn window(self, now: Timestamp, zone: &TimeZone) -> Window {
        let here = now.to_jiff().to_zoned(zone.clone());
        // At the ends of the calendar there is no other day than this one.
        let begin = |at: &Zoned| at.start_of_day().unwrap_or_else(|_| at.clone());
        let then =
            |from: &Zoned, span: jiff::Span| from.checked_add(span).map_or_else(|_| here.clone(), |at| begin(&at));
        let (key, from, until) = match self {
            Self::Day => (here.strftime("%Y-%m-%d"), begin(&here), then(&here, 1.day())),
            Self::Month => {
                let first = here.first_of_month().unwrap_or_else(|_| here.clone());
                (here.strftime("%Y-%m"), begin(&first), then(&first, 1.month()))
            }
        };
        let key = key.to_string();
        Window {
            key,
            from: from.timestamp().into(),
            until: until.timestamp().into(),
        }
    }
}

/// The zone of this IANA name; UTC, if there is none.
pub fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(period: Period, now: &str, name: &str) -> (String, String, String) {
        let now: jiff::Timestamp = now.parse().unwrap();
        let window = period.window(now.into(), &zone(name));
        (window.key, window.from.to_string(), window.until.to_string())
    }

    #[test]
    fn days_and_months_are_those_of_the_zone() {
        let cases = [
            (
                Period::Day,
                "2026-11-22T12:00:00Z",
                "UTC",
                ("2026-11-22", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"),
            ),
            (
                Period::Month,
                "2026-12-31T23:30:00Z",
                "UTC",
                ("2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ),
            // Already the next year there.
            (
                Period::Month,
                "2026-12-31T23:30:00Z",
                "Europe/Berlin",
                ("2027-01", "2026-12-31T23:00:00Z", "2027-01-31T23:00:00Z"),
            ),
            // 23 and 25 hours.
            (
                Period::Day,
                "2026-03-29T12:00:00Z",
                "Europe/Berlin",
                ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            ),
            (
                Period::Day,
                "2026-10-25T12:00:00Z",
                "Europe/Berlin",
                ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            ),
            // Summer time begins at midnight there, so the day begins at one.
            (
                Period::Day,
                "2026-09-06T12:00:00Z",
                "America/Santiago",
                ("2026-09-06", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"),
            ),
        ];
        for (period, now, name, (key, from, until)) in cases {
            assert_eq!(
                window(period, now, name),
                (key.into(), from.into(), until.into()),
                "{now} {name}"
            );
        }
    }
}
