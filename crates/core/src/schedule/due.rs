//! When triggers come due: the first time, the shortest interval, and the plan for a due time. Pure.

use std::time::Duration;

use crate::{
    clock::Timestamp,
    schedule::{
        cron::next_occurrence,
        trigger::{CatchUp, Trigger, TriggerKind},
    },
};

/// The shortest time from one due time of a trigger to the next. Sleeping runs, which their own limits end, may wake more
/// often.
pub(crate) const SHORTEST_INTERVAL: Duration = Duration::from_secs(60);

/// When an expression of a new or changed trigger first comes due in a time zone, after a moment.
///
/// # Errors
/// Says what is wrong with the expression or the zone, or that it comes due too often.
pub fn first_occurrence(cron: &str, time_zone: &str, after: Timestamp) -> Result<Timestamp, String> {
    let first = next_occurrence(cron, time_zone, after)?;
    if is_too_frequent(cron, time_zone, first) {
        return Err(format!(
            "`{cron}` comes due more often than once a minute: leave the seconds out, as in `* * * * *`, or take an \
             interval of PT1M or longer."
        ));
    }
    Ok(first)
}

/// Whether an expression that comes due at a moment does so more often than triggers may.
fn is_too_frequent(cron: &str, time_zone: &str, due: Timestamp) -> bool {
    let next = |after: Timestamp| next_occurrence(cron, time_zone, after).ok();
    let is_soon = |from: Timestamp, to: Timestamp| to.since(from) < SHORTEST_INTERVAL;
    // Of three times in a row, two are in one minute if a minute has several.
    next(due).is_some_and(|second| is_soon(due, second) || next(second).is_some_and(|third| is_soon(second, third)))
}

/// The plan for a due time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether it fires.
    pub fires: bool,
    /// When the trigger comes due next; none: it has ended.
    pub next: Option<Timestamp>,
    /// Why it does not fire, or never again.
    pub error: Option<String>,
}

