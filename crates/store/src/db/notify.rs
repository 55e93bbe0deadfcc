//! Notifies other processes of work. PostgreSQL only: on SQLite there is one process.

use clifford_core::value::args;
use sqlx_postgres::PgListener;

use crate::{Db, Pools, StoreError, Tx};

const CHANNEL: &str = "clifford_work";

/// Tells every process, when this transaction is committed.
pub async fn work(tx: &mut Tx) -> Result<(), StoreError> {
    if tx.is_postgres() {
        tx.execute("SELECT pg_notify($1, '')", args![CHANNEL]).await?;
    }
    Ok(())
}

/// Hears of work in other processes. `None`: there are none.
///
/// # Errors
/// The database does not answer.
pub async fn listen(db: &Db) -> Result<Option<Listener>, StoreError> {
    match db.pools() {
        Pools::Sqlite { .. } => Ok(None),
        Pools::Postgres(pool) => {
            let mut listener = PgListener::connect_with(pool).await?;
            listener.listen(CHANNEL).await?;
            Ok(Some(Listener(listener)))
        }
    }
}

/// Hears of work in other processes.
pub struct Listener(PgListener);

impl Listener {
    /// Waits for the next word. Connects again by itself.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn wait(&mut self) -> Result<(), StoreError> {
        self.0.recv().await?;
        Ok(())
    }
}
