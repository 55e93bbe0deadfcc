//! Codes by which two accounts become one person's, and the tries to enter one.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, id::UserId, row::FromRow, value::args};

use crate::{Conn, StoreError, Tx};

/// Among the locks of PostgreSQL that mean what the program says: accounts are linked and parted.
const LINKING: i64 = 0x6c69_6e6b;

/// An account on a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The platform.
    pub platform: Platform,
    /// The platform's id of it.
    pub id: String,
}

/// From here to the end of the transaction nobody else links or parts accounts. It is asked first: what a
/// transaction holds already may be what another waits for.
pub async fn one_at_a_time(tx: &mut Tx) -> Result<(), StoreError> {
    // On SQLite every transaction is the only one that writes.
    if tx.is_postgres() {
        tx.execute("SELECT pg_advisory_xact_lock($1)", args![LINKING]).await?;
    }
    Ok(())
}

/// Stores a code, in place of all others of the same person, and drops those that are good no more.
pub async fn put_code(
    tx: &mut Tx,
    code_hash: &str,
    user: UserId,
    account: &Account,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM link_codes WHERE user_id = $1 OR expires_at <= $2",
        args![user, now],
    )
    .await?;
    tx.execute(
        "INSERT INTO link_codes (code_hash, user_id, platform, platform_user_id, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        args![code_hash, user, account.platform.as_str(), &account.id, now, expires_at],
    )
    .await?;
    Ok(())
}

/// The maker of a code, and their account.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Maker {
    /// The person.
    pub user_id: UserId,
    /// The platform of their account.
    pub platform: String,
    /// The platform's id of it.
    pub platform_user_id: String,
}

/// The maker of a code, if the code is valid.
pub async fn maker(conn: &mut Conn, code_hash: &str, now: Timestamp) -> Result<Option<Maker>, StoreError> {
    conn.fetch_optional(
        "SELECT user_id, platform, platform_user_id FROM link_codes WHERE code_hash = $1 AND expires_at > $2",
        args![code_hash, now],
    )
    .await
}

/// Takes a code out of use. `false`: there is none.
pub async fn take_code(tx: &mut Tx, code_hash: &str) -> Result<bool, StoreError> {
    let taken = tx
        .execute("DELETE FROM link_codes WHERE code_hash = $1", args![code_hash])
        .await?;
    Ok(taken == 1)
}

/// When an account tried to enter a code, newest first.
pub async fn tries(
    conn: &mut Conn,
    account: &Account,
    since: Timestamp,
    limit: usize,
) -> Result<Vec<Timestamp>, StoreError> {
    let rows: Vec<(Timestamp,)> = conn
        .fetch_all(
            "SELECT attempted_at FROM link_attempts
             WHERE platform = $1 AND platform_user_id = $2 AND attempted_at > $3
             ORDER BY attempted_at DESC LIMIT $4",
            args![account.platform.as_str(), &account.id, since, limit],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Records that an account tries to enter a code, and forgets every try that counts no more.
pub async fn record_try(
    tx: &mut Tx,
    account: &Account,
    now: Timestamp,
    counts_since: Timestamp,
) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM link_attempts WHERE attempted_at <= $1",
        args![counts_since],
    )
    .await?;
    tx.execute(
        "INSERT INTO link_attempts (platform, platform_user_id, attempted_at) VALUES ($1, $2, $3)",
        args![account.platform.as_str(), &account.id, now],
    )
    .await?;
    Ok(())
}

/// How much is remembered of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Remembered {
    /// Items that only they see, in private.
    pub in_private: i64,
    /// Items that others may see as well: said in a shared place, or marked shareable.
    pub elsewhere: i64,
}

/// How much is remembered of a person.
pub async fn remembered(conn: &mut Conn, user: UserId) -> Result<Remembered, StoreError> {
    conn.fetch_one(
        "SELECT COUNT(*) - COUNT(CASE WHEN shareable OR origin_space IS NOT NULL THEN 1 END) AS in_private,
                COUNT(CASE WHEN shareable OR origin_space IS NOT NULL THEN 1 END) AS elsewhere
         FROM memory_items WHERE user_id = $1 AND NOT archived",
        args![user],
    )
    .await
}
