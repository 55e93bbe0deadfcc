//! Memory items: what is remembered of a person.

use clifford_core::{
    id::{SpaceId, UserId},
    value::args,
};
use serde::Serialize;
use sqlx::FromRow;

use crate::{Conn, StoreError, db::conn::Statement};

/// A memory item, as prompts and tools see it.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize)]
pub struct MemoryItem {
    /// `identity`, `preferences`, …
    pub module: String,
    /// Short snake_case.
    pub key: String,
    /// The remembered value.
    pub value: String,
    /// 0 (durable) to 5 (detailed and recent).
    pub level: i64,
}

/// A memory item with what decides whether a prompt shows it.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Remembered {
    /// The item.
    #[sqlx(flatten)]
    pub item: MemoryItem,
    /// Its person wants it kept as it is.
    pub pinned: bool,
}

/// The person who asks: decides which items they may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// The person, in private.
    Private,
    /// Somebody in a shared channel of a space: what was said there, and what the person marked shareable.
    Shared(Option<SpaceId>),
}

/// A person's active items that a viewer may see: by level, pinned first, then the most recently seen.
pub async fn active(conn: &mut Conn, user: UserId, viewer: Viewer, limit: u32) -> Result<Vec<MemoryItem>, StoreError> {
    let (sql, args) = ask_active(user, viewer, limit);
    conn.fetch_all(sql, args).await
}

pub(super) fn ask_active(user: UserId, viewer: Viewer, limit: u32) -> Statement {
    const SELECT: &str =
        "SELECT module, key, value, level, pinned FROM memory_items WHERE user_id = $1 AND NOT archived";
    const ORDER: &str = "ORDER BY level, pinned DESC, last_seen_at DESC, id LIMIT $2";
    match viewer {
        Viewer::Private => (format!("{SELECT} {ORDER}"), args![user, limit]),
        Viewer::Shared(space) => (
            format!("{SELECT} AND (shareable OR origin_space = $3) {ORDER}"),
            args![user, limit, space],
        ),
    }
}
