//! Computes when and why a sleeping run wakes.

use std::time::Duration;

use clifford_action::Sleep;

use crate::{
    clock::Timestamp,
    run::{decision::Wake, rules::Rules},
    schedule::cron::{moment, next_occurrence},
};

/// The wake of a run that goes to sleep at `now`.
///
/// # Errors
/// Describes a time that cannot be read.
pub fn wake(sleep: &Sleep, rules: &Rules, now: Timestamp) -> Result<Wake, String> {
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
