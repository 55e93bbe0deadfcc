//! Reads when something is to be: "in 20 minutes", "tomorrow at 8", "every weekday at 8", "jeden Werktag um 8", RFC
//! 3339 and cron; by the calendar of a time zone. Pure.

mod parse;
mod words;

use std::time::Duration;

use jiff::{
    Span, ToSpan, Zoned,
    civil::{Date, DateTime, Time, Weekday},
    tz::TimeZone,
};

use self::{
    parse::{Day, Repeat, TimePhrase, phrase},
    words::Unit,
};
use crate::{
    clock::Timestamp,
    schedule::{due::first_occurrence, interval},
};

/// The farthest that anything may be away.
const FARTHEST: Duration = Duration::from_secs(20 * 366 * 86_400);
/// The hour that is meant where only a day is said.
const DEFAULT_HOUR: i8 = 9;
/// How a time can be said.
pub const FORMS: &str = "Say it like \"in 20 minutes\", \"tomorrow at 8\", \"next monday 14:00\", \"on 24 Dec at \
                         18:00\", \"every weekday at 8\", \"every 2 hours\", 2030-01-02T15:04:05, or as a cron \
                         expression.";

/// When something is to be: at a time, and perhaps again and again from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The first time.
    pub at: Timestamp,
    /// The cron expression or repeating interval of all that follow.
    pub cron: Option<String>,
}

/// Reads when something is to be, and how often; `repeat`: how often, if `when` does not say it.
///
/// # Errors
/// Says what is wrong, and how a time can be said.
pub fn read(when: &str, repeat: Option<&str>, zone: &TimeZone, now: Timestamp) -> Result<Schedule, String> {
    let clock = Reckoner { zone, now };
    let repeat = repeat.map(str::trim).filter(|repeat| !is_never(repeat));
    let when = when.trim();
    let schedule = if is_cron(when) {
        clock.by_cron(when.to_owned(), None)?
    } else {
        let start = match moment(when, zone) {
            Some(at) => (Some(at), TimePhrase::default()),
            None => (None, phrase(when).ok_or_else(|| unreadable(when))?),
        };
        clock.schedule(start, repeat)?
    };
    if schedule.at <= now {
        return Err(format!(
            "{} has passed: it is {} now.",
            clock.shown(schedule.at),
            clock.shown(now)
        ));
    }
    if schedule.at.since(now) > FARTHEST {
        return Err(format!(
            "{} is too far away: 20 years at most.",
            clock.shown(schedule.at)
        ));
    }
    Ok(schedule)
}

fn unreadable(when: &str) -> String {
    format!("`{when}` is no time that I understand. {FORMS}")
}

/// A model that has nothing to repeat may say so.
fn is_never(repeat: &str) -> bool {
    let lower = repeat.to_lowercase();
    matches!(
        &*lower,
        "" | "none" | "never" | "no" | "once" | "null" | "false" | "nie" | "einmal"
    )
}

/// A cron expression: five or six fields.
fn is_cron(text: &str) -> bool {
    let fields: Vec<_> = text.split_whitespace().collect();
    let is_field = |field: &&str| field.chars().all(|c| c.is_ascii_alphanumeric() || "*/,-?#".contains(c));
    let begins = fields
        .first()
        .is_some_and(|first| first.starts_with(|c: char| c.is_ascii_digit() || c == '*'));
    (5..=6).contains(&fields.len()) && begins && fields.iter().all(is_field) && text.contains(['*', '?'])
}

/// A moment as RFC 3339 has it; without an offset it is by the zone's calendar.
fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.into());
    }
    if let Ok(at) = text.parse::<Zoned>() {
        return Some(at.timestamp().into());
    }
    // A date alone says nothing of its time.
    let at = text.parse::<DateTime>().ok().filter(|_| text.contains(':'))?;
    Some(at.to_zoned(zone.clone()).ok()?.timestamp().into())
}

