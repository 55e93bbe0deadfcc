//! Jobs: durable work that belongs to no run, claimed by lease as runs are.
//!
//! A newer version may make jobs of kinds that this one does not know. Nothing here selects them: they wait for a
//! process that knows them.

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, JobId, MessageId, UserId, WorkerId},
    json_text::JsonText,
    quarantine::{Evidence, Mark},
    row::FromRow,
    value::args,
    work::{JobKind, JobStatus, WriteMode},
};
use serde::Serialize;
use serde_json::Value as Json;

use super::{
    Conn, StoreError, Tx,
    leases::{
        ClaimWindow,
        sql::{fenced, free, freed, open, renew, skip_locked, take},
    },
};

/// A job.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its id.
    #[schema(value_type = String)]
    pub id: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// The mode of a memory write.
    pub mode: Option<WriteMode>,
    /// The conversation that it is about.
    #[schema(value_type = Option<String>)]
    pub context_id: Option<ContextId>,
    /// The person whom it is about.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The last message that a memory write reads; for a compaction, the last that leaves the conversation.
    #[schema(value_type = Option<String>)]
    pub through: Option<MessageId>,
    /// Where it stands.
    pub status: JobStatus,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried (again).
    #[schema(value_type = String)]
    pub due_at: Timestamp,
    /// How often it was claimed: what a worker writes carries it.
    #[serde(skip)]
    #[schema(ignore)]
    pub epoch: i64,
    /// Its progress.
    #[schema(value_type = Option<Object>)]
    pub result: Option<JsonText<Json>>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>)]
    pub ended_at: Option<Timestamp>,
    /// When it was set aside, because processes died of it.
    #[schema(value_type = Option<String>)]
    pub quarantined_at: Option<Timestamp>,
    /// How often the process that held it died.
    #[serde(skip)]
    #[schema(ignore)]
    pub deaths: i64,
    /// How it stood to isolation at the last death.
    #[serde(skip)]
    #[schema(ignore)]
    pub isolation: Option<Mark>,
}

impl Job {
    /// The evidence of deaths of its holders.
    pub const fn evidence(&self) -> Evidence {
        Evidence {
            deaths: self.deaths,
            mark: self.isolation,
        }
    }

    /// The right that `owner` has by the claim that returned this row.
    const fn lease(&self, owner: WorkerId) -> JobLease {
        JobLease {
            job: self.id,
            owner,
            epoch: self.epoch,
        }
    }
}

macro_rules! columns {
    () => {
        "id, kind, mode, context_id, user_id, through, status, attempts, due_at, epoch, result, error, created_at, \
         ended_at, quarantined_at, deaths, isolation"
    };
}
const COLUMNS: &str = columns!();

/// A condition: the row is of a kind that this version knows. The kinds are those of [`JobKind`].
macro_rules! known {
    () => {
        "kind IN ('memory_write', 'erase')"
    };
}
const KNOWN: &str = known!();

/// Claims the job that the condition is of.
macro_rules! claim {
    ($($condition:expr),+) => {
        concat!(
            take!(jobs),
            ", attempts = attempts + 1, updated_at = $3 WHERE ",
            $($condition,)+
            " RETURNING ",
            columns!()
        )
    };
}
/// Claims the next job that is due; `$lock` is the end of the rows that it chooses.
macro_rules! claim_next {
    ($lock:expr) => {
        claim!(
            "id = (SELECT id FROM jobs WHERE due_at <= $3 AND kind = $5 AND ",
            open!(jobs),
            " AND ",
            free!(jobs, 4),
            " AND NOT EXISTS (SELECT 1 FROM jobs earlier WHERE earlier.context_id = jobs.context_id
                              AND earlier.status = 'pending' AND earlier.id < jobs.id)
              ORDER BY due_at, id LIMIT 1",
            $lock,
            ")"
        )
    };
}
const CLAIM_ON_SQLITE: &str = claim_next!("");
const CLAIM_ON_POSTGRES: &str = claim_next!(skip_locked!());
const CLAIM_ONE: &str = claim!("id = $5 AND ", open!(jobs), " AND ", known!(), " AND ", free!(jobs, 4));

/// A job to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewJob {
    /// The kind of job.
    pub kind: JobKind,
    /// The mode of a memory write.
    pub mode: Option<WriteMode>,
    /// The conversation that it is about.
    pub context_id: Option<ContextId>,
    /// The person whom it is about.
    pub user_id: Option<UserId>,
    /// The last message that a memory write reads; for a compaction, the last that leaves the conversation.
    pub through: Option<MessageId>,
    /// When it may begin.
    pub due_at: Timestamp,
}

