//! Sessions of people in a browser, and the links by which they begin; `passkeys` is the other way in. Only hashes are
//! stored.
//!
//! A link is made for one person, or for the operator, and is good once and for minutes. To redeem it ends the link and
//! begins a session. A session that nobody uses expires; one that is used goes on.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{SessionId, UserId},
    people::UserRole,
    row::FromRow,
    value::args,
};
use clifford_vault::Token;
use serde::Serialize;

use crate::{Conn, StoreError, Tx, people::users};

/// How long a link is good.
pub const LINK_FOR: Duration = Duration::from_secs(600);
/// How long a session lasts that nobody uses.
pub const UNUSED_FOR: Duration = Duration::from_secs(30 * 86_400);
/// How often it is written down that a session is used.
const NOTED_EVERY: Duration = Duration::from_secs(300);
/// The account of the operator.
const OPERATOR: &str = "owner";
/// The beginning of the accounts of people in a browser.
const OF_PERSON: &str = "browser-";
/// The most characters of a browser's name that are kept.
const BROWSER: usize = 200;

/// A session, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id.
    #[schema(value_type = String)]
    pub id: SessionId,
    /// The person whose it is; none: the operator's.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The browser, as it calls itself.
    pub user_agent: Option<String>,
    /// When it began.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it was last used, to some minutes.
    #[schema(value_type = String)]
    pub seen_at: Timestamp,
    /// When it expires if nobody uses it.
    #[schema(value_type = String)]
    pub expires_at: Timestamp,
}

const COLUMNS: &str = "id, user_id, user_agent, created_at, seen_at, expires_at";

/// A session as a request needs it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SessionOf {
    /// Its id.
    pub id: SessionId,
    /// The person whose it is; none: the operator's.
    pub user_id: Option<UserId>,
    /// Their role.
    pub role: Option<UserRole>,
    /// Their name.
    pub name: Option<String>,
    /// The account by which they speak, without `api:`.
    pub account: String,
    /// When it was last used, to some minutes.
    pub seen_at: Timestamp,
}

impl SessionOf {
    /// Whether it is to be written down that the session is used.
    pub fn is_to_be_noted(&self, now: Timestamp) -> bool {
        now.since(self.seen_at) >= NOTED_EVERY
    }
}

/// A session that has just begun. Its secret is shown this once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The session.
    pub session: Session,
    /// Its secret, for the cookie.
    pub token: Token,
}

/// Makes a link for a person, or for the operator, in place of an older one, and drops those that are good no more.
/// The link is shown this once.
pub async fn create_link(tx: &mut Tx, user: Option<UserId>, now: Timestamp) -> Result<Token, StoreError> {
    let link = Token::new(&mut rand::rng());
    tx.defer(
        "DELETE FROM login_links WHERE expires_at <= $1 OR user_id = $2 OR (user_id IS NULL AND $3)",
        args![now, user, user.is_none()],
    )
    .await?;
    tx.execute(
        "INSERT INTO login_links (link_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
        args![link.hash(), user, now, now.after(LINK_FOR)],
    )
    .await?;
    Ok(link)
}

/// A link as it is opened: at the address of the dashboard, with the link's secret.
pub fn login_link(address: &str, link: &str) -> String {
    format!("{address}/login?link={link}")
}

/// The person that the operator's link is for: the only owner; `None`: there is none, or more than one.
pub async fn only_owner(conn: &mut Conn) -> Result<Option<UserId>, StoreError> {
    let rows: Vec<(UserId,)> = conn
        .fetch_all(
            "SELECT id FROM users WHERE role = $1 ORDER BY id LIMIT 2",
            args![UserRole::Owner],
        )
        .await?;
    Ok(match rows.as_slice() {
        [only] => Some(only.0),
        _ => None,
    })
}

/// The person whom a link would let in, by its hash; none: it is the operator's. `None`: no such link is good.
pub async fn person_of_link(
    conn: &mut Conn,
    link_hash: &str,
    now: Timestamp,
) -> Result<Option<Option<(UserId, UserRole)>>, StoreError> {
    let found: Option<(Option<UserId>, Option<UserRole>)> = conn
        .fetch_optional(
            "SELECT u.id, u.role FROM login_links l LEFT JOIN users u ON u.id = l.user_id
             WHERE l.link_hash = $1 AND l.expires_at > $2",
            args![link_hash, now],
        )
        .await?;
    Ok(found.map(|(user, role)| user.zip(role)))
}

/// Uses up a link, by its hash, and begins a session. `None`: no such link is good.
pub async fn redeem(
    tx: &mut Tx,
    link_hash: &str,
    user_agent: Option<&str>,
    now: Timestamp,
) -> Result<Option<Begun>, StoreError> {
    let found: Option<(Option<UserId>,)> = tx
        .fetch_optional(
            "DELETE FROM login_links WHERE link_hash = $1 AND expires_at > $2 RETURNING user_id",
            args![link_hash, now],
        )
        .await?;
    let Some((user,)) = found else { return Ok(None) };
    begin(tx, user, user_agent, now).await.map(Some)
}

