//! Leases that end later than any that is held now: they were written before the clock was put back.

use clifford_core::{clock::Timestamp, id::WorkerId, value::args};
use sqlx::FromRow;

use crate::{
    Conn, StoreError, Tx,
    deaths::{COUNTED, COUNTED_OF_RUNS},
};

/// What one worker holds of one kind.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Stray {
    /// The table, or the name of a lease.
    pub held: String,
    /// The worker.
    pub owner: WorkerId,
    /// When the last of it runs out.
    pub until: Timestamp,
}

/// What is held until later than `beyond`.
pub async fn find(conn: &mut Conn, beyond: Timestamp) -> Result<Vec<Stray>, StoreError> {
    conn.fetch_all(
        "SELECT 'runs' AS held, lease_owner AS owner, MAX(lease_until) AS until FROM runs
         WHERE status IN ('pending', 'running') AND lease_until > $1 AND lease_owner IS NOT NULL GROUP BY lease_owner
         UNION ALL
         SELECT 'messages', lease_owner, MAX(lease_until) FROM messages
         WHERE direction = 'outbound' AND status IN ('pending', 'sending') AND lease_until > $1
             AND lease_owner IS NOT NULL GROUP BY lease_owner
         UNION ALL
         SELECT 'jobs', lease_owner, MAX(lease_until) FROM jobs
         WHERE status = 'pending' AND lease_until > $1 AND lease_owner IS NOT NULL GROUP BY lease_owner
         UNION ALL
         SELECT name, owner, until FROM leases WHERE until > $1",
        args![beyond],
    )
    .await
}

/// Gives back what was found so, unless it was renewed since: whoever looks next takes it.
pub async fn release(tx: &mut Tx, stray: &Stray, beyond: Timestamp) -> Result<(), StoreError> {
    let span = args![stray.owner, beyond, stray.until];
    let sql = match stray.held.as_str() {
        "runs" => {
            format!(
                "UPDATE runs SET lease_until = 0, {COUNTED_OF_RUNS} WHERE status IN ('pending', 'running')
                 AND lease_owner = $1 AND lease_until > $2 AND lease_until <= $3"
            )
        }
        "messages" => {
            format!(
                "UPDATE messages SET lease_owner = NULL, lease_until = NULL, {COUNTED} WHERE direction = 'outbound'
                 AND status IN ('pending', 'sending') AND lease_owner = $1 AND lease_until > $2 AND lease_until <= $3"
            )
        }
        "jobs" => {
            format!(
                "UPDATE jobs SET lease_until = 0, {COUNTED} WHERE status = 'pending' AND lease_owner = $1
                 AND lease_until > $2 AND lease_until <= $3"
            )
        }
        name => {
            let sql = "UPDATE leases SET until = 0 WHERE owner = $1 AND until > $2 AND until <= $3 AND name = $4";
            tx.execute(sql, args![stray.owner, beyond, stray.until, name]).await?;
            return Ok(());
        }
    };
    tx.execute(sql, span).await?;
    Ok(())
}
