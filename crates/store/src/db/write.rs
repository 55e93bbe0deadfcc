//! Transactions that write, on either engine.
//!
//! There are hundreds of callers, each with a closure and often a type of its own. Both are forgotten at once: what
//! follows (queue, savepoint, commit, measures) is compiled once, and not for each of them in each crate.

use std::{any::Any, time::Instant};

use clifford_telemetry::measures;
use futures::{FutureExt, TryFutureExt};

use super::Pools;
use crate::{BoxFuture, Db, StoreError, Tx};

/// The result of a transaction, whatever its type.
pub(super) type Outcome = Result<Box<dyn Any + Send>, StoreError>;
/// The statements of a transaction.
pub(super) type Work = Box<dyn for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Outcome> + Send>;

impl Db {
    /// Runs `work` in one transaction, which is committed if it returns `Ok` and leaves nothing otherwise.
    ///
    /// On SQLite transactions that are ready at the same moment share one commit.
    ///
    /// # Errors
    /// The error of `work`, or the database's own.
    pub fn write<T, F>(&self, work: F) -> BoxFuture<'_, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    {
        self.typed(Box::new(move |tx| work(tx).map_ok(forget).boxed()), true)
    }

    /// As [`Db::write`], for statements that nothing but trouble of the database's own can fail: on SQLite they
    /// cost less among others.
    pub fn mark<F>(&self, work: F) -> BoxFuture<'_, Result<(), StoreError>>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<(), StoreError>> + Send + 'static,
    {
        self.typed(Box::new(move |tx| work(tx).map_ok(forget).boxed()), false)
    }

    fn typed<T: 'static>(&self, work: Work, isolated: bool) -> BoxFuture<'_, Result<T, StoreError>> {
        self.carry_out(work, isolated).map(remember).boxed()
    }

    /// Runs a transaction. One that is not `isolated` fails together with those that share its commit.
    fn carry_out(&self, work: Work, isolated: bool) -> BoxFuture<'_, Outcome> {
        async move {
            match (&self.pools, &self.writer) {
                (_, Some(writer)) => writer.order(work, isolated).await,
                (Pools::Postgres(pool), None) => {
                    let began = Instant::now();
                    let connection = pool.begin().await?;
                    measures::connection_waited(began);
                    let mut tx = Tx::postgres(connection);
                    let outcome = work(&mut tx).await?;
                    let ready = Instant::now();
                    tx.commit_postgres().await?;
                    measures::committed(ready);
                    measures::written(began);
                    Ok(outcome)
                }
                (Pools::Sqlite { .. }, None) => Err(StoreError::Unavailable("the writer has stopped".to_owned())),
            }
        }
        .boxed()
    }
}

fn forget<T: Send + 'static>(value: T) -> Box<dyn Any + Send> {
    Box::new(value)
}

fn remember<T: 'static>(outcome: Outcome) -> Result<T, StoreError> {
    let value = outcome?.downcast();
    Ok(*value.map_err(|_| StoreError::Corrupt("a transaction returned a value of another type".to_owned()))?)
}
