//! Phrases of people, and the times that they mean.

mod languages;
mod parts;

use super::{repeat::CANNOT, *};

/// A Wednesday.
const NOW: &str = "2026-06-03T10:07:30+02:00[Europe/Berlin]";

fn zone() -> TimeZone {
    TimeZone::get("Europe/Berlin").expect("a zone")
}

fn now() -> Timestamp {
    NOW.parse::<Zoned>().expect("a time").timestamp().into()
}

fn reads(when: &str, repeat: Option<&str>) -> Result<(String, Option<String>), String> {
    let schedule = read(when, repeat, &zone(), now())?;
    let at = schedule
        .at
        .to_jiff()
        .to_zoned(zone())
        .strftime("%a %Y-%m-%d %H:%M:%S")
        .to_string();
    Ok((at, schedule.cron))
}

#[test]
fn a_time_is_read_in_english_in_german_and_as_computers_write_it() {
    let cases = [
        ("in 20 minutes", "Wed 2026-06-03 10:27:30"),
        ("in an hour", "Wed 2026-06-03 11:07:30"),
        ("in half an hour", "Wed 2026-06-03 10:37:30"),
        ("1h30m", "Wed 2026-06-03 11:37:30"),
        ("in 2 hours and 5 minutes", "Wed 2026-06-03 12:12:30"),
        ("90 seconds from now", "Wed 2026-06-03 10:09:00"),
        ("in 3 days at 9", "Sat 2026-06-06 09:00:00"),
        ("in a week", "Wed 2026-06-10 10:07:30"),
        ("in two months", "Mon 2026-08-03 10:07:30"),
        ("tomorrow", "Thu 2026-06-04 09:00:00"),
        ("tomorrow at 8", "Thu 2026-06-04 08:00:00"),
        ("tomorrow morning", "Thu 2026-06-04 08:00:00"),
        ("Tomorrow at 8 in the evening", "Thu 2026-06-04 20:00:00"),
        ("at 8", "Thu 2026-06-04 08:00:00"),
        ("at 11", "Wed 2026-06-03 11:00:00"),
        ("8pm", "Wed 2026-06-03 20:00:00"),
        ("at 12 am", "Thu 2026-06-04 00:00:00"),
        ("18:30", "Wed 2026-06-03 18:30:00"),
        ("half past 6 tomorrow", "Thu 2026-06-04 06:30:00"),
        ("noon", "Wed 2026-06-03 12:00:00"),
        ("midnight", "Thu 2026-06-04 00:00:00"),
        ("tonight", "Wed 2026-06-03 19:00:00"),
        ("tonight at 9:15", "Wed 2026-06-03 21:15:00"),
        ("on Friday at 9", "Fri 2026-06-05 09:00:00"),
        ("wednesday at 11", "Wed 2026-06-03 11:00:00"),
        ("wednesday at 9", "Wed 2026-06-10 09:00:00"),
        ("next wednesday 14:00", "Wed 2026-06-10 14:00:00"),
        ("next Monday 14:00", "Mon 2026-06-08 14:00:00"),
        ("next week", "Wed 2026-06-10 09:00:00"),
        ("on 24 Dec at 18:00", "Thu 2026-12-24 18:00:00"),
        ("Dec 24th 2027, 6 pm", "Fri 2027-12-24 18:00:00"),
        ("on the 1st of March", "Mon 2027-03-01 09:00:00"),
        ("the 2nd at 7", "Thu 2026-07-02 07:00:00"),
        ("29 February", "Tue 2028-02-29 09:00:00"),
        ("2026-12-24 at 18:00", "Thu 2026-12-24 18:00:00"),
        ("2026-12-24T18:00", "Thu 2026-12-24 18:00:00"),
        ("2026-12-24T18:00:00Z", "Thu 2026-12-24 19:00:00"),
        ("2026-12-24T18:00:00-05:00", "Fri 2026-12-25 00:00:00"),
        ("morgen um 8", "Thu 2026-06-04 08:00:00"),
        ("morgen früh um 7", "Thu 2026-06-04 07:00:00"),
        ("heute Abend", "Wed 2026-06-03 19:00:00"),
        ("übermorgen um halb 9", "Fri 2026-06-05 08:30:00"),
        ("in 20 Minuten", "Wed 2026-06-03 10:27:30"),
        ("in einer halben Stunde", "Wed 2026-06-03 10:37:30"),
        ("in zwei Wochen", "Wed 2026-06-17 10:07:30"),
        ("am Montag um 14 Uhr", "Mon 2026-06-08 14:00:00"),
        ("um 8 am Montag", "Mon 2026-06-08 08:00:00"),
        ("nächsten Freitag um 14 Uhr 30", "Fri 2026-06-05 14:30:00"),
        ("am 24. Dezember um 18 Uhr", "Thu 2026-12-24 18:00:00"),
        ("24.12. 18:00", "Thu 2026-12-24 18:00:00"),
        ("am 24.12.2027 um 8.30 Uhr", "Fri 2027-12-24 08:30:00"),
    ];
    for (when, expected) in cases {
        assert_eq!(reads(when, None), Ok((expected.to_owned(), None)), "{when}");
    }
}

