//! Passkeys of people, and the challenges that browsers answer with them. Neither holds a secret: a passkey's row has its
//! public key, a challenge's row a hash.
//!
//! A challenge is good once and for minutes, in any process. One that is to log in is nobody's; one by which a passkey is
//! added belongs to a session, and goes with it.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{PasskeyId, SessionId, UserId},
    people::UserRole,
    row::FromRow,
    value::args,
};
use clifford_vault::{hash, passkey};
use serde::Serialize;

use super::sessions::{self, Begun};
use crate::{Conn, StoreError, Tx};

/// How long a challenge is good.
pub const CHALLENGE_FOR: Duration = Duration::from_secs(300);
/// How many passkeys a person has at most.
pub const MOST: i64 = 20;
/// How many challenges to log in are open at most: anybody may ask for one.
const MOST_OPEN: i64 = 10_000;

/// A passkey, without its key.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Passkey {
    /// Its id.
    #[schema(value_type = String)]
    pub id: PasskeyId,
    /// The person whose it is; none: the operator's.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The name that its person gave it.
    pub name: String,
    /// The host of the dashboard that it is for.
    pub rp_id: String,
    /// When it was added.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When somebody last logged in with it.
    #[schema(value_type = Option<String>)]
    pub used_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, user_id, name, rp_id, created_at, used_at";

/// A passkey as a login needs it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Credential {
    /// Its id.
    pub id: PasskeyId,
    /// The person whose it is; none: the operator's.
    pub user_id: Option<UserId>,
    /// Their role.
    pub role: Option<UserRole>,
    /// The name by which its authenticator knows its person.
    pub user_handle: String,
    /// The host of the dashboard that it is for.
    pub rp_id: String,
    /// The key, as COSE writes it, in base64url.
    pub public_key: String,
    /// How often it signed.
    pub sign_count: i64,
}

/// A passkey that is to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// The name that its authenticator gave it, in base64url.
    pub credential_id: String,
    /// The name by which its authenticator knows its person.
    pub user_handle: String,
    /// The host of the dashboard that it is for.
    pub rp_id: String,
    /// The key, as COSE writes it, in base64url.
    pub public_key: String,
    /// How often it signed.
    pub sign_count: i64,
    /// The name that its person gives it.
    pub name: String,
}

/// The purpose of a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To log in.
    LogIn,
    /// To add a passkey.
    Add {
        /// By this session alone.
        session: SessionId,
        /// The name by which the authenticator will know the person.
        user_handle: String,
    },
}

/// Makes a challenge, and drops those that are good no more. `None`: too many are open.
pub async fn challenge(tx: &mut Tx, purpose: &Purpose, now: Timestamp) -> Result<Option<String>, StoreError> {
    tx.defer("DELETE FROM passkey_challenges WHERE expires_at <= $1", args![now])
        .await?;
    let (session, handle) = match purpose {
        Purpose::LogIn => {
            let open: (i64,) = tx
                .fetch_one(
                    "SELECT COUNT(*) FROM passkey_challenges WHERE session_id IS NULL",
                    args![],
                )
                .await?;
            if open.0 >= MOST_OPEN {
                return Ok(None);
            }
            (None, None)
        }
        Purpose::Add { session, user_handle } => {
            let older = "DELETE FROM passkey_challenges WHERE session_id = $1";
            tx.defer(older, args![*session]).await?;
            (Some(*session), Some(user_handle.clone()))
        }
    };
    let challenge = passkey::random(&mut rand::rng());
    tx.execute(
        "INSERT INTO passkey_challenges (challenge_hash, session_id, user_handle, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5)",
        args![hash(&challenge), session, handle, now, now.after(CHALLENGE_FOR)],
    )
    .await?;
    Ok(Some(challenge))
}

/// Uses up a challenge, whatever comes of its answer. `None`: no such challenge is good.
pub async fn spend(tx: &mut Tx, challenge: &str, now: Timestamp) -> Result<Option<Purpose>, StoreError> {
    let found: Option<(Option<SessionId>, Option<String>)> = tx
        .fetch_optional(
            "DELETE FROM passkey_challenges WHERE challenge_hash = $1 AND expires_at > $2
             RETURNING session_id, user_handle",
            args![hash(challenge), now],
        )
        .await?;
    Ok(found.map(|(session, handle)| match session {
        None => Purpose::LogIn,
        Some(session) => Purpose::Add {
            session,
            user_handle: handle.unwrap_or_default(),
        },
    }))
}

