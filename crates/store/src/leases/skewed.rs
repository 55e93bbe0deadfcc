//! Leases that end later than any that is held now: they were written before the clock was put back.

use clifford_core::{clock::Timestamp, id::WorkerId, value::args};
use sqlx::FromRow;

use crate::{
    Conn, StoreError, Tx,
    leases::sql::{RELEASE_SKEWED_JOBS, RELEASE_SKEWED_MESSAGES, RELEASE_SKEWED_RUNS, SKEWED},
};

/// One worker's leases of one kind.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Stray {
    /// The table, or the name of a lease.
    pub held: String,
    /// The worker.
    pub owner: WorkerId,
    /// When the last of it runs out.
    pub until: Timestamp,
}

/// The leases that end later than `beyond`.
pub async fn find(conn: &mut Conn, beyond: Timestamp) -> Result<Vec<Stray>, StoreError> {
    conn.fetch_all(SKEWED, args![beyond]).await
}

/// Releases these leases, unless they were renewed since: the next claim takes the work.
pub async fn release(tx: &mut Tx, stray: &Stray, beyond: Timestamp) -> Result<(), StoreError> {
    let span = args![stray.owner, beyond, stray.until];
    let sql = match stray.held.as_str() {
        "runs" => RELEASE_SKEWED_RUNS,
        "messages" => RELEASE_SKEWED_MESSAGES,
        "jobs" => RELEASE_SKEWED_JOBS,
        name => {
            let sql = "UPDATE leases SET until = 0 WHERE owner = $1 AND until > $2 AND until <= $3 AND name = $4";
            tx.execute(sql, args![stray.owner, beyond, stray.until, name]).await?;
            return Ok(());
        }
    };
    tx.execute(sql, span).await?;
    Ok(())
}
