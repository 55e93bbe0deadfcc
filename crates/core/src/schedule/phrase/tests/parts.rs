//! Lengths of several parts, days and hours of a repeat, and new times for what is repeated.

use super::*;

#[test]
fn a_length_of_several_parts_is_read_in_the_ways_that_people_say_it() {
    let cases = [
        ("in 1 hour and 30 minutes", "Wed 2026-06-03 11:37:30"),
        ("in 1h30m", "Wed 2026-06-03 11:37:30"),
        ("in 1h30", "Wed 2026-06-03 11:37:30"),
        ("in 2 days 3 hours", "Fri 2026-06-05 13:07:30"),
        ("in 2 days, 3 hours and 5 minutes", "Fri 2026-06-05 13:12:30"),
        ("in one and a half hours", "Wed 2026-06-03 11:37:30"),
        ("in 1.5 hours", "Wed 2026-06-03 11:37:30"),
        ("in 1½ hours", "Wed 2026-06-03 11:37:30"),
        ("in 2 1/2 hours", "Wed 2026-06-03 12:37:30"),
        ("in an hour and a half", "Wed 2026-06-03 11:37:30"),
        ("in an hour and half an hour", "Wed 2026-06-03 11:37:30"),
        ("in a day and a half hour", "Thu 2026-06-04 10:37:30"),
        ("in half an hour", "Wed 2026-06-03 10:37:30"),
        ("half an hour from now", "Wed 2026-06-03 10:37:30"),
        ("in a quarter of an hour", "Wed 2026-06-03 10:22:30"),
        ("in three quarters of an hour", "Wed 2026-06-03 10:52:30"),
        ("in half a day", "Wed 2026-06-03 22:07:30"),
        ("in half a year", "Thu 2026-12-03 10:07:30"),
        ("in a week and a half", "Sat 2026-06-13 22:07:30"),
        ("in a couple of days", "Fri 2026-06-05 10:07:30"),
        ("in a fortnight", "Wed 2026-06-17 10:07:30"),
        ("in 1,5 Stunden", "Wed 2026-06-03 11:37:30"),
        ("in anderthalb Stunden", "Wed 2026-06-03 11:37:30"),
        ("in eineinhalb Stunden", "Wed 2026-06-03 11:37:30"),
        ("in zweieinhalb Tagen", "Fri 2026-06-05 22:07:30"),
        ("in einer Stunde und 30 Minuten", "Wed 2026-06-03 11:37:30"),
        ("in zwei und einer halben Stunde", "Wed 2026-06-03 12:37:30"),
        ("in einer Viertelstunde", "Wed 2026-06-03 10:22:30"),
        ("in einer Dreiviertelstunde", "Wed 2026-06-03 10:52:30"),
        ("in einem halben Jahr", "Thu 2026-12-03 10:07:30"),
        // Days that belong to a week, a month or a year to come.
        ("friday next week", "Fri 2026-06-12 09:00:00"),
        ("next week on monday at 8", "Mon 2026-06-08 08:00:00"),
        ("next month on the 1st", "Wed 2026-07-01 09:00:00"),
        ("next year on 24 Dec at 18:00", "Fri 2027-12-24 18:00:00"),
        ("Thursday, 24 Dec at 18:00", "Thu 2026-12-24 18:00:00"),
        ("at 8h30", "Thu 2026-06-04 08:30:00"),
    ];
    for (when, expected) in cases {
        assert_eq!(reads(when, None), Ok((expected.to_owned(), None)), "{when}");
    }
}

#[test]
fn what_may_mean_several_times_is_refused_and_nothing_of_it_is_left_out() {
    for (when, why) in [
        ("tomorrow at 8 and 9", "Several times of the day are named"),
        ("on monday and thursday at 9", "Several days are named"),
        ("in 2 weeks on monday", "A delay and a day are named"),
        ("on friday, 24 Dec", "Thu 2026-12-24 09:00 is no Friday"),
        ("tomorrow, friday, at 8", "Thu 2026-06-04 08:00 is no Friday"),
        ("tomorrow and 24 Dec", "is no time that I understand"),
        ("every day every monday", "is no time that I understand"),
        ("every morning and evening", "is no time that I understand"),
        ("in 1.5 months", "is no time that I understand"),
        ("every day at 8 and 20:30", "several hours of a day only"),
        ("every 2 weeks on monday at 8 and 9", "several hours of a day only"),
        ("every 0 days and 3 hours", "It can be repeated on days of the week"),
    ] {
        let error = reads(when, None).expect_err(when);
        assert!(error.contains(why), "{when}: {error}");
    }
}

