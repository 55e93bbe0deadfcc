//! The parts of outbound messages: those that are still to be sent, and all as they were sent.

use std::collections::BTreeMap;

use clifford_chat::outbound::Part;
use clifford_core::{
    id::MessageId,
    json_text::JsonText,
    messages::MessageStatus,
    row::FromRow,
    value::{Value, args},
};

use crate::{Conn, StoreError};

/// A part of a message that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OutgoingPart {
    /// Its place.
    pub seq: i64,
    /// The same for every attempt.
    #[row(rename = "delivery_key")]
    pub key: String,
    /// Its content.
    pub body: JsonText<Part>,
    /// Where it stands.
    pub status: MessageStatus,
}

/// The parts of messages that have not been delivered, in order.
pub(super) async fn of_each(
    conn: &mut Conn,
    messages: impl ExactSizeIterator<Item = MessageId>,
) -> Result<BTreeMap<MessageId, Vec<OutgoingPart>>, StoreError> {
    #[derive(FromRow)]
    struct Row {
        message_id: MessageId,
        #[row(flatten)]
        part: OutgoingPart,
    }
    let mut parts: BTreeMap<MessageId, Vec<OutgoingPart>> = BTreeMap::new();
    if messages.len() == 0 {
        return Ok(parts);
    }
    let places: Vec<_> = (1..=messages.len()).map(|place| format!("${place}")).collect();
    let sql = format!(
        "SELECT message_id, seq, delivery_key, body, status FROM message_parts
         WHERE message_id IN ({}) AND status IN ('pending', 'sending') ORDER BY message_id, seq",
        places.join(", ")
    );
    let rows: Vec<Row> = conn.fetch_all(sql, messages.map(Value::from).collect()).await?;
    for row in rows {
        parts.entry(row.message_id).or_default().push(row.part);
    }
    Ok(parts)
}

/// The parts of a message that have not been delivered, in order.
pub async fn parts(conn: &mut Conn, message: MessageId) -> Result<Vec<OutgoingPart>, StoreError> {
    conn.fetch_all(
        "SELECT seq, delivery_key, body, status FROM message_parts
         WHERE message_id = $1 AND status IN ('pending', 'sending') ORDER BY seq",
        args![message],
    )
    .await
}

/// A part of a message as it was sent.
#[derive(Clone, Debug, FromRow)]
pub struct SentPart {
    /// Its content.
    pub body: JsonText<Part>,
    /// The platform's id of it.
    pub platform_message_id: Option<String>,
    /// Where it stands.
    pub status: MessageStatus,
}

/// All parts of a message, in order.
pub async fn sent_parts(conn: &mut Conn, message: MessageId) -> Result<Vec<SentPart>, StoreError> {
    conn.fetch_all(
        "SELECT body, platform_message_id, status FROM message_parts WHERE message_id = $1 ORDER BY seq",
        args![message],
    )
    .await
}
