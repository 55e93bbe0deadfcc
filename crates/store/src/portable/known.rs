//! Records of an import that are known here already: by ids, by accounts, and by the platforms' ids of places.

use std::collections::HashMap;

use clifford_core::{
    id::{AgentId, ChannelId, ContextId, RunId, SpaceId, UserId},
    people::UserRole,
    places::ChannelKind,
    row::FromRow,
    value::{Value, args},
};
use uuid::Uuid;

use super::records::Kind;
use crate::{Conn, StoreError};

/// How many are asked for at once.
const AT_ONCE: usize = 400;

/// An account: its platform, and the platform's id of it. The same for places.
pub type Account = (String, String);

/// A person who is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPerson {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: UserRole,
    /// Their accounts.
    pub accounts: Vec<Account>,
}

/// A channel that is known here.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct KnownChannel {
    /// Its id.
    pub id: ChannelId,
    /// Its platform.
    pub platform: String,
    /// The platform's id of it.
    pub external_id: String,
    /// Private or shared.
    pub kind: ChannelKind,
    /// The person of a private one.
    pub user_id: Option<UserId>,
    /// The space of a shared one.
    pub space_id: Option<SpaceId>,
}

/// `column IN ($n, …)` with further arguments.
pub(super) fn within_texts(column: &str, texts: impl IntoIterator<Item = String>, args: &mut Vec<Value>) -> String {
    let places: Vec<_> = (texts.into_iter())
        .map(|text| {
            args.push(text.into());
            format!("${}", args.len())
        })
        .collect();
    format!("{column} IN ({})", places.join(", "))
}

/// `(one, other) IN (VALUES ($n, $m), …)` with further arguments.
fn within_pairs(columns: &str, pairs: &[Account], args: &mut Vec<Value>) -> String {
    let places: Vec<_> = (pairs.iter())
        .map(|(one, other)| {
            args.extend([Value::from(one), Value::from(other)]);
            format!("(${}, ${})", args.len() - 1, args.len())
        })
        .collect();
    format!("({columns}) IN (VALUES {})", places.join(", "))
}

#[derive(FromRow)]
struct PersonRow {
    id: UserId,
    name: String,
    role: UserRole,
    platform: Option<String>,
    account: Option<String>,
}

/// The people who have one of these ids or accounts, with all of their accounts.
pub async fn people(conn: &mut Conn, ids: &[UserId], accounts: &[Account]) -> Result<Vec<KnownPerson>, StoreError> {
    const SELECT: &str = "SELECT u.id, u.name, u.role, i.platform, i.platform_user_id AS account
                          FROM users u LEFT JOIN identities i ON i.user_id = u.id WHERE";
    let mut found: HashMap<UserId, KnownPerson> = HashMap::new();
    for (ids, accounts) in chunks(ids, accounts) {
        let mut args = Vec::new();
        let mut conditions = Vec::new();
        if !ids.is_empty() {
            conditions.push(within_texts("u.id", ids.iter().map(ToString::to_string), &mut args));
        }
        if !accounts.is_empty() {
            let pairs = within_pairs("platform, platform_user_id", accounts, &mut args);
            conditions.push(format!("u.id IN (SELECT user_id FROM identities WHERE {pairs})"));
        }
        let sql = format!(
            "{SELECT} {} ORDER BY u.id, i.platform, i.platform_user_id",
            conditions.join(" OR ")
        );
        let mut new: HashMap<UserId, KnownPerson> = HashMap::new();
        for row in conn.fetch_all::<PersonRow>(sql, args).await? {
            let person = new.entry(row.id).or_insert_with(|| KnownPerson {
                id: row.id,
                name: row.name,
                role: row.role,
                accounts: Vec::new(),
            });
            person.accounts.extend(row.platform.zip(row.account));
        }
        found.extend(new);
    }
    Ok(found.into_values().collect())
}

/// Pieces of two lists, side by side.
fn chunks<'l, A, B>(one: &'l [A], other: &'l [B]) -> Vec<(&'l [A], &'l [B])> {
    let count = one.len().max(other.len()).div_ceil(AT_ONCE);
    let piece = |place: usize, len: usize| (place * AT_ONCE).min(len)..((place + 1) * AT_ONCE).min(len);
    (0..count)
        .map(|place| (&one[piece(place, one.len())], &other[piece(place, other.len())]))
        .collect()
}

