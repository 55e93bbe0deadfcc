//! Memory items of people.

use clifford_core::{
    id::{SpaceId, UserId},
    row::FromRow,
    value::args,
};
use serde::Serialize;

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
    #[row(flatten)]
    pub item: MemoryItem,
    /// Its person wants it kept as it is.
    pub pinned: bool,
    /// 1: others may have had a part in it, and its person did not pin it.
    pub tainted: i64,
}

impl Remembered {
    /// Whether others may have had a part in it.
    pub const fn is_tainted(&self) -> bool {
        self.tainted != 0
    }
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
    let known = remembered(conn, user, viewer, limit).await?;
    Ok(known.into_iter().map(|known| known.item).collect())
}

/// The same with what decides whether they are shown and believed.
pub async fn remembered(
    conn: &mut Conn,
    user: UserId,
    viewer: Viewer,
    limit: u32,
) -> Result<Vec<Remembered>, StoreError> {
    let (sql, args) = ask_active(user, viewer, limit);
    conn.fetch_all(sql, args).await
}

/// Whether others may have had a part in one of a person's active items that they did not pin.
pub async fn has_tainted(conn: &mut Conn, user: UserId) -> Result<bool, StoreError> {
    let sql =
        format!("SELECT CAST(1 AS BIGINT) FROM memory_items WHERE user_id = $1 AND NOT archived AND {TAINTED} LIMIT 1");
    conn.exists(sql, args![user]).await
}

/// Whether others may have had a part in an item that its person did not pin. Of one that an older version wrote, the runs
/// of its conversation tell: those that had begun when it was seen last.
const TAINTED: &str = "NOT pinned AND (own_at = 0 OR (COALESCE(own_at <> last_seen_at, TRUE) AND EXISTS (
    SELECT 1 FROM runs r WHERE r.context_id = memory_items.context_id AND r.tainted
        AND r.created_at <= memory_items.last_seen_at)))";

pub(super) fn ask_active(user: UserId, viewer: Viewer, limit: u32) -> Statement {
    const ORDER: &str = "ORDER BY level, pinned DESC, last_seen_at DESC, id LIMIT $2";
    let select = format!(
        "SELECT module, key, value, level, pinned, CAST(CASE WHEN {TAINTED} THEN 1 ELSE 0 END AS BIGINT) AS tainted
         FROM memory_items WHERE user_id = $1 AND NOT archived"
    );
    match viewer {
        Viewer::Private => (format!("{select} {ORDER}"), args![user, limit]),
        Viewer::Shared(space) => (
            format!("{select} AND (shareable OR origin_space = $3) {ORDER}"),
            args![user, limit, space],
        ),
    }
}
