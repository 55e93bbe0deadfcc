//! How far imports are: a mark in the transaction that brought each there.

use clifford_core::{clock::Timestamp, value::args};

use crate::{Conn, StoreError, Tx};

/// How far an import is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many of its records are stored.
    pub reached: u64,
    /// When it was complete.
    pub ended_at: Option<Timestamp>,
}

/// How far an import is. `None`: it never began.
pub async fn progress(conn: &mut Conn, id: &str) -> Result<Option<Progress>, StoreError> {
    let row: Option<(i64, Option<Timestamp>)> = conn
        .fetch_optional("SELECT reached, ended_at FROM imports WHERE id = $1", args![id])
        .await?;
    Ok(row.map(|(reached, ended_at)| Progress {
        reached: u64::try_from(reached).unwrap_or(0),
        ended_at,
    }))
}

/// Marks that so many records are stored. Of two importers of the same, the farther one counts.
pub async fn mark(
    tx: &mut Tx,
    id: &str,
    source: &str,
    reached: u64,
    is_complete: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    let ended = is_complete.then_some(now);
    tx.execute(
        "INSERT INTO imports (id, source, reached, started_at, updated_at, ended_at) VALUES ($1, $2, $3, $4, $4, $5)
         ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at,
             reached = CASE WHEN imports.reached > excluded.reached THEN imports.reached ELSE excluded.reached END,
             ended_at = COALESCE(imports.ended_at, excluded.ended_at)",
        args![id, source, reached, now, ended],
    )
    .await
    .map(|_| ())
}