/// An expression for the same days at another time of the day; `None`: it is not for one time of a day.
pub fn moved(cron: &str, to: Timestamp, time_zone: &str) -> Option<String> {
    if interval::is_interval(cron) {
        let zone = crate::schedule::cron::zone(time_zone).ok()?;
        return interval::moved(cron, &to.to_jiff().to_zoned(zone));
    }
    let fields: Vec<_> = cron.split_whitespace().collect();
    let [minute, hour, days @ ..] = &fields[..] else {
        return None;
    };
    let is_one = |field: &str| field.parse::<u8>().is_ok();
    if days.len() != 3 || !is_one(minute) || !is_one(hour) {
        return None;
    }
    let to = to.to_jiff().to_zoned(crate::schedule::cron::zone(time_zone).ok()?);
    Some(format!("{} {} {}", to.minute(), to.hour(), days.join(" ")))
}

struct Reckoner<'a> {
    zone: &'a TimeZone,
    now: Timestamp,
}

impl Reckoner<'_> {
    fn today(&self) -> Zoned {
        self.now.to_jiff().to_zoned(self.zone.clone())
    }

    fn shown(&self, at: Timestamp) -> String {
        at.to_jiff()
            .to_zoned(self.zone.clone())
            .strftime("%a %Y-%m-%d %H:%M")
            .to_string()
    }

    fn schedule(&self, start: (Option<Timestamp>, TimePhrase), repeat: Option<&str>) -> Result<Schedule, String> {
        let (at, mut said) = start;
        let own = said.repeat.take();
        let (again, more) = match (own, repeat) {
            (Some(own), _) => {
                // It begins by itself.
                let cron = self.cron(&own, &said, None)?;
                return self.by_cron(cron, None);
            }
            (None, None) => {
                let at = at.map_or_else(|| self.once(&said), Ok)?;
                return Ok(Schedule { at, cron: None });
            }
            (None, Some(text)) if is_cron(text) => {
                let at = at.map_or_else(|| self.once(&said), Ok)?;
                return self.by_cron(text.to_owned(), Some(at));
            }
            (None, Some(text)) => {
                let mut more = parse::phrase(text).or_else(|| parse::phrase(&format!("every {text}")));
                let again = more.as_mut().and_then(|more| more.repeat.take());
                let again = again.ok_or_else(|| {
                    format!("`{text}` does not say how often. Say it like \"daily\", \"weekdays\", \"every 2 hours\", or as a cron expression.")
                })?;
                (again, more.unwrap_or_default())
            }
        };
        let bare = said.time.is_none() && said.part.is_none() && said.wait.is_empty() && at.is_none();
        if bare {
            (said.time, said.part) = (more.time, more.part);
        }
        let at = at.map_or_else(|| self.once(&said), Ok)?;
        let cron = self.cron(&again, &said, Some(at))?;
        self.by_cron(cron, Some(at))
    }

    fn by_cron(&self, cron: String, at: Option<Timestamp>) -> Result<Schedule, String> {
        let zone = self.zone.iana_name().unwrap_or("UTC");
        let first = first_occurrence(&cron, zone, self.now)?;
        Ok(Schedule {
            at: at.unwrap_or(first),
            cron: Some(cron),
        })
    }

    /// The only time that is meant.
    fn once(&self, said: &TimePhrase) -> Result<Timestamp, String> {
        let today = self.today();
        let clock = clock(said);
        if !said.wait.is_empty() {
            let mut at = today;
            for (number, unit) in &said.wait {
                at = span(*number, *unit)
                    .and_then(|span| at.checked_add(span).ok())
                    .ok_or_else(|| "That is too far away: 20 years at most.".to_owned())?;
            }
            return match clock {
                Some(time) => self.on(at.date(), time),
                None => Ok(at.timestamp().into()),
            };
        }
        let time = clock.unwrap_or_else(|| Time::constant(DEFAULT_HOUR, 0, 0, 0));
        let Some(day) = said.day else {
            let at = self.on(today.date(), time)?;
            // An hour alone means the next time that it comes.
            return if at > self.now {
                Ok(at)
            } else {
                self.on(plus(today.date(), 1)?, time)
            };
        };
        match day {
            Day::FromToday(days) => self.on(plus(today.date(), days)?, time),
            Day::Weekday { day, after } => {
                let ahead = i64::from(today.weekday().until(day));
                let passed = ahead == 0 && (after || self.on(today.date(), time)? <= self.now);
                self.on(plus(today.date(), if passed { 7 } else { ahead })?, time)
            }
            Day::Date { day, month, year } => self.on_date(day, month, year, time),
        }
    }

    /// The next such date that has not passed, if its year or month is not said.
    fn on_date(&self, day: i8, month: Option<i8>, year: Option<i16>, time: Time) -> Result<Timestamp, String> {
        let today = self.today();
        let months = match (year, month) {
            (Some(year), Some(month)) => vec![(year, month)],
            // A leap day may be eight years away.
            (None, Some(month)) => (0..=8).map(|more| (today.year() + more, month)).collect(),
            (_, None) => (0..12)
                .map(|more| {
                    let month = i16::from(today.month()) - 1 + more;
                    (today.year() + month / 12, i8::try_from(month % 12 + 1).unwrap_or(1))
                })
                .collect(),
        };
        let mut dates = months
            .iter()
            .filter_map(|(year, month)| Date::new(*year, *month, day).ok());
        if year.is_some() {
            let date = dates
                .next()
                .ok_or_else(|| format!("There is no day {day} in that month."))?;
            return self.on(date, time);
        }
        let next = dates.find_map(|date| self.on(date, time).ok().filter(|at| *at > self.now));
        next.ok_or_else(|| format!("There is no day {day} in that month."))
    }

    fn on(&self, date: Date, time: Time) -> Result<Timestamp, String> {
        let at = DateTime::from_parts(date, time).to_zoned(self.zone.clone());
        Ok(at
            .map_err(|error| format!("That is no time: {error}."))?
            .timestamp()
            .into())
    }

    /// The cron expression of what is said; `start`: the first time, from which it takes what is not said.
    fn cron(&self, repeat: &Repeat, said: &TimePhrase, start: Option<Timestamp>) -> Result<String, String> {
        let from = start.unwrap_or(self.now).to_jiff().to_zoned(self.zone.clone());
        let time = match (clock(said), start) {
            (Some(time), _) => time,
            (None, Some(_)) => from.time(),
            (None, None) => Time::constant(DEFAULT_HOUR, 0, 0, 0),
        };
        let (second, minute, hour) = (time.second(), time.minute(), time.hour());
        let seconds = if second == 0 {
            String::new()
        } else {
            format!("{second} ")
        };
        let on = |days: &str| format!("{seconds}{minute} {hour} {days}");
        Ok(match repeat {
            Repeat::Each(number, Unit::Minute | Unit::Hour) => {
                let hours = matches!(repeat, Repeat::Each(_, Unit::Hour));
                let anchor = if said.time.is_some() { time } else { from.time() };
                match interval_text(*number, hours, anchor) {
                    Some(cron) => cron,
                    None => self.interval(repeat, said, start)?,
                }
            }
            Repeat::Each(1, Unit::Day) => on("* * *"),
            Repeat::On(days) => on(&format!("* * {}", weekday_list(days))),
            Repeat::Each(1, Unit::Week) | Repeat::Each(7, Unit::Day) => {
                let day = match said.day {
                    Some(Day::Weekday { day, .. }) => day,
                    _ => from.weekday(),
                };
                on(&format!("* * {}", weekday_list(&[day])))
            }
            Repeat::Monthly(day) => on(&format!("{day} * *")),
            Repeat::Each(1, Unit::Month) => match said.day {
                Some(Day::Date { day, .. }) => on(&format!("{day} * *")),
                _ => on(&format!("{} * *", from.day())),
            },
            Repeat::Each(1, Unit::Year) => match said.day {
                Some(Day::Date {
                    day,
                    month: Some(month),
                    ..
                }) => on(&format!("{day} {month} *")),
                _ => on(&format!("{} {} *", from.day(), from.month())),
            },
            Repeat::Each(..) => self.interval(repeat, said, start)?,
        })
    }

    /// A repeat that cron cannot say, from its first time on.
    fn interval(&self, repeat: &Repeat, said: &TimePhrase, start: Option<Timestamp>) -> Result<String, String> {
        let Repeat::Each(
            number @ 1..=MOST,
            unit @ (Unit::Minute | Unit::Hour | Unit::Day | Unit::Week | Unit::Month | Unit::Year),
        ) = repeat
        else {
            return Err(CANNOT.to_owned());
        };
        let every = span(*number, *unit).ok_or_else(|| CANNOT.to_owned())?;
        let from = match (start, unit) {
            (Some(at), _) => at,
            // It is counted from now.
            (None, Unit::Minute | Unit::Hour) => self.now,
            (None, _) => self.once(said)?,
        };
        let from = from.to_jiff().to_zoned(self.zone.clone()).datetime();
        let whole = from.with().subsec_nanosecond(0).build().unwrap_or(from);
        Ok(interval::repeating(whole, &every))
    }
}

