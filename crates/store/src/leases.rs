//! Leases by name, for work of one process at a time.

pub mod clock_guard;
pub mod skewed;
pub(crate) mod sql;
pub mod waits;

use std::time::Duration;

use clifford_core::{clock::Timestamp, id::WorkerId, value::args};

use super::{Conn, StoreError, Tx};

/// A worker's look for free work: the time, and the lease that it would get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimWindow {
    /// The worker.
    pub worker: WorkerId,
    /// When.
    pub now: Timestamp,
    /// Until when it is held.
    pub until: Timestamp,
    /// Leases that end before this have run out.
    pub over: Timestamp,
}

impl ClaimWindow {
    /// Leases that ran out before now are free.
    pub fn new(worker: WorkerId, now: Timestamp, lease: Duration) -> Self {
        Self {
            worker,
            now,
            until: now.after(lease),
            over: now,
        }
    }

    /// The same where the time does not tell what ran out: only what was given back, or never held, is free.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            over: Timestamp(1),
            ..self
        }
    }
}

/// Takes or renews a lease. `false`: another process holds it.
pub async fn hold(tx: &mut Tx, name: &str, window: ClaimWindow) -> Result<bool, StoreError> {
    let held = tx
        .execute(
            "INSERT INTO leases (name, owner, until, epoch) VALUES ($1, $2, $3, 1)
             ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until, epoch = leases.epoch + 1
             WHERE leases.owner = excluded.owner OR leases.until < $4",
            args![name, window.worker, window.until, window.over],
        )
        .await?;
    Ok(held == 1)
}

/// Whether a lease is held, or was and was not given back.
pub async fn is_any_held(conn: &mut Conn) -> Result<bool, StoreError> {
    conn.exists("SELECT CAST(1 AS BIGINT) FROM leases WHERE until > 0 LIMIT 1", args![])
        .await
}

/// Whether another worker had a lease that ran out without having been given back.
pub async fn was_left(conn: &mut Conn, name: &str, window: ClaimWindow) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM leases WHERE name = $1 AND owner <> $2 AND until > 0 AND until < $3",
        args![name, window.worker, window.over],
    )
    .await
}

/// The holder of a lease.
pub async fn holder(conn: &mut Conn, name: &str, now: Timestamp) -> Result<Option<WorkerId>, StoreError> {
    let row: Option<(WorkerId,)> = conn
        .fetch_optional(
            "SELECT owner FROM leases WHERE name = $1 AND until >= $2",
            args![name, now],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// When a lease runs out that somebody else holds.
pub async fn until(conn: &mut Conn, name: &str) -> Result<Option<Timestamp>, StoreError> {
    let row: Option<(Timestamp,)> = conn
        .fetch_optional("SELECT until FROM leases WHERE name = $1", args![name])
        .await?;
    Ok(row.map(|row| row.0))
}

/// How many leases with this prefix are held. Expired ones are deleted: their names are never used again.
pub async fn count(tx: &mut Tx, prefix: &str, window: ClaimWindow) -> Result<u32, StoreError> {
    let names = format!("{prefix}%");
    tx.execute(
        "DELETE FROM leases WHERE name LIKE $1 AND until < $2",
        args![names.clone(), window.over],
    )
    .await?;
    let (count,): (i64,) = tx
        .fetch_one("SELECT COUNT(*) FROM leases WHERE name LIKE $1", args![names])
        .await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Gives a lease back whose name is never used again.
pub async fn end(tx: &mut Tx, name: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM leases WHERE name = $1", args![name]).await?;
    Ok(())
}

/// Gives a lease back.
pub async fn release(tx: &mut Tx, name: &str, owner: WorkerId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE leases SET until = 0 WHERE name = $1 AND owner = $2",
        args![name, owner],
    )
    .await?;
    Ok(())
}