/// The right to write for a job: what a claim gives. Every write checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLease {
    /// The job.
    pub job: JobId,
    /// The worker.
    pub owner: WorkerId,
    /// The claim.
    pub epoch: i64,
}

/// Makes a job. `None`: the conversation is being compacted already.
pub async fn insert(tx: &mut Tx, job: NewJob, now: Timestamp) -> Result<Option<JobId>, StoreError> {
    let id = JobId::new();
    let made = tx
        .execute(
            "INSERT INTO jobs (id, kind, mode, context_id, user_id, through, status, attempts, due_at, epoch,
                 created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, 'pending', 0, $7, 0, $8, $8) ON CONFLICT DO NOTHING",
            args![
                id,
                job.kind,
                job.mode,
                job.context_id,
                job.user_id,
                job.through,
                job.due_at,
                now
            ],
        )
        .await?;
    Ok((made == 1).then_some(id))
}

/// One job.
pub async fn get(conn: &mut Conn, id: JobId) -> Result<Option<Job>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = $1 AND {KNOWN}");
    conn.fetch_optional(sql, args![id]).await
}

/// Claims the oldest job of a kind whose time has come and that nobody holds. Those of one conversation are done in order.
pub async fn claim(tx: &mut Tx, kind: JobKind, window: ClaimWindow) -> Result<Option<(Job, JobLease)>, StoreError> {
    let sql = if tx.is_postgres() {
        CLAIM_ON_POSTGRES
    } else {
        CLAIM_ON_SQLITE
    };
    let job: Option<Job> = tx
        .fetch_optional(sql, args![window.worker, window.until, window.now, window.over, kind])
        .await?;
    Ok(job.map(|job| {
        let lease = job.lease(window.worker);
        (job, lease)
    }))
}

/// Holds a job for longer. `false`: it is somebody else's, or ended.
pub async fn renew(tx: &mut Tx, lease: &JobLease, until: Timestamp) -> Result<bool, StoreError> {
    let renewed = tx
        .execute(renew!(jobs), args![until, lease.job, lease.owner, lease.epoch])
        .await?;
    Ok(renewed > 0)
}

/// Checks, and locks until the transaction ends, that a job is still this worker's.
///
/// # Errors
/// [`StoreError::NotFound`]: it is somebody else's, or ended.
pub async fn hold(tx: &mut Tx, lease: &JobLease, now: Timestamp) -> Result<(), StoreError> {
    let held = tx
        .exists(
            concat!(
                "UPDATE jobs SET updated_at = $1 WHERE ",
                fenced!(jobs, 2, 3, 4),
                " RETURNING epoch"
            ),
            args![now, lease.job, lease.owner, lease.epoch],
        )
        .await?;
    if held {
        Ok(())
    } else {
        Err(StoreError::NotFound(format!("claim of job {} any more", lease.job)))
    }
}

/// Keeps what came so far of a job that [`hold`] has locked and that goes on.
pub async fn save_progress(tx: &mut Tx, lease: &JobLease, result: &Json) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE jobs SET result = $1 WHERE id = $2",
        args![result.clone(), lease.job],
    )
    .await
}

/// Ends a job that [`hold`] has locked.
pub async fn finish(tx: &mut Tx, lease: &JobLease, result: &Json, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        concat!(
            "UPDATE jobs SET status = 'done', result = $1, error = NULL, deaths = 0, isolation = NULL, updated_at = $2,
                 ended_at = $2, ",
            freed!(),
            " WHERE id = $3"
        ),
        args![result.clone(), now, lease.job],
    )
    .await?;
    Ok(())
}

/// Puts a job off: it failed this time. With `due_at` `None` it is not tried again.
///
/// # Errors
/// As [`hold`].
pub async fn reschedule(
    tx: &mut Tx,
    lease: &JobLease,
    error: &str,
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), StoreError> {
    hold(tx, lease, now).await?;
    let (status, ended) = match due_at {
        Some(_) => (JobStatus::Pending, None),
        None => (JobStatus::Failed, Some(now)),
    };
    tx.execute(
        concat!(
            "UPDATE jobs SET status = $1, error = $2, due_at = COALESCE($3, due_at), deaths = 0, isolation = NULL,
                 updated_at = $4, ended_at = $5, ",
            freed!(),
            " WHERE id = $6"
        ),
        args![status, error, due_at, now, ended, lease.job],
    )
    .await?;
    Ok(())
}

