//! The single answer to a command where a platform takes only one message: later parts are added to it, also
//! by a process that did not send it.

use clifford_chat::outbound::{Address, Part};
use clifford_core::{
    id::{ChannelId, MessageId},
    json_text::JsonText,
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError};

/// How many of a channel's newest parts are looked through.
const NEWEST: i64 = 200;

/// A part that was delivered.
#[derive(Clone, Debug, FromRow)]
pub struct DeliveredPart {
    /// Where it went.
    address: JsonText<Address>,
    /// Its content.
    pub body: JsonText<Part>,
    /// The part that changed it last.
    pub changed: Option<JsonText<Part>>,
    /// The platform's id of it.
    pub platform_message_id: Option<String>,
}

/// Where a message went.
pub async fn address(conn: &mut Conn, message: MessageId) -> Result<Option<Address>, StoreError> {
    let row: Option<(Option<JsonText<Address>>,)> = conn
        .fetch_optional("SELECT address FROM messages WHERE id = $1", args![message])
        .await?;
    Ok(row.and_then(|row| row.0).map(|address| address.0))
}

/// The parts delivered in answer to a command of a channel ([`Address::via`]), the oldest first.
pub async fn delivered_parts(conn: &mut Conn, channel: ChannelId, via: &str) -> Result<Vec<DeliveredPart>, StoreError> {
    let newest: Vec<DeliveredPart> = conn
        .fetch_all(
            "SELECT m.address, p.body, p.platform_message_id,
                    (SELECT c.body FROM messages e JOIN message_parts c ON c.message_id = e.id
                     WHERE e.edits = m.id AND c.status = 'delivered' ORDER BY e.id DESC, c.seq LIMIT 1) AS changed
             FROM messages m JOIN message_parts p ON p.message_id = m.id
             WHERE m.channel_id = $1 AND m.direction = 'outbound' AND m.address IS NOT NULL AND m.edits IS NULL
               AND p.status = 'delivered'
             ORDER BY m.id DESC, p.seq DESC LIMIT $2",
            args![channel, NEWEST],
        )
        .await?;
    let mut said: Vec<_> = newest
        .into_iter()
        .filter(|said| said.address.0.via.as_deref() == Some(via))
        .collect();
    said.reverse();
    Ok(said)
}