/// The plan, at `now`, for the time at which a trigger was due. All due times that have passed count as one. A stored
/// trigger whose expression comes due too often keeps to the shortest interval.
pub fn plan(trigger: &Trigger, due: Timestamp, now: Timestamp, grace: Duration) -> Plan {
    let occurrence = |after: Timestamp| {
        let (cron, zone) = (trigger.cron.as_deref()?, &trigger.time_zone);
        let next = next_occurrence(cron, zone, after);
        let is_slowed =
            trigger.kind != TriggerKind::Wake && (next.as_ref()).is_ok_and(|next| is_too_frequent(cron, zone, *next));
        if is_slowed {
            let soonest = after.after(SHORTEST_INTERVAL);
            return Some(next_occurrence(cron, zone, soonest.before(Duration::from_millis(1))));
        }
        Some(next)
    };
    // Counted from the later one: a clock that is stepped back makes nothing due a second time.
    let (next, error) = match occurrence(due.max(now)) {
        None => (None, None),
        Some(Ok(next)) => (Some(next), None),
        Some(Err(error)) => (None, Some(error)),
    };
    let another_passed = matches!(occurrence(due), Some(Ok(at)) if at <= now);
    // A trigger that waited for its conversation was not missed.
    let was_there = trigger.waiting_at == Some(due);
    let missed = trigger.catch_up == CatchUp::Skip && !was_there && (now.since(due) > grace || another_passed);
    let error =
        error.or_else(|| (missed && next.is_none()).then(|| format!("nobody was there when it was due, at {due}")));
    Plan {
        fires: !missed,
        next,
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(60);

    fn at(text: &str) -> Timestamp {
        text.parse::<jiff::Timestamp>().expect("a time").into()
    }

    fn trigger(cron: Option<&str>, catch_up: CatchUp) -> Trigger {
        Trigger {
            cron: cron.map(str::to_owned),
            catch_up,
            time_zone: "Europe/Berlin".to_owned(),
            ..Trigger::new(TriggerKind::Reminder, Timestamp(0))
        }
    }

    fn planned(cron: Option<&str>, catch_up: CatchUp, due: &str, now: &str) -> (bool, Option<Timestamp>) {
        let plan = plan(&trigger(cron, catch_up), at(due), at(now), GRACE);
        (plan.fires, plan.next)
    }

    #[test]
    fn a_due_time_that_waited_for_its_conversation_was_not_missed() {
        let due = at("2026-06-01T06:00:00Z");
        let now = at("2026-06-03T09:00:00Z");
        for (waiting_at, fires) in [(Some(due), true), (Some(Timestamp(due.0 - 1)), false), (None, false)] {
            let trigger = Trigger {
                waiting_at,
                ..trigger(Some("0 8 * * *"), CatchUp::Skip)
            };
            let plan = plan(&trigger, due, now, GRACE);
            assert_eq!(
                (plan.fires, plan.next),
                (fires, Some(at("2026-06-04T06:00:00Z"))),
                "{waiting_at:?}"
            );
        }
    }

    #[test]
    fn due_times_that_passed_fire_once_together_or_not_at_all() {
        let daily = Some("0 8 * * *");
        let cases = [
            // On time.
            (
                daily,
                CatchUp::Once,
                "2026-06-01T06:00:00Z",
                "2026-06-01T06:00:00.100Z",
                (true, Some("2026-06-02T06:00:00Z")),
            ),
            (
                daily,
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-01T06:00:00.100Z",
                (true, Some("2026-06-02T06:00:00Z")),
            ),
            // Down for three of them.
            (
                daily,
                CatchUp::Once,
                "2026-06-01T06:00:00Z",
                "2026-06-03T09:00:00Z",
                (true, Some("2026-06-04T06:00:00Z")),
            ),
            (
                daily,
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-03T09:00:00Z",
                (false, Some("2026-06-04T06:00:00Z")),
            ),
            // Down for two that are close together.
            (
                Some("* * * * *"),
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-01T06:01:00Z",
                (false, Some("2026-06-01T06:02:00Z")),
            ),
            // Late by what a restart takes.
            (
                daily,
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-01T06:00:59Z",
                (true, Some("2026-06-02T06:00:00Z")),
            ),
            // Once and never again.
            (
                None,
                CatchUp::Once,
                "2026-06-01T06:00:00Z",
                "2026-06-03T06:00:00Z",
                (true, None),
            ),
            (
                None,
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-03T06:00:00Z",
                (false, None),
            ),
            // The clock was stepped back by an hour since it was found to be due.
            (
                daily,
                CatchUp::Once,
                "2026-06-01T06:00:00Z",
                "2026-06-01T05:00:00Z",
                (true, Some("2026-06-02T06:00:00Z")),
            ),
        ];
        for (cron, catch_up, due, now, (fires, next)) in cases {
            assert_eq!(
                planned(cron, catch_up, due, now),
                (fires, next.map(at)),
                "{cron:?} {catch_up} due {due} at {now}"
            );
        }
    }

    #[test]
    fn each_day_fires_once_over_both_edges_of_summer_time() {
        for (cron, from, expected) in [
            (
                "30 2 * * *",
                "2026-03-27T12:00:00Z",
                ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
            ),
            (
                "30 2 * * *",
                "2026-10-23T12:00:00Z",
                ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
            ),
            (
                "0 8 * * *",
                "2026-10-23T12:00:00Z",
                ["2026-10-24T06:00:00Z", "2026-10-25T07:00:00Z", "2026-10-26T07:00:00Z"],
            ),
            (
                "0 * * * *",
                "2026-10-24T23:30:00Z",
                ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"],
            ),
        ] {
            let trigger = trigger(Some(cron), CatchUp::Once);
            let mut due = next_occurrence(cron, "Europe/Berlin", at(from)).expect("comes due");
            let mut fired = Vec::new();
            for _ in 0..3 {
                fired.push(due);
                due = plan(&trigger, due, due.after(Duration::from_millis(80)), GRACE)
                    .next
                    .expect("goes on");
            }
            assert_eq!(fired, expected.map(at), "{cron} after {from}");
        }
    }

    /// From a moment at which `* * * * * *` comes due each second.
    const NOON: &str = "2026-06-01T12:00:00Z";

    #[test]
    fn an_expression_comes_due_once_a_minute_at_most() {
        for cron in [
            "* * * * *",
            "*/5 * * * *",
            "0 8 * * *",
            "30 * * * * *",
            "59 0,59 0,23 * * *",
            "@hourly",
            "0 0 29 2 *",
            "R/2026-06-01T08:00:00/PT1M",
            "R/2026-06-01T08:00:30/P1M",
        ] {
            assert_eq!(
                first_occurrence(cron, "Europe/Berlin", at(NOON)),
                next_occurrence(cron, "Europe/Berlin", at(NOON)),
                "{cron}"
            );
        }
        for cron in [
            "* * * * * *",
            "*/2 * * * * *",
            "0,59 * * * * *",
            "0,1 0 8 1 1 *",
            "58-59 59 23 * * *",
            "R/2026-06-01T08:00:00/PT59S",
        ] {
            let error = first_occurrence(cron, "Europe/Berlin", at(NOON)).expect_err(cron);
            assert_eq!(
                error,
                format!(
                    "`{cron}` comes due more often than once a minute: leave the seconds out, as in `* * * * *`, or take \
                     an interval of PT1M or longer."
                )
            );
        }
        assert_eq!(
            first_occurrence("x", "UTC", at(NOON)),
            next_occurrence("x", "UTC", at(NOON))
        );
    }

    #[test]
    fn what_was_stored_with_a_shorter_interval_fires_once_a_minute_and_wakes_sleeping_runs_as_often_as_it_says() {
        for cron in [
            "* * * * * *",
            "*/7 * * * * *",
            "0,59 * * * * *",
            "R/2026-06-01T08:00:00/PT1S",
        ] {
            let trigger = trigger(Some(cron), CatchUp::Skip);
            let mut due = at(NOON);
            for late in [0, 80, 999, 59_000] {
                let now = due.after(Duration::from_millis(late));
                let plan = plan(&trigger, due, now, GRACE);
                let next = plan.next.expect("goes on");
                assert!(plan.fires, "{cron} {late}");
                let pause = next.since(now);
                assert!(
                    pause >= SHORTEST_INTERVAL && pause <= SHORTEST_INTERVAL * 2,
                    "{cron} {late} {pause:?}"
                );
                due = next;
            }
            let wake = Trigger {
                kind: TriggerKind::Wake,
                ..trigger
            };
            let next = plan(&wake, due, due, GRACE).next;
            assert_eq!(next, next_occurrence(cron, "Europe/Berlin", due).ok(), "{cron}");
        }
    }

    #[test]
    fn what_ends_without_having_fired_says_why() {
        let missed = plan(
            &trigger(None, CatchUp::Skip),
            at("2026-06-01T06:00:00Z"),
            at("2026-06-02T06:00:00Z"),
            GRACE,
        );
        assert_eq!(
            missed.error.as_deref(),
            Some("nobody was there when it was due, at 2026-06-01T06:00:00Z")
        );
        let broken = plan(
            &trigger(Some("no cron"), CatchUp::Once),
            Timestamp(0),
            Timestamp(1),
            GRACE,
        );
        assert_eq!((broken.fires, broken.next), (true, None));
        assert!(
            broken
                .error
                .is_some_and(|error| error.starts_with("cron `no cron` cannot be read"))
        );
    }
}