/// Adds a passkey of a person, or of the operator.
///
/// # Errors
/// [`StoreError::Conflict`]: it is somebody's already; [`StoreError::WrongState`]: they have too many.
pub async fn add(tx: &mut Tx, user: Option<UserId>, new: &NewPasskey, now: Timestamp) -> Result<Passkey, StoreError> {
    let count: (i64,) = tx
        .fetch_one(
            "SELECT COUNT(*) FROM passkeys WHERE user_id = $1 OR (user_id IS NULL AND $2)",
            args![user, user.is_none()],
        )
        .await?;
    if count.0 >= MOST {
        let why = format!("{MOST} passkeys are there, which is the most: remove one first");
        return Err(StoreError::WrongState(why));
    }
    let passkey = Passkey {
        id: PasskeyId::new(),
        user_id: user,
        name: new.name.clone(),
        rp_id: new.rp_id.clone(),
        created_at: now,
        used_at: None,
    };
    tx.execute(
        "INSERT INTO passkeys (id, credential_id, user_id, user_handle, rp_id, public_key, sign_count, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            passkey.id,
            &new.credential_id,
            user,
            &new.user_handle,
            &new.rp_id,
            &new.public_key,
            new.sign_count,
            &new.name,
            now
        ],
    )
    .await?;
    Ok(passkey)
}

/// The names that authenticators gave to the passkeys of a person, or of the operator, and the name by which the next one
/// is to know the person: that of the newest, or one that tells nothing of them.
pub async fn known(conn: &mut Conn, user: Option<UserId>) -> Result<(Vec<String>, String), StoreError> {
    let rows: Vec<(String, String)> = conn
        .fetch_all(
            "SELECT credential_id, user_handle FROM passkeys WHERE user_id = $1 OR (user_id IS NULL AND $2) ORDER BY id",
            args![user, user.is_none()],
        )
        .await?;
    let handle = rows.last().map(|(_, handle)| handle.clone());
    let handle = handle.unwrap_or_else(|| passkey::random(&mut rand::rng()));
    Ok((rows.into_iter().map(|(id, _)| id).collect(), handle))
}

/// The passkey of a credential.
pub async fn credential(conn: &mut Conn, credential_id: &str) -> Result<Option<Credential>, StoreError> {
    conn.fetch_optional(
        "SELECT p.id, p.user_id, u.role, p.user_handle, p.rp_id, p.public_key, p.sign_count
         FROM passkeys p LEFT JOIN users u ON u.id = p.user_id WHERE p.credential_id = $1",
        args![credential_id],
    )
    .await
}

/// Begins a session of a passkey's person; `count`: how often it signed, this time included. `None`: the passkey is gone,
/// or another one signed with a copy of it meanwhile.
pub async fn log_in(
    tx: &mut Tx,
    id: PasskeyId,
    count: i64,
    user_agent: Option<&str>,
    now: Timestamp,
) -> Result<Option<Begun>, StoreError> {
    let found: Option<(Option<UserId>,)> = tx
        .fetch_optional(
            "UPDATE passkeys SET sign_count = $1, used_at = $2
             WHERE id = $3 AND (sign_count < $1 OR (sign_count = 0 AND $1 = 0)) RETURNING user_id",
            args![count, now, id],
        )
        .await?;
    match found {
        Some((user,)) => sessions::begin(tx, user, user_agent, now).await.map(Some),
        None => Ok(None),
    }
}

/// The passkeys of a person, or all of them, oldest first.
pub async fn list(conn: &mut Conn, only: Option<UserId>) -> Result<Vec<Passkey>, StoreError> {
    conn.fetch_all(
        format!("SELECT {COLUMNS} FROM passkeys WHERE user_id = $1 OR $2 ORDER BY id LIMIT 200"),
        args![only, only.is_none()],
    )
    .await
}

/// One passkey.
pub async fn get(conn: &mut Conn, id: PasskeyId) -> Result<Option<Passkey>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM passkeys WHERE id = $1"), args![id])
        .await
}

/// Gives a passkey another name. `None`: there is none.
pub async fn rename(tx: &mut Tx, id: PasskeyId, name: &str) -> Result<Option<Passkey>, StoreError> {
    tx.fetch_optional(
        format!("UPDATE passkeys SET name = $1 WHERE id = $2 RETURNING {COLUMNS}"),
        args![name, id],
    )
    .await
}

/// Removes a passkey: it lets nobody in any more. `false`: there is none.
pub async fn remove(tx: &mut Tx, id: PasskeyId) -> Result<bool, StoreError> {
    let removed = tx.execute("DELETE FROM passkeys WHERE id = $1", args![id]).await?;
    Ok(removed == 1)
}
