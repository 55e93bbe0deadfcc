//! A new time for something that is repeated: an hour alone keeps its days, a day alone keeps its hour.

use jiff::{
    civil::{DateTime, Time, Weekday},
    tz::TimeZone,
};

use super::{
    Schedule, moment,
    parse::{TimePhrase, phrase},
    read,
    reckon::{Reckoner, plus},
    repeat::{monthly, weekday_list, yearly},
    unreadable, within_reach,
};
use crate::{
    clock::Timestamp,
    schedule::interval::{self, Interval},
};

/// Reads a new time for what is repeated by `cron`.
///
/// # Errors
/// Says what is wrong, or that the days on which it is repeated have to be said, too.
pub fn again(cron: &str, when: &str, zone: &TimeZone, now: Timestamp) -> Result<Schedule, String> {
    let clock = Reckoner { zone, now };
    let when = when.trim();
    let (at, said) = match moment(when, zone) {
        Some(at) => (Some(at), TimePhrase::default()),
        None if super::is_cron(when) => return read(when, None, zone, now),
        None => (None, phrase(when).ok_or_else(|| unreadable(when))?),
    };
    if said.repeat.is_some() {
        return read(when, None, zone, now);
    }
    let has_day = at.is_some() || said.day.is_some() || !said.weekdays.is_empty();
    let has_time = at.is_some() || !said.times.is_empty() || said.part.is_some();
    if !said.wait.is_empty() {
        // It is put off, and goes on as before.
        let schedule = Schedule {
            at: clock.once(&said)?,
            cron: Some(cron.to_owned()),
        };
        return within_reach(schedule, &clock);
    }
    let own_time = time_of(cron).ok_or_else(|| without_hour(cron))?;
    let said = match has_time {
        true => said,
        false => TimePhrase {
            times: vec![own_time],
            ..said
        },
    };
    let at = at.map_or_else(|| clock.once(&said), Ok)?;
    let to = clock.zoned(at).datetime();
    let schedule = match has_day {
        true => Schedule {
            at,
            cron: Some(on_day(cron, to).ok_or_else(|| on_other_days(cron))?),
        },
        false => clock.by_cron(at_time(cron, to.time()).ok_or_else(|| without_hour(cron))?, None)?,
    };
    within_reach(schedule, &clock)
}

fn without_hour(cron: &str) -> String {
    format!(
        "It is repeated by `{cron}`, which has no one hour of the day: say how often it is to be from then on, or \
         `none` for once more only."
    )
}

fn on_other_days(cron: &str) -> String {
    format!(
        "It is repeated by `{cron}`, which does not have that day: say the days anew, such as `every tuesday at 9`, or \
         `none` as how often, for once more only."
    )
}

/// The fields of a cron expression for one time of a day: its minute and hour, and its days.
fn fields(cron: &str) -> Option<(Time, [&str; 3])> {
    let fields: Vec<_> = cron.split_whitespace().collect();
    let (second, minute, hour, days) = match fields[..] {
        [minute, hour, day, month, weekday] => ("0", minute, hour, [day, month, weekday]),
        [second, minute, hour, day, month, weekday] => (second, minute, hour, [day, month, weekday]),
        _ => return None,
    };
    let number = |field: &str| field.parse::<i8>().ok();
    let time = Time::new(number(hour)?, number(minute)?, number(second)?, 0).ok()?;
    Some((time, days))
}

/// The time of the day of what is repeated.
fn time_of(cron: &str) -> Option<Time> {
    if !interval::is_interval(cron) {
        return fields(cron).map(|(time, _)| time);
    }
    interval::moved(cron, Time::midnight())?;
    interval::read(cron)?.first().map(|one| one.start.time())
}

fn with_time(time: Time, days: &str) -> String {
    let second = match time.second() {
        0 => String::new(),
        second => format!("{second} "),
    };
    format!("{second}{} {} {days}", time.minute(), time.hour())
}

/// The same days at another time.
fn at_time(cron: &str, to: Time) -> Option<String> {
    let to = to.with().subsec_nanosecond(0).build().ok()?;
    if interval::is_interval(cron) {
        return interval::moved(cron, to);
    }
    let (_, days) = fields(cron)?;
    Some(with_time(to, &days.join(" ")))
}

/// Repeated as before, on another day and at another time. `None`: it is not repeated on one day, and that is none of
/// its days.
fn on_day(cron: &str, to: DateTime) -> Option<String> {
    let to = to.with().subsec_nanosecond(0).build().ok()?;
    let (date, time) = (to.date(), to.time());
    if interval::is_interval(cron) {
        return intervals_from(&interval::read(cron)?, to);
    }
    let (_, days) = fields(cron)?;
    match days {
        ["*", "*", "*"] => Some(with_time(time, "* * *")),
        ["*", "*", weekdays] => {
            let weekdays = weekdays_of(weekdays)?;
            match weekdays[..] {
                [_] => Some(with_time(time, &format!("* * {}", weekday_list(&[date.weekday()])))),
                _ => weekdays
                    .contains(&date.weekday())
                    .then(|| with_time(time, &format!("* * {}", weekday_list(&weekdays)))),
            }
        }
        [day, "*", "*"] => {
            day.parse::<i8>().ok()?;
            monthly(date.day(), &[time], date).ok()
        }
        [day, month, "*"] => {
            day.parse::<i8>().ok().zip(month.parse::<i8>().ok())?;
            yearly(date.day(), date.month(), &[time], date.year()).ok()
        }
        _ => None,
    }
}

/// Intervals counted from another day on: one from that day, several from its week.
fn intervals_from(all: &[Interval], to: DateTime) -> Option<String> {
    if let [one] = all {
        return Some(interval::repeating(to, &one.every));
    }
    let monday = |date: DateTime| {
        let into_week = i64::from(date.weekday().to_monday_zero_offset());
        plus(date.date(), -into_week).ok()
    };
    let is_named = all.iter().any(|one| one.start.weekday() == to.weekday());
    let (week, to_week) = (monday(all.first()?.start)?, monday(to).filter(|_| is_named)?);
    let each = all.iter().map(|one| {
        let into = one.start.date().since(week).ok()?;
        let date = to_week.checked_add(into).ok()?;
        Some(interval::repeating(date.to_datetime(to.time()), &one.every))
    });
    each.collect::<Option<Vec<_>>>().map(interval::together)
}

/// The days of a field of weekdays, such as `1-5` or `0,6`.
fn weekdays_of(field: &str) -> Option<Vec<Weekday>> {
    let mut days = Vec::new();
    for piece in field.split(',') {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let (first, last) = (first.parse::<i8>().ok()?, last.parse::<i8>().ok()?);
        for day in first..=last.min(7) {
            days.push(Weekday::from_sunday_zero_offset(day % 7).ok()?);
        }
    }
    (!days.is_empty()).then_some(days)
}
