//! Dates and time zones: weekday and week, a span later, the time until another, the same in another zone.

use clifford_store::people::users;
use jiff::{
    Span, SpanRound, Timestamp, Unit, Zoned,
    civil::{Date, DateTime},
    fmt::friendly::SpanPrinter,
    tz::TimeZone,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolContext, ToolError};

#[derive(Default, Deserialize, JsonSchema)]
pub(super) struct DateArgs {
    /// `2026-03-01`, `2026-03-01 09:30`, with an offset, or left out: now.
    date: Option<String>,
    /// A span to add, such as `3 days`, `-2 weeks` or `1 month 4 hours`.
    add: Option<String>,
    /// Another date: how long until then.
    until: Option<String>,
    /// The zone that dates without one are in, such as `Europe/Berlin`; left out: the user's.
    zone: Option<String>,
    /// The zone to tell it in; left out: the same.
    to_zone: Option<String>,
}

#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Told {
    /// With its offset.
    date: String,
    zone: String,
    weekday: &'static str,
    week: i8,
    day_of_year: i16,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Until>,
}

/// How long it is until another date; negative: since.
#[derive(Debug, PartialEq, Serialize)]
struct Until {
    /// In years, months, days and smaller.
    span: String,
    /// In whole days of the calendar.
    days: i32,
}

pub(super) async fn date(cx: ToolContext, args: DateArgs) -> Result<Told, ToolError> {
    let own = match cx.user {
        Some(user) => users::get(&mut cx.db.read().await?, user).await?,
        None => None,
    };
    let zone = own
        .and_then(|user| user.time_zone)
        .unwrap_or_else(|| cx.time_zone.clone());
    tell(&args, &zone, cx.clock.now().to_jiff()).map_err(ToolError::TellModel)
}

fn tell(args: &DateArgs, own_zone: &str, now: Timestamp) -> Result<Told, String> {
    let zone = zone(args.zone.as_deref().unwrap_or(own_zone))?;
    let mut at = match &args.date {
        Some(text) => read(text, &zone)?,
        None => now.to_zoned(zone.clone()),
    };
    if let Some(add) = &args.add {
        let span: Span = add
            .parse()
            .map_err(|error| format!("add: `{add}` is no span such as `3 days` or `-2 weeks`: {error}"))?;
        at = at.checked_add(span).map_err(|error| format!("add: {error}"))?;
    }
    let until = match &args.until {
        Some(text) => Some(until(&at, &read(text, &zone)?)?),
        None => None,
    };
    if let Some(to) = &args.to_zone {
        at = at.with_time_zone(self::zone(to)?);
    }
    Ok(Told {
        date: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        zone: at.time_zone().iana_name().unwrap_or("fixed offset").to_owned(),
        weekday: weekday(&at),
        week: at.date().iso_week_date().week(),
        day_of_year: at.day_of_year(),
        until,
    })
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| format!("`{name}` is not a time zone such as Europe/Berlin or UTC"))
}

/// A moment with its own offset, or a date or time of day in a zone.
fn read(text: &str, zone: &TimeZone) -> Result<Zoned, String> {
    let text = text.trim();
    let in_zone = |at: DateTime| at.to_zoned(zone.clone()).map_err(|error| format!("`{text}`: {error}"));
    if let Ok(at) = text.parse::<Zoned>() {
        return Ok(at);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.to_zoned(zone.clone()));
    }
    match (text.parse::<DateTime>(), text.parse::<Date>()) {
        (Ok(at), _) => in_zone(at),
        (_, Ok(date)) => in_zone(date.into()),
        (Err(error), _) => Err(format!(
            "`{text}` is no date such as 2026-03-01 or 2026-03-01 09:30: {error}"
        )),
    }
}

fn until(from: &Zoned, to: &Zoned) -> Result<Until, String> {
    let fault = |error: jiff::Error| format!("until: {error}");
    let to = to.with_time_zone(from.time_zone().clone());
    let span = from.until((Unit::Year, &to)).map_err(fault)?;
    let whole = span
        .round(SpanRound::new().smallest(Unit::Second).relative(from))
        .map_err(fault)?;
    Ok(Until {
        span: SpanPrinter::new()
            .designator(jiff::fmt::friendly::Designator::Verbose)
            .span_to_string(&whole),
        days: from.date().until((Unit::Day, to.date())).map_err(fault)?.get_days(),
    })
}

