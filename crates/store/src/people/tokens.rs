//! API tokens. Only their hashes are stored.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{TokenId, UserId},
    json_text::{JsonText, to_json},
    people::UserRole,
    row::FromRow,
    value::args,
};
use clifford_vault::Token;
use serde::Serialize;

use crate::{Conn, StoreError, Tx};

/// An API token, without the token.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiToken {
    /// Its id.
    #[schema(value_type = String)]
    pub id: TokenId,
    /// The name that its maker gave it.
    pub name: String,
    /// Its rights.
    #[schema(value_type = Vec<String>)]
    pub scopes: JsonText<Vec<String>>,
    /// The person whose it is; none: the operator's.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it was revoked.
    #[schema(value_type = Option<String>)]
    pub revoked_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, name, scopes, user_id, created_at, revoked_at";

/// A token as a request needs it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Bearer {
    /// The token's id.
    pub id: TokenId,
    /// The name that its maker gave it.
    pub name: String,
    /// Its rights.
    pub scopes: JsonText<Vec<String>>,
    /// The person whose it is; none: the operator's.
    pub user_id: Option<UserId>,
    /// Their role.
    pub role: Option<UserRole>,
    /// The person who speaks by the token's own account; none: no message has come yet.
    pub speaker: Option<UserId>,
}

/// The account of a token's speaker.
pub fn account(id: TokenId) -> String {
    format!("api:{id}")
}

/// A token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// A name of its maker's choice.
    pub name: String,
    /// Its rights.
    pub scopes: Vec<String>,
    /// The person whose it is; none: the operator's.
    pub user: Option<UserId>,
}

/// How many revoked tokens of a person are kept, for those who look for them.
const REVOKED: i64 = 50;
/// Those beyond, of person `$1` or, by `$2`, of the operator.
const OLD: &str =
    "SELECT id FROM api_tokens WHERE revoked_at IS NOT NULL AND (user_id = $1 OR (user_id IS NULL AND $2))
     ORDER BY revoked_at DESC, id DESC LIMIT 1000 OFFSET $3";

/// Makes a token. Its text is shown this once. Of the revoked ones of the same person the oldest go, with their accounts
/// if nothing was said by them.
pub async fn create(tx: &mut Tx, new: &NewToken, now: Timestamp) -> Result<(TokenId, Token), StoreError> {
    let token = Token::new(&mut rand::rng());
    let (id, hash) = (TokenId::new(), token.hash());
    match new.user {
        Some(user) => insert_for(tx, id, &new.name, &hash, &new.scopes, user, now).await?,
        None => insert(tx, id, &new.name, &hash, &new.scopes, now).await?,
    }
    let old = || args![new.user, new.user.is_none(), REVOKED];
    tx.defer(
        format!(
            "DELETE FROM identities WHERE platform = 'web' AND platform_user_id IN (SELECT 'api:' || id FROM ({OLD}) old)
             AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.platform = identities.platform
                             AND c.external_id = identities.platform_user_id)"
        ),
        old(),
    )
    .await?;
    tx.defer(format!("DELETE FROM api_tokens WHERE id IN ({OLD})"), old())
        .await?;
    Ok((id, token))
}

/// Stores an operator's token by its hash.
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

/// Stores a person's token by its hash: its messages are that person's.
pub async fn insert_for(
    tx: &mut Tx,
    id: TokenId,
    name: &str,
    hash: &str,
    scopes: &[String],
    user: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    insert(tx, id, name, hash, scopes, now).await?;
    tx.execute("UPDATE api_tokens SET user_id = $1 WHERE id = $2", args![user, id])
        .await?;
    tx.execute(
        "INSERT INTO identities (platform, platform_user_id, user_id, name, created_at) VALUES ($1, $2, $3, $4, $5)",
        args![Platform::WEB.as_str(), account(id), user, name, now],
    )
    .await?;
    Ok(())
}

/// The token of a hash with its person, unless it was revoked.
pub async fn bearer(conn: &mut Conn, hash: &str) -> Result<Option<Bearer>, StoreError> {
    conn.fetch_optional(
        "SELECT t.id, t.name, t.scopes, t.user_id, u.role, i.user_id AS speaker
         FROM api_tokens t LEFT JOIN users u ON u.id = t.user_id
         LEFT JOIN identities i ON i.platform = 'web' AND i.platform_user_id = 'api:' || t.id
         WHERE t.token_hash = $1 AND t.revoked_at IS NULL",
        args![hash],
    )
    .await
}

/// The token of a hash, unless it was revoked.
pub async fn by_hash(conn: &mut Conn, hash: &str) -> Result<Option<ApiToken>, StoreError> {
    conn.fetch_optional(
        format!("SELECT {COLUMNS} FROM api_tokens WHERE token_hash = $1 AND revoked_at IS NULL"),
        args![hash],
    )
    .await
}

/// One token, also a revoked one.
pub async fn get(conn: &mut Conn, id: TokenId) -> Result<Option<ApiToken>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM api_tokens WHERE id = $1"), args![id])
        .await
}

/// The tokens of a person, or every token, oldest first.
pub async fn list(conn: &mut Conn, only: Option<UserId>) -> Result<Vec<ApiToken>, StoreError> {
    conn.fetch_all(
        format!("SELECT {COLUMNS} FROM api_tokens WHERE user_id = $1 OR $2 ORDER BY id"),
        args![only, only.is_none()],
    )
    .await
}

/// How many tokens of a person are in use.
pub async fn in_use(conn: &mut Conn, user: UserId) -> Result<i64, StoreError> {
    let (count,): (i64,) = conn
        .fetch_one(
            "SELECT COUNT(*) FROM api_tokens WHERE user_id = $1 AND revoked_at IS NULL",
            args![user],
        )
        .await?;
    Ok(count)
}

/// Revokes a token. `false`: no token in use has that id.
pub async fn revoke(tx: &mut Tx, id: TokenId, now: Timestamp) -> Result<bool, StoreError> {
    let revoked = tx
        .execute(
            "UPDATE api_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
            args![now, id],
        )
        .await?;
    Ok(revoked == 1)
}
