//! What becomes of a due time: whether it fires, and when the trigger comes due next. Pure.

use std::time::Duration;

use crate::{
    clock::Timestamp,
    engine::cron::next_occurrence,
    store::triggers::{CatchUp, Trigger},
};

/// What becomes of a due time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether it fires.
    pub fires: bool,
    /// When the trigger comes due next; none: it has ended.
    pub next: Option<Timestamp>,
    /// Why it does not fire, or never again.
    pub error: Option<String>,
}

/// What becomes, at `now`, of the time at which a trigger was due. All due times that have passed are one.
pub fn plan(trigger: &Trigger, due: Timestamp, now: Timestamp, grace: Duration) -> Plan {
    let occurrence = |after| {
        let cron = trigger.cron.as_deref()?;
        Some(next_occurrence(cron, &trigger.time_zone, after))
    };
    // Counted from the later one: a clock that is put back makes nothing due a second time.
    let (next, error) = match occurrence(due.max(now)) {
        None => (None, None),
        Some(Ok(next)) => (Some(next), None),
        Some(Err(error)) => (None, Some(error)),
    };
    let another_passed = matches!(occurrence(due), Some(Ok(at)) if at <= now);
    // Who waited for their conversation was there.
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
    use crate::store::triggers::TriggerKind;

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
            // Down for three that are close together.
            (
                Some("*/2 * * * * *"),
                CatchUp::Skip,
                "2026-06-01T06:00:00Z",
                "2026-06-01T06:00:05Z",
                (false, Some("2026-06-01T06:00:06Z")),
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
            // The clock was put back by an hour since it was found to be due.
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
