//! Memory items in people's hands: whole rows, listed, changed and deleted.

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MemoryItemId, SpaceId, UserId},
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx, memory::items::Viewer};

/// A memory item with all that is kept of it.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MemoryItem)]
pub struct Item {
    /// Its id.
    #[schema(value_type = String)]
    pub id: MemoryItemId,
    /// The person.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// 0 (durable) to 5 (detailed and recent).
    pub level: i64,
    /// `identity`, `preferences`, …
    pub module: String,
    /// Short snake_case.
    pub key: String,
    /// The remembered text.
    pub value: String,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// The conversation that it comes from.
    #[schema(value_type = Option<String>)]
    pub context_id: Option<ContextId>,
    /// The shared space that it was said in; `null`: in private.
    #[schema(value_type = Option<String>)]
    pub origin_space: Option<SpaceId>,
    /// Whether it is known wherever its person speaks to the bot.
    pub shareable: bool,
    /// Whether only its person changes it.
    pub pinned: bool,
    /// Whether it is out of use: replaced, or pushed out of a full level.
    pub archived: bool,
    /// When it was first stored.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it was last said or changed.
    #[schema(value_type = String)]
    pub last_seen_at: Timestamp,
}

const COLUMNS: &str = "id, user_id, level, module, key, value, confidence, context_id, origin_space, shareable, pinned, \
                       archived, created_at, last_seen_at";

/// The items that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only of this person.
    pub user: Option<UserId>,
    /// Only of this module.
    pub module: Option<String>,
    /// Only of this level.
    pub level: Option<i64>,
    /// Only archived ones, or only active ones.
    pub archived: Option<bool>,
    /// Only items whose key or value contains this text; case does not matter.
    pub text: Option<String>,
    /// Only older than this one.
    pub before: Option<MemoryItemId>,
}

/// One item.
pub async fn get(conn: &mut Conn, id: MemoryItemId) -> Result<Option<Item>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM memory_items WHERE id = $1"), args![id])
        .await
}

/// A page of items, newest first.
pub async fn page(conn: &mut Conn, filter: &Filter, limit: u32) -> Result<Vec<Item>, StoreError> {
    let mut sql = format!("SELECT {COLUMNS} FROM memory_items WHERE 1 = 1");
    let mut args = args![];
    let conditions = [
        ("user_id =", filter.user.map(Value::from)),
        ("module =", filter.module.as_deref().map(Value::from)),
        ("level =", filter.level.map(Value::from)),
        ("archived =", filter.archived.map(Value::from)),
        ("id <", filter.before.map(Value::from)),
    ];
    for (condition, value) in conditions {
        if let Some(value) = value {
            args.push(value);
            sql.push_str(&format!(" AND {condition} ${}", args.len()));
        }
    }
    if let Some(text) = &filter.text {
        args.push(holding(text).into());
        args.push(holding(&text.to_lowercase()).into());
        let (as_given, lower) = (args.len() - 1, args.len());
        // SQLite lowers ASCII only: what is given in the same capitals is found all the same.
        sql.push_str(&format!(
            " AND (key LIKE ${lower} ESCAPE '!' OR value LIKE ${as_given} ESCAPE '!'
                   OR LOWER(value) LIKE ${lower} ESCAPE '!')"
        ));
    }
    args.push(limit.into());
    sql.push_str(&format!(" ORDER BY id DESC LIMIT ${}", args.len()));
    conn.fetch_all(sql, args).await
}

/// A pattern for what holds a text.
fn holding(text: &str) -> String {
    let escaped = text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

/// All items of a person that a viewer may see, archived ones too: by module and key, the active one first.
pub async fn seen_by(conn: &mut Conn, user: UserId, viewer: Viewer) -> Result<Vec<Item>, StoreError> {
    let (seen, mut args) = visibility_condition(viewer, 2);
    args.insert(0, user.into());
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_items WHERE user_id = $1 AND {seen} ORDER BY module, key, archived, id DESC"
    );
    conn.fetch_all(sql, args).await
}

/// The items that a viewer sees, as a condition whose placeholders begin at `from`.
fn visibility_condition(viewer: Viewer, from: usize) -> (String, Vec<Value>) {
    match viewer {
        Viewer::Private => ("1 = 1".to_owned(), args![]),
        Viewer::Shared(space) => (format!("(shareable OR origin_space = ${from})"), args![space]),
    }
}

