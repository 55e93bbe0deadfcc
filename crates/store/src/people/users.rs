//! People, and the accounts on platforms by which they are known.

use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::UserId,
    people::{User, UserRole},
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx, db::conn::Statement};

/// An account on a platform.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The platform.
    pub platform: String,
    /// The platform's id of the account.
    pub platform_user_id: String,
    /// Its name there.
    pub name: String,
}

/// The person behind an account, as a question.
pub(crate) fn ask_by_identity(platform: Platform, account: &str) -> Statement {
    (
        "SELECT u.id, u.name, u.role, u.language, u.language_set, u.time_zone FROM identities i JOIN users u ON u.id = i.user_id
         WHERE i.platform = $1 AND i.platform_user_id = $2"
            .to_owned(),
        args![platform.as_str(), account],
    )
}

/// The person behind an account, if it is known.
pub async fn by_identity(conn: &mut Conn, platform: Platform, account: &str) -> Result<Option<User>, StoreError> {
    let (sql, args) = ask_by_identity(platform, account);
    conn.fetch_optional(sql, args).await
}

/// The person behind an account; a new one if it is not known. Two that ask at once get the same.
pub async fn find_or_create(
    tx: &mut Tx,
    platform: Platform,
    speaker: &Speaker,
    role: UserRole,
    now: Timestamp,
) -> Result<User, StoreError> {
    if let Some(user) = by_identity(tx, platform, &speaker.id).await? {
        return Ok(user);
    }
    let id = UserId::new();
    let new = User {
        id,
        name: speaker.name.clone(),
        role,
        language: speaker.language.clone(),
        language_set: false,
        time_zone: None,
    };
    insert(tx, &new, now).await?;
    let created = tx
        .execute(
            "INSERT INTO identities (platform, platform_user_id, user_id, name, handle, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (platform, platform_user_id) DO NOTHING",
            args![
                platform.as_str(),
                &speaker.id,
                id,
                &speaker.name,
                speaker.handle.clone(),
                now
            ],
        )
        .await?;
    if created == 0 {
        tx.execute("DELETE FROM users WHERE id = $1", args![id]).await?;
    }
    by_identity(tx, platform, &speaker.id)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("account {}", speaker.id)))
}

/// Makes a person, who has no account yet.
pub async fn insert(tx: &mut Tx, user: &User, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO users (id, name, role, language, language_set, time_zone, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)",
        args![
            user.id,
            &user.name,
            user.role,
            user.language.clone(),
            user.language_set,
            user.time_zone.clone(),
            now
        ],
    )
    .await?;
    Ok(())
}

/// Sets what a person may do.
pub async fn set_role(tx: &mut Tx, id: UserId, role: UserRole, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE users SET role = $1, updated_at = $2 WHERE id = $3",
        args![role, now, id],
    )
    .await?;
    Ok(())
}

/// Whether the bot has an owner.
pub async fn has_owner(conn: &mut Conn) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM users WHERE role = 'owner' LIMIT 1",
        args![],
    )
    .await
}

/// One person.
pub async fn get(conn: &mut Conn, id: UserId) -> Result<Option<User>, StoreError> {
    conn.fetch_optional(
        "SELECT id, name, role, language, language_set, time_zone FROM users WHERE id = $1",
        args![id],
    )
    .await
}

/// Whether another account of the platform had this name before: its letters' case aside.
pub async fn has_namesake(conn: &mut Conn, platform: Platform, account: &str, name: &str) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM identities o
         WHERE o.platform = $1 AND o.platform_user_id <> $2 AND (o.name = $3 OR LOWER(o.name) = $4)
         AND NOT EXISTS (SELECT 1 FROM identities own WHERE own.platform = $1 AND own.platform_user_id = $2
                         AND (own.created_at < o.created_at
                              OR own.created_at = o.created_at AND own.platform_user_id < o.platform_user_id))
         LIMIT 1",
        args![platform.as_str(), account, name, name.to_lowercase()],
    )
    .await
}

