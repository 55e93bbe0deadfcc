//! Computes when and why a sleeping run wakes.

use std::time::Duration;

use clifford_action::Sleep;

use crate::{
    clock::Timestamp,
    run::{decision::Wake, rules::Rules},
    runs::RunKind,
    schedule::cron::{moment, next_occurrence},
};

/// The longest that a run sleeps.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// The longest that a subagent sleeps: its parent waits for it, and so does its person.
const LONGEST_OF_SUBAGENT: Duration = Duration::from_secs(24 * 60 * 60);

/// The wake of a run that goes to sleep at `now`.
///
/// # Errors
/// Describes a time that cannot be read, or that is too far off.
pub fn wake(sleep: &Sleep, kind: RunKind, rules: &Rules, now: Timestamp) -> Result<Wake, String> {
    let wake = wake_at_any_time(sleep, rules, now)?;
    // The next date of a calendar may be some years away: nobody but a person waits for that.
    let most = match (kind, &wake.cron) {
        (RunKind::Subagent, _) => LONGEST_OF_SUBAGENT,
        (RunKind::Coordinator, None) => LONGEST,
        (RunKind::Coordinator, Some(_)) => return Ok(wake),
    };
    if wake.at <= now.after(most) {
        return Ok(wake);
    }
    let who = match kind {
        RunKind::Subagent => "a subagent, for which its parent waits,",
        RunKind::Coordinator => "a run",
    };
    let (days, seconds) = (most.as_secs() / (24 * 60 * 60), most.as_secs());
    let days = if days == 1 {
        "a day".to_owned()
    } else {
        format!("{days} days")
    };
    Err(format!("{who} sleeps for at most {days}: {seconds} seconds."))
}

fn wake_at_any_time(sleep: &Sleep, rules: &Rules, now: Timestamp) -> Result<Wake, String> {
    let reason = sleep.reason.clone();
    match (&sleep.wake_at, sleep.delay_seconds, &sleep.cron) {
        (Some(at), None, None) => {
            let at = moment(at, &rules.engine.time_zone)?;
            Ok(Wake {
                at: at.max(now),
                cron: None,
                reason,
            })
        }
        (None, Some(seconds), None) => Ok(Wake {
            at: now.after(Duration::from_secs(seconds)),
            cron: None,
            reason,
        }),
        (None, None, Some(cron)) => {
            let at = next_occurrence(cron, &rules.engine.time_zone, now)?;
            Ok(Wake {
                at,
                cron: Some(cron.clone()),
                reason,
            })
        }
        _ => Err("sleep takes exactly one of wake_at, delay_seconds and cron.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn seconds(delay: u64) -> Sleep {
        Sleep {
            delay_seconds: Some(delay),
            ..Sleep::default()
        }
    }

    fn until(at: &str) -> Sleep {
        Sleep {
            wake_at: Some(at.to_owned()),
            ..Sleep::default()
        }
    }

    fn cron(cron: &str) -> Sleep {
        Sleep {
            cron: Some(cron.to_owned()),
            ..Sleep::default()
        }
    }

    #[test]
    fn a_run_sleeps_for_a_year_and_a_subagent_for_a_day_at_most() {
        use RunKind::{Coordinator, Subagent};
        // 2026-01-01T00:00:00Z
        let now = Timestamp(1_767_225_600_000);
        let of_run = "a run sleeps for at most 366 days: 31622400 seconds.";
        let of_subagent = "a subagent, for which its parent waits, sleeps for at most a day: 86400 seconds.";
        let table = [
            (seconds(366 * DAY), Coordinator, None),
            (seconds(366 * DAY + 1), Coordinator, Some(of_run)),
            (seconds(u64::MAX), Coordinator, Some(of_run)),
            (until("2027-01-01T00:00:00Z"), Coordinator, None),
            (until("2020-01-01T00:00:00Z"), Coordinator, None),
            (until("9999-12-31T23:59:59Z"), Coordinator, Some(of_run)),
            // The next 29th of February.
            (cron("0 0 29 2 *"), Coordinator, None),
            (seconds(DAY), Subagent, None),
            (seconds(1_000_000_000), Subagent, Some(of_subagent)),
            (until("2026-01-02T00:00:01Z"), Subagent, Some(of_subagent)),
            (cron("0 * * * *"), Subagent, None),
            (cron("0 0 29 2 *"), Subagent, Some(of_subagent)),
        ];
        for (sleep, kind, expected) in table {
            let wake = wake(&sleep, kind, &Rules::default(), now);
            assert_eq!(wake.err().as_deref(), expected, "{sleep:?} {kind:?}");
        }
    }
}
