//! The `runs` table as a queue: claims by lease, heartbeats, wakes.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, RunId, WorkerId},
    quarantine::{Evidence, Mark},
    row::FromRow,
    value::args,
};

use crate::{
    Conn, StoreError, Tx, contexts,
    db::notify,
    leases::{
        ClaimWindow,
        sql::{RELEASE_OTHERS, RELEASE_RUNS, RENEW_ALL, counted, fenced, free, freed, open, skip_locked, take},
    },
    messages::quoting,
    places::channels::platform_list,
    runs::Lease,
};

#[derive(FromRow)]
struct Held {
    id: RunId,
    epoch: i64,
}

#[derive(FromRow)]
struct ClaimedRow {
    id: RunId,
    epoch: i64,
    deaths: i64,
    isolation: Option<Mark>,
    quarantined_at: Option<Timestamp>,
}

/// Claims pending runs; `$lock` is the end of the rows that it chooses.
macro_rules! claim_pending {
    ($lock:expr) => {
        concat!(
            take!(runs),
            ", status = 'running', updated_at = $3 ",
            "WHERE id IN (
    SELECT id FROM runs
    WHERE status = 'pending' AND ",
            free!(runs, 7, ""),
            " AND (wake_at IS NULL OR wake_at <= $3)
      AND (channel_id IS NULL OR EXISTS (
          SELECT 1 FROM channels c WHERE c.id = runs.channel_id AND $5 LIKE '%,' || c.platform || ',%'))
      AND (kind = 'coordinator' OR id IN (
          SELECT id FROM (
              SELECT p.id, ROW_NUMBER() OVER (PARTITION BY p.root_run_id ORDER BY p.id) AS place,
                     (SELECT COUNT(*) FROM runs w
                      WHERE w.root_run_id = p.root_run_id AND w.parent_run_id IS NOT NULL AND w.status = 'running') AS at_work
              FROM runs p
              WHERE p.status = 'pending' AND p.parent_run_id IS NOT NULL
                AND ",
            free!(runs, 7, "p."),
            " AND (p.wake_at IS NULL OR p.wake_at <= $3)) line
          WHERE place + at_work <= $6))
    ORDER BY id LIMIT $4",
            $lock,
            ")
RETURNING id, epoch, deaths, isolation, quarantined_at"
        )
    };
}
const CLAIM_ON_SQLITE: &str = claim_pending!("");
const CLAIM_ON_POSTGRES: &str = claim_pending!(skip_locked!());
/// Makes the runs pending whose worker is gone.
const RECLAIM: &str = concat!(
    "UPDATE runs SET status = 'pending', ",
    freed!(),
    ", ",
    counted!(runs),
    " WHERE status = 'running' AND lease_until < $1 AND (lease_owner <> $2 OR lease_until = 0)"
);

/// A run that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The right to write for it.
    pub lease: Lease,
    /// The deaths of the processes that held it before.
    pub evidence: Evidence,
    /// It was set aside, and is to be ended.
    pub is_set_aside: bool,
}

/// Claims up to `limit` runs that are due or whose worker is gone, oldest first; only those of no channel or of a
/// platform that this process can send to. Of the subagents of one tree no more than `tree` are at work at the same
/// time, over all workers.
pub async fn claim(
    tx: &mut Tx,
    window: ClaimWindow,
    served: &[Platform],
    limit: u32,
    tree: u32,
) -> Result<Vec<Claimed>, StoreError> {
    let worker = window.worker;
    // A worker that is gone leaves its runs `running`: they become `pending` first, then are claimed like others. A run
    // in flight in this worker is not up for a claim, however old its lease, unless the worker released it: its machine
    // slept, or its clock was set forward. A lease that was not released belonged to a process that died.
    tx.execute(RECLAIM, args![window.over, worker]).await?;
    let sql = if tx.is_postgres() {
        CLAIM_ON_POSTGRES
    } else {
        CLAIM_ON_SQLITE
    };
    let claimed: Vec<ClaimedRow> = tx
        .fetch_all(
            sql,
            args![
                worker,
                window.until,
                window.now,
                limit,
                platform_list(served),
                tree,
                window.over
            ],
        )
        .await?;
    Ok(claimed
        .into_iter()
        .map(|row| Claimed {
            lease: Lease {
                run: row.id,
                owner: worker,
                epoch: row.epoch,
            },
            evidence: Evidence {
                deaths: row.deaths,
                mark: row.isolation,
            },
            is_set_aside: row.quarantined_at.is_some(),
        })
        .collect())
}

/// Renews every lease of a worker on runs and on messages to be sent, but for those that it gave back.
pub async fn heartbeat(tx: &mut Tx, worker: WorkerId, until: Timestamp) -> Result<(), StoreError> {
    for sql in RENEW_ALL {
        tx.execute(sql, args![until, worker]).await?;
    }
    Ok(())
}

/// The claims of a worker, as the rows have them.
pub async fn held(conn: &mut Conn, worker: WorkerId) -> Result<Vec<Lease>, StoreError> {
    let rows: Vec<Held> = conn
        .fetch_all(
            concat!("SELECT id, epoch FROM runs WHERE lease_owner = $1 AND ", open!(runs)),
            args![worker],
        )
        .await?;
    let lease = |row: Held| Lease {
        run: row.id,
        owner: worker,
        epoch: row.epoch,
    };
    Ok(rows.into_iter().map(lease).collect())
}

/// Releases one claim, if it is still this one: the next claim takes the run.
pub async fn release(tx: &mut Tx, lease: &Lease) -> Result<(), StoreError> {
    tx.execute(
        concat!("UPDATE runs SET lease_until = 0 WHERE ", fenced!(runs, 1, 2, 3)),
        args![lease.run, lease.owner, lease.epoch],
    )
    .await?;
    Ok(())
}

