//! Triggers: cron expressions that wake a run again and again, each firing once.

use serde::Serialize;
use sqlx::FromRow;

use super::{Conn, StoreError, Tx, args};
use crate::{
    clock::Timestamp,
    id::{RunId, TriggerId},
};

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct Trigger {
    /// Its id.
    pub id: TriggerId,
    /// The run that it wakes.
    pub run_id: RunId,
    /// The cron expression.
    pub cron: String,
    /// IANA time zone of the expression.
    pub time_zone: String,
    /// When it fires next.
    pub next_at: Timestamp,
}

/// Sets a run's trigger.
///
/// # Errors
/// The store's.
pub async fn put(
    tx: &mut Tx,
    run: RunId,
    cron: &str,
    time_zone: &str,
    next_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO triggers (id, run_id, cron, time_zone, catch_up, next_at, created_at)
         VALUES ($1, $2, $3, $4, 'once', $5, $6)
         ON CONFLICT (run_id) DO UPDATE SET cron = excluded.cron, time_zone = excluded.time_zone, next_at = excluded.next_at",
        args![TriggerId::new(), run, cron, time_zone, next_at, now],
    )
    .await?;
    Ok(())
}

/// A run's trigger.
///
/// # Errors
/// The store's.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Option<Trigger>, StoreError> {
    conn.maybe(
        "SELECT id, run_id, cron, time_zone, next_at FROM triggers WHERE run_id = $1",
        args![run],
    )
    .await
}

/// Records that a trigger fired for a due time. `false`: somebody else did.
///
/// # Errors
/// The store's.
pub async fn fire(tx: &mut Tx, id: TriggerId, due_at: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
    let fired = tx
        .execute(
            "INSERT INTO trigger_firings (trigger_id, due_at, fired_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            args![id, due_at, now],
        )
        .await?;
    Ok(fired == 1)
}

/// Removes a run's trigger: the run ended.
///
/// # Errors
/// The store's.
pub async fn remove(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM trigger_firings WHERE trigger_id IN (SELECT id FROM triggers WHERE run_id = $1)",
        args![run],
    )
    .await?;
    tx.execute("DELETE FROM triggers WHERE run_id = $1", args![run]).await?;
    Ok(())
}