#[test]
fn a_repeat_of_several_parts_or_days_has_all_of_them_and_begins_when_it_is_to() {
    let cases = [
        (
            "every hour and a half",
            "Wed 2026-06-03 11:37:30",
            "R/2026-06-03T10:07:30/PT90M",
        ),
        ("every 1h30m", "Wed 2026-06-03 11:37:30", "R/2026-06-03T10:07:30/PT90M"),
        (
            "every 1 hour and 30 minutes",
            "Wed 2026-06-03 11:37:30",
            "R/2026-06-03T10:07:30/PT90M",
        ),
        ("every half hour", "Wed 2026-06-03 10:37:00", "7-59/30 * * * *"),
        ("jede halbe Stunde", "Wed 2026-06-03 10:37:00", "7-59/30 * * * *"),
        (
            "alle anderthalb Stunden",
            "Wed 2026-06-03 11:37:30",
            "R/2026-06-03T10:07:30/PT90M",
        ),
        (
            "every 3rd day at 8",
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-04T08:00:00/P3D",
        ),
        (
            "every 2 days and 3 hours at 8",
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-04T08:00:00/P2DT3H",
        ),
        (
            "every 2 weeks on monday and thursday",
            "Thu 2026-06-04 09:00:00",
            "R/2026-06-01T09:00:00/P2W;R/2026-06-04T09:00:00/P2W",
        ),
        (
            "mondays and thursdays every two weeks at 8",
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
        ),
        (
            "alle 2 Wochen am Montag und Donnerstag um 8",
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
        ),
        (
            "every 2 weeks on monday and wednesday at 8",
            "Mon 2026-06-08 08:00:00",
            "R/2026-06-08T08:00:00/P2W;R/2026-06-10T08:00:00/P2W",
        ),
        (
            "every second monday at 8",
            "Mon 2026-06-08 08:00:00",
            "R/2026-06-08T08:00:00/P2W",
        ),
        (
            "weekly on monday and thursday",
            "Thu 2026-06-04 09:00:00",
            "0 9 * * 1,4",
        ),
        ("every day at 8 and 20", "Wed 2026-06-03 20:00:00", "0 8,20 * * *"),
        (
            "täglich um 8, 12 und 18 Uhr",
            "Wed 2026-06-03 12:00:00",
            "0 8,12,18 * * *",
        ),
        (
            "every day at 8 starting next monday",
            "Mon 2026-06-08 08:00:00",
            "0 8 * * *",
        ),
        ("every monday at 8 from 24 Dec", "Mon 2026-12-28 08:00:00", "0 8 * * 1"),
        (
            "every week on friday starting next week",
            "Fri 2026-06-12 09:00:00",
            "0 9 * * 5",
        ),
        (
            "every 2 hours from tomorrow at 9",
            "Thu 2026-06-04 09:00:00",
            "0 1-23/2 * * *",
        ),
        (
            "in 10 minutes, every 2 hours",
            "Wed 2026-06-03 10:17:30",
            "17 */2 * * *",
        ),
        // The last day of a month, and of February, where there is no other.
        (
            "every month on the 31st",
            "Tue 2026-06-30 09:00:00",
            "R/2026-05-31T09:00:00/P1M",
        ),
        (
            "every 30th at 8",
            "Tue 2026-06-30 08:00:00",
            "R/2026-06-30T08:00:00/P1M",
        ),
        (
            "every year on 29 Feb",
            "Sun 2027-02-28 09:00:00",
            "R/2024-02-29T09:00:00/P1Y",
        ),
    ];
    for (when, at, cron) in cases {
        assert_eq!(reads(when, None), Ok((at.to_owned(), Some(cron.to_owned()))), "{when}");
    }
    for (when, repeat, at, cron) in [
        (
            "at 8",
            "every 2 weeks on monday and thursday",
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
        ),
        ("at 8 and 20", "daily", "Wed 2026-06-03 20:00:00", "0 8,20 * * *"),
        ("saturday at 8", "weekdays", "Mon 2026-06-08 08:00:00", "0 8 * * 1-5"),
        (
            "2026-07-31T08:00",
            "monthly",
            "Fri 2026-07-31 08:00:00",
            "R/2026-07-31T08:00:00/P1M",
        ),
    ] {
        let expected = Ok((at.to_owned(), Some(cron.to_owned())));
        assert_eq!(reads(when, Some(repeat)), expected, "{when} {repeat}");
    }
}