/// Whether somebody else has the name of a person: its letters' case aside.
pub async fn has_double(conn: &mut Conn, user: &User) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM users WHERE id <> $1 AND (name = $2 OR LOWER(name) = $3) LIMIT 1",
        args![user.id, &user.name, user.name.to_lowercase()],
    )
    .await
}

/// A person's accounts.
pub async fn identities(conn: &mut Conn, id: UserId) -> Result<Vec<Identity>, StoreError> {
    conn.fetch_all(
        "SELECT platform, platform_user_id, name FROM identities WHERE user_id = $1 ORDER BY platform, platform_user_id",
        args![id],
    )
    .await
}

/// The account by which a person was known first.
pub async fn first_identity(conn: &mut Conn, id: UserId) -> Result<Option<Identity>, StoreError> {
    conn.fetch_optional(
        "SELECT platform, platform_user_id, name FROM identities WHERE user_id = $1
         ORDER BY created_at, platform, platform_user_id LIMIT 1",
        args![id],
    )
    .await
}

/// The people who are called so, or whose account is, letter case aside; oldest first.
pub async fn named(conn: &mut Conn, name: &str, limit: u32) -> Result<Vec<User>, StoreError> {
    conn.fetch_all(
        "SELECT id, name, role, language, language_set, time_zone FROM users u WHERE name = $1 OR LOWER(name) = $2
         OR EXISTS (SELECT 1 FROM identities i WHERE i.user_id = u.id
                    AND (LOWER(i.name) = $2 OR LOWER(i.handle) = $2))
         ORDER BY id LIMIT $3",
        args![name, name.to_lowercase(), limit],
    )
    .await
}

/// The people that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only with this role.
    pub role: Option<UserRole>,
    /// Only those whose name, or an account of whom, has this in it.
    pub like: Option<String>,
    /// Only this one.
    pub only: Option<UserId>,
    /// Only those who came before this one.
    pub before: Option<UserId>,
}

/// Those who are called so, or an account of whom is: `$1` as it was written, `$2` in lower case, which SQLite knows of
/// ASCII letters alone.
const LIKE: &str = "(SELECT * FROM users u WHERE u.name LIKE $1 ESCAPE '!' OR LOWER(u.name) LIKE $2 ESCAPE '!'
     OR EXISTS (SELECT 1 FROM identities i WHERE i.user_id = u.id
                AND (i.name LIKE $1 ESCAPE '!' OR LOWER(i.name) LIKE $2 ESCAPE '!'
                     OR LOWER(i.handle) LIKE $2 ESCAPE '!' OR LOWER(i.platform_user_id) LIKE $2 ESCAPE '!'))) found";

/// The pattern of `LIKE` for what has this text in it.
fn containing(text: &str) -> String {
    let mut pattern = "%".to_owned();
    for letter in text.trim().chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// A page of people, newest first.
pub async fn page(conn: &mut Conn, filter: Filter, limit: u32) -> Result<Vec<User>, StoreError> {
    let (from, given) = match &filter.like {
        Some(text) => (LIKE, args![containing(text), containing(&text.to_lowercase())]),
        None => ("users", Vec::new()),
    };
    let conditions = [
        ("role =", filter.role.map(Value::from)),
        ("id =", filter.only.map(Value::from)),
        ("id <", filter.before.map(Value::from)),
    ];
    let select = format!("SELECT id, name, role, language, language_set, time_zone FROM {from}");
    let (sql, args) = crate::db::page::ask(&select, given, conditions, limit);
    conn.fetch_all(sql, args).await
}

/// Everybody, in the order in which they came.
pub async fn all(conn: &mut Conn) -> Result<Vec<UserId>, StoreError> {
    let rows: Vec<(UserId,)> = conn.fetch_all("SELECT id FROM users ORDER BY id", args![]).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// A change to a person; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The name that others see.
    pub name: Option<String>,
    /// Their rights.
    pub role: Option<UserRole>,
    /// The language that they choose; `Some(None)`: none, so that their platform's word counts again.
    pub language: Option<Option<String>>,
    /// Their time zone; `Some(None)`: it is not known.
    pub time_zone: Option<Option<String>>,
}

/// Changes a person.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such person. [`StoreError::WrongState`]: they are the last owner.
pub async fn change(tx: &mut Tx, id: UserId, change: &Change, now: Timestamp) -> Result<User, StoreError> {
    if change.role.is_some_and(|role| role != UserRole::Owner) {
        not_the_last_owner(tx, id).await?;
    }
    let user = get(tx, id)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("user {id}")))?;
    let change = change.clone();
    let user = User {
        id,
        name: change.name.unwrap_or(user.name),
        role: change.role.unwrap_or(user.role),
        language_set: match &change.language {
            Some(chosen) => chosen.is_some(),
            None => user.language_set,
        },
        language: change.language.unwrap_or(user.language),
        time_zone: change.time_zone.unwrap_or(user.time_zone),
    };
    tx.execute(
        "UPDATE users SET name = $1, role = $2, language = $3, language_set = $4, time_zone = $5, updated_at = $6
         WHERE id = $7",
        args![
            &user.name,
            user.role,
            user.language.clone(),
            user.language_set,
            user.time_zone.clone(),
            now,
            id
        ],
    )
    .await?;
    Ok(user)
}

