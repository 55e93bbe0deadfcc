//! Leases that end later than any that is held now: they were written before the clock was stepped back.

use clifford_core::{clock::Timestamp, id::WorkerId, row::FromRow, value::args};

use crate::{
    Conn, StoreError, Tx,
    leases::sql::{
        RELEASE_SKEWED_JOBS, RELEASE_SKEWED_MAINTENANCE, RELEASE_SKEWED_MESSAGES, RELEASE_SKEWED_RUNS, SKEWED,
    },
};

/// One worker's leases of one kind.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SkewedLease {
    /// The table, or the name of a lease.
    pub held: String,
    /// The worker.
    pub owner: WorkerId,
    /// When the last of it runs out.
    pub until: Timestamp,
}

/// The leases that end later than `beyond`.
pub async fn find(conn: &mut Conn, beyond: Timestamp) -> Result<Vec<SkewedLease>, StoreError> {
    conn.fetch_all(SKEWED, args![beyond]).await
}

/// Releases these leases, unless they were renewed since: the next claim takes the work.
pub async fn release(tx: &mut Tx, skewed: &SkewedLease, beyond: Timestamp) -> Result<(), StoreError> {
    let span = args![skewed.owner, beyond, skewed.until];
    let sql = match skewed.held.as_str() {
        "runs" => RELEASE_SKEWED_RUNS,
        "messages" => RELEASE_SKEWED_MESSAGES,
        "jobs" => RELEASE_SKEWED_JOBS,
        "maintenance_jobs" => RELEASE_SKEWED_MAINTENANCE,
        name => {
            let sql = "UPDATE leases SET until = 0 WHERE owner = $1 AND until > $2 AND until <= $3 AND name = $4";
            tx.execute(sql, args![skewed.owner, beyond, skewed.until, name]).await?;
            return Ok(());
        }
    };
    tx.execute(sql, span).await?;
    Ok(())
}
