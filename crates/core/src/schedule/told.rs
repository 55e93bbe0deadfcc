//! Days, times and repetitions as people read them, by their own calendar and in their language.

use clifford_text::{Lang, Moment};
use jiff::{
    Span, ToSpan,
    civil::{Date, Weekday},
    tz::TimeZone,
};

use super::{
    cron,
    interval::{self, Interval},
};
use crate::clock::Timestamp;

/// A day.
pub fn day(date: Date, lang: Lang) -> String {
    lang.say(Moment::Date {
        day: format!("{:02}", date.day()),
        month: format!("{:02}", date.month()),
        year: format!("{:04}", date.year()),
    })
}

/// The day of a moment, by the calendar of a time zone.
pub fn day_of(at: Timestamp, zone: &TimeZone, lang: Lang) -> String {
    day(at.to_jiff().to_zoned(zone.clone()).date(), lang)
}

/// A moment, by the calendar of a time zone.
pub fn moment(at: Timestamp, time_zone: &str, lang: Lang) -> String {
    let zone = cron::zone(time_zone).unwrap_or(TimeZone::UTC);
    let at = at.to_jiff().to_zoned(zone);
    let weekday = weekday(at.weekday(), lang);
    lang.say(Moment::At {
        weekday,
        date: day(at.date(), lang),
        time: time(at.hour(), at.minute()),
    })
}

/// A day of the week, short.
fn weekday(day: Weekday, lang: Lang) -> String {
    lang.say(match day {
        Weekday::Sunday => Moment::Sun,
        Weekday::Monday => Moment::Mon,
        Weekday::Tuesday => Moment::Tue,
        Weekday::Wednesday => Moment::Wed,
        Weekday::Thursday => Moment::Thu,
        Weekday::Friday => Moment::Fri,
        Weekday::Saturday => Moment::Sat,
    })
}

/// How often a cron expression comes due, in words as far as there are some.
pub fn repeats(cron: &str, lang: Lang) -> String {
    let known = match interval::is_interval(cron) {
        true => interval_in_words(cron, lang),
        false => in_words(cron, lang),
    };
    lang.say(known.unwrap_or_else(|| Moment::ByCron { cron: cron.to_owned() }))
}

fn in_words(cron: &str, lang: Lang) -> Option<Moment> {
    let fields: Vec<_> = cron.split_whitespace().collect();
    let [minute, hour, date, "*", days] = fields[..] else {
        return None;
    };
    let time = time(hour.parse().ok()?, minute.parse().ok()?);
    Some(match (date, days) {
        ("*", "*") => Moment::EveryDay { time },
        ("*", "1-5") => Moment::EveryWorkday { time },
        ("*", "0,6") => Moment::EveryWeekend { time },
        ("*", "0") => Moment::EverySunday { time },
        ("*", "1") => Moment::EveryMonday { time },
        ("*", "2") => Moment::EveryTuesday { time },
        ("*", "3") => Moment::EveryWednesday { time },
        ("*", "4") => Moment::EveryThursday { time },
        ("*", "5") => Moment::EveryFriday { time },
        ("*", "6") => Moment::EverySaturday { time },
        ("*", days) => {
            let numbers = days.split(',').map(|day| day.parse::<i8>().ok());
            let days = numbers.map(|number| Weekday::from_sunday_zero_offset(number?).ok());
            let days: Vec<Weekday> = days.collect::<Option<_>>()?;
            Moment::OnDays {
                days: listed(&days, lang),
                time,
            }
        }
        (day, "*") => Moment::Monthly {
            day: day.parse::<u8>().ok()?.to_string(),
            time,
        },
        _ => return None,
    })
}

fn listed(days: &[Weekday], lang: Lang) -> String {
    let days: Vec<_> = days.iter().map(|day| weekday(*day, lang)).collect();
    days.join(", ")
}

