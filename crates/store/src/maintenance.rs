//! Maintenance jobs: a row each, by which one process at a time does it, and which says how it went.
//!
//! A name may be that of a newer version's job: rows have names as text, and each process claims those that it knows.

use clifford_core::{clock::Timestamp, id::WorkerId, row::FromRow, value::args, work::MaintenanceKind};

use super::{
    Conn, StoreError, Tx,
    leases::{
        ClaimWindow,
        sql::{fenced, free, freed, renew, take},
    },
};

/// A maintenance job, and how it went.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// When it is done next.
    pub due_at: Timestamp,
    /// The process that holds it.
    pub lease_owner: Option<WorkerId>,
    /// Until when.
    pub lease_until: Option<Timestamp>,
    /// How often it was claimed.
    pub epoch: i64,
    /// How often it ended, failures included.
    pub runs: i64,
    /// How often it failed.
    pub failures: i64,
    /// How often it failed since it last succeeded.
    pub failures_in_a_row: i64,
    /// When it last began.
    pub last_began_at: Option<Timestamp>,
    /// When it last ended.
    pub last_ended_at: Option<Timestamp>,
    /// When it last succeeded.
    pub last_succeeded_at: Option<Timestamp>,
    /// When it last failed.
    pub last_failed_at: Option<Timestamp>,
    /// Why it failed the last time that it did.
    pub last_error: Option<String>,
}

impl Record {
    /// Whether it failed the last time.
    pub const fn is_failing(&self) -> bool {
        self.failures_in_a_row > 0
    }
}

/// The right to do a maintenance job and to write how it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaintenanceLease {
    /// The job.
    pub job: MaintenanceKind,
    /// The worker.
    pub owner: WorkerId,
    /// The claim.
    pub epoch: i64,
}

/// A claimed maintenance job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The right that the claim gives.
    pub lease: MaintenanceLease,
    /// The processes that died of it, or with it, since it last ended.
    pub deaths: i64,
    /// How often it failed since it last succeeded.
    pub failures_in_a_row: i64,
}

/// Makes a job known, to be done at `due_at` for the first time. One that is known is due then at the latest.
pub async fn register(tx: &mut Tx, job: MaintenanceKind, due_at: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO maintenance_jobs (name, due_at, epoch, deaths, runs, failures, failures_in_a_row)
         VALUES ($1, $2, 0, 0, 0, 0, 0)
         ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at WHERE maintenance_jobs.due_at > excluded.due_at",
        args![job, due_at],
    )
    .await?;
    Ok(())
}

/// Every maintenance job that was ever registered, by name.
pub async fn all(conn: &mut Conn) -> Result<Vec<Record>, StoreError> {
    conn.fetch_all(
        "SELECT name, due_at, lease_owner, lease_until, epoch, runs, failures, failures_in_a_row, last_began_at,
             last_ended_at, last_succeeded_at, last_failed_at, last_error
         FROM maintenance_jobs ORDER BY name",
        args![],
    )
    .await
}

/// Claims a job that is due. `None`: another process has it, or had it since.
pub async fn claim(tx: &mut Tx, job: MaintenanceKind, window: ClaimWindow) -> Result<Option<Claimed>, StoreError> {
    let sql = concat!(
        take!(maintenance_jobs),
        ", last_began_at = $3 WHERE name = $5 AND due_at <= $3 AND ",
        free!(maintenance_jobs, 4),
        " RETURNING epoch, deaths, failures_in_a_row"
    );
    let row: Option<(i64, i64, i64)> = tx
        .fetch_optional(sql, args![window.worker, window.until, window.now, window.over, job])
        .await?;
    Ok(row.map(|(epoch, deaths, failures_in_a_row)| Claimed {
        lease: MaintenanceLease {
            job,
            owner: window.worker,
            epoch,
        },
        deaths,
        failures_in_a_row,
    }))
}

/// Holds a job for longer. `false`: it is another process's by now.
pub async fn renew(tx: &mut Tx, lease: &MaintenanceLease, until: Timestamp) -> Result<bool, StoreError> {
    let renewed = tx
        .execute(
            renew!(maintenance_jobs),
            args![until, lease.job, lease.owner, lease.epoch],
        )
        .await?;
    Ok(renewed > 0)
}

/// Gives a job back that was interrupted: it stays due.
pub async fn release(tx: &mut Tx, lease: &MaintenanceLease) -> Result<(), StoreError> {
    tx.execute(
        concat!(
            "UPDATE maintenance_jobs SET ",
            freed!(),
            " WHERE ",
            fenced!(maintenance_jobs, 1, 2, 3)
        ),
        args![lease.job, lease.owner, lease.epoch],
    )
    .await?;
    Ok(())
}

/// The end of a job, with what becomes of its record; `$6` is of the caller's.
macro_rules! ended {
    ($record:literal) => {
        concat!(
            "UPDATE maintenance_jobs SET due_at = $1, last_ended_at = $2, runs = runs + 1, deaths = 0, ",
            $record,
            ", ",
            freed!(),
            " WHERE ",
            fenced!(maintenance_jobs, 3, 4, 5)
        )
    };
}

/// Records that a job was done. `false`: it is another process's by now.
pub async fn succeeded(
    tx: &mut Tx,
    lease: &MaintenanceLease,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = ended!("last_succeeded_at = $2, failures_in_a_row = 0");
    let recorded = tx
        .execute(sql, args![due_at, now, lease.job, lease.owner, lease.epoch])
        .await?;
    Ok(recorded > 0)
}

/// Records that a job failed, to be tried again at `due_at`. `false`: it is another process's by now.
pub async fn failed(
    tx: &mut Tx,
    lease: &MaintenanceLease,
    error: &str,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = ended!(
        "last_failed_at = $2, last_error = $6, failures = failures + 1, failures_in_a_row = failures_in_a_row + 1"
    );
    let recorded = tx
        .execute(sql, args![due_at, now, lease.job, lease.owner, lease.epoch, error])
        .await?;
    Ok(recorded > 0)
}
