//! Platform payloads that could not be read, kept for inspection.

use clifford_core::{clock::Timestamp, row::FromRow, value::args};

use crate::{Conn, StoreError, Tx, removal::each};

/// The most characters kept of one payload.
const MOST: usize = 16_384;

/// Keeps a payload, unless it is kept already; `false`: it is. Its id is its hash, so the table's key finds it.
pub async fn insert(
    tx: &mut Tx,
    platform: &str,
    payload: &str,
    error: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let payload: String = payload.chars().filter(|c| *c != '\0').take(MOST).collect();
    let id = clifford_vault::hash(&format!("{platform} {payload}"));
    let kept = tx
        .execute(
            "INSERT INTO unreadable_events (id, platform, payload, error, created_at)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING",
            args![id, platform, payload, error, now],
        )
        .await?;
    Ok(kept == 1)
}

/// A payload that could not be read.
#[derive(Clone, Debug, FromRow)]
pub struct Unreadable {
    /// The row's id.
    pub id: String,
    /// The platform.
    pub platform: String,
    /// The raw event.
    pub payload: String,
}

/// A page of what could not be read, oldest first.
pub async fn page(conn: &mut Conn, after: &str, limit: u32) -> Result<Vec<Unreadable>, StoreError> {
    conn.fetch_all(
        "SELECT id, platform, payload FROM unreadable_events WHERE id > $1 ORDER BY id LIMIT $2",
        args![after, limit],
    )
    .await
}

/// Deletes what could not be read.
pub async fn delete(tx: &mut Tx, ids: &[String]) -> Result<u64, StoreError> {
    each(tx, "DELETE FROM unreadable_events WHERE id IN ({})", ids).await
}
