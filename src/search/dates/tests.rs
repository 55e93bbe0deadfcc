//! How times are named, by tables.

use super::*;

/// Wednesday, 18 March 2026, 12:00 in Berlin.
fn now() -> Timestamp {
    Timestamp(1_773_831_600_000)
}

fn zone() -> TimeZone {
    TimeZone::get("Europe/Berlin").expect("a zone")
}

/// `2026-03-01/2026-04-01` is a time between, `-03` a month and `-03-08` a day of any year.
fn named(question: &str) -> Vec<String> {
    let date = |at: Timestamp| at.to_jiff().to_zoned(zone()).date().to_string();
    read(question, &zone(), now())
        .into_iter()
        .map(|time| match time {
            Time::Between(from, to) => format!("{}/{}", date(from), date(to)),
            Time::Month(month) => format!("-{month:02}"),
            Time::Day(month, day) => format!("-{month:02}-{day:02}"),
        })
        .collect()
}

#[test]
fn a_question_names_times() {
    let day = &["2023-05-08/2023-05-09", "2023-05-01/2023-06-01"][..];
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("What is my cat called?", &[]),
        ("What did we say in May?", &["-05"]),
        ("What may I say?", &[]),
        ("May I march on?", &[]),
        ("What happened in march", &["-03"]),
        ("my trip in January", &["-01"]),
        ("on 8 May, 2023", day),
        ("on May 8th 2023", day),
        ("the 8th of May 2023", day),
        ("am 8. Mai 2023", day),
        ("el 8 de mayo de 2023", day),
        ("le 8 mai 2023", day),
        ("8 мая 2023", day),
        ("2023-05-08", day),
        ("2023-05-08 14:00", day),
        ("on May 8", &["-05-08", "-05"]),
        ("in May 2023", &["2023-05-01/2023-06-01"]),
        ("2026-03", &["2026-03-01/2026-04-01"]),
        ("all of 2025", &["2025-01-01/2026-01-01"]),
        ("in 1066 or 9999", &[]),
        ("today", &["2026-03-18/2026-03-19"]),
        ("yesterday", &["2026-03-17/2026-03-18"]),
        ("the day before yesterday", &["2026-03-16/2026-03-17"]),
        ("last week", &["2026-03-09/2026-03-16"]),
        ("this week", &["2026-03-16/2026-03-23"]),
        ("last weekend", &["2026-03-14/2026-03-16"]),
        ("last month", &["2026-02-01/2026-03-01"]),
        ("last year", &["2025-01-01/2026-01-01"]),
        ("last Friday", &["2026-03-13/2026-03-14"]),
        ("on Wednesday", &["2026-03-11/2026-03-12"]),
        ("three days ago", &["2026-03-15/2026-03-16"]),
        ("2 weeks ago", &["2026-03-01/2026-03-08"]),
        ("a month ago", &["2026-02-03/2026-03-06"]),
        ("gestern", &["2026-03-17/2026-03-18"]),
        ("letzte Woche", &["2026-03-09/2026-03-16"]),
        ("vor drei Tagen", &["2026-03-15/2026-03-16"]),
        ("im März", &["-03"]),
        ("la semana pasada", &["2026-03-09/2026-03-16"]),
        ("hace 3 días", &["2026-03-15/2026-03-16"]),
        ("la semaine dernière", &["2026-03-09/2026-03-16"]),
        ("il y a 3 jours", &["2026-03-15/2026-03-16"]),
        ("ontem", &["2026-03-17/2026-03-18"]),
        ("вчера", &["2026-03-17/2026-03-18"]),
        ("3 дня назад", &["2026-03-15/2026-03-16"]),
        ("на прошлой неделе", &["2026-03-09/2026-03-16"]),
        ("three days and 2 weeks", &[]),
        ("31 February 2026", &["2026-02-01/2026-03-01"]),
    ];
    for (question, expected) in cases {
        assert_eq!(named(question), *expected, "{question}");
    }
}

#[test]
fn a_moment_is_of_the_times_that_hold_it() {
    // Shortly after midnight in Berlin, and still the day before in UTC.
    let moment = Moment::of(Timestamp(1_773_788_400_000 + 60_000), &zone());
    assert_eq!(moment.date().to_string(), "2026-03-18");
    assert!(moment.is_of(Time::Month(3)) && moment.is_of(Time::Day(3, 18)));
    assert!(!moment.is_of(Time::Month(2)) && !moment.is_of(Time::Day(3, 17)));
    let today = read("today", &zone(), now());
    assert!(today.iter().all(|time| moment.is_of(*time)));
}

#[test]
fn one_end_of_a_time_can_be_given() {
    let at = |text: &str, end| bound(text, end, &zone(), now()).map(|at| at.to_string());
    let cases = [
        ("2026-03-15", "2026-03-14T23:00:00Z", "2026-03-15T23:00:00Z"),
        ("2026-03", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"),
        ("2025", "2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"),
        ("yesterday", "2026-03-16T23:00:00Z", "2026-03-17T23:00:00Z"),
        ("2026-03-15T12:00:00Z", "2026-03-15T12:00:00Z", "2026-03-15T12:00:00Z"),
    ];
    for (text, first, last) in cases {
        assert_eq!(at(text, End::First), Ok(first.to_owned()), "{text}");
        assert_eq!(at(text, End::Last), Ok(last.to_owned()), "{text}");
    }
    for text in ["", "soon", "in May"] {
        let fault = at(text, End::First).expect_err("no time");
        assert!(fault.starts_with(&format!("`{text}` is no time: give ")), "{fault}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_names_times_or_none(text in "\\PC{0,80}|((last|8|may|2023|ago|week|vor|de|of) ?){0,12}") {
        let times = read(&text, &zone(), now());
        proptest::prop_assert!(times.len() <= MOST);
    }
}
