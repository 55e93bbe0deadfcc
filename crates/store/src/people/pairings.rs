//! Unknown people who asked to be let in, each with a code that the owner approves.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, value::args};
use serde::Serialize;
use sqlx::FromRow;

use crate::{Conn, StoreError, Tx};

/// A person who asked.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// Which platform.
    pub platform: String,
    /// The platform's id of the account.
    pub platform_user_id: String,
    /// Its name there.
    pub name: String,
    /// Until when the code is good.
    pub expires_at: Timestamp,
}

/// The request of an account, if it made one that has not expired.
pub async fn of_account(
    conn: &mut Conn,
    platform: Platform,
    account: &str,
    now: Timestamp,
) -> Result<Option<Pairing>, StoreError> {
    conn.fetch_optional(
        "SELECT platform, platform_user_id, name, expires_at FROM pairings
         WHERE platform = $1 AND platform_user_id = $2 AND expires_at > $3",
        args![platform.as_str(), account, now],
    )
    .await
}

/// Stores a request, in place of an older one of the same account.
pub async fn put(
    tx: &mut Tx,
    platform: Platform,
    account: &str,
    name: &str,
    code_hash: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (platform, platform_user_id)
         DO UPDATE SET name = excluded.name, code_hash = excluded.code_hash, created_at = excluded.created_at,
                       expires_at = excluded.expires_at",
        args![platform.as_str(), account, name, code_hash, now, expires_at],
    )
    .await?;
    Ok(())
}

/// Takes the request of a code out, so that the code is good once.
pub async fn take(tx: &mut Tx, code_hash: &str, now: Timestamp) -> Result<Option<Pairing>, StoreError> {
    tx.fetch_optional(
        "DELETE FROM pairings WHERE code_hash = $1 AND expires_at > $2
         RETURNING platform, platform_user_id, name, expires_at",
        args![code_hash, now],
    )
    .await
}

/// Everyone who asked and whose code is good.
pub async fn list(conn: &mut Conn, now: Timestamp) -> Result<Vec<Pairing>, StoreError> {
    conn.fetch_all(
        "SELECT platform, platform_user_id, name, expires_at FROM pairings WHERE expires_at > $1 ORDER BY created_at",
        args![now],
    )
    .await
}
