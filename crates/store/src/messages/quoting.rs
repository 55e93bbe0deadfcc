//! The message that each quote is of, so that a quote goes when its message is deleted or set aside.
//!
//! The platform's id stands in the quote's JSON: the message itself need not be stored.

use clifford_core::{
    id::{ChannelId, ContextId, MessageId, RunId},
    json_text::to_json,
    messages::{MessageStatus, Quote},
    row::FromRow,
    value::args,
};
use serde::Serialize;
use serde_json::Value as Json;

use crate::{StoreError, Tx, contexts, withheld::is_withheld};

/// How many of a channel's newest messages are searched for quotes: no prompt shows older ones.
const NEWEST: i64 = 2_000;

#[derive(Serialize)]
struct Stored<'a> {
    #[serde(flatten)]
    quote: &'a Quote,
    of: &'a str,
}

/// Notes of a stored message that it quotes the message with this platform id. If that was deleted or set aside meanwhile,
/// the quote goes.
pub async fn note(tx: &mut Tx, message: MessageId, quote: &Quote, of: &str) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE messages SET quote = $1 WHERE id = $2",
        args![to_json(&Stored { quote, of }), message],
    )
    .await?;
    tx.defer(
        format!(
            "UPDATE messages SET quote = NULL, quoted_user_id = NULL WHERE id = $1 AND EXISTS (
                 SELECT 1 FROM messages o WHERE o.channel_id = messages.channel_id AND o.direction = 'inbound'
                 AND o.platform_message_id = $2 AND {})",
            is_withheld("o.")
        ),
        args![message, of],
    )
    .await
}

/// Removes the quotes of what people wrote for a run that is set aside.
pub(crate) async fn remove_of_run(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    let written: Vec<(ChannelId, String)> = tx
        .fetch_all(
            "SELECT channel_id, platform_message_id FROM messages
             WHERE run_id = $1 AND direction = 'inbound' AND platform_message_id IS NOT NULL ORDER BY channel_id",
            args![run],
        )
        .await?;
    for channel in written.chunk_by(|one, other| one.0 == other.0) {
        let Some((place, _)) = channel.first() else { continue };
        let ids: Vec<_> = channel.iter().map(|(_, id)| id.clone()).collect();
        // Runs that were asked with such a quote are judged by their own deaths.
        remove(tx, *place, &ids).await?;
    }
    Ok(())
}

#[derive(FromRow)]
struct Quoting {
    id: MessageId,
    context_id: Option<ContextId>,
    run_id: Option<RunId>,
    status: MessageStatus,
    quote: String,
}

/// Removes the quotes of these messages, which were deleted or set aside, from the newest messages of their channel.
/// Returns the runs that were asked with such a quote, after locking their conversations.
pub async fn remove(tx: &mut Tx, channel: ChannelId, deleted: &[String]) -> Result<Vec<RunId>, StoreError> {
    let rows: Vec<Quoting> = tx
        .fetch_all(
            "SELECT id, context_id, run_id, status, quote FROM messages
             WHERE quote IS NOT NULL AND direction = 'inbound'
                 AND id IN (SELECT id FROM messages WHERE channel_id = $1 ORDER BY id DESC LIMIT $2)
             ORDER BY id",
            args![channel, NEWEST],
        )
        .await?;
    let mut runs = Vec::new();
    for row in rows {
        let quote: Json = serde_json::from_str(&row.quote).unwrap_or_default();
        let of = quote.get("of").and_then(Json::as_str);
        if !of.is_some_and(|of| deleted.iter().any(|id| id == of)) {
            continue;
        }
        if let Some(context) = row.context_id {
            contexts::lock(tx, context).await?;
        }
        tx.execute(
            "UPDATE messages SET quote = NULL, quoted_user_id = NULL WHERE id = $1",
            args![row.id],
        )
        .await?;
        if let (MessageStatus::Received, Some(run)) = (row.status, row.run_id)
            && !runs.contains(&run)
        {
            runs.push(run);
        }
    }
    Ok(runs)
}