/// Writes how a claimed run stands to isolation. `false`: it is not this claim's any more.
pub async fn mark(tx: &mut Tx, lease: &Lease, mark: Mark) -> Result<bool, StoreError> {
    let marked = tx
        .execute(
            concat!("UPDATE runs SET isolation = $1 WHERE ", fenced!(runs, 2, 3, 4)),
            args![mark, lease.run, lease.owner, lease.epoch],
        )
        .await?;
    Ok(marked > 0)
}

/// Writes that a claimed run is set aside, which takes the quotes of what people wrote for it along; it is to be ended
/// next. `false`: it is not this claim's any more.
pub async fn quarantine(tx: &mut Tx, lease: &Lease, now: Timestamp) -> Result<bool, StoreError> {
    let context: Option<(Option<ContextId>,)> = tx
        .fetch_optional("SELECT context_id FROM runs WHERE id = $1", args![lease.run])
        .await?;
    if let Some((Some(context),)) = context {
        // Before its run, as everywhere: an answer there meanwhile waits for this lock.
        contexts::lock(tx, context).await?;
    }
    let marked = tx
        .execute(
            concat!(
                "UPDATE runs SET quarantined_at = COALESCE(quarantined_at, $1) WHERE ",
                fenced!(runs, 2, 3, 4)
            ),
            args![now, lease.run, lease.owner, lease.epoch],
        )
        .await?;
    if marked > 0 {
        quoting::remove_of_run(tx, lease.run).await?;
    }
    Ok(marked > 0)
}

/// A run that was set aside is tried again, as another one.
pub async fn retried(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute("UPDATE runs SET quarantined_at = NULL WHERE id = $1", args![run])
        .await?;
    Ok(())
}

/// Ends a claimed run as failed, whatever its row holds otherwise.
///
/// # Errors
/// [`StoreError::LeaseLost`]: it is not this claim's any more.
pub async fn fail(tx: &mut Tx, lease: &Lease, error: &str, now: Timestamp) -> Result<(), StoreError> {
    let failed = tx
        .execute(
            concat!(
                "UPDATE runs SET status = 'failed', error = $1, updated_at = $2, ended_at = $2, wake_at = NULL, ",
                freed!(),
                " WHERE ",
                fenced!(runs, 3, 4, 5)
            ),
            args![error, now, lease.run, lease.owner, lease.epoch],
        )
        .await?;
    match failed {
        0 => Err(StoreError::LeaseLost(lease.run)),
        _ => Ok(()),
    }
}

/// The conversation of a coordinator run, and the agent that does it.
pub async fn place(conn: &mut Conn, run: RunId) -> Result<Option<(ContextId, AgentId)>, StoreError> {
    let sql = "SELECT context_id, agent_id FROM runs
               WHERE id = $1 AND context_id IS NOT NULL AND kind = 'coordinator'";
    conn.fetch_optional(sql, args![run]).await
}

/// Gives back everything that workers which are surely gone had in flight: where one process has the database
/// to itself (SQLite), that is everything; else what `worker` had.
pub async fn release_all(tx: &mut Tx, worker: Option<WorkerId>) -> Result<(), StoreError> {
    release_runs(tx, worker).await?;
    for sql in RELEASE_OTHERS {
        tx.execute(sql, args![worker]).await?;
    }
    Ok(())
}

/// The same for runs alone; other processes hear of it.
pub async fn release_runs(tx: &mut Tx, worker: Option<WorkerId>) -> Result<(), StoreError> {
    tx.execute(RELEASE_RUNS, args![worker]).await?;
    notify::work(tx).await
}

/// A run that waits for its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Sleeper {
    /// The run.
    pub id: RunId,
    /// Its time.
    pub wake_at: Timestamp,
}

/// The waiting runs whose time has come, the longest waiting first; a page of them, behind the last one of the page before.
pub async fn due(
    conn: &mut Conn,
    now: Timestamp,
    after: Option<Sleeper>,
    limit: u32,
) -> Result<Vec<Sleeper>, StoreError> {
    let (at, id) = after.map(|last| (last.wake_at, last.id)).unzip();
    conn.fetch_all(
        "SELECT id, wake_at FROM runs WHERE status = 'waiting' AND wake_at <= $1
         AND ($2 IS NULL OR wake_at > $2 OR (wake_at = $2 AND id > $3)) ORDER BY wake_at, id LIMIT $4",
        args![now, at, id, limit],
    )
    .await
}

/// When the next lease of another worker on a run or a message ends, if that is not renewed.
pub async fn next_lease_end(
    conn: &mut Conn,
    worker: WorkerId,
    after: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let row: (Option<i64>,) = conn
        .fetch_one(
            "SELECT MIN(lease_until) FROM (
                 SELECT MIN(lease_until) AS lease_until FROM runs
                 WHERE status IN ('pending', 'running') AND lease_until > $1 AND lease_owner <> $2
                 UNION ALL
                 SELECT MIN(lease_until) FROM messages
                 WHERE direction = 'outbound' AND status IN ('pending', 'sending') AND lease_until > $1
                   AND lease_owner <> $2) held",
            args![after, worker],
        )
        .await?;
    Ok(row.0.map(Timestamp))
}

/// When the next waiting run wakes, or the next pending one may begin.
pub async fn next_wake(conn: &mut Conn, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let row: (Option<i64>,) = conn
        .fetch_one(
            "SELECT MIN(wake_at) FROM runs WHERE status IN ('waiting', 'pending') AND wake_at > $1",
            args![after],
        )
        .await?;
    Ok(row.0.map(Timestamp))
}