/// Begins a session of a person, or of the operator; those that expired are deleted.
pub(super) async fn begin(
    tx: &mut Tx,
    user: Option<UserId>,
    user_agent: Option<&str>,
    now: Timestamp,
) -> Result<Begun, StoreError> {
    let account = match user {
        Some(user) => account(tx, user, now).await?,
        None => OPERATOR.to_owned(),
    };
    tx.defer("DELETE FROM sessions WHERE expires_at <= $1", args![now])
        .await?;
    let token = Token::new(&mut rand::rng());
    let session = Session {
        id: SessionId::new(),
        user_id: user,
        user_agent: user_agent.map(|name| name.chars().take(BROWSER).collect()),
        created_at: now,
        seen_at: now,
        expires_at: now.after(UNUSED_FOR),
    };
    tx.execute(
        "INSERT INTO sessions (id, token_hash, user_id, account, user_agent, created_at, seen_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        args![
            session.id,
            token.hash(),
            session.user_id,
            account,
            session.user_agent.clone(),
            session.created_at,
            session.seen_at,
            session.expires_at
        ],
    )
    .await?;
    Ok(Begun { session, token })
}

/// The account by which a person speaks in a browser, without `api:`; one for all of their sessions.
async fn account(tx: &mut Tx, user: UserId, now: Timestamp) -> Result<String, StoreError> {
    let known: Option<(String,)> = tx
        .fetch_optional(
            "SELECT platform_user_id FROM identities
             WHERE user_id = $1 AND platform = $2 AND platform_user_id LIKE $3 ORDER BY platform_user_id LIMIT 1",
            args![user, Platform::WEB.as_str(), format!("api:{OF_PERSON}%")],
        )
        .await?;
    if let Some(account) = known.as_ref().and_then(|(id,)| id.strip_prefix("api:")) {
        return Ok(account.to_owned());
    }
    let account = format!("{OF_PERSON}{}", SessionId::new());
    let name = users::get(tx, user).await?.map(|user| user.name).unwrap_or_default();
    tx.execute(
        "INSERT INTO identities (platform, platform_user_id, user_id, name, created_at) VALUES ($1, $2, $3, $4, $5)",
        args![Platform::WEB.as_str(), format!("api:{account}"), user, name, now],
    )
    .await?;
    Ok(account)
}

/// The session of a hash with its person, unless it expired.
pub async fn session_of(conn: &mut Conn, hash: &str, now: Timestamp) -> Result<Option<SessionOf>, StoreError> {
    conn.fetch_optional(
        "SELECT s.id, s.user_id, u.role, u.name, s.account, s.seen_at
         FROM sessions s LEFT JOIN users u ON u.id = s.user_id
         WHERE s.token_hash = $1 AND s.expires_at > $2",
        args![hash, now],
    )
    .await
}

/// Writes down that a session is used: it lasts on from now.
pub async fn note(tx: &mut Tx, id: SessionId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE sessions SET seen_at = $1, expires_at = $2 WHERE id = $3",
        args![now, now.after(UNUSED_FOR), id],
    )
    .await?;
    Ok(())
}

/// A page of the sessions of a person, or of all of them, newest first.
pub async fn page(
    conn: &mut Conn,
    only: Option<UserId>,
    before: Option<SessionId>,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<Session>, StoreError> {
    conn.fetch_all(
        format!(
            "SELECT {COLUMNS} FROM sessions WHERE expires_at > $1 AND (user_id = $2 OR $3) AND ($4 IS NULL OR id < $4)
             ORDER BY id DESC LIMIT $5"
        ),
        args![now, only, only.is_none(), before, limit],
    )
    .await
}

/// One session, unless it expired.
pub async fn get(conn: &mut Conn, id: SessionId, now: Timestamp) -> Result<Option<Session>, StoreError> {
    conn.fetch_optional(
        format!("SELECT {COLUMNS} FROM sessions WHERE id = $1 AND expires_at > $2"),
        args![id, now],
    )
    .await
}

/// Ends a session. `false`: there is none.
pub async fn end(tx: &mut Tx, id: SessionId) -> Result<bool, StoreError> {
    let ended = tx.execute("DELETE FROM sessions WHERE id = $1", args![id]).await?;
    Ok(ended == 1)
}

/// Ends the session of a hash. `false`: there is none.
pub async fn end_by(tx: &mut Tx, hash: &str) -> Result<bool, StoreError> {
    let ended = tx
        .execute("DELETE FROM sessions WHERE token_hash = $1", args![hash])
        .await?;
    Ok(ended == 1)
}

/// Ends the other sessions of a session's person, or of the operator.
pub async fn end_others(tx: &mut Tx, of: Option<UserId>, kept: SessionId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM sessions WHERE (user_id = $1 OR (user_id IS NULL AND $2)) AND id <> $3",
        args![of, of.is_none(), kept],
    )
    .await?;
    Ok(())
}

/// Whether somebody has ever logged in who still is.
pub async fn is_any(conn: &mut Conn, now: Timestamp) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM sessions WHERE expires_at > $1 LIMIT 1",
        args![now],
    )
    .await
}