/// Intervals of so many days, weeks or one month.
fn interval_in_words(text: &str, lang: Lang) -> Option<Moment> {
    let all = interval::read(text)?;
    let Interval { start, every } = all.first()?;
    let is_alike = |one: &Interval| one.every.fieldwise() == every.fieldwise() && one.start.time() == start.time();
    if start.second() != 0 || !all.iter().all(is_alike) {
        return None;
    }
    let time = time(start.hour(), start.minute());
    let (days, weeks) = (i64::from(every.get_days()), i64::from(every.get_weeks()));
    let is = |span: Span| every.fieldwise() == span.fieldwise();
    match &all[..] {
        [_] if is(1.month()) => Some(Moment::Monthly {
            day: start.day().to_string(),
            time,
        }),
        [_] if is(Span::new().try_days(days).ok()?) && days > 1 => Some(Moment::EveryDays {
            count: days.to_string(),
            time,
        }),
        all if is(Span::new().try_weeks(weeks).ok()?) && weeks > 1 => {
            let days: Vec<_> = all.iter().map(|one| one.start.weekday()).collect();
            Some(Moment::EveryWeeks {
                count: weeks.to_string(),
                days: listed(&days, lang),
                time,
            })
        }
        _ => None,
    }
}

fn time(hour: i8, minute: i8) -> String {
    format!("{hour:02}:{minute:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_told_in_words() {
        for (cron, english, german) in [
            ("0 8 * * *", "every day at 08:00", "jeden Tag um 08:00"),
            (
                "30 7 * * 1-5",
                "every weekday at 07:30",
                "montags bis freitags um 07:30",
            ),
            ("0 9 * * 1", "every Monday at 09:00", "jeden Montag um 09:00"),
            (
                "0 10 * * 0,6",
                "every Saturday and Sunday at 10:00",
                "samstags und sonntags um 10:00",
            ),
            (
                "0 9 15 * *",
                "on day 15 of every month at 09:00",
                "am 15. jedes Monats um 09:00",
            ),
            (
                "R/2026-05-31T09:00:00/P1M",
                "on day 31 of every month at 09:00",
                "am 31. jedes Monats um 09:00",
            ),
            ("0 9 * * 1,4", "on Mon, Thu at 09:00", "Mo, Do um 09:00"),
            (
                "R/2026-05-31T09:00:00/P3D",
                "every 3 days at 09:00",
                "alle 3 Tage um 09:00",
            ),
            (
                "R/2026-06-01T09:00:00/P2W",
                "every 2 weeks on Mon at 09:00",
                "alle 2 Wochen Mo um 09:00",
            ),
            (
                "R/2026-06-01T09:00:00/P2W;R/2026-06-04T09:00:00/P2W",
                "every 2 weeks on Mon, Thu at 09:00",
                "alle 2 Wochen Mo, Do um 09:00",
            ),
            (
                "R/2026-06-01T09:00:00/PT90M",
                "by cron R/2026-06-01T09:00:00/PT90M",
                "nach Cron R/2026-06-01T09:00:00/PT90M",
            ),
            ("0 9 1,15 * *", "by cron 0 9 1,15 * *", "nach Cron 0 9 1,15 * *"),
            ("7 */2 * * *", "by cron 7 */2 * * *", "nach Cron 7 */2 * * *"),
            ("0 0 8 * * 1", "by cron 0 0 8 * * 1", "nach Cron 0 0 8 * * 1"),
        ] {
            assert_eq!(repeats(cron, Lang::English), english);
            assert_eq!(repeats(cron, Lang::German), german);
        }
    }

    #[test]
    fn a_moment_is_told_by_the_calendar_and_in_the_language_of_its_reader() {
        let at = Timestamp(1_767_225_600_000);
        for (lang, expected) in [
            (Lang::English, "Thu 2026-01-01 01:00"),
            (Lang::German, "Do, 01.01.2026, 01:00"),
            (Lang::French, "jeu. 01/01/2026, 01:00"),
            (Lang::Russian, "чт, 01.01.2026, 01:00"),
            (Lang::Japanese, "2026/01/01（木）01:00"),
        ] {
            assert_eq!(moment(at, "Europe/Berlin", lang), expected);
        }
        assert_eq!(moment(at, "Nowhere", Lang::English), "Thu 2026-01-01 00:00");
        assert_eq!(day_of(at, &TimeZone::UTC, Lang::Portuguese), "01/01/2026");
    }
}