/// Keeps what the platform tells of a person's language, unless they chose one themselves.
pub async fn learn_language(tx: &mut Tx, user: User, told: Option<&str>, now: Timestamp) -> Result<User, StoreError> {
    let Some(told) = told.filter(|told| !user.language_set && user.language.as_deref() != Some(*told)) else {
        return Ok(user);
    };
    tx.execute(
        "UPDATE users SET language = $1, updated_at = $2 WHERE id = $3 AND NOT language_set",
        args![told, now, user.id],
    )
    .await?;
    Ok(User {
        language: Some(told.to_owned()),
        ..user
    })
}

/// Learns what an account is called today, where its platform tells that: in private; among others it may tell what they
/// are called there. The person is called so too, unless another account gave them their name.
pub async fn learn_name(
    tx: &mut Tx,
    user: User,
    platform: Platform,
    speaker: &Speaker,
    now: Timestamp,
) -> Result<User, StoreError> {
    if platform.is_own() || speaker.name.trim().is_empty() || user.name == speaker.name {
        return Ok(user);
    }
    let known: Option<(String,)> = tx
        .fetch_optional(
            "SELECT name FROM identities WHERE platform = $1 AND platform_user_id = $2 AND user_id = $3",
            args![platform.as_str(), &speaker.id, user.id],
        )
        .await?;
    let Some((before,)) = known.filter(|(known,)| *known != speaker.name) else {
        return Ok(user);
    };
    tx.execute(
        "UPDATE identities SET name = $1, handle = COALESCE($2, handle) WHERE platform = $3 AND platform_user_id = $4",
        args![&speaker.name, speaker.handle.clone(), platform.as_str(), &speaker.id],
    )
    .await?;
    if before != user.name {
        return Ok(user);
    }
    tx.execute(
        "UPDATE users SET name = $1, updated_at = $2 WHERE id = $3",
        args![&speaker.name, now, user.id],
    )
    .await?;
    Ok(User {
        name: speaker.name.clone(),
        ..user
    })
}

/// Refuses the last owner, and locks the owners until the transaction ends.
///
/// # Errors
/// [`StoreError::WrongState`]: without this person the bot would have no owner.
pub async fn not_the_last_owner(tx: &mut Tx, id: UserId) -> Result<(), StoreError> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let owners: Vec<(UserId,)> = tx
        .fetch_all(
            format!("SELECT id FROM users WHERE role = 'owner' ORDER BY id{lock}"),
            args![],
        )
        .await?;
    if owners == [(id,)] {
        return Err(StoreError::WrongState(
            "they are the only owner: make somebody else an owner first".to_owned(),
        ));
    }
    Ok(())
}
