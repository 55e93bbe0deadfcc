//! Platform payloads that could not be read, kept for inspection.

use uuid::Uuid;

use super::{StoreError, Tx, args};
use crate::clock::Timestamp;

/// The most characters kept of one payload.
const MOST: usize = 16_384;

/// Keeps a payload, unless it is kept already; `false`: it is.
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
    let kept = tx
        .execute(
            "INSERT INTO unreadable_events (id, platform, payload, error, created_at)
             SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (
                 SELECT 1 FROM unreadable_events known WHERE known.platform = $2 AND known.payload = $3)",
            args![Uuid::now_v7().to_string(), platform, payload, error, now],
        )
        .await?;
    Ok(kept == 1)
}
