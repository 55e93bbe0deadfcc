//! Settings that are kept in the database, by scope and name.

use super::{Conn, StoreError, Tx, args};
use crate::clock::Timestamp;

/// The scope of what concerns the whole bot.
pub const BOT: &str = "bot";

/// A setting's value.
///
/// # Errors
/// The store's.
pub async fn get(conn: &mut Conn, scope: &str, name: &str) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = conn
        .maybe(
            "SELECT value FROM settings WHERE scope = $1 AND name = $2",
            args![scope, name],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Sets a value.
///
/// # Errors
/// The store's.
pub async fn put(tx: &mut Tx, scope: &str, name: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO settings (scope, name, value, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        args![scope, name, value, now],
    )
    .await?;
    Ok(())
}

/// Removes a setting that has this value. `false`: it has not.
///
/// # Errors
/// The store's.
pub async fn take(tx: &mut Tx, scope: &str, name: &str, value: &str) -> Result<bool, StoreError> {
    let taken = tx
        .execute(
            "DELETE FROM settings WHERE scope = $1 AND name = $2 AND value = $3",
            args![scope, name, value],
        )
        .await?;
    Ok(taken == 1)
}
