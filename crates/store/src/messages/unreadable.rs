//! Platform payloads that could not be read, kept for inspection.

use crate::{StoreError, Tx};
use clifford_core::clock::Timestamp;
use clifford_core::value::args;

/// The most characters kept of one payload.
const MOST: usize = 16_384;

/// Keeps a payload, unless it is kept already; `false`: it is. Its id is its hash, so the table's key finds it.
///
/// # Errors
/// The store's.
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
