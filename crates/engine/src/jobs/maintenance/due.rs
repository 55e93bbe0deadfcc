//! When a maintenance job is due. Pure: the caller says what time it is.

use std::time::Duration;

use clifford_core::clock::Timestamp;

use crate::jobs::{LONGEST_BACKOFF, backoff};

/// When a job may be claimed: when it is due, and no lease holds it any more.
pub fn claimable(due_at: Timestamp, lease_until: Option<Timestamp>) -> Timestamp {
    let free = lease_until.map(|until| until.after(Duration::from_millis(1)));
    free.map_or(due_at, |free| free.max(due_at))
}

/// When a job is tried again that failed, and had failed so often in a row before: each wait is twice the one before.
pub(crate) fn after_failure(failed_at: Timestamp, before: i64) -> Timestamp {
    failed_at.after(backoff(before.saturating_add(1)))
}

/// Whether a job is due so late that only a clock that was stepped back since, or longer intervals of another process,
/// explain it.
pub(crate) fn is_out_of_reach(due_at: Timestamp, every: Duration, now: Timestamp) -> bool {
    due_at > now.after(every.max(LONGEST_BACKOFF))
}

/// The time before which a process does not look at a job again, as it set it: none, if the clock was stepped back
/// since.
pub fn not_before(set: Timestamp, every: Duration, now: Timestamp) -> Timestamp {
    if set > now.after(every) { now } else { set }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn at(seconds: i64) -> Timestamp {
        Timestamp(NOW.0 + seconds * 1000)
    }

    #[test]
    fn a_job_is_claimable_when_it_is_due_and_its_lease_is_over() {
        let cases = [
            (at(5), None, at(5)),
            (at(5), Some(at(2)), at(5)),
            (at(5), Some(at(8)), Timestamp(at(8).0 + 1)),
            (at(5), Some(at(5)), Timestamp(at(5).0 + 1)),
        ];
        for (due_at, lease_until, expected) in cases {
            assert_eq!(claimable(due_at, lease_until), expected, "{due_at:?} {lease_until:?}");
        }
    }

    #[test]
    fn each_failure_in_a_row_doubles_the_wait_up_to_an_hour() {
        for (before, seconds) in [
            (0, 10),
            (1, 20),
            (2, 40),
            (8, 2560),
            (9, 3600),
            (1000, 3600),
            (i64::MAX, 3600),
        ] {
            assert_eq!(after_failure(NOW, before), at(seconds), "{before} before");
        }
    }

    #[test]
    fn a_look_that_a_clock_put_back_left_in_the_future_is_due() {
        let every = Duration::from_secs(2);
        for (set, expected) in [(-1, -1), (0, 0), (2, 2), (3, 0), (3600, 0)] {
            assert_eq!(not_before(at(set), every, NOW), at(expected), "{set} s");
        }
    }

    #[test]
    fn a_time_beyond_every_interval_and_every_wait_is_out_of_reach() {
        let (often, seldom) = (Duration::from_secs(2), Duration::from_secs(86_400));
        let cases = [
            (-5, often, false),
            (3600, often, false),
            (3601, often, true),
            (3601, seldom, false),
            (86_400, seldom, false),
            (86_401, seldom, true),
        ];
        for (seconds, every, expected) in cases {
            assert_eq!(
                is_out_of_reach(at(seconds), every, NOW),
                expected,
                "{seconds} s, every {every:?}"
            );
        }
    }
}
