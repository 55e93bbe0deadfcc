//! Spaces: groups and servers with members, as people who run the bot list them.

use clifford_core::{
    clock::Timestamp,
    id::SpaceId,
    places::Channel,
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;

use super::channels;
use crate::{Conn, StoreError};

/// A space.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Space {
    /// Its id.
    #[schema(value_type = String)]
    pub id: SpaceId,
    /// The platform's name.
    pub platform: String,
    /// The platform's id of it.
    pub external_id: String,
    /// Its name as people see it.
    pub name: Option<String>,
    /// When the bot left it.
    #[schema(value_type = Option<String>)]
    pub left_at: Option<Timestamp>,
    /// When the bot first saw it.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// The number of its channels that the bot knows.
    pub channels: i64,
}

const SELECT: &str = "SELECT id, platform, external_id, name, left_at, created_at, \
                      (SELECT COUNT(*) FROM channels c WHERE c.space_id = spaces.id) AS channels FROM spaces";

/// A page of spaces, newest first.
pub async fn page(conn: &mut Conn, before: Option<SpaceId>, limit: u32) -> Result<Vec<Space>, StoreError> {
    let sql = format!("{SELECT} WHERE ($1 IS NULL OR id < $1) ORDER BY id DESC LIMIT $2");
    conn.fetch_all(sql, args![before, limit]).await
}

/// These spaces, newest first.
pub async fn these(conn: &mut Conn, ids: &[SpaceId]) -> Result<Vec<Space>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<_> = (1..=ids.len()).map(|place| format!("${place}")).collect();
    let sql = format!("{SELECT} WHERE id IN ({}) ORDER BY id DESC", places.join(", "));
    conn.fetch_all(sql, ids.iter().copied().map(Value::from).collect())
        .await
}

/// A space by its id.
pub async fn get(conn: &mut Conn, id: SpaceId) -> Result<Option<Space>, StoreError> {
    conn.fetch_optional(format!("{SELECT} WHERE id = $1"), args![id]).await
}

/// A space by the platform's id of it.
pub async fn by_external(conn: &mut Conn, platform: &str, id: &str) -> Result<Option<Space>, StoreError> {
    let sql = format!("{SELECT} WHERE platform = $1 AND external_id = $2");
    conn.fetch_optional(sql, args![platform, id]).await
}

/// The channel of a space in which somebody spoke last, of those in which the bot may.
pub async fn last_spoken_in(conn: &mut Conn, id: SpaceId) -> Result<Option<Channel>, StoreError> {
    let sql = format!(
        "{} WHERE space_id = $1 AND enabled ORDER BY COALESCE(last_message_at, 0) DESC, id DESC LIMIT 1",
        channels::SELECT
    );
    conn.fetch_optional(sql, args![id]).await
}