/// The most units between two times.
const MOST: i64 = 1000;

const CANNOT: &str = "It can be repeated on days of the week, or every so many minutes, hours, days, weeks, months or \
                      years, such as \"every 15 minutes\", \"every other day\" or \"every 2 weeks\".";

/// Every so many minutes or hours, counted from a time of the day: those that divide an hour or a day evenly; `None`:
/// cron cannot say the others.
fn interval_text(number: i64, hours: bool, anchor: Time) -> Option<String> {
    let (number, hours) = match (number, hours) {
        (minutes, false) if minutes >= 60 && minutes % 60 == 0 => (minutes / 60, true),
        other => other,
    };
    let of = if hours { 24 } else { 60 };
    if number < 1 || number > of || of % number != 0 {
        return None;
    }
    let field = |from: i8| match i64::from(from) % number {
        _ if number == 1 => "*".to_owned(),
        0 => format!("*/{number}"),
        first => format!("{first}-{}/{number}", of - 1),
    };
    Some(match hours {
        true if number == 24 => format!("{} {} * * *", anchor.minute(), anchor.hour()),
        true => format!("{} {} * * *", anchor.minute(), field(anchor.hour())),
        false if number == 60 => format!("{} * * * *", anchor.minute()),
        false => format!("{} * * * *", field(anchor.minute())),
    })
}