#[test]
fn what_is_repeated_becomes_a_cron_expression() {
    let cases = [
        ("every weekday at 8", None, "Thu 2026-06-04 08:00:00", "0 8 * * 1-5"),
        ("every day at 7:45 pm", None, "Wed 2026-06-03 19:45:00", "45 19 * * *"),
        ("daily at 8am", None, "Thu 2026-06-04 08:00:00", "0 8 * * *"),
        ("every morning", None, "Thu 2026-06-04 08:00:00", "0 8 * * *"),
        ("every monday", None, "Mon 2026-06-08 09:00:00", "0 9 * * 1"),
        (
            "every Mon, Wed and Fri at 7:30",
            None,
            "Fri 2026-06-05 07:30:00",
            "30 7 * * 1,3,5",
        ),
        ("sundays at noon", None, "Sun 2026-06-07 12:00:00", "0 12 * * 0"),
        ("weekends at 10", None, "Sat 2026-06-06 10:00:00", "0 10 * * 0,6"),
        ("weekly on friday at 5pm", None, "Fri 2026-06-05 17:00:00", "0 17 * * 5"),
        (
            "every month on the 1st at 9",
            None,
            "Wed 2026-07-01 09:00:00",
            "0 9 1 * *",
        ),
        ("every 15th at 9", None, "Mon 2026-06-15 09:00:00", "0 9 15 * *"),
        ("every year on 24 Dec", None, "Thu 2026-12-24 09:00:00", "0 9 24 12 *"),
        ("every hour", None, "Wed 2026-06-03 11:07:00", "7 * * * *"),
        ("every 2 hours", None, "Wed 2026-06-03 12:07:00", "7 */2 * * *"),
        ("every 4 hours", None, "Wed 2026-06-03 14:07:00", "7 2-23/4 * * *"),
        ("every 15 minutes", None, "Wed 2026-06-03 10:22:00", "7-59/15 * * * *"),
        ("every 120 minutes", None, "Wed 2026-06-03 12:07:00", "7 */2 * * *"),
        ("jeden Werktag um 8", None, "Thu 2026-06-04 08:00:00", "0 8 * * 1-5"),
        ("jeden Tag um 18 Uhr", None, "Wed 2026-06-03 18:00:00", "0 18 * * *"),
        ("jeden Morgen um 7", None, "Thu 2026-06-04 07:00:00", "0 7 * * *"),
        ("montags um 9", None, "Mon 2026-06-08 09:00:00", "0 9 * * 1"),
        ("alle 2 Stunden", None, "Wed 2026-06-03 12:07:00", "7 */2 * * *"),
        ("30 8 * * MON-FRI", None, "Thu 2026-06-04 08:30:00", "30 8 * * MON-FRI"),
        // With a start of its own.
        ("tomorrow at 8", Some("daily"), "Thu 2026-06-04 08:00:00", "0 8 * * *"),
        (
            "next monday at 8",
            Some("weekly"),
            "Mon 2026-06-08 08:00:00",
            "0 8 * * 1",
        ),
        ("at 8", Some("weekdays"), "Thu 2026-06-04 08:00:00", "0 8 * * 1-5"),
        (
            "2026-06-05T18:30",
            Some("week"),
            "Fri 2026-06-05 18:30:00",
            "30 18 * * 5",
        ),
        (
            "tomorrow",
            Some("every day at 6"),
            "Thu 2026-06-04 06:00:00",
            "0 6 * * *",
        ),
        (
            "tomorrow at 10:15",
            Some("every 2 hours"),
            "Thu 2026-06-04 10:15:00",
            "15 */2 * * *",
        ),
        (
            "in 10 minutes",
            Some("0 8 * * *"),
            "Wed 2026-06-03 10:17:30",
            "0 8 * * *",
        ),
        // Said twice.
        (
            "every weekday at 8",
            Some("weekdays"),
            "Thu 2026-06-04 08:00:00",
            "0 8 * * 1-5",
        ),
    ];
    for (when, repeat, at, cron) in cases {
        let expected = Ok((at.to_owned(), Some(cron.to_owned())));
        assert_eq!(reads(when, repeat), expected, "{when} {repeat:?}");
    }
    for nothing in ["", "none", "Never"] {
        assert_eq!(
            reads("at 11", Some(nothing)),
            Ok(("Wed 2026-06-03 11:00:00".to_owned(), None))
        );
    }
}

