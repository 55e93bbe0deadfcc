//! Waits that were reckoned by a clock that ran ahead, and would last until that time.

use clifford_core::{clock::Timestamp, value::args};

use crate::{StoreError, Tx};

/// How many waits were shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortened {
    /// Of runs.
    pub runs: u64,
    /// Of jobs.
    pub jobs: u64,
}

/// Lets all that was written later than `beyond`, and waits for a later time, wait from now on for as long as it was to
/// wait. Runs that sleep by cron are none: their expressions tell their times.
pub async fn shorten(tx: &mut Tx, beyond: Timestamp, now: Timestamp) -> Result<Shortened, StoreError> {
    let runs = tx
        .execute(
            "UPDATE runs SET wake_at = CASE WHEN wake_at > updated_at THEN $1 + (wake_at - updated_at) ELSE $1 END,
                 updated_at = $1
             WHERE status IN ('pending', 'waiting') AND wake_at > $2 AND updated_at > $2
               AND NOT (COALESCE(wake_reason, '') = 'sleep'
                        AND EXISTS (SELECT 1 FROM triggers t WHERE t.run_id = runs.id))",
            args![now, beyond],
        )
        .await?;
    let jobs = tx
        .execute(
            "UPDATE jobs SET due_at = CASE WHEN due_at > updated_at THEN $1 + (due_at - updated_at) ELSE $1 END,
                 updated_at = $1
             WHERE status = 'pending' AND due_at > $2 AND updated_at > $2",
            args![now, beyond],
        )
        .await?;
    Ok(Shortened { runs, jobs })
}
