//! Unknown people who asked to be let in, each with a code that the owner approves.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::MessageId,
    json_text::{JsonText, to_json},
    row::FromRow,
    value::args,
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx};

/// A person who asked.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// The platform.
    pub platform: String,
    /// The platform's id of the account.
    pub platform_user_id: String,
    /// Its name there.
    pub name: String,
    /// Until when the code is good.
    #[schema(value_type = String)]
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

/// The request of a code that is good.
pub async fn of_code(conn: &mut Conn, code_hash: &str, now: Timestamp) -> Result<Option<Pairing>, StoreError> {
    conn.fetch_optional(
        "SELECT platform, platform_user_id, name, expires_at FROM pairings WHERE code_hash = $1 AND expires_at > $2",
        args![code_hash, now],
    )
    .await
}

/// The facts of an account that asked, however long ago.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Request {
    /// Its name there.
    pub name: String,
    /// When the owners were last told.
    pub noticed_at: Option<Timestamp>,
    /// The messages that told them, and that nobody answered.
    pub notices: Option<JsonText<Vec<MessageId>>>,
    /// Since when the account is not heard.
    pub blocked_at: Option<Timestamp>,
}

/// The request of an account.
pub async fn request_of(conn: &mut Conn, platform: &str, account: &str) -> Result<Option<Request>, StoreError> {
    conn.fetch_optional(
        "SELECT name, noticed_at, notices, blocked_at FROM pairings WHERE platform = $1 AND platform_user_id = $2",
        args![platform, account],
    )
    .await
}

/// The number of accounts that the owners were told of since then.
pub async fn noticed_since(conn: &mut Conn, since: Timestamp) -> Result<i64, StoreError> {
    let row: Option<(i64,)> = conn
        .fetch_optional("SELECT COUNT(*) FROM pairings WHERE noticed_at > $1", args![since])
        .await?;
    Ok(row.map_or(0, |row| row.0))
}

/// Records by which messages the owners were told of an account.
pub async fn noticed(
    tx: &mut Tx,
    platform: &str,
    account: &str,
    notices: &[MessageId],
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE pairings SET noticed_at = $1, notices = $2 WHERE platform = $3 AND platform_user_id = $4",
        args![now, to_json(&notices), platform, account],
    )
    .await?;
    Ok(())
}

/// Removes the request of an account that was let in. `false`: there is none any more.
pub async fn remove(tx: &mut Tx, platform: &str, account: &str) -> Result<bool, StoreError> {
    let removed = tx
        .execute(
            "DELETE FROM pairings WHERE platform = $1 AND platform_user_id = $2",
            args![platform, account],
        )
        .await?;
    Ok(removed > 0)
}

/// Ends the request of an account that is not let in: its code is good no more. `blocked`: it is not heard from now on.
pub async fn close(
    tx: &mut Tx,
    platform: &str,
    account: &str,
    blocked: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE pairings SET expires_at = $1, notices = NULL, blocked_at = $2
         WHERE platform = $3 AND platform_user_id = $4",
        args![now, blocked.then_some(now), platform, account],
    )
    .await?;
    Ok(())
}

/// Everyone who asked and whose code is good, but for those who were let in by other means.
pub async fn list(conn: &mut Conn, now: Timestamp) -> Result<Vec<Pairing>, StoreError> {
    conn.fetch_all(
        "SELECT platform, platform_user_id, name, expires_at FROM pairings p WHERE expires_at > $1
         AND NOT EXISTS (SELECT 1 FROM identities i JOIN users u ON u.id = i.user_id
                         WHERE i.platform = p.platform AND i.platform_user_id = p.platform_user_id
                         AND u.role <> 'stranger')
         ORDER BY created_at",
        args![now],
    )
    .await
}

/// Everyone who is not heard, in the order of their requests.
pub async fn blocked(conn: &mut Conn) -> Result<Vec<Pairing>, StoreError> {
    conn.fetch_all(
        "SELECT platform, platform_user_id, name, expires_at FROM pairings WHERE blocked_at IS NOT NULL
         ORDER BY created_at",
        args![],
    )
    .await
}
