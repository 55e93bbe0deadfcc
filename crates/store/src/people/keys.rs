//! People's own keys for model providers, encrypted.

use clifford_core::{
    clock::Timestamp,
    id::{RunId, UserId, UserSecretId},
    row::FromRow,
    value::args,
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx, db::conn::Statement};

/// A key that somebody gave, without the key.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnKey {
    /// The provider that it is for, as the configuration names it.
    pub provider: String,
    /// When it was given.
    #[schema(value_type = i64)]
    pub created_at: Timestamp,
}

/// A key as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct EncryptedKey {
    /// The id that it is encrypted under.
    pub id: UserSecretId,
    /// The provider that it is for.
    pub provider: String,
    /// The encrypted key.
    pub encrypted: String,
}

/// Keeps a person's key for a provider, in place of the one that was there.
///
/// # Errors
/// [`StoreError::Conflict`]: there is no such person.
pub async fn put(tx: &mut Tx, user: UserId, key: &EncryptedKey, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO user_secrets (id, user_id, provider, sealed, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id, provider) DO UPDATE SET id = $1, sealed = $4, created_at = $5",
        args![key.id, user, &key.provider, &key.encrypted, now],
    )
    .await?;
    Ok(())
}

/// The keys of a person, by provider.
pub async fn list(conn: &mut Conn, user: UserId) -> Result<Vec<OwnKey>, StoreError> {
    conn.fetch_all(
        "SELECT provider, created_at FROM user_secrets WHERE user_id = $1 ORDER BY provider",
        args![user],
    )
    .await
}

/// Whether one person alone wrote what a run answers. Where several did, it is nobody's own, and nobody's key pays.
pub async fn answers_one(conn: &mut Conn, run: RunId) -> Result<bool, StoreError> {
    let people: Option<(i64,)> = conn
        .fetch_optional(
            "SELECT COUNT(DISTINCT user_id) FROM messages WHERE run_id = $1 AND direction = 'inbound'",
            args![run],
        )
        .await?;
    Ok(people.is_none_or(|(people,)| people <= 1))
}

/// The statement for the keys that a person's runs use.
pub(crate) fn ask_of(user: UserId) -> Statement {
    (
        "SELECT id, provider, sealed AS encrypted FROM user_secrets WHERE user_id = $1 ORDER BY provider".to_owned(),
        args![user],
    )
}

/// The keys that a person's runs use.
pub async fn of(conn: &mut Conn, user: UserId) -> Result<Vec<EncryptedKey>, StoreError> {
    let (sql, args) = ask_of(user);
    conn.fetch_all(sql, args).await
}

/// Removes a person's key for a provider. `false`: there was none.
pub async fn remove(tx: &mut Tx, user: UserId, provider: &str) -> Result<bool, StoreError> {
    let removed = tx
        .execute(
            "DELETE FROM user_secrets WHERE user_id = $1 AND provider = $2",
            args![user, provider],
        )
        .await?;
    Ok(removed > 0)
}
