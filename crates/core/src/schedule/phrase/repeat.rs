//! The expression of what is repeated: cron where cron can say it, else a repeating interval.

use jiff::civil::{Date, Time, Weekday};

use super::{
    length::Length,
    parse::{Day, Repeat, TimePhrase},
    reckon::{Reckoner, plus, span, total},
    words::Unit,
};
use crate::{clock::Timestamp, schedule::interval};

/// The most units between two times.
const MOST: i64 = 1000;
/// The last day that every month has.
const LAST_COMMON_DAY: i8 = 28;

pub(super) const CANNOT: &str = "It can be repeated on days of the week, or every so many minutes, hours, days, weeks, months or \
                      years, such as \"every 15 minutes\", \"every other day\" or \"every 2 weeks\".";
const ONE_TIME: &str = "It can be repeated at several hours of a day only on days of the week or of a month, and at the \
                        same minute of each: set one for each time.";

impl Reckoner<'_> {
    /// The expression of what is said; `start`: the first time, from which it takes what is not said.
    pub(super) fn cron(&self, repeat: &Repeat, said: &TimePhrase, start: Option<Timestamp>) -> Result<String, String> {
        let from = self.zoned(start.unwrap_or(self.now));
        let times = self.times(said, start)?;
        let time = times.first().copied().unwrap_or_else(|| from.time());
        let on = |days: &str| at_each(&times, days);
        let is_of_days = matches!(
            repeat,
            Repeat::On(_) | Repeat::Monthly(_) | Repeat::Each(1, Unit::Day | Unit::Week | Unit::Month | Unit::Year)
        );
        if times.len() > 1 && !is_of_days {
            return Err(ONE_TIME.to_owned());
        }
        match repeat {
            Repeat::Each(number, Unit::Minute | Unit::Hour) => {
                let hours = matches!(repeat, Repeat::Each(_, Unit::Hour));
                let anchor = if said.times.is_empty() { from.time() } else { time };
                match interval_text(*number, hours, anchor) {
                    Some(cron) => Ok(cron),
                    None => self.interval(&[(*number, repeat_unit(hours))], said, start),
                }
            }
            Repeat::Each(1, Unit::Day) => on("* * *"),
            Repeat::On(days) => on(&format!("* * {}", weekday_list(days))),
            Repeat::Each(1, Unit::Week) | Repeat::Each(7, Unit::Day) => {
                let own = [from.weekday()];
                let days = if said.weekdays.is_empty() {
                    &own[..]
                } else {
                    &said.weekdays
                };
                on(&format!("* * {}", weekday_list(days)))
            }
            Repeat::Each(weeks, Unit::Week) if !said.weekdays.is_empty() => self.weeks(*weeks, said, start),
            Repeat::Monthly(day) => monthly(*day, &times, from.date()),
            Repeat::Each(1, Unit::Month) => match said.day {
                Some(Day::Date { day, .. }) => monthly(day, &times, from.date()),
                _ => monthly(from.day(), &times, from.date()),
            },
            Repeat::Each(1, Unit::Year) => match said.day {
                Some(Day::Date {
                    day,
                    month: Some(month),
                    ..
                }) => yearly(day, month, &times, from.year()),
                _ => yearly(from.day(), from.month(), &times, from.year()),
            },
            Repeat::Each(number, unit) => self.interval(&[(*number, *unit)], said, start),
            Repeat::Every(length) => self.interval(length, said, start),
        }
    }

    /// A repeat that cron cannot say, from its first time on.
    fn interval(&self, length: &[(i64, Unit)], said: &TimePhrase, start: Option<Timestamp>) -> Result<String, String> {
        let is_some = |(number, unit): &(i64, Unit)| (1..=MOST).contains(number) && *unit != Unit::Second;
        if !length.iter().all(is_some) {
            return Err(CANNOT.to_owned());
        }
        let length: Length = length.to_vec();
        let every = total(&length).ok_or_else(|| CANNOT.to_owned())?;
        let is_of_clock = length.iter().all(|(_, unit)| matches!(unit, Unit::Minute | Unit::Hour));
        let from = match start {
            Some(at) => at,
            // It is counted from now.
            None if is_of_clock => self.now,
            None => self.once(said)?,
        };
        let from = self.zoned(from).datetime();
        let whole = from.with().subsec_nanosecond(0).build().unwrap_or(from);
        Ok(interval::repeating(whole, &every))
    }

    /// Days of every so many weeks, counted from the week of the first of them.
    fn weeks(&self, weeks: i64, said: &TimePhrase, start: Option<Timestamp>) -> Result<String, String> {
        let [time] = self.times(said, start)?[..] else {
            return Err(ONE_TIME.to_owned());
        };
        if !(1..=MOST).contains(&weeks) {
            return Err(CANNOT.to_owned());
        }
        let every = span(weeks, Unit::Week).ok_or_else(|| CANNOT.to_owned())?;
        let from = start.map_or(self.now, |start| Timestamp(start.0 - 1).max(self.now));
        let first = self.zoned(from).date();
        let mut first_day = None;
        for ahead in 0..=7 {
            let date = plus(first, ahead)?;
            let is_named = said.weekdays.contains(&date.weekday());
            let is_first = ahead == 0 && said.is_after_today && start.is_none();
            if is_named && !is_first && self.on(date, time)? > from {
                first_day = Some(date);
                break;
            }
        }
        let first_day = first_day.ok_or_else(|| CANNOT.to_owned())?;
        let monday = plus(first_day, -i64::from(first_day.weekday().to_monday_zero_offset()))?;
        let mut days: Vec<i8> = said.weekdays.iter().map(|day| day.to_monday_zero_offset()).collect();
        days.sort_unstable();
        days.dedup();
        let dates = days.into_iter().map(|day| plus(monday, day.into()));
        let each = dates.map(|date| Ok(interval::repeating(date?.to_datetime(time), &every)));
        Ok(interval::together(each.collect::<Result<Vec<_>, String>>()?))
    }
}

