//! Changes of settings that people made in a chat, on the dashboard or by the API: who, when, and what it was before, so
//! that it can be taken back.

use clifford_core::{
    clock::Timestamp,
    id::{SettingChangeId, UserId},
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx};

/// How many changes of a scope are kept.
const KEPT: i64 = 100;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SettingChange {
    /// Its id.
    pub id: SettingChangeId,
    /// The scope, as it is stored.
    pub scope: String,
    /// The setting.
    pub name: String,
    /// The value before; `None`: nothing was set.
    pub old_value: Option<String>,
    /// The value now; `None`: nothing is set.
    pub new_value: Option<String>,
    /// The name of the person who made it, unless they are gone.
    pub by: Option<String>,
    /// When.
    pub changed_at: Timestamp,
}

/// A change to be kept.
#[derive(Clone, Copy, Debug)]
pub struct NewChange<'a> {
    /// The scope, as it is stored.
    pub scope: &'a str,
    /// The setting.
    pub name: &'a str,
    /// The value before.
    pub old: Option<&'a str>,
    /// The value now.
    pub new: Option<&'a str>,
    /// The person who made it; `None`: the operator.
    pub by: Option<UserId>,
}

/// Keeps a change, and forgets those of its scope that are too old to be taken back.
pub async fn record(tx: &mut Tx, change: NewChange<'_>, now: Timestamp) -> Result<(), StoreError> {
    let NewChange {
        scope,
        name,
        old,
        new,
        by,
    } = change;
    tx.execute(
        "INSERT INTO setting_changes (id, scope, name, old_value, new_value, user_id, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        args![
            SettingChangeId::new(),
            scope,
            name,
            old.map(str::to_owned),
            new.map(str::to_owned),
            by,
            now
        ],
    )
    .await?;
    tx.execute(
        "DELETE FROM setting_changes WHERE scope = $1 AND id NOT IN (
             SELECT id FROM setting_changes WHERE scope = $1 ORDER BY id DESC LIMIT $2)",
        args![scope, KEPT],
    )
    .await?;
    Ok(())
}

const SELECT: &str = "SELECT s.id, s.scope, s.name, s.old_value, s.new_value, u.name AS by, s.changed_at
     FROM setting_changes s LEFT JOIN users u ON u.id = s.user_id";

/// The last change in one of two scopes that was not taken back.
pub async fn last(conn: &mut Conn, scopes: [&str; 2]) -> Result<Option<SettingChange>, StoreError> {
    conn.fetch_optional(
        format!("{SELECT} WHERE s.scope IN ($1, $2) AND s.undone_at IS NULL ORDER BY s.id DESC LIMIT 1"),
        args![scopes[0], scopes[1]],
    )
    .await
}

/// The last change of one setting that was not taken back.
pub async fn last_of(conn: &mut Conn, scope: &str, name: &str) -> Result<Option<SettingChange>, StoreError> {
    conn.fetch_optional(
        format!("{SELECT} WHERE s.scope = $1 AND s.name = $2 AND s.undone_at IS NULL ORDER BY s.id DESC LIMIT 1"),
        args![scope, name],
    )
    .await
}

/// A change is taken back.
pub async fn undone(tx: &mut Tx, id: SettingChangeId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE setting_changes SET undone_at = $1 WHERE id = $2",
        args![now, id],
    )
    .await?;
    Ok(())
}
