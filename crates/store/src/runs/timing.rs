//! When a run was asked for, and when its messages reached their chat.

use clifford_core::{
    clock::Timestamp,
    id::{MessageId, RunId},
    messages::MessageStatus,
    row::FromRow,
    value::args,
};
use serde::Serialize;

use crate::{Conn, StoreError};

/// A message of a run on its way to its chat.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The message.
    #[schema(value_type = String)]
    pub message_id: MessageId,
    /// `pending`, `sending`, `delivered` or `failed`.
    #[schema(value_type = String)]
    pub status: MessageStatus,
    /// When it was said.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When the last part of it that was delivered reached its chat; `null`: none has. A message without parts is where
    /// its chat reads it as soon as it is said.
    #[schema(value_type = Option<String>)]
    pub delivered_at: Option<Timestamp>,
}

/// When the first message came that a run answers. `None`: no message asked for it.
pub async fn asked_at(conn: &mut Conn, run: RunId) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT MIN(created_at) FROM messages WHERE run_id = $1 AND direction = 'inbound'";
    let (at,): (Option<Timestamp>,) = conn.fetch_one(sql, args![run]).await?;
    Ok(at)
}

/// The messages of a run, in order.
pub async fn deliveries(conn: &mut Conn, run: RunId) -> Result<Vec<Delivery>, StoreError> {
    let sql = "SELECT m.id AS message_id, m.status AS status, m.created_at AS created_at,
             CASE WHEN COUNT(p.message_id) = 0 AND m.status = 'delivered' THEN m.created_at ELSE MAX(p.delivered_at) END
                 AS delivered_at
         FROM messages m LEFT JOIN message_parts p ON p.message_id = m.id
         WHERE m.run_id = $1 AND m.direction = 'outbound' GROUP BY m.id, m.status, m.created_at ORDER BY m.id";
    conn.fetch_all(sql, args![run]).await
}
