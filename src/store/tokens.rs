//! API tokens. Only their hashes are stored.

use serde::Serialize;
use sqlx::FromRow;

use super::{Conn, JsonText, StoreError, Tx, args, columns::to_json};
use crate::{clock::Timestamp, id::TokenId};

/// An API token, without the token.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiToken {
    /// Its id.
    pub id: TokenId,
    /// What its maker calls it.
    pub name: String,
    /// What it may do.
    pub scopes: JsonText<Vec<String>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Stores a token by its hash.
///
/// # Errors
/// The store's.
pub async fn insert(
    tx: &mut Tx,
    id: TokenId,
    name: &str,
    hash: &str,
    scopes: &[String],
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO api_tokens (id, name, token_hash, scopes, created_at) VALUES ($1, $2, $3, $4, $5)",
        args![id, name, hash, to_json(&scopes), now],
    )
    .await?;
    Ok(())
}

/// The token of a hash, unless it was revoked.
///
/// # Errors
/// The store's.
pub async fn by_hash(conn: &mut Conn, hash: &str) -> Result<Option<ApiToken>, StoreError> {
    conn.maybe(
        "SELECT id, name, scopes, created_at, revoked_at FROM api_tokens WHERE token_hash = $1 AND revoked_at IS NULL",
        args![hash],
    )
    .await
}

/// Every token, oldest first.
///
/// # Errors
/// The store's.
pub async fn list(conn: &mut Conn) -> Result<Vec<ApiToken>, StoreError> {
    conn.all(
        "SELECT id, name, scopes, created_at, revoked_at FROM api_tokens ORDER BY id",
        args![],
    )
    .await
}

/// Revokes a token. `false`: there is none of that id in use.
///
/// # Errors
/// The store's.
pub async fn revoke(tx: &mut Tx, id: TokenId, now: Timestamp) -> Result<bool, StoreError> {
    let revoked = tx
        .execute(
            "UPDATE api_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
            args![now, id],
        )
        .await?;
    Ok(revoked == 1)
}