fn repeat_unit(hours: bool) -> Unit {
    if hours { Unit::Hour } else { Unit::Minute }
}

/// A cron expression for times of the day.
fn at_each(times: &[Time], days: &str) -> Result<String, String> {
    let Some(first) = times.first() else {
        return Err(ONE_TIME.to_owned());
    };
    let is_alike = |time: &Time| (time.minute(), time.second()) == (first.minute(), first.second());
    if !times.iter().all(is_alike) {
        return Err(ONE_TIME.to_owned());
    }
    let hours: Vec<_> = times.iter().map(|time| time.hour().to_string()).collect();
    let seconds = match first.second() {
        0 => String::new(),
        second => format!("{second} "),
    };
    Ok(format!("{seconds}{} {} {days}", first.minute(), hours.join(",")))
}

/// A day of each month: the last one, where a month has no such day.
pub(super) fn monthly(day: i8, times: &[Time], from: Date) -> Result<String, String> {
    if day <= LAST_COMMON_DAY {
        return at_each(times, &format!("{day} * *"));
    }
    let [time] = times else {
        return Err(ONE_TIME.to_owned());
    };
    // Counted from a month that has the day.
    let (mut year, mut month) = (from.year(), from.month());
    let start = loop {
        if let Ok(date) = Date::new(year, month, day) {
            break date;
        }
        (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    };
    let every = span(1, Unit::Month).ok_or_else(|| CANNOT.to_owned())?;
    Ok(interval::repeating(start.to_datetime(*time), &every))
}

/// A day of each year: 28 February stands in for a leap day.
pub(super) fn yearly(day: i8, month: i8, times: &[Time], from: i16) -> Result<String, String> {
    if (day, month) != (29, 2) {
        return at_each(times, &format!("{day} {month} *"));
    }
    let [time] = times else {
        return Err(ONE_TIME.to_owned());
    };
    let leap_day = (0..=8).find_map(|back| Date::new(from - back, month, day).ok());
    let every = span(1, Unit::Year).ok_or_else(|| CANNOT.to_owned())?;
    let start = leap_day.ok_or_else(|| CANNOT.to_owned())?;
    Ok(interval::repeating(start.to_datetime(*time), &every))
}

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
pub(super) fn weekday_list(days: &[Weekday]) -> String {
    let mut numbers: Vec<_> = days.iter().map(|day| day.to_sunday_zero_offset()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers[..] {
        [1, 2, 3, 4, 5] => "1-5".to_owned(),
        _ => numbers.iter().map(i8::to_string).collect::<Vec<_>>().join(","),
    }
}