/// Stores a new item.
///
/// # Errors
/// [`StoreError::Conflict`]: its person has an active one of its module and key, or is not there.
pub async fn insert(tx: &mut Tx, item: &Item) -> Result<(), StoreError> {
    tx.execute(
        format!(
            "INSERT INTO memory_items ({COLUMNS})
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        ),
        args![
            item.id,
            item.user_id,
            item.level,
            &item.module,
            &item.key,
            &item.value,
            item.confidence,
            item.context_id,
            item.origin_space,
            item.shareable,
            item.pinned,
            item.archived,
            item.created_at,
            item.last_seen_at
        ],
    )
    .await?;
    Ok(())
}

/// Stores what changed in an item. A value that is given by hand is its person's own.
///
/// # Errors
/// [`StoreError::Conflict`]: its person has another active one of its module and key. [`StoreError::NotFound`]: it
/// is gone.
pub async fn update(tx: &mut Tx, item: &Item) -> Result<(), StoreError> {
    let updated = tx
        .execute(
            "UPDATE memory_items SET level = $1, module = $2, key = $3, value = $4, confidence = $5, origin_space = $6,
                 shareable = $7, pinned = $8, archived = $9, last_seen_at = $10,
                 own_at = CASE WHEN value <> $4 OR own_at = last_seen_at THEN $10 ELSE own_at END
             WHERE id = $11",
            args![
                item.level,
                &item.module,
                &item.key,
                &item.value,
                item.confidence,
                item.origin_space,
                item.shareable,
                item.pinned,
                item.archived,
                item.last_seen_at,
                item.id
            ],
        )
        .await?;
    if updated == 0 {
        return Err(StoreError::NotFound(format!("memory item {}", item.id)));
    }
    Ok(())
}

/// How many of a person's active items a level holds besides one, and how many of them are pinned.
pub async fn count_others(conn: &mut Conn, item: &Item) -> Result<(i64, i64), StoreError> {
    conn.fetch_one(
        "SELECT COUNT(*), COUNT(CASE WHEN pinned THEN 1 END) FROM memory_items
         WHERE user_id = $1 AND level = $2 AND NOT archived AND id <> $3",
        args![item.user_id, item.level, item.id],
    )
    .await
}

/// Archives so many of a level's unpinned items besides one: the least recently seen.
pub async fn archive_oldest(tx: &mut Tx, item: &Item, count: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE memory_items SET archived = $1 WHERE id IN (
             SELECT id FROM memory_items
             WHERE user_id = $2 AND level = $3 AND NOT archived AND NOT pinned AND id <> $4
             ORDER BY last_seen_at, id LIMIT $5)",
        args![true, item.user_id, item.level, item.id, count],
    )
    .await?;
    Ok(())
}

/// Deletes an item permanently. `false`: there is none.
pub async fn delete(tx: &mut Tx, id: MemoryItemId) -> Result<bool, StoreError> {
    let deleted = tx.execute("DELETE FROM memory_items WHERE id = $1", args![id]).await?;
    Ok(deleted == 1)
}

/// Permanently deletes a person's items of a module and key, archived ones too, as far as a viewer sees them; returns
/// how many there were.
pub async fn forget(tx: &mut Tx, user: UserId, module: &str, key: &str, viewer: Viewer) -> Result<u64, StoreError> {
    let (seen, more) = visibility_condition(viewer, 4);
    let args = [args![user, module, key], more].concat();
    tx.execute(
        format!("DELETE FROM memory_items WHERE user_id = $1 AND module = $2 AND key = $3 AND {seen}"),
        args,
    )
    .await
}

/// Permanently deletes all items of a person, as far as a viewer sees them; returns how many there were.
pub async fn forget_all(tx: &mut Tx, user: UserId, viewer: Viewer) -> Result<u64, StoreError> {
    let (seen, more) = visibility_condition(viewer, 2);
    let args = [args![user], more].concat();
    tx.execute(format!("DELETE FROM memory_items WHERE user_id = $1 AND {seen}"), args)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_taken_as_it_is() {
        assert_eq!(holding("100% a_b!"), "%100!% a!_b!!%");
    }
}