/// Days of the week as cron has them.
fn weekday_list(days: &[Weekday]) -> String {
    let mut numbers: Vec<_> = days.iter().map(|day| day.to_sunday_zero_offset()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers[..] {
        [1, 2, 3, 4, 5] => "1-5".to_owned(),
        _ => numbers.iter().map(i8::to_string).collect::<Vec<_>>().join(","),
    }
}

/// The time of the day that is said, if one is.
fn clock(said: &TimePhrase) -> Option<Time> {
    match (said.time, said.part) {
        (Some(time), Some(part)) => Time::new(part.of_hour(time.hour()), time.minute(), time.second(), 0).ok(),
        (Some(time), None) => Some(time),
        (None, Some(part)) => Time::new(part.hour(), 0, 0, 0).ok(),
        (None, None) => None,
    }
}

fn plus(date: Date, days: i64) -> Result<Date, String> {
    date.checked_add(days.days())
        .map_err(|_| "That is too far away.".to_owned())
}

fn span(number: i64, unit: Unit) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Second => span.try_seconds(number),
        Unit::Minute => span.try_minutes(number),
        Unit::Hour => span.try_hours(number),
        Unit::Day => span.try_days(number),
        Unit::Week => span.try_weeks(number),
        Unit::Month => span.try_months(number),
        Unit::Year => span.try_years(number),
    }
    .ok()
}

#[cfg(test)]
mod tests;