/// Writes how a claimed job stands to isolation.
///
/// # Errors
/// As [`hold`].
pub async fn mark(tx: &mut Tx, lease: &JobLease, mark: Mark, now: Timestamp) -> Result<(), StoreError> {
    hold(tx, lease, now).await?;
    tx.execute("UPDATE jobs SET isolation = $1 WHERE id = $2", args![mark, lease.job])
        .await?;
    Ok(())
}

/// Sets a claimed job aside.
///
/// # Errors
/// As [`hold`].
pub async fn quarantine(tx: &mut Tx, lease: &JobLease, error: &str, now: Timestamp) -> Result<(), StoreError> {
    hold(tx, lease, now).await?;
    tx.execute(
        concat!(
            "UPDATE jobs SET status = 'failed', error = $1, quarantined_at = $2, ended_at = $2, updated_at = $2, ",
            freed!(),
            " WHERE id = $3"
        ),
        args![error, now, lease.job],
    )
    .await?;
    Ok(())
}

/// Lets a job wait for what has not happened yet; it was not tried.
///
/// # Errors
/// As [`hold`].
pub async fn wait(tx: &mut Tx, lease: &JobLease, due_at: Timestamp, now: Timestamp) -> Result<(), StoreError> {
    hold(tx, lease, now).await?;
    tx.execute(
        concat!(
            "UPDATE jobs SET attempts = attempts - 1, due_at = $1, deaths = 0, isolation = NULL, ",
            freed!(),
            " WHERE id = $2"
        ),
        args![due_at, lease.job],
    )
    .await?;
    Ok(())
}

/// Claims this job. `None`: somebody else has it, or it is not pending.
pub async fn claim_one(tx: &mut Tx, id: JobId, window: ClaimWindow) -> Result<Option<JobLease>, StoreError> {
    let job: Option<Job> = tx
        .fetch_optional(
            CLAIM_ONE,
            args![window.worker, window.until, window.now, window.over, id],
        )
        .await?;
    Ok(job.map(|job| job.lease(window.worker)))
}

/// When the time of the next job of a kind comes, of those that nobody holds.
pub async fn next_due(conn: &mut Conn, kind: JobKind, window: ClaimWindow) -> Result<Option<Timestamp>, StoreError> {
    let row: (Option<i64>,) = conn
        .fetch_one(
            concat!(
                "SELECT MIN(due_at) FROM jobs WHERE kind = $2 AND ",
                open!(jobs),
                " AND ",
                free!(jobs, 1)
            ),
            args![window.over, kind],
        )
        .await?;
    Ok(row.0.map(Timestamp))
}

/// The jobs that a page shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only those that do this.
    pub kind: Option<JobKind>,
    /// Only of this conversation.
    pub context: Option<ContextId>,
    /// Only of this person.
    pub user: Option<UserId>,
    /// Only older than this one.
    pub before: Option<JobId>,
}

/// A page of jobs, newest first.
pub async fn page(conn: &mut Conn, filter: &Filter, limit: u32) -> Result<Vec<Job>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM jobs WHERE ($1 IS NULL OR context_id = $1)
         AND ($2 IS NULL OR user_id = $2 OR context_id IN (SELECT id FROM contexts WHERE user_id = $2))
         AND ($3 IS NULL OR id < $3) AND ($4 IS NULL OR kind = $4) AND {KNOWN} ORDER BY id DESC LIMIT $5"
    );
    let args = args![filter.context, filter.user, filter.before, filter.kind, limit];
    conn.fetch_all(sql, args).await
}

/// The job that is to erase a person, if there is one; made if there is none, or the last one failed.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such person.
pub async fn erase(tx: &mut Tx, user: UserId, now: Timestamp) -> Result<Job, StoreError> {
    // Two that ask at once get the same.
    let there = tx
        .exists(
            "UPDATE users SET updated_at = updated_at WHERE id = $1 RETURNING updated_at",
            args![user],
        )
        .await?;
    if !there {
        return Err(StoreError::NotFound(format!("user {user}")));
    }
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE user_id = $1 AND kind = 'erase' AND status = 'pending'");
    if let Some(job) = tx.fetch_optional(sql, args![user]).await? {
        return Ok(job);
    }
    let new = NewJob {
        kind: JobKind::Erase,
        mode: None,
        context_id: None,
        user_id: Some(user),
        through: None,
        due_at: now,
    };
    let made = match insert(tx, new, now).await? {
        Some(id) => get(tx, id).await?,
        None => None,
    };
    made.ok_or_else(|| StoreError::NotFound("job that erases".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_kinds_are_those_of_the_enum() {
        let kinds: Vec<_> = JobKind::ALL.iter().map(|kind| format!("'{kind}'")).collect();
        assert_eq!(KNOWN, format!("kind IN ({})", kinds.join(", ")));
    }
}
