//! Messages that wait in the outbox or were given up, as people who run the bot see them: they list them, send them
//! again, and give them up.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, RunId, SpaceId, UserId},
    messages::MessageStatus,
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;

use super::outbox::{SENT_FILE, give_up_parts};
use crate::{Conn, StoreError, Tx, db::notify, leases::sql::FREED};

/// An outbound message that has not been delivered.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Undelivered {
    /// Its id.
    #[schema(value_type = String)]
    pub id: MessageId,
    /// The channel that it is for.
    #[schema(value_type = String)]
    pub channel_id: ChannelId,
    /// The channel's platform.
    pub platform: String,
    /// The channel's name.
    pub channel_name: Option<String>,
    /// The run that it came from.
    #[schema(value_type = Option<String>)]
    pub run_id: Option<RunId>,
    /// Its text, Markdown.
    pub content: String,
    /// Where it stands.
    pub status: MessageStatus,
    /// How many attempts failed.
    pub attempts: i64,
    /// Why it was not delivered.
    pub error: Option<String>,
    /// Since when it is late.
    #[schema(value_type = Option<String>)]
    pub late_since: Option<Timestamp>,
    /// When work with it was set aside, because processes died of it.
    #[schema(value_type = Option<String>)]
    pub quarantined_at: Option<Timestamp>,
    /// When it was stored.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT m.id, m.channel_id, c.platform, c.name AS channel_name, m.run_id, m.content, m.status,
     m.attempts, m.error, m.late_since, m.quarantined_at, m.created_at
     FROM messages m JOIN channels c ON c.id = m.channel_id";

/// The person or place of the messages.
#[derive(Clone, Debug, Default)]
pub enum Recipients {
    /// Everybody's.
    #[default]
    All,
    /// Messages for the private channels of a person, and for these spaces.
    Of(UserId, Vec<SpaceId>),
}

/// Those that are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only of these channels.
    pub whose: Recipients,
    /// Only those that were given up (`true`), or that still wait (`false`).
    pub failed: Option<bool>,
    /// Only of this channel.
    pub channel: Option<ChannelId>,
    /// Only older than this one.
    pub before: Option<MessageId>,
}

/// A page of them, newest first.
pub async fn page(conn: &mut Conn, filter: Filter, limit: u32) -> Result<Vec<Undelivered>, StoreError> {
    let status = match filter.failed {
        None => "'pending', 'sending', 'failed'",
        Some(true) => "'failed'",
        Some(false) => "'pending', 'sending'",
    };
    let mut values = args![filter.channel, filter.before, limit];
    let whose = match filter.whose {
        Recipients::All => String::new(),
        Recipients::Of(user, spaces) => {
            values.push(user.into());
            let places: Vec<_> = (5..5 + spaces.len()).map(|place| format!("${place}")).collect();
            values.extend(spaces.into_iter().map(Value::from));
            let there = match places.is_empty() {
                true => String::new(),
                false => format!(" OR c.space_id IN ({})", places.join(", ")),
            };
            format!("AND ((c.kind = 'private' AND c.user_id = $4){there})")
        }
    };
    let sql = format!(
        "{SELECT} WHERE m.direction = 'outbound' AND m.status IN ({status}) {whose}
         AND ($1 IS NULL OR m.channel_id = $1) AND ($2 IS NULL OR m.id < $2) ORDER BY m.id DESC LIMIT $3"
    );
    conn.fetch_all(sql, values).await
}

/// One outbound message that has not been delivered.
pub async fn get(conn: &mut Conn, id: MessageId) -> Result<Option<Undelivered>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE m.id = $1 AND m.direction = 'outbound' AND m.status IN ('pending', 'sending', 'failed')"
    );
    conn.fetch_optional(sql, args![id]).await
}

/// Sends a message that was given up once more: its parts that were not delivered wait again. `false`: it was not given
/// up, or nothing is left of what would be sent. Notifies other processes.
///
/// The content of files goes with their failure, so their parts stay failed.
pub async fn send_again(tx: &mut Tx, id: MessageId) -> Result<bool, StoreError> {
    let failed = tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM messages WHERE id = $1 AND direction = 'outbound' AND status = 'failed'",
            args![id],
        )
        .await?;
    if !failed {
        return Ok(false);
    }
    tx.execute(
        format!(
            "UPDATE message_parts SET status = 'pending'
             WHERE message_id = $1 AND status IN ('failed', 'sending') AND body <> '{SENT_FILE}'"
        ),
        args![id],
    )
    .await?;
    let again = tx
        .execute(
            format!(
                "UPDATE messages SET status = 'pending', error = NULL, attempts = 0, late_since = NULL, deaths = 0,
                     isolation = NULL, quarantined_at = NULL, {FREED}
                 WHERE id = $1 AND direction = 'outbound' AND status = 'failed'
                   AND EXISTS (SELECT 1 FROM message_parts p WHERE p.message_id = $1 AND p.status = 'pending')"
            ),
            args![id],
        )
        .await?;
    if again == 1 {
        notify::work(tx).await?;
    }
    Ok(again == 1)
}

/// Gives a message up that waits: it is not sent any more. A process that holds it finds that out before its next
/// attempt; a call that is under way may still arrive. `false`: it does not wait.
pub async fn give_up(tx: &mut Tx, id: MessageId, reason: &str) -> Result<bool, StoreError> {
    let given_up = tx
        .execute(
            format!(
                "UPDATE messages SET status = 'failed', error = $2, {FREED}
                 WHERE id = $1 AND direction = 'outbound' AND status IN ('pending', 'sending')"
            ),
            args![id, reason],
        )
        .await?;
    if given_up == 0 {
        return Ok(false);
    }
    give_up_parts(tx, &id.to_string()).await?;
    Ok(true)
}
