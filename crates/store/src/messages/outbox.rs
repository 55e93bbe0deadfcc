//! The outbox: outbound messages that have not been delivered, claimed by lease, a row a part.

mod parts;

use clifford_chat::{outbound::Address, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, RunId, WorkerId},
    json_text::JsonText,
    messages::MessageStatus,
    quarantine::{Evidence, Mark},
    row::FromRow,
    value::args,
};

pub use self::parts::{OutgoingPart, SentPart, parts, sent_parts};
use crate::{
    Conn, Db, StoreError, Tx,
    leases::{
        ClaimWindow,
        sql::{FREED, fenced, free, freed, open, renew, skip_locked, take},
    },
    places::channels::platform_list,
};

/// An outbound message that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Outgoing {
    /// Its id.
    pub id: MessageId,
    /// Where it goes.
    pub channel_id: ChannelId,
    /// The channel's platform.
    pub platform: String,
    /// The run that said it.
    pub run_id: Option<RunId>,
    /// Where it goes, in the platform's terms.
    pub address: JsonText<Address>,
    /// How many attempts failed.
    pub attempts: i64,
    /// How often the process that held it died.
    pub deaths: i64,
    /// How it stood to isolation at the last death.
    pub isolation: Option<Mark>,
    /// Since when it is late: it fails by itself, and what follows it in its chat goes out past it.
    pub late_since: Option<Timestamp>,
    /// The message that it changes, in place of being one of its own.
    pub edits: Option<MessageId>,
    /// Further metadata, of one that was read from its row.
    pub metadata: Option<JsonText<serde_json::Value>>,
}

/// The metadata of a message that stands in place of what could not be sent.
pub fn notice() -> serde_json::Value {
    serde_json::json!({ NOTICE: true })
}

const NOTICE: &str = "notice";

impl Outgoing {
    /// It stands in place of what could not be sent: if it cannot be sent either, nothing more is said.
    pub fn is_notice(&self) -> bool {
        let metadata = self.metadata.as_ref();
        metadata.is_some_and(|metadata| metadata.0[NOTICE] == true)
    }

    /// The evidence of deaths of its holders.
    pub const fn evidence(&self) -> Evidence {
        Evidence {
            deaths: self.deaths,
            mark: self.isolation,
        }
    }
}

/// Claims messages; `$lock` is the end of the rows that it chooses.
macro_rules! claim_outbound {
    ($lock:expr) => {
        concat!(
            take!(messages),
            " WHERE id IN (SELECT id FROM messages WHERE ",
            open!(messages),
            " AND ",
            free!(messages, 3),
            " AND EXISTS (SELECT 1 FROM channels c WHERE c.id = messages.channel_id
                          AND $5 LIKE '%,' || c.platform || ',%')
              ORDER BY id LIMIT $4",
            $lock,
            ") RETURNING id, channel_id,
                 (SELECT platform FROM channels c WHERE c.id = messages.channel_id) AS platform,
                 run_id, address, attempts, deaths, isolation, late_since, edits, metadata"
        )
    };
}
const CLAIM_ON_SQLITE: &str = claim_outbound!("");
const CLAIM_ON_POSTGRES: &str = claim_outbound!(skip_locked!());

/// Claims up to `limit` free messages that this process can send, oldest first, each with its undelivered parts.
/// Messages of this worker are in its gates already, however old their lease.
pub async fn claim(
    tx: &mut Tx,
    window: ClaimWindow,
    served: &[Platform],
    limit: u32,
) -> Result<Vec<(Outgoing, Vec<OutgoingPart>)>, StoreError> {
    let sql = if tx.is_postgres() {
        CLAIM_ON_POSTGRES
    } else {
        CLAIM_ON_SQLITE
    };
    let mut claimed: Vec<Outgoing> = tx
        .fetch_all(
            sql,
            args![window.worker, window.until, window.over, limit, platform_list(served)],
        )
        .await?;
    claimed.sort_by_key(|message| message.id);
    let mut parts = parts::of_each(tx, claimed.iter().map(|message| message.id)).await?;
    let with_parts = |message: Outgoing| {
        let parts = parts.remove(&message.id).unwrap_or_default();
        (message, parts)
    };
    Ok(claimed.into_iter().map(with_parts).collect())
}

