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
    times(&super::named(question, &zone(), now()))
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
        // A day that no year has is no day.
        ("on 31 June", &["-06"]),
        ("June 31", &["-06"]),
        ("30 February", &["-02"]),
        ("February 30th", &["-02"]),
        ("31. April", &["-04"]),
        ("31 de noviembre", &["-11"]),
        ("30 June", &["-06-30", "-06"]),
        ("29 February", &["-02-29", "-02"]),
        ("31 sep", &[]),
        ("2023-05-08T14:00:00Z", day),
        ("on 2023-05-08T14:00+02:00!", day),
        ("2023-5-8", day),
        ("2023/05/08", day),
        ("am 08.05.2023", day),
        ("am 8. 5. 2023", day),
        ("08.05.2023 14:00", day),
        ("05/13/2023", &["2023-05-13/2023-05-14", "2023-05-01/2023-06-01"]),
        ("13/05/2023", &["2023-05-13/2023-05-14", "2023-05-01/2023-06-01"]),
        ("05/05/2023", &["2023-05-05/2023-05-06", "2023-05-01/2023-06-01"]),
        ("03/04/2023", &["2023-04-03/2023-04-04", "2023-03-04/2023-03-05"]),
        ("31.02.2023", &["2023-01-01/2024-01-01"]),
        ("version 1.2.3", &[]),
        ("in 2023, 10 people", &["2023-01-01/2024-01-01"]),
        ("yesterday's news", &["2026-03-17/2026-03-18"]),
        ("Qu'est-ce que j'ai dit hier ?", &["2026-03-17/2026-03-18"]),
        ("hier", &["2026-03-17/2026-03-18"]),
        ("Was haben wir hier besprochen?", &[]),
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
    let today = times(&super::named("today", &zone(), now()));
    assert!(today.iter().all(|time| moment.is_of(*time)));
}

#[test]
fn what_only_dates_is_told_from_names_that_a_text_may_hold() {
    for (text, covered, unspelled) in [
        (
            "dentist on 8 May, 2023!",
            "           8 May, 2023 ",
            "           8    ,      ",
        ),
        ("the 2049 film", "    2049     ", "             "),
        (
            "at 2023-05-08 14:00 or so",
            "   2023-05-08 14:00      ",
            "   2023-05-08 14:00      ",
        ),
        ("yesterday's news", "yesterday's     ", "yesterday's     "),
        ("no date", "       ", "       "),
    ] {
        let named = super::named(text, &zone(), now());
        let shown = |of: fn(&Named, usize) -> bool| -> String {
            let chars = text.char_indices();
            chars
                .map(|(at, c)| if named.iter().any(|one| of(one, at)) { c } else { ' ' })
                .collect()
        };
        assert_eq!(shown(Named::covers), covered, "{text}");
        assert_eq!(
            shown(Named::covers_unspelled).trim_end(),
            unspelled.trim_end(),
            "{text}"
        );
    }
}

#[test]
fn a_time_of_no_year_is_that_of_the_last_years() {
    let spans = |text: &str| {
        let date = |at: Timestamp| Moment::of(at, &zone()).date().to_string();
        let spans = spans(&super::named(text, &zone(), now()), &zone(), now());
        spans
            .into_iter()
            .map(|(from, to)| format!("{}/{}", date(from), date(to)))
            .collect::<Vec<_>>()
    };
    assert_eq!(spans("yesterday"), ["2026-03-17/2026-03-18"]);
    assert_eq!(spans("2026-03-15"), ["2026-03-15/2026-03-16"]);
    let may = spans("in May");
    assert_eq!(may.len(), 11);
    assert_eq!(may[0], "2026-05-01/2026-06-01");
    assert_eq!(may[10], "2016-05-01/2016-06-01");
    assert_eq!(
        spans("29 February"),
        [
            "2024-02-29/2024-03-01",
            "2020-02-29/2020-03-01",
            "2016-02-29/2016-03-01"
        ]
    );
}