/// The spaces that have these ids on their platforms.
pub async fn spaces(conn: &mut Conn, keys: &[Account]) -> Result<Vec<(Account, SpaceId)>, StoreError> {
    let mut found = Vec::new();
    for keys in keys.chunks(AT_ONCE) {
        let mut args = Vec::new();
        let pairs = within_pairs("platform, external_id", keys, &mut args);
        let sql = format!("SELECT platform, external_id, id FROM spaces WHERE {pairs}");
        let rows: Vec<(String, String, SpaceId)> = conn.fetch_all(sql, args).await?;
        found.extend(
            rows.into_iter()
                .map(|(platform, external, id)| ((platform, external), id)),
        );
    }
    Ok(found)
}

/// The channels that have one of these ids, or these on their platforms.
pub async fn channels(conn: &mut Conn, ids: &[ChannelId], keys: &[Account]) -> Result<Vec<KnownChannel>, StoreError> {
    let mut found = Vec::new();
    for (ids, keys) in chunks(ids, keys) {
        let mut args = Vec::new();
        let mut conditions = Vec::new();
        if !ids.is_empty() {
            conditions.push(within_texts("id", ids.iter().map(ToString::to_string), &mut args));
        }
        if !keys.is_empty() {
            conditions.push(within_pairs("platform, external_id", keys, &mut args));
        }
        let sql = format!(
            "SELECT id, platform, external_id, kind, user_id, space_id FROM channels WHERE {}",
            conditions.join(" OR ")
        );
        found.extend(conn.fetch_all::<KnownChannel>(sql, args).await?);
    }
    Ok(found)
}

/// Every agent, deleted or not, by id and name.
pub async fn agents(conn: &mut Conn) -> Result<Vec<(AgentId, String)>, StoreError> {
    conn.fetch_all("SELECT id, name FROM agents ORDER BY id", args![]).await
}

/// The conversations of these ids that are here, with where each is.
pub async fn contexts(conn: &mut Conn, ids: &[ContextId]) -> Result<Vec<(ContextId, ChannelId)>, StoreError> {
    let mut found = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let mut args = Vec::new();
        let within = within_texts("id", ids.iter().map(ToString::to_string), &mut args);
        found.extend(
            conn.fetch_all::<(ContextId, ChannelId)>(
                format!("SELECT id, channel_id FROM contexts WHERE {within}"),
                args,
            )
            .await?,
        );
    }
    Ok(found)
}

/// A run, with where it is and for whom.
type RunOf = (RunId, Option<ChannelId>, Option<UserId>);

/// The runs of these ids that are here.
pub async fn runs(conn: &mut Conn, ids: &[RunId]) -> Result<Vec<RunOf>, StoreError> {
    let mut found = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let mut args = Vec::new();
        let within = within_texts("id", ids.iter().map(ToString::to_string), &mut args);
        found.extend(
            conn.fetch_all::<RunOf>(format!("SELECT id, channel_id, user_id FROM runs WHERE {within}"), args)
                .await?,
        );
    }
    Ok(found)
}

/// Those of these ids of a kind that are here. Of settings, which have none, it knows nothing.
pub async fn there(conn: &mut Conn, kind: Kind, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let table = kind.table();
    if kind == Kind::Setting || ids.is_empty() {
        return Ok(Vec::new());
    }
    // Into an empty database much is imported at once.
    if !conn
        .exists(format!("SELECT CAST(1 AS BIGINT) FROM {table} LIMIT 1"), Vec::new())
        .await?
    {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let mut args = Vec::new();
        let within = within_texts("id", ids.iter().map(ToString::to_string), &mut args);
        let rows: Vec<(String,)> = conn
            .fetch_all(format!("SELECT id FROM {table} WHERE {within}"), args)
            .await?;
        found.extend(rows.into_iter().filter_map(|row| row.0.parse::<Uuid>().ok()));
    }
    Ok(found)
}