fn weekday(at: &Zoned) -> &'static str {
    const NAMES: [&str; 7] = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    let place = usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or_default();
    NAMES.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-28T23:30:00 in Berlin, the night before its clocks go forward.
    const NOW: &str = "2026-03-28T22:30:00Z";

    fn told(args: DateArgs) -> Result<Told, String> {
        tell(&args, "Europe/Berlin", NOW.parse().expect("a time"))
    }

    fn owned(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn now_is_told_in_the_users_zone_with_weekday_and_week() {
        assert_eq!(
            told(DateArgs::default()),
            Ok(Told {
                date: "2026-03-28T23:30:00+01:00".to_owned(),
                zone: "Europe/Berlin".to_owned(),
                weekday: "Saturday",
                week: 13,
                day_of_year: 87,
                until: None,
            })
        );
    }

    #[test]
    fn spans_zones_and_clock_changes_come_out_as_people_say() {
        let dates = [
            // A day later is the same time of day, 23 hours on.
            (None, Some("1 day"), None, None, "2026-03-29T23:30:00+02:00"),
            (None, Some("24 hours"), None, None, "2026-03-30T00:30:00+02:00"),
            (
                Some("2024-01-31"),
                Some("1 month"),
                None,
                None,
                "2024-02-29T00:00:00+01:00",
            ),
            (
                Some("2026-01-01"),
                Some("-2 weeks"),
                None,
                None,
                "2025-12-18T00:00:00+01:00",
            ),
            // An hour that does not exist is the one after it.
            (Some("2026-03-29 02:30"), None, None, None, "2026-03-29T03:30:00+02:00"),
            (
                Some("2026-07-01 09:00"),
                None,
                None,
                Some("Asia/Tokyo"),
                "2026-07-01T16:00:00+09:00",
            ),
            (
                Some("2026-07-01 09:00"),
                None,
                Some("America/New_York"),
                Some("UTC"),
                "2026-07-01T13:00:00+00:00",
            ),
            (
                Some("2026-07-01T09:00:00Z"),
                None,
                None,
                None,
                "2026-07-01T11:00:00+02:00",
            ),
        ];
        for (date, add, zone, to_zone, expected) in dates {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let args = DateArgs {
                date: owned(date),
                add: owned(add),
                zone: owned(zone),
                to_zone: owned(to_zone),
                until: None,
            };
            let told = told(args).map(|told| told.date);
            assert_eq!(told, Ok(expected.to_owned()), "{date:?} {add:?} {zone:?} {to_zone:?}");
        }
    }

    #[test]
    fn the_time_until_another_date_is_told_in_a_span_and_in_days() {
        let cases = [
            ("2026-03-01", "2026-12-24", "9months 23days", 298),
            ("2026-12-24", "2026-03-01", "9months 23days ago", -298),
            ("2026-03-01 08:00", "2026-03-01 09:30", "1hour 30minutes", 0),
            ("2024-02-29", "2024-02-29", "0seconds", 0),
        ];
        for (date, until, span, days) in cases {
            let args = DateArgs {
                date: owned(date),
                until: owned(until),
                ..DateArgs::default()
            };
            let told = told(args).expect("a date").until;
            let expected = Until {
                span: span.to_owned(),
                days,
            };
            assert_eq!(told, Some(expected), "{date} {until}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_with_what_can() {
        let date = |date| DateArgs {
            date: owned(date),
            ..DateArgs::default()
        };
        let cases = [
            (date("tomorrow"), "`tomorrow` is no date such as 2026-03-01 or"),
            (date("2026-02-30"), "`2026-02-30` is no date such as"),
            (
                DateArgs {
                    add: owned("soon"),
                    ..DateArgs::default()
                },
                "add: `soon` is no span such as `3 days`",
            ),
            (
                DateArgs {
                    to_zone: owned("Mars"),
                    ..DateArgs::default()
                },
                "`Mars` is not a time zone such as Europe/Berlin",
            ),
        ];
        for (args, expected) in cases {
            let error = told(args).expect_err(expected);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
