//! When sleeping runs wake, and cron expressions come due: pure, by a time zone's calendar.

use croner::parser::{CronParser, Seconds};

use super::interval;
use crate::clock::{self, Timestamp};

/// When a cron expression (5 fields, or 6 with seconds first) or a repeating interval next comes due in a time zone,
/// after a moment.
///
/// # Errors
/// Says what is wrong with the expression or the zone, in words for the model.
pub fn next_occurrence(cron: &str, time_zone: &str, after: Timestamp) -> Result<Timestamp, String> {
    let zone = zone(time_zone)?;
    if interval::is_interval(cron) {
        return interval::next_occurrence(cron, &zone, after);
    }
    let expression = parser()
        .parse(cron)
        .map_err(|error| unreadable(cron, &error.to_string()))?;
    let next = expression
        .find_next_occurrence(&after.to_jiff().to_zoned(zone), false)
        .map_err(|_| format!("cron `{cron}` never comes due."))?;
    Ok(Timestamp::from(next.timestamp()))
}

/// The fields of a cron expression, and what they take.
const FIELDS: [(&str, &str); 6] = [
    ("second", "0 to 59"),
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day", "1 to 31"),
    ("month", "1 to 12, or JAN to DEC"),
    ("weekday", "0 to 7, or SUN to SAT"),
];

fn parser() -> CronParser {
    CronParser::builder().seconds(Seconds::Optional).build()
}

/// Describes a fault of a cron expression, in our own words where possible.
fn unreadable(cron: &str, error: &str) -> String {
    let fields: Vec<_> = cron.split_whitespace().collect();
    let error = match FIELDS.len().checked_sub(fields.len()) {
        _ if cron.trim_start().starts_with('@') => error.trim_end_matches('.').to_owned(),
        Some(left @ 0..=1) => faulty(&fields, left).unwrap_or_else(|| error.trim_end_matches('.').to_owned()),
        _ => format!(
            "it takes 5 fields (minute, hour, day, month, weekday), or 6 with seconds first, and this has {}",
            fields.len()
        ),
    };
    format!("cron `{cron}` cannot be read: {error}.")
}

/// The first field that is wrong by itself; `left` of all fields are left out.
fn faulty(fields: &[&str], left: usize) -> Option<String> {
    fields.iter().enumerate().find_map(|(place, field)| {
        let (name, range) = FIELDS.get(left + place)?;
        let mut alone = vec!["*"; fields.len()];
        *alone.get_mut(place)? = *field;
        let is_wrong = parser().parse(&alone.join(" ")).is_err();
        is_wrong.then(|| format!("{name} must be {range}, not `{field}`"))
    })
}

/// A moment as RFC 3339 has it; without an offset it is by the calendar of a time zone.
pub(crate) fn moment(text: &str, time_zone: &str) -> Result<Timestamp, String> {
    if let Some(at) = Timestamp::parse(text) {
        return Ok(at);
    }
    let zone = zone(time_zone)?;
    match text.parse::<jiff::civil::DateTime>().and_then(|at| at.to_zoned(zone)) {
        Ok(at) => Ok(at.timestamp().into()),
        Err(_) if clock::is_last(text) => Ok(jiff::Timestamp::MAX.into()),
        Err(_) => Err(format!(
            "wake_at `{text}` is no RFC 3339 time such as 2030-01-02T03:04:05Z, or 2030-01-02T03:04:05 without an offset."
        )),
    }
}

/// The time zone of an IANA name.
///
/// # Errors
/// There is no such zone.
pub fn zone(name: &str) -> Result<jiff::tz::TimeZone, String> {
    jiff::tz::TimeZone::get(name).map_err(|_| format!("`{name}` is no IANA time zone."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse::<jiff::Timestamp>().expect("a time").into()
    }

    #[test]
    fn cron_expressions_come_due_in_their_time_zone_over_both_dst_edges() {
        let cases = [
            ("*/5 * * * *", "UTC", "2026-01-01T00:01:00Z", "2026-01-01T00:05:00Z"),
            ("30 */5 * * * *", "UTC", "2026-01-01T00:05:30Z", "2026-01-01T00:10:30Z"),
            (
                "0 8 * * *",
                "Europe/Berlin",
                "2026-03-28T12:00:00Z",
                "2026-03-29T06:00:00Z",
            ),
            (
                "0 8 * * *",
                "Europe/Berlin",
                "2026-10-24T12:00:00Z",
                "2026-10-25T07:00:00Z",
            ),
            // 02:30 does not exist on the day the clock goes forward: it comes due when the hour has been skipped.
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:00:00Z",
            ),
            // 02:30 exists twice on the day it goes back: it comes due once, at the first.
            (
                "30 2 * * *",
                "Europe/Berlin",
                "2026-10-24T12:00:00Z",
                "2026-10-25T00:30:00Z",
            ),
        ];
        for (cron, zone, after, expected) in cases {
            assert_eq!(
                next_occurrence(cron, zone, at(after)),
                Ok(at(expected)),
                "{cron} {zone} after {after}"
            );
        }
    }

    #[test]
    fn a_moment_at_the_end_of_the_calendar_is_one() {
        for text in [
            "9999-12-31T23:59:59Z",
            "9999-12-30T23:00:00-23:00",
            "9999-12-31T23:59:59.5+01:00",
            "9999-12-31T23:59:59",
            "9999-12-31T23:59",
            "9999-12-31",
        ] {
            assert_eq!(moment(text, "UTC"), Ok(jiff::Timestamp::MAX.into()), "{text}");
        }
        assert_eq!(moment("9999-12-30T10:00:00", "UTC"), Ok(at("9999-12-30T10:00:00Z")));
        for text in ["9999-12-32T00:00:00Z", "tomorrow", "9999-12-3é"] {
            assert!(moment(text, "UTC").is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_cron_expression_or_zone_is_named() {
        let now = at("2026-01-01T00:00:00Z");
        let error = next_occurrence("every day", "UTC", now).expect_err("no expression");
        assert_eq!(
            error,
            "cron `every day` cannot be read: it takes 5 fields (minute, hour, day, month, weekday), or 6 with seconds first, and this has 2."
        );
        assert_eq!(
            next_occurrence("0 0 30 2 *", "UTC", now),
            Err("cron `0 0 30 2 *` never comes due.".to_owned())
        );
        let faults = [
            ("61 * * * *", "minute must be 0 to 59, not `61`"),
            ("*/5 24 * * *", "hour must be 0 to 23, not `24`"),
            ("0 8 32 * *", "day must be 1 to 31, not `32`"),
            ("0 8 * 13 *", "month must be 1 to 12, or JAN to DEC, not `13`"),
            ("0 8 * * FUN", "weekday must be 0 to 7, or SUN to SAT, not `FUN`"),
            ("60 0 8 * * *", "second must be 0 to 59, not `60`"),
        ];
        for (cron, fault) in faults {
            let expected = format!("cron `{cron}` cannot be read: {fault}.");
            assert_eq!(next_occurrence(cron, "UTC", now), Err(expected));
        }
        assert_eq!(
            next_occurrence("* * * * *", "Mars/Base", now),
            Err("`Mars/Base` is no IANA time zone.".to_owned())
        );
    }
}
