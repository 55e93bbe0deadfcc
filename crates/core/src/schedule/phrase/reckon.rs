//! From the parts of a phrase to moments, by the calendar of a time zone.

use jiff::{
    Span, ToSpan, Zoned,
    civil::{Date, DateTime, Time, Weekday},
    tz::TimeZone,
};

use super::{
    Schedule, is_cron,
    length::Length,
    parse::{self, Day, Repeat, TimePhrase},
    words::Unit,
};
use crate::{
    clock::Timestamp,
    schedule::{cron::next_occurrence, due::first_occurrence},
};

/// The hour that is meant where only a day is said.
const DEFAULT_HOUR: i8 = 9;

/// Reckons by the calendar of a time zone, from a moment on.
pub(super) struct Reckoner<'a> {
    pub zone: &'a TimeZone,
    pub now: Timestamp,
}

impl Reckoner<'_> {
    pub(super) fn today(&self) -> Zoned {
        self.zoned(self.now)
    }

    pub(super) fn zoned(&self, at: Timestamp) -> Zoned {
        at.to_jiff().to_zoned(self.zone.clone())
    }

    pub(super) fn shown(&self, at: Timestamp) -> String {
        self.zoned(at).strftime("%a %Y-%m-%d %H:%M").to_string()
    }

    pub(super) fn schedule(
        &self,
        start: (Option<Timestamp>, TimePhrase),
        repeat: Option<&str>,
    ) -> Result<Schedule, String> {
        let (at, mut said) = start;
        let own = said.repeat.take();
        let (again, more) = match (own, repeat) {
            (Some(own), _) => return self.repeated(&own, &said),
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
        let is_bare = said.times.is_empty() && said.part.is_none() && said.wait.is_empty() && at.is_none();
        if is_bare {
            (said.times, said.part) = (more.times, more.part);
        }
        if at.is_none() && said.times.len() > 1 {
            said.weekdays.extend(more.weekdays);
            return self.repeated(&again, &said);
        }
        let at = at.map_or_else(|| self.once(&said), Ok)?;
        if !more.weekdays.is_empty() {
            said.weekdays = more.weekdays;
        }
        self.from(at, &again, &said)
    }

    /// A schedule that begins by itself or on a day that is said.
    fn repeated(&self, repeat: &Repeat, said: &TimePhrase) -> Result<Schedule, String> {
        let is_of_days = matches!(repeat, Repeat::Each(_, Unit::Week));
        let names_days = !said.weekdays.is_empty() && !is_of_days;
        // The day that is said may be that on which it is repeated, and no beginning.
        let is_own_day = match (repeat, said.day) {
            (Repeat::Each(1, Unit::Month), Some(Day::Date { month, .. })) => month.is_none(),
            (Repeat::Each(1, Unit::Year), Some(Day::Date { month, year, .. })) => month.is_some() && year.is_none(),
            (_, day) => day.is_none(),
        };
        if is_own_day && said.wait.is_empty() && !names_days {
            return self.by_cron(self.cron(repeat, said, None)?, None);
        }
        // The hours are of the days on which it is repeated.
        let first_time = said.times.iter().min().copied();
        let begin = TimePhrase {
            weekdays: match said.day {
                Some(Day::NextWeek) => vec![Weekday::Monday],
                _ if is_of_days => Vec::new(),
                _ => said.weekdays.clone(),
            },
            times: first_time.into_iter().collect(),
            ..said.clone()
        };
        self.from(self.once(&begin)?, repeat, said)
    }

    /// A schedule from a moment on.
    fn from(&self, at: Timestamp, repeat: &Repeat, said: &TimePhrase) -> Result<Schedule, String> {
        let cron = self.cron(repeat, said, Some(at))?;
        if matches!(repeat, Repeat::Each(_, Unit::Minute | Unit::Hour)) {
            return self.by_cron(cron, Some(at));
        }
        // Expressions know no parts of seconds.
        let before = Timestamp(at.0 - at.0.rem_euclid(1000) - 1);
        let first = next_occurrence(&cron, self.zone_name(), before.max(self.now))?;
        self.by_cron(cron, Some(first))
    }

    fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    pub(super) fn by_cron(&self, cron: String, at: Option<Timestamp>) -> Result<Schedule, String> {
        let first = first_occurrence(&cron, self.zone_name(), self.now)?;
        Ok(Schedule {
            at: at.unwrap_or(first),
            cron: Some(cron),
        })
    }

    /// The only time that is meant.
    pub(super) fn once(&self, said: &TimePhrase) -> Result<Timestamp, String> {
        if said.times.len() > 1 {
            return Err("Several times of the day are named: set one for each, or say how often.".to_owned());
        }
        let clock = clocks(said)?.first().copied();
        let time = clock.unwrap_or_else(|| Time::constant(DEFAULT_HOUR, 0, 0, 0));
        let today = self.today();
        if !said.wait.is_empty() {
            return self.after(said, clock);
        }
        let weekday = match said.weekdays[..] {
            [] => None,
            [day] => Some(day),
            _ => return Err("Several days are named: say \"every\" before them, or set one for each.".to_owned()),
        };
        let Some(day) = said.day else {
            return match weekday {
                Some(day) => self.on_weekday(day, said.is_after_today, time),
                None => self.next_at(time),
            };
        };
        let at = match (day, weekday) {
            (Day::FromToday(days), _) => self.on(plus(today.date(), days)?, time)?,
            (Day::NextWeek, None) => self.on(plus(today.date(), 7)?, time)?,
            (Day::NextWeek, Some(day)) => {
                let to_monday = 7 - i64::from(today.weekday().to_monday_zero_offset());
                let into = i64::from(day.to_monday_zero_offset());
                self.on(plus(today.date(), to_monday + into)?, time)?
            }
            (Day::Date { day, month, year }, _) => self.on_date(day, month, year, time)?,
        };
        let named = self.zoned(at).weekday();
        match weekday {
            Some(weekday) if weekday != named => Err(format!("{} is no {weekday:?}.", self.shown(at))),
            _ => Ok(at),
        }
    }

    /// An hour alone means the next time that it comes.
    fn next_at(&self, time: Time) -> Result<Timestamp, String> {
        let today = self.today().date();
        let at = self.on(today, time)?;
        if at > self.now {
            Ok(at)
        } else {
            self.on(plus(today, 1)?, time)
        }
    }

    fn on_weekday(&self, day: Weekday, is_after_today: bool, time: Time) -> Result<Timestamp, String> {
        let today = self.today();
        let ahead = i64::from(today.weekday().until(day));
        let passed = ahead == 0 && (is_after_today || self.on(today.date(), time)? <= self.now);
        self.on(plus(today.date(), if passed { 7 } else { ahead })?, time)
    }

    /// After a length of time; at a time of that day, if one is said.
    fn after(&self, said: &TimePhrase, clock: Option<Time>) -> Result<Timestamp, String> {
        let too_far = || "That is too far away: 20 years at most.".to_owned();
        let mut at = self.today();
        for (number, unit) in &said.wait {
            at = span(*number, *unit)
                .and_then(|span| at.checked_add(span).ok())
                .ok_or_else(too_far)?;
        }
        let time = clock.unwrap_or_else(|| Time::constant(DEFAULT_HOUR, 0, 0, 0));
        match (&said.wait[..], said.day) {
            _ if !said.weekdays.is_empty() => Err(BOTH.to_owned()),
            // The 1st of next month, 24 December of next year.
            ([(_, Unit::Month)], Some(Day::Date { day, month: None, .. })) => {
                self.on_date(day, Some(at.month()), Some(at.year()), time)
            }
            (
                [(_, Unit::Year)],
                Some(Day::Date {
                    day,
                    month: Some(month),
                    year: None,
                }),
            ) => self.on_date(day, Some(month), Some(at.year()), time),
            (_, Some(_)) => Err(BOTH.to_owned()),
            (_, None) => match clock {
                Some(time) => self.on(at.date(), time),
                None => Ok(at.timestamp().into()),
            },
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

    /// A time of a day. An hour that the clock has twice is the first one, until that has passed.
    pub(super) fn on(&self, date: Date, time: Time) -> Result<Timestamp, String> {
        let at = self.zone.to_ambiguous_zoned(DateTime::from_parts(date, time));
        let moment = |at: Result<Zoned, jiff::Error>| -> Result<Timestamp, String> {
            Ok(at
                .map_err(|error| format!("That is no time: {error}."))?
                .timestamp()
                .into())
        };
        let first = moment(at.clone().compatible())?;
        if first > self.now {
            return Ok(first);
        }
        Ok(first.max(moment(at.later())?))
    }

    /// The time of the day of what is repeated; `start`: the first time, from which it is taken if it is not said.
    pub(super) fn times(&self, said: &TimePhrase, start: Option<Timestamp>) -> Result<Vec<Time>, String> {
        let said = clocks(said)?;
        Ok(match (said.is_empty(), start) {
            (false, _) => said,
            (true, Some(start)) => vec![self.zoned(start).time()],
            (true, None) => vec![Time::constant(DEFAULT_HOUR, 0, 0, 0)],
        })
    }
}

const BOTH: &str = "A delay and a day are named, which may mean several days: give the date.";

/// The times of the day that are said, in their order.
fn clocks(said: &TimePhrase) -> Result<Vec<Time>, String> {
    let no_time = |_| "That is no time of the day.".to_owned();
    let mut times = match (&said.times[..], said.part) {
        ([], Some(part)) => vec![Time::new(part.hour(), 0, 0, 0).map_err(no_time)?],
        (times, Some(part)) => {
            let in_part = |time: &Time| Time::new(part.of_hour(time.hour()), time.minute(), time.second(), 0);
            times.iter().map(in_part).collect::<Result<_, _>>().map_err(no_time)?
        }
        (times, None) => times.to_vec(),
    };
    times.sort_unstable();
    times.dedup();
    Ok(times)
}

pub(super) fn plus(date: Date, days: i64) -> Result<Date, String> {
    date.checked_add(days.days())
        .map_err(|_| "That is too far away.".to_owned())
}

pub(super) fn span(number: i64, unit: Unit) -> Option<Span> {
    add(Span::new(), number, unit)
}

/// All parts of a length together.
pub(super) fn total(length: &Length) -> Option<Span> {
    length.iter().try_fold(Span::new(), |span, (number, unit)| {
        let before = match unit {
            Unit::Second => span.get_seconds(),
            Unit::Minute => span.get_minutes(),
            Unit::Hour => span.get_hours().into(),
            Unit::Day => span.get_days().into(),
            Unit::Week => span.get_weeks().into(),
            Unit::Month => span.get_months().into(),
            Unit::Year => span.get_years().into(),
        };
        add(span, number.checked_add(before)?, *unit)
    })
}

fn add(span: Span, number: i64, unit: Unit) -> Option<Span> {
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
