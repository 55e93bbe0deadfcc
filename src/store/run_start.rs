//! Runs that have not begun: what joins their input, and how they begin.

use super::{
    StoreError, Tx, args,
    runs::{COLUMNS, Lease, Run, RunStatus, get},
};
use crate::{
    clock::Timestamp,
    id::{RunId, WorkerId},
};

/// Adds to the input of a run that has not begun, and puts its beginning off. `false`: it has begun.
///
/// # Errors
/// The store's.
pub async fn join(
    tx: &mut Tx,
    id: RunId,
    text: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let joined = tx
        .execute(
            "UPDATE runs SET input_text = CASE WHEN input_text = '' THEN $1 WHEN $1 = '' THEN input_text
                                               ELSE input_text || $5 || $1 END,
                 wake_at = $2, updated_at = $3
             WHERE id = $4 AND status = 'pending' AND wake_at > $3",
            args![text, not_before, now, id, "\n"],
        )
        .await?;
    Ok(joined == 1)
}

/// Whether a held run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// Now; nothing joins it any more.
    Now,
    /// Later: more of its input has come.
    NotBefore(Timestamp),
    /// Somebody else has it, or it ended.
    NotOurs,
}

/// Begins a run that was put off, if its time has come.
///
/// # Errors
/// The store's.
pub async fn begin(tx: &mut Tx, lease: &Lease, now: Timestamp) -> Result<Begun, StoreError> {
    let begun = tx
        .exists(
            "UPDATE runs SET wake_at = NULL WHERE id = $1 AND lease_owner = $2 AND epoch = $3 AND status = 'pending'
             AND (wake_at IS NULL OR wake_at <= $4) RETURNING epoch",
            args![lease.run, lease.owner, lease.epoch, now],
        )
        .await?;
    if begun {
        return Ok(Begun::Now);
    }
    let run = get(tx, lease.run).await?;
    let ours = run.filter(|run| run.epoch == lease.epoch && run.status == RunStatus::Pending);
    Ok(ours
        .and_then(|run| run.wake_at)
        .map_or(Begun::NotOurs, Begun::NotBefore))
}

/// Takes a run that made no step yet from whoever holds it, with new input, for this worker to begin again.
/// `None`: it has made a step, so it is too late.
///
/// # Errors
/// The store's.
pub async fn begin_again(
    tx: &mut Tx,
    id: RunId,
    input: &str,
    worker: WorkerId,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<Run>, StoreError> {
    let sql = format!(
        "UPDATE runs SET input_text = $1, updated_at = $2, status = 'pending', epoch = epoch + 1, lease_owner = $3,
             lease_until = $4
         WHERE id = $5 AND status IN ('pending', 'running')
         AND NOT EXISTS (SELECT 1 FROM run_steps s WHERE s.run_id = runs.id) RETURNING {COLUMNS}"
    );
    Ok(tx.all(sql, args![input, now, worker, until, id]).await?.pop())
}