/// The messages that a worker is to send, as the rows have them.
pub async fn held(conn: &mut Conn, worker: WorkerId) -> Result<Vec<MessageId>, StoreError> {
    let rows: Vec<(MessageId,)> = conn
        .fetch_all(
            concat!("SELECT id FROM messages WHERE lease_owner = $1 AND ", open!(messages)),
            args![worker],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Releases a message of this worker: the next claim takes it.
pub async fn release(tx: &mut Tx, message: MessageId, worker: WorkerId) -> Result<(), StoreError> {
    tx.execute(
        concat!("UPDATE messages SET ", freed!(), " WHERE ", fenced!(messages, 1, 2)),
        args![message, worker],
    )
    .await?;
    Ok(())
}

/// Whether a message is still this worker's to send. A lease that will not last half of its time any more is renewed,
/// as is one that ran out if nobody has taken it: nobody else is to take it while it is being sent.
pub async fn ensure_lease(
    db: &Db,
    message: MessageId,
    worker: WorkerId,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, StoreError> {
    let row: Option<(Option<Timestamp>,)> = db
        .read()
        .await?
        .fetch_optional(
            concat!("SELECT lease_until FROM messages WHERE ", fenced!(messages, 1, 2)),
            args![message, worker],
        )
        .await?;
    match row {
        None => Ok(false),
        Some((Some(lease),)) if lease.since(now) >= until.since(now) / 2 => Ok(true),
        Some(_) => {
            let renewed = db.write(move |tx| {
                Box::pin(async move { tx.execute(renew!(messages), args![until, message, worker]).await })
            });
            Ok(renewed.await? == 1)
        }
    }
}

/// Marks a part that is about to be sent: if this process dies now, it may have arrived. Nothing, if the message is
/// another worker's by now.
pub async fn part_sending(tx: &mut Tx, message: MessageId, seq: i64, worker: WorkerId) -> Result<(), StoreError> {
    tx.defer(
        format!(
            "UPDATE message_parts SET status = 'sending' WHERE message_id = $1 AND seq = $2 AND status = 'pending'
             AND EXISTS (SELECT 1 FROM messages WHERE id = $1 AND {IS_OURS})"
        ),
        args![message, seq, worker],
    )
    .await?;
    tx.defer(
        format!("UPDATE messages SET status = $2 WHERE id = $1 AND status = 'pending' AND {IS_OURS}"),
        args![message, MessageStatus::Sending, worker],
    )
    .await?;
    Ok(())
}

/// Marks a part that was about to be sent as not sent, if its message is this worker's: it cannot have arrived.
pub async fn part_unsent(tx: &mut Tx, message: MessageId, worker: WorkerId, seq: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE message_parts SET status = 'pending' WHERE message_id = $1 AND seq = $2 AND status = 'sending'
         AND EXISTS (SELECT 1 FROM messages WHERE id = $1 AND lease_owner = $3)",
        args![message, seq, worker],
    )
    .await?;
    Ok(())
}

/// The body of a file part after delivery or failure: the content may be the last copy of a person's data.
pub(crate) const SENT_FILE: &str = r#"{"type":"file","name":"","content":"","caption":""}"#;
/// Whether a message is still to be sent, and by no other worker than `$3`: one that was stopped in the middle of a call
/// says nothing of what another has sent meanwhile.
const IS_OURS: &str = "status IN ('pending', 'sending') AND (lease_owner IS NULL OR lease_owner = $3)";
/// Whether a part of it was refused or given up.
const IS_CUT: &str =
    "EXISTS (SELECT 1 FROM message_parts cut WHERE cut.message_id = messages.id AND cut.status = 'failed')";
/// Whether a part is one, by how it is written.
const IS_FILE: &str = r#"substr(body, 1, 14) = '{"type":"file"'"#;

/// Whether a message is still to be sent, and by no other worker than this one.
pub async fn is_of(conn: &mut Conn, message: MessageId, worker: WorkerId) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM messages WHERE id = $1
               AND status IN ('pending', 'sending') AND (lease_owner IS NULL OR lease_owner = $2)";
    conn.exists(sql, args![message, worker]).await
}

/// A part that a worker has delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered<'a> {
    /// The message.
    pub message: MessageId,
    /// The part's place.
    pub seq: i64,
    /// Whether no other follows.
    pub is_last: bool,
    /// Its id on the platform, if that told one.
    pub platform_id: Option<&'a str>,
    /// The worker that delivered it.
    pub worker: WorkerId,
}