#[test]
fn what_cannot_be_read_is_named_with_the_forms_there_are() {
    let unreadable = |when: &str| Err(format!("`{when}` is no time that I understand. {FORMS}"));
    for when in [
        "",
        "soon",
        "when it rains",
        "in 20 bananas",
        "at 25",
        "31:00",
        "on 99 Dec",
        "the",
        "99999999999999999999 h",
    ] {
        assert_eq!(reads(when, None), unreadable(when), "{when}");
    }
    let cases = [
        (
            "today at 8",
            None,
            "Wed 2026-06-03 08:00 has passed: it is Wed 2026-06-03 10:07 now.",
        ),
        (
            "2020-01-01T00:00",
            None,
            "Wed 2020-01-01 00:00 has passed: it is Wed 2026-06-03 10:07 now.",
        ),
        (
            "in 90 years",
            None,
            "Wed 2116-06-03 10:07 is too far away: 20 years at most.",
        ),
        ("in 999999999999 years", None, "That is too far away: 20 years at most."),
        ("31 February 2027", None, "There is no day 31 in that month."),
        ("every 0 minutes", None, CANNOT),
        ("every 0 weeks", None, CANNOT),
        ("every 2 seconds", None, CANNOT),
        (
            "at 8",
            Some("sometimes"),
            "`sometimes` does not say how often. Say it like \"daily\", \"weekdays\", \"every 2 hours\", or as a cron expression.",
        ),
    ];
    for (when, repeat, expected) in cases {
        assert_eq!(reads(when, repeat), Err(expected.to_owned()), "{when}");
    }
    let error = reads("99 8 * * *", None).expect_err("no minute");
    assert!(error.starts_with("cron `99 8 * * *` cannot be read"), "{error}");
}

#[test]
fn an_hour_that_the_clock_skips_or_has_twice_is_one_moment() {
    let at = |when: &str, now: &str| {
        let now = now.parse::<Zoned>().expect("a time").timestamp().into();
        read(when, None, &zone(), now).expect("a time").at.to_string()
    };
    let (spring, autumn) = ("2026-03-28T12:00[Europe/Berlin]", "2026-10-24T12:00[Europe/Berlin]");
    assert_eq!(at("tomorrow at 2:30", spring), "2026-03-29T01:30:00Z");
    assert_eq!(at("tomorrow at 2:30", autumn), "2026-10-25T00:30:00Z");
    assert_eq!(at("in 24 hours", autumn), "2026-10-25T10:00:00Z");
    assert_eq!(at("in 1 day", autumn), "2026-10-25T11:00:00Z");
}

proptest::proptest! {
    #[test]
    fn nothing_that_is_said_makes_it_panic_or_comes_due_in_the_past(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "in", "at", "8", "20", "every", "weekday", "monday", "next", "tomorrow", "morgen", "um", "uhr", "half",
                "an", "hour", "minutes", "24.12.", "dec", "pm", "18:30", "jeden", "31", "of", "halb", "1h", "and", ",",
                "each", "montags", "-1", "am", "the", "1st", "month", "year", "é", "2030-01-02",
            ]),
            0..7,
        ),
    ) {
        let text = words.join(" ");
        if let Ok(schedule) = read(&text, None, &zone(), now()) {
            proptest::prop_assert!(schedule.at > now(), "{text}");
        }
    }
}

#[test]
fn what_is_repeated_more_often_than_once_a_minute_is_refused() {
    for (when, repeat) in [
        ("* * * * * *", None),
        ("*/30 * * * * *", None),
        ("tomorrow at 8", Some("0,30 * * * * *")),
    ] {
        let error = reads(when, repeat).expect_err(when);
        assert!(error.contains("comes due more often than once a minute"), "{error}");
    }
    for (when, repeat) in [("every 30 seconds", None), ("tomorrow at 8", Some("every second"))] {
        assert!(reads(when, repeat).is_err(), "{when}");
    }
    for (when, repeat) in [
        ("30 * * * * *", None),
        ("every minute", None),
        ("tomorrow", Some("* * * * *")),
    ] {
        assert!(reads(when, repeat).is_ok(), "{when}");
    }
}

#[test]
fn what_cron_cannot_say_is_counted_from_its_first_time() {
    let cases = [
        (
            "every 2 weeks",
            None,
            "Thu 2026-06-04 09:00:00",
            "R/2026-06-04T09:00:00/P2W",
        ),
        (
            "every other day at 8",
            None,
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-04T08:00:00/P2D",
        ),
        (
            "jeden zweiten Tag um 8",
            None,
            "Thu 2026-06-04 08:00:00",
            "R/2026-06-04T08:00:00/P2D",
        ),
        (
            "alle 3 Monate",
            None,
            "Thu 2026-06-04 09:00:00",
            "R/2026-06-04T09:00:00/P3M",
        ),
        (
            "every 90 minutes",
            None,
            "Wed 2026-06-03 11:37:30",
            "R/2026-06-03T10:07:30/PT90M",
        ),
        (
            "every 7 hours",
            None,
            "Wed 2026-06-03 17:07:30",
            "R/2026-06-03T10:07:30/PT7H",
        ),
        (
            "next Monday 14:00",
            Some("every 2 weeks"),
            "Mon 2026-06-08 14:00:00",
            "R/2026-06-08T14:00:00/P2W",
        ),
        (
            "next Monday 14:00",
            Some("fortnightly"),
            "Mon 2026-06-08 14:00:00",
            "R/2026-06-08T14:00:00/P2W",
        ),
    ];
    for (when, repeat, at, cron) in cases {
        assert_eq!(
            reads(when, repeat),
            Ok((at.to_owned(), Some(cron.to_owned()))),
            "{when}"
        );
    }
}