#[test]
fn one_end_of_a_time_can_be_given() {
    let at = |text: &str, end| bound(text, end, &zone(), now()).map(|at| at.to_string());
    let day = ("2026-03-14T23:00:00Z", "2026-03-15T23:00:00Z");
    let noon = ("2026-03-15T11:00:00Z", "2026-03-15T11:00:00Z");
    let cases = [
        ("2026-03-15", day),
        ("2026-3-15", day),
        ("15.03.2026", day),
        ("15. 3. 2026", day),
        ("15/03/2026", day),
        ("03/15/2026", day),
        ("15 March 2026", day),
        ("am 15. März 2026", day),
        (" on the 15th of March, 2026 ", day),
        ("2026-03", ("2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z")),
        ("2025", ("2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z")),
        ("all of 2025", ("2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z")),
        ("yesterday", ("2026-03-16T23:00:00Z", "2026-03-17T23:00:00Z")),
        ("2026-03-15T12:00:00Z", ("2026-03-15T12:00:00Z", "2026-03-15T12:00:00Z")),
        ("2026-03-15T13:00:00+02:00", noon),
        ("2026-03-15T12:00:00[Europe/Berlin]", noon),
        ("2026-03-15T12:00:00", noon),
        ("2026-03-15T12:00", noon),
        ("2026-03-15t12:00", noon),
        ("2026-03-15 12:00", noon),
        ("2026-03-15 12:00:00", noon),
    ];
    for (text, (first, last)) in cases {
        assert_eq!(at(text, End::First), Ok(first.to_owned()), "{text}");
        assert_eq!(at(text, End::Last), Ok(last.to_owned()), "{text}");
    }
    assert_eq!(at("since yesterday", End::First), Ok("2026-03-16T23:00:00Z".to_owned()));
    assert_eq!(at("until yesterday", End::Last), Ok("2026-03-17T23:00:00Z".to_owned()));
    for text in [
        "",
        "soon",
        "in May",
        "8 May",
        "not 2026",
        "2026-13",
        "2026-W11",
        "2026-03-32",
        "2026-03-15T25:00",
        "2026-03-15T99",
        "2026-03-15 25:00",
        "2026-03-15T12:00 or so",
        "2026-02-30",
        "30.02.2026",
        "16.03.2026 10:00",
        "16.03.26",
        "2026-03-01/2026-03-15",
        "2026-03-01 to 2026-03-15",
        "yesterday at noon",
        "2026+1",
        "1742000000",
    ] {
        for end in [End::First, End::Last] {
            let fault = at(text, end).expect_err(text);
            assert!(
                fault.starts_with(&format!("`{text}` is no time: give 2026-03-15, ")),
                "{fault}"
            );
        }
    }
    assert!(at("until yesterday", End::First).is_err() && at("since yesterday", End::Last).is_err());
    assert_eq!(
        at("03/04/2026", End::First),
        Err("`03/04/2026` may be 2026-04-03 or 2026-03-04: give one of them".to_owned())
    );
}

proptest::proptest! {
    #[test]
    fn any_text_names_times_or_none(
        text in "\\PC{0,80}|((last|8|may|2023|ago|week|vor|de|of|03|15T11|'s)[ -/:.]?){0,12}",
    ) {
        let times = times(&super::named(&text, &zone(), now()));
        proptest::prop_assert!(times.len() <= MOST);
    }
}

#[test]
fn what_is_longer_than_a_question_is_read_as_far_as_it_counts() {
    let named = |text: &str| super::named(text, &zone(), now()).len();
    assert_eq!(named(&format!("yesterday {}", "xy ".repeat(300_000))), 1);
    assert_eq!(named(&format!("{}yesterday", "xy ".repeat(300_000))), 0);
    assert_eq!(named(&"1:".repeat(300_000)), 0);
    let long = format!("2026{}", " xy".repeat(300_000));
    assert!(bound(&long, End::First, &zone(), now()).is_err());
}