/// Marks a part as delivered, and the next one as being sent. The last part's delivery is the message's, unless another
/// was refused. A file's content goes. Nothing, if the message is another worker's by now.
pub async fn part_delivered(tx: &mut Tx, part: Delivered<'_>, now: Timestamp) -> Result<(), StoreError> {
    let Delivered {
        message, seq, worker, ..
    } = part;
    tx.defer(
        format!(
            "UPDATE message_parts SET status = 'delivered', platform_message_id = $1, delivered_at = $2,
                 body = CASE WHEN {IS_FILE} THEN '{SENT_FILE}' ELSE body END
             WHERE message_id = $4 AND seq = $5 AND EXISTS (SELECT 1 FROM messages WHERE id = $4 AND {IS_OURS})"
        ),
        args![part.platform_id, now, worker, message, seq],
    )
    .await?;
    if part.is_last {
        tx.defer(
            format!(
                "UPDATE messages SET status = CASE WHEN {IS_CUT} THEN 'failed' ELSE 'delivered' END,
                     platform_message_id = $1, {FREED},
                     error = CASE WHEN {IS_CUT} THEN error END, sent_at = $2, deaths = 0, isolation = NULL
                 WHERE id = $4 AND {IS_OURS}"
            ),
            args![part.platform_id, now, worker, message],
        )
        .await?;
        return Ok(());
    }
    part_sending(tx, message, seq + 1, worker).await
}

/// A part that a worker has given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// The message.
    pub message: MessageId,
    /// The part's place.
    pub seq: i64,
    /// The place of the part that is sent next: what stands between them is given up as well.
    pub next: i64,
    /// Why.
    pub reason: &'a str,
    /// The worker that gave it up.
    pub worker: WorkerId,
}

/// Marks a part as failed, and the one to be sent next as being sent. `false`: the message is another worker's by now.
pub async fn part_refused(tx: &mut Tx, part: Refused<'_>) -> Result<bool, StoreError> {
    let noted = tx
        .execute(
            format!("UPDATE messages SET error = {} WHERE id = $2 AND {IS_OURS}", reasons()),
            args![part.reason, part.message, part.worker],
        )
        .await?;
    if noted == 0 {
        return Ok(false);
    }
    tx.execute(
        format!(
            "UPDATE message_parts SET status = 'failed', body = CASE WHEN {IS_FILE} THEN '{SENT_FILE}' ELSE body END
             WHERE message_id = $1 AND seq >= $2 AND seq < $3 AND status IN ('pending', 'sending')"
        ),
        args![part.message, part.seq, part.next],
    )
    .await?;
    part_sending(tx, part.message, part.next, part.worker).await?;
    Ok(true)
}

/// The reason `$1`, behind those of the parts that were refused before.
fn reasons() -> String {
    format!("CASE WHEN {IS_CUT} THEN COALESCE(error || '; ', '') || $1 ELSE $1 END")
}

/// The reason `$1`, unless parts were refused before: theirs is that of the message's end.
fn passing_reason() -> String {
    format!("CASE WHEN {IS_CUT} THEN error ELSE $1 END")
}

/// Records that an attempt failed.
pub async fn attempt_failed(tx: &mut Tx, message: MessageId, worker: WorkerId, reason: &str) -> Result<(), StoreError> {
    tx.execute(
        format!(
            "UPDATE messages SET attempts = attempts + 1, error = {} WHERE id = $2 AND {IS_OURS}",
            passing_reason()
        ),
        args![reason, message, worker],
    )
    .await?;
    Ok(())
}