#[test]
fn an_hour_that_comes_a_second_time_is_meant_while_it_is_still_to_come() {
    let at = |now: &str| {
        let now = now.parse::<Zoned>().expect("a time").timestamp().into();
        read("at 2:30", None, &zone(), now).expect("a time").at.to_string()
    };
    assert_eq!(at("2026-10-25T02:15+02:00[Europe/Berlin]"), "2026-10-25T00:30:00Z");
    assert_eq!(at("2026-10-25T02:45+02:00[Europe/Berlin]"), "2026-10-25T01:30:00Z");
    assert_eq!(at("2026-10-25T02:45+01:00[Europe/Berlin]"), "2026-10-26T01:30:00Z");
}

#[test]
fn what_is_repeated_gets_another_day_or_another_hour_and_keeps_the_rest() {
    let anew = |cron: &str, when: &str| {
        let schedule = again(cron, when, &zone(), now())?;
        let at = schedule.at.to_jiff().to_zoned(zone());
        let at = at.strftime("%a %Y-%m-%d %H:%M:%S").to_string();
        Ok::<_, String>((at, schedule.cron.unwrap_or_default()))
    };
    for (cron, when, at, expected) in [
        // An hour alone keeps the days.
        ("0 8 * * 1-5", "at 9", "Thu 2026-06-04 09:00:00", "0 9 * * 1-5"),
        ("0 8 * * MON-FRI", "at 9", "Thu 2026-06-04 09:00:00", "0 9 * * MON-FRI"),
        ("0 8 * * 1", "um 9:30", "Mon 2026-06-08 09:30:00", "30 9 * * 1"),
        (
            "R/2026-06-08T14:00:00/P2W",
            "at 9",
            "Mon 2026-06-08 09:00:00",
            "R/2026-06-08T09:00:00/P2W",
        ),
        // A day alone keeps the hour.
        ("30 8 * * 1", "on tuesday", "Tue 2026-06-09 08:30:00", "30 8 * * 2"),
        ("0 8 * * 1", "next friday at 9", "Fri 2026-06-05 09:00:00", "0 9 * * 5"),
        ("0 8 * * 1", "2026-06-09T09:00", "Tue 2026-06-09 09:00:00", "0 9 * * 2"),
        ("0 8 * * 1,4", "monday at 9", "Mon 2026-06-08 09:00:00", "0 9 * * 1,4"),
        ("0 8 * * *", "tomorrow at 9", "Thu 2026-06-04 09:00:00", "0 9 * * *"),
        ("0 8 15 * *", "on the 20th", "Sat 2026-06-20 08:00:00", "0 8 20 * *"),
        (
            "0 8 15 * *",
            "2026-07-31T08:00",
            "Fri 2026-07-31 08:00:00",
            "R/2026-07-31T08:00:00/P1M",
        ),
        ("0 8 24 12 *", "on 25 Dec", "Fri 2026-12-25 08:00:00", "0 8 25 12 *"),
        (
            "R/2026-06-08T14:00:00/P2W",
            "on tuesday",
            "Tue 2026-06-09 14:00:00",
            "R/2026-06-09T14:00:00/P2W",
        ),
        (
            "R/2026-06-01T08:00:00/P2W;R/2026-06-04T08:00:00/P2W",
            "next week on monday at 9",
            "Mon 2026-06-08 09:00:00",
            "R/2026-06-08T09:00:00/P2W;R/2026-06-11T09:00:00/P2W",
        ),
        // A schedule that is put off goes on as before.
        ("0 8 * * 1", "in 20 minutes", "Wed 2026-06-03 10:27:30", "0 8 * * 1"),
        ("7 */2 * * *", "in 20 minutes", "Wed 2026-06-03 10:27:30", "7 */2 * * *"),
        // A phrase that says how often is new.
        (
            "0 8 * * 1",
            "every tuesday at 9",
            "Tue 2026-06-09 09:00:00",
            "0 9 * * 2",
        ),
        ("0 8 * * 1", "0 9 * * 3", "Wed 2026-06-10 09:00:00", "0 9 * * 3"),
    ] {
        let expected = Ok((at.to_owned(), expected.to_owned()));
        assert_eq!(anew(cron, when), expected, "{cron} {when}");
    }
    for (cron, when, why) in [
        (
            "0 8 * * 1-5",
            "saturday at 9",
            "does not have that day: say the days anew",
        ),
        (
            "0 8 * * MON-FRI",
            "monday at 9",
            "does not have that day: say the days anew",
        ),
        ("7 */2 * * *", "tomorrow at 9", "has no one hour of the day"),
        ("R/2026-06-08T14:00:00/PT90M", "at 9", "has no one hour of the day"),
        ("0 8 * * 1", "today at 8", "has passed"),
        ("0 8 * * 1", "soon", "is no time that I understand"),
    ] {
        let error = anew(cron, when).expect_err(when);
        assert!(error.contains(why), "{cron} {when}: {error}");
    }
}
