//! Messages that came long after they were said: after an outage a platform hands in those of hours at once.

use std::time::Duration;

use clifford_core::{clock::Timestamp, rate::Counted};

/// The longest way of an event that comes as it happens. One that took longer counts at the time at which it was sent:
/// its author did not write faster for it.
const ON_TIME: Duration = Duration::from_secs(60);

/// Whether a message is stored as history only: it was read after a gap, and nobody waits for its answer any more.
pub(super) fn is_too_old(backfilled: bool, sent_at: Timestamp, catch_up: Duration, now: Timestamp) -> bool {
    backfilled && now.since(sent_at) > catch_up
}

/// When what came `now` counts against limits of how fast people may write.
pub(super) fn counted(sent_at: Timestamp, now: Timestamp) -> Counted {
    match now.since(sent_at) > ON_TIME {
        true => Counted { at: sent_at, came: now },
        false => now.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_counts_when_it_came_unless_it_came_late() {
        let now = Timestamp(1_000_000);
        for (sent_at, expected) in [
            (1_000_000, 1_000_000),
            (940_000, 1_000_000),
            (939_999, 939_999),
            (0, 0),
            // A platform's clock is ahead.
            (2_000_000, 1_000_000),
        ] {
            assert_eq!(counted(Timestamp(sent_at), now).at, Timestamp(expected), "{sent_at}");
        }
    }

    #[test]
    fn only_what_was_read_after_a_gap_is_too_old() {
        let (catch_up, now) = (Duration::from_secs(600), Timestamp(1_000_000));
        for (backfilled, sent_at, expected) in [
            (true, 400_000, false),
            (true, 399_999, true),
            (false, 399_999, false),
            (true, 2_000_000, false),
        ] {
            assert_eq!(
                is_too_old(backfilled, Timestamp(sent_at), catch_up, now),
                expected,
                "{sent_at}"
            );
        }
    }
}
