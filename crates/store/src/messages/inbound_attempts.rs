//! Events that are announced before they are stored, so that a start after a death knows which of them it died of.

use std::time::Duration;

use clifford_core::{clock::Timestamp, value::args};

use crate::{Conn, StoreError, Tx};

/// How long an announcement is kept of which nothing was heard any more.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// The record of an event that was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// How often it was announced before and not retracted.
    pub deaths: i64,
    /// It is set aside.
    pub quarantined: bool,
}

/// How often an event was announced before and not retracted.
pub async fn deaths(conn: &mut Conn, id: &str) -> Result<i64, StoreError> {
    let row: Option<(i64,)> = conn
        .fetch_optional("SELECT deaths FROM inbound_attempts WHERE id = $1", args![id])
        .await?;
    Ok(row.map_or(0, |(deaths,)| deaths))
}

/// Whether any of these events is set aside.
pub async fn is_any_quarantined(conn: &mut Conn, ids: &[String; 2]) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM inbound_attempts WHERE id IN ($1, $2) AND quarantined_at IS NOT NULL LIMIT 1",
        args![&ids[0], &ids[1]],
    )
    .await
}

/// Announces an event.
pub async fn announce(tx: &mut Tx, id: &str, platform: &str, now: Timestamp) -> Result<Announced, StoreError> {
    tx.defer(
        "DELETE FROM inbound_attempts WHERE updated_at < $1 AND quarantined_at IS NULL",
        args![now.before(KEPT)],
    )
    .await?;
    let (deaths, quarantined_at): (i64, Option<Timestamp>) = tx
        .fetch_one(
            "INSERT INTO inbound_attempts (id, platform, deaths, quarantined_at, updated_at) VALUES ($1, $2, 1, NULL, $3)
             ON CONFLICT (id) DO UPDATE SET deaths = inbound_attempts.deaths + 1, updated_at = excluded.updated_at
             RETURNING deaths, quarantined_at",
            args![id, platform, now],
        )
        .await?;
    Ok(Announced {
        deaths: deaths - 1,
        quarantined: quarantined_at.is_some(),
    })
}

/// Nobody died of it.
pub async fn retract(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM inbound_attempts WHERE id = $1 AND quarantined_at IS NULL",
        args![id],
    )
    .await?;
    Ok(())
}

/// Sets it aside.
pub async fn quarantine(tx: &mut Tx, id: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE inbound_attempts SET quarantined_at = $1, updated_at = $1 WHERE id = $2",
        args![now, id],
    )
    .await?;
    Ok(())
}