/// Sets a message aside: what follows it in its chat no longer waits for it.
pub async fn set_aside(
    tx: &mut Tx,
    message: MessageId,
    worker: WorkerId,
    reason: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        format!(
            "UPDATE messages SET late_since = COALESCE(late_since, $4), error = {} WHERE id = $2 AND {IS_OURS}",
            passing_reason()
        ),
        args![reason, message, worker, now],
    )
    .await?;
    Ok(())
}

/// Gives up what is left of a message: the platform will not take it. Returns whether it was this worker's to give up.
pub async fn fail(tx: &mut Tx, message: MessageId, worker: WorkerId, reason: &str) -> Result<bool, StoreError> {
    let failed = tx
        .execute(
            format!(
                "UPDATE messages SET status = 'failed', error = {}, {FREED} WHERE id = $2 AND {IS_OURS}",
                reasons()
            ),
            args![reason, message, worker],
        )
        .await?;
    if failed == 0 {
        return Ok(false);
    }
    give_up_parts(tx, &message.to_string()).await?;
    Ok(true)
}

/// Gives up the parts of a message that were not delivered.
pub(crate) async fn give_up_parts(tx: &mut Tx, message: &str) -> Result<(), StoreError> {
    tx.execute(
        format!(
            "UPDATE message_parts SET status = 'failed', body = CASE WHEN {IS_FILE} THEN '{SENT_FILE}' ELSE body END
             WHERE message_id = $1 AND status IN ('pending', 'sending')"
        ),
        args![message],
    )
    .await?;
    Ok(())
}

/// Writes how a message stands to isolation.
pub async fn mark(tx: &mut Tx, message: MessageId, worker: WorkerId, mark: Mark) -> Result<(), StoreError> {
    tx.execute(
        format!("UPDATE messages SET isolation = $1 WHERE id = $2 AND {IS_OURS}"),
        args![mark, message, worker],
    )
    .await?;
    Ok(())
}

/// Quarantines a message. Its undelivered parts stay pending, to be sent another time. `false`: it is another worker's
/// by now.
pub async fn quarantine(
    tx: &mut Tx,
    message: MessageId,
    worker: WorkerId,
    reason: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let set_aside = tx
        .execute(
            format!(
                "UPDATE messages SET status = 'failed', error = {}, quarantined_at = $4, {FREED}
                 WHERE id = $2 AND {IS_OURS}",
                reasons()
            ),
            args![reason, message, worker, now],
        )
        .await?;
    if set_aside > 0 {
        tx.execute(
            "UPDATE message_parts SET status = 'pending' WHERE message_id = $1 AND status = 'sending'",
            args![message],
        )
        .await?;
    }
    Ok(set_aside > 0)
}

/// The chat has a new address: what waits for it goes there.
pub async fn readdress(tx: &mut Tx, message: MessageId, worker: WorkerId, address: &Address) -> Result<(), StoreError> {
    tx.execute(
        format!("UPDATE messages SET address = $1 WHERE id = $2 AND {IS_OURS}"),
        args![clifford_core::json_text::to_json(address), message, worker],
    )
    .await?;
    Ok(())
}

/// Whether a channel has an undelivered message that is older than this one, and not set aside: order is kept across
/// processes.
pub async fn has_older(conn: &mut Conn, channel: ChannelId, message: MessageId) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM messages WHERE channel_id = $1 AND id < $2 AND direction = 'outbound'
         AND status IN ('pending', 'sending') AND late_since IS NULL LIMIT 1",
        args![channel, message],
    )
    .await
}

/// Why messages of a run could not be delivered, oldest first.
pub async fn failures_of(conn: &mut Conn, run: RunId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(Option<String>,)> = conn
        .fetch_all(
            "SELECT error FROM messages WHERE run_id = $1 AND direction = 'outbound' AND status = 'failed' ORDER BY id",
            args![run],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0.unwrap_or_default()).collect())
}
