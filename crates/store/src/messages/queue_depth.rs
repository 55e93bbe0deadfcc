//! Queue depths: how much work waits, and since when. Monitoring reads them often, so each is a look at an index.

use clifford_core::{clock::Timestamp, value::args};

use crate::{Conn, StoreError, leases::sql::open};

/// The work that waits in one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// How much.
    pub count: i64,
    /// Since when the oldest of it waits.
    pub since: Option<Timestamp>,
}

/// Everything that waits to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepths {
    /// Runs that may begin and have not.
    pub runs: QueueDepth,
    /// Jobs that nobody works on.
    pub jobs: QueueDepth,
    /// Messages that were not delivered.
    pub outbox: QueueDepth,
    /// Triggers that are due, but for those of sleeping runs.
    pub triggers: QueueDepth,
    /// Runs that wait for a person's word. They count as no work of the bot's.
    pub approvals: i64,
}

/// The depth of every queue now.
pub async fn all(conn: &mut Conn, now: Timestamp) -> Result<QueueDepths, StoreError> {
    let runs = "SELECT COUNT(*), MIN(CASE WHEN wake_at > updated_at THEN wake_at ELSE updated_at END) FROM runs
        WHERE status = 'pending' AND (wake_at IS NULL OR wake_at <= $1)";
    let jobs = "SELECT COUNT(*), MIN(due_at) FROM jobs
        WHERE status = 'pending' AND due_at <= $1 AND (lease_until IS NULL OR lease_until < $1)";
    let triggers = "SELECT COUNT(*), MIN(next_at) FROM triggers
        WHERE kind <> 'wake' AND quarantined_at IS NULL AND next_at IS NOT NULL AND next_at <= $1";
    let (count, since) = undelivered(conn).await?;
    let asking: (i64,) = conn
        .fetch_one(
            "SELECT COUNT(*) FROM runs WHERE wake_reason = 'tool_confirm' AND status = 'waiting'",
            args![],
        )
        .await?;
    Ok(QueueDepths {
        runs: measure(conn, runs, now).await?,
        jobs: measure(conn, jobs, now).await?,
        outbox: QueueDepth { count, since },
        triggers: measure(conn, triggers, now).await?,
        approvals: asking.0,
    })
}

async fn measure(conn: &mut Conn, sql: &str, now: Timestamp) -> Result<QueueDepth, StoreError> {
    let (count, since): (i64, Option<i64>) = conn.fetch_one(sql, args![now]).await?;
    Ok(QueueDepth {
        count,
        since: since.map(Timestamp),
    })
}

/// How many messages wait, and since when the oldest does.
pub async fn undelivered(conn: &mut Conn) -> Result<(i64, Option<Timestamp>), StoreError> {
    let row: (i64, Option<i64>) = conn
        .fetch_one(
            concat!("SELECT COUNT(*), MIN(created_at) FROM messages WHERE ", open!(messages)),
            args![],
        )
        .await?;
    Ok((row.0, row.1.map(Timestamp)))
}
