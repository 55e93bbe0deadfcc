//! Messages that stand only while a run is at work: kept so that none of them stays behind when its process dies.

use std::time::Duration;

use clifford_chat::{outbound::Address, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, RunId, WorkerId},
    json_text::{JsonText, to_json},
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx, places::channels::platform_list};

/// A message that shows what a run does, or its answer as it grows.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StatusMessage {
    /// The run.
    pub run_id: RunId,
    /// Its chat.
    pub channel_id: ChannelId,
    /// Its chat's platform.
    pub platform: String,
    /// Its chat in the platform's terms.
    pub address: JsonText<Address>,
    /// The platform's id of it; `None`: it may be there or not.
    pub platform_message_id: Option<String>,
    /// The same for each of its looks.
    #[row(rename = "delivery_key")]
    pub key: String,
    /// The key of the part that it becomes; `None`: it goes away.
    pub becomes: Option<String>,
}

const COLUMNS: &str = "run_id, channel_id, platform, address, platform_message_id, delivery_key, becomes";

/// Records a message that a worker is about to show, or shows by now.
pub async fn put(tx: &mut Tx, message: &StatusMessage, worker: WorkerId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        format!(
            "INSERT INTO status_messages ({COLUMNS}, worker, shown_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (run_id) DO UPDATE SET address = excluded.address, becomes = excluded.becomes,
                 platform_message_id = excluded.platform_message_id, delivery_key = excluded.delivery_key, worker = excluded.worker,
                 shown_at = excluded.shown_at"
        ),
        args![
            message.run_id,
            message.channel_id,
            message.platform.as_str(),
            to_json(&message.address.0),
            message.platform_message_id.as_deref(),
            message.key.as_str(),
            message.becomes.as_deref(),
            worker,
            now
        ],
    )
    .await?;
    Ok(())
}

/// The message of a run.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Option<StatusMessage>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM status_messages WHERE run_id = $1");
    conn.fetch_optional(sql, args![run]).await
}

/// The message of a run is gone.
pub async fn remove(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM status_messages WHERE run_id = $1", args![run])
        .await?;
    Ok(())
}

/// Messages on these platforms whose runs are not at work any more, the oldest first. One that another process shows may
/// still be about to become an answer there: it counts when it was not changed for so long.
pub async fn left_behind(
    conn: &mut Conn,
    worker: WorkerId,
    served: &[Platform],
    (now, after): (Timestamp, Duration),
    limit: u32,
) -> Result<Vec<StatusMessage>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM status_messages s
         WHERE $1 LIKE '%,' || s.platform || ',%' AND (s.worker = $2 OR s.shown_at < $3)
           AND NOT EXISTS (
               SELECT 1 FROM runs r WHERE r.id = s.run_id AND (
                   r.status IN ('pending', 'running')
                   OR (r.status = 'waiting' AND EXISTS (
                       SELECT 1 FROM runs c WHERE c.parent_run_id = r.id
                         AND c.status IN ('pending', 'running', 'waiting')))))
         ORDER BY s.shown_at LIMIT $4"
    );
    conn.fetch_all(sql, args![platform_list(served), worker, now.before(after), limit])
        .await
}
