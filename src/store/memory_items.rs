//! Memory items: what is remembered of a person.

use serde::Serialize;
use sqlx::FromRow;

use super::{Conn, StoreError, Tx, args, conn::Ask};
use crate::{
    clock::Timestamp,
    id::{ContextId, MemoryItemId, SpaceId, UserId},
};

/// A memory item, as prompts and tools see it.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize)]
pub struct MemoryItem {
    /// `identity`, `preferences`, …
    pub module: String,
    /// Short snake_case.
    pub key: String,
    /// What is remembered.
    pub value: String,
    /// 0 (durable) to 5 (detailed and recent).
    pub level: i64,
}

/// Who asks: decides what they may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// The person, in private.
    Private,
    /// Somebody in a shared channel of a space: what was said there, and what the person marked shareable.
    Shared(Option<SpaceId>),
}

/// A memory item to be stored.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// Whose.
    pub user: UserId,
    /// Its module.
    pub module: String,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Its level.
    pub level: u32,
    /// The conversation that it comes from.
    pub context: Option<ContextId>,
    /// The shared space that it was said in; `None`: in private.
    pub origin: Option<SpaceId>,
}

/// Stores an item in place of the active one of the same module and key. `false`: that one is pinned.
///
/// # Errors
/// The store's.
pub async fn put(tx: &mut Tx, item: &NewItem, now: Timestamp) -> Result<bool, StoreError> {
    let stored = tx
        .execute(
            "INSERT INTO memory_items (id, user_id, level, module, key, value, confidence, context_id, origin_space,
                 shareable, pinned, archived, created_at, last_seen_at)
             VALUES ($1, $2, $3, $4, $5, $6, 1.0, $7, $8, $9, $9, $9, $10, $10)
             ON CONFLICT (user_id, module, key) WHERE NOT archived
             DO UPDATE SET value = excluded.value, level = excluded.level, context_id = excluded.context_id,
                 origin_space = CASE WHEN memory_items.origin_space IS NULL THEN NULL ELSE excluded.origin_space END,
                 last_seen_at = excluded.last_seen_at
             WHERE NOT memory_items.pinned",
            args![
                MemoryItemId::new(),
                item.user,
                item.level,
                &item.module,
                &item.key,
                &item.value,
                item.context,
                item.origin,
                false,
                now
            ],
        )
        .await?;
    Ok(stored == 1)
}

/// A person's active items that a viewer may see: by level, pinned first, then the most recently seen.
///
/// # Errors
/// The store's.
pub async fn active(conn: &mut Conn, user: UserId, viewer: Viewer, limit: u32) -> Result<Vec<MemoryItem>, StoreError> {
    let (sql, args) = ask_active(user, viewer, limit);
    conn.all(sql, args).await
}

pub(super) fn ask_active(user: UserId, viewer: Viewer, limit: u32) -> Ask {
    const SELECT: &str = "SELECT module, key, value, level FROM memory_items WHERE user_id = $1 AND NOT archived";
    const ORDER: &str = "ORDER BY level, pinned DESC, last_seen_at DESC, id LIMIT $2";
    match viewer {
        Viewer::Private => (format!("{SELECT} {ORDER}"), args![user, limit]),
        Viewer::Shared(space) => (
            format!("{SELECT} AND (shareable OR origin_space = $3) {ORDER}"),
            args![user, limit, space],
        ),
    }
}
