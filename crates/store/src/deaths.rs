//! Deaths of processes, counted on the work that they held, and the work that was set aside for them.

use clifford_core::{clock::Timestamp, id::RunId, row::FromRow, value::args, work::Kind};
use serde::Serialize;

use super::{Conn, StoreError, Tx};
use crate::{
    leases::sql::COUNT_ALL,
    messages::outbox::{self, SENT_FILE},
};

/// Counts a death on every held row, where this process alone has the database: its former holders are dead. Returns
/// how many rows that were.
pub async fn count_all(tx: &mut Tx) -> Result<u64, StoreError> {
    let mut counted = 0;
    for sql in COUNT_ALL {
        counted += tx.execute(sql, args![]).await?;
    }
    Ok(counted)
}

/// Something that was set aside.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quarantined {
    /// The kind of work.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// When it was set aside.
    #[schema(value_type = String)]
    pub quarantined_at: Timestamp,
    /// A hint: the beginning of a run's question, a job's kind, a trigger's, a platform, a file's type.
    pub about: Option<String>,
    /// Its outcome, in words, where it was written down.
    pub error: Option<String>,
    /// The run that it is, or that it is of.
    #[schema(value_type = Option<String>)]
    pub run_id: Option<RunId>,
}

/// Everything that is set aside, as one list.
const ALL: &str = "SELECT 'run' AS kind, id, quarantined_at, SUBSTR(input_text, 1, 160) AS about, error, id AS run_id FROM runs
        WHERE quarantined_at IS NOT NULL
    UNION ALL SELECT 'job', id, quarantined_at, kind, error, NULL FROM jobs WHERE quarantined_at IS NOT NULL
    UNION ALL SELECT 'message', id, quarantined_at, status, error, run_id FROM messages WHERE quarantined_at IS NOT NULL
    UNION ALL SELECT 'trigger', id, quarantined_at, kind, last_error, NULL FROM triggers WHERE quarantined_at IS NOT NULL
    UNION ALL SELECT 'event', id, quarantined_at, platform, NULL, NULL FROM inbound_attempts
        WHERE quarantined_at IS NOT NULL
    UNION ALL SELECT 'file', id, quarantined_at, media_type, NULL, NULL FROM files WHERE quarantined_at IS NOT NULL";

/// The quarantined work, the newest first.
pub async fn quarantined(conn: &mut Conn, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
    let sql = format!("SELECT * FROM ({ALL}) q ORDER BY quarantined_at DESC, id DESC LIMIT $1");
    conn.fetch_all(sql, args![limit]).await
}

/// How much of each kind is set aside.
pub async fn count_quarantined(conn: &mut Conn) -> Result<Vec<(Kind, i64)>, StoreError> {
    let sql = format!("SELECT kind, COUNT(*) FROM ({ALL}) q GROUP BY kind ORDER BY kind");
    conn.fetch_all(sql, args![]).await
}

/// One thing that is set aside.
pub async fn find(conn: &mut Conn, id: &str) -> Result<Option<Quarantined>, StoreError> {
    conn.fetch_optional(format!("SELECT * FROM ({ALL}) q WHERE id = $1"), args![id])
        .await
}

/// The quarantined work whose id begins with `beginning`, the newest first.
pub async fn beginning_with(conn: &mut Conn, beginning: &str, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
    let sql = format!(
        "SELECT * FROM ({ALL}) q WHERE substr(id, 1, length(CAST($1 AS TEXT))) = $1 ORDER BY quarantined_at DESC, id DESC LIMIT $2"
    );
    conn.fetch_all(sql, args![beginning, limit]).await
}

/// Takes work off the quarantine list: it stays failed. The messages of a run count as deleted from then on. `false`:
/// work of this kind cannot be forgotten.
pub async fn forget(tx: &mut Tx, kind: Kind, id: &str, now: Timestamp) -> Result<bool, StoreError> {
    let table = match kind {
        Kind::Run => "runs",
        Kind::Job => "jobs",
        Kind::Message => "messages",
        Kind::Trigger | Kind::Event | Kind::File => return Ok(false),
    };
    if kind == Kind::Run {
        tx.execute(
            "UPDATE messages SET deleted_at = $1 WHERE run_id = $2 AND direction = 'inbound' AND deleted_at IS NULL
             AND run_id IN (SELECT id FROM runs WHERE quarantined_at IS NOT NULL)",
            args![now, id],
        )
        .await?;
    }
    if kind == Kind::Message {
        outbox::give_up_parts(tx, id).await?;
    }
    tx.execute(
        format!("UPDATE {table} SET quarantined_at = NULL WHERE id = $1"),
        args![id],
    )
    .await?;
    Ok(true)
}

/// Lets something be tried again that was set aside, as if no process had died of it. A run is tried again as another
/// one, see [`crate::runs::queue::retried`].
pub async fn release(tx: &mut Tx, kind: Kind, id: &str, now: Timestamp) -> Result<(), StoreError> {
    let sql = match kind {
        Kind::Run => "UPDATE runs SET quarantined_at = NULL, updated_at = $2 WHERE id = $1",
        Kind::Job => {
            "UPDATE jobs SET status = 'pending', attempts = 0, due_at = $2, ended_at = NULL, error = NULL, deaths = 0,
                 isolation = NULL, quarantined_at = NULL, updated_at = $2
             WHERE id = $1 AND quarantined_at IS NOT NULL"
        }
        Kind::Message => return release_message(tx, id).await,
        Kind::Trigger => {
            "UPDATE triggers SET deaths = 0, quarantined_at = NULL, last_error = NULL, updated_at = $2 WHERE id = $1"
        }
        Kind::Event => "DELETE FROM inbound_attempts WHERE id = $1 AND $2 > 0",
        Kind::File => "UPDATE files SET deaths = 0, quarantined_at = NULL WHERE id = $1 AND $2 > 0",
    };
    tx.execute(sql, args![id, now]).await?;
    Ok(())
}

/// Makes the parts of a message pending again that were pending when it was quarantined. Parts given up before stay
/// failed, and so do their reasons, which stand in front of the quarantine's.
async fn release_message(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    let row: Option<(Option<String>,)> = tx
        .fetch_optional(
            "SELECT error FROM messages WHERE id = $1 AND quarantined_at IS NOT NULL",
            args![id],
        )
        .await?;
    let Some((error,)) = row else { return Ok(()) };
    let before = error.as_deref().and_then(|error| error.rsplit_once("; quarantined: "));
    // Older versions failed the parts of what they quarantined.
    tx.execute(
        format!(
            "UPDATE message_parts SET status = 'pending'
             WHERE message_id = $1 AND status = 'failed' AND body <> '{SENT_FILE}'
               AND NOT EXISTS (SELECT 1 FROM message_parts p WHERE p.message_id = $1 AND p.status = 'pending')"
        ),
        args![id],
    )
    .await?;
    // The message keeps its age; it is only not failed any more.
    tx.execute(
        "UPDATE messages SET status = 'pending', error = $2, deaths = 0, isolation = NULL, quarantined_at = NULL
         WHERE id = $1",
        args![id, before.map(|(before, _)| before.to_owned())],
    )
    .await?;
    Ok(())
}
