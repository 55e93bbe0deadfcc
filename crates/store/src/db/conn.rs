//! Connections and transactions: the same text on either engine.
//!
//! On SQLite a transaction executes its statements in the writer's own thread, and they are cheap. On PostgreSQL every
//! statement is a trip to the server and back.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use clifford_core::{
    row::{FromRow, RowError},
    value::Value,
};
use clifford_telemetry::measures::Reading;
use futures::{FutureExt, future::Map};
use sqlx::{AssertSqlSafe, Transaction, pool::PoolConnection};
use sqlx_postgres::{PgConnection, PgRow, Postgres};
use sqlx_sqlite::{Sqlite, SqliteConnection, SqliteRow};

use super::{
    local::Local,
    places::{check, has_a_place_for_each},
    rows::{LocalRow, OfPostgres, OfSqlite},
};
use crate::{BoxFuture, StoreError};

/// A connection to read with.
pub struct Conn {
    inner: Inner,
    /// The time for which a read-only connection is in use.
    _reading: Option<Reading>,
}

/// A transaction to write in; reads as a [`Conn`].
pub struct Tx(Conn);

enum Inner {
    Local(Local),
    Sqlite(PoolConnection<Sqlite>),
    PostgresRead(PoolConnection<Postgres>),
    PostgresWrite(Transaction<'static, Postgres>),
}

enum Engine<'c> {
    Local(&'c mut Local),
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// A question with its arguments.
pub(crate) type Statement = (String, Vec<Value>);

/// The database's answer to a statement. Every future that awaits one holds no more of it than this box: sqlx's own are
/// compiled once, and not into each of a thousand callers.
type Boxed<'c, T> = BoxFuture<'c, Result<T, StoreError>>;

/// The database's answer to a statement, read as the caller's type.
pub(crate) type Answer<'c, T, R> = Map<Boxed<'c, R>, fn(Result<R, StoreError>) -> Result<T, StoreError>>;

/// The rows that one of several questions has.
pub(crate) enum Rows {
    Local(Vec<LocalRow>),
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl Rows {
    /// Every row.
    pub fn fetch_all<T: FromRow>(self) -> Result<Vec<T>, StoreError> {
        let rows: Result<Vec<T>, RowError> = match &self {
            Self::Local(rows) => rows.iter().map(|row| T::from_row(row)).collect(),
            Self::Sqlite(rows) => rows.iter().map(|row| T::from_row(&OfSqlite(row))).collect(),
            Self::Postgres(rows) => rows.iter().map(|row| T::from_row(&OfPostgres(row))).collect(),
        };
        Ok(rows?)
    }

    /// The first row, if there is one.
    pub(crate) fn fetch_optional<T: FromRow>(self) -> Result<Option<T>, StoreError> {
        Ok(self.fetch_all()?.into_iter().next())
    }

    /// There is no row.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Local(rows) => rows.is_empty(),
            Self::Sqlite(rows) => rows.is_empty(),
            Self::Postgres(rows) => rows.is_empty(),
        }
    }
}

macro_rules! bind {
    ($query:expr, $args:expr) => {{
        let mut query = $query;
        for value in $args {
            query = match value {
                Value::Text(value) => query.bind(value),
                Value::Int(value) => query.bind(value),
                Value::Real(value) => query.bind(value),
                Value::Bool(value) => query.bind(value),
            };
        }
        query
    }};
}

impl Deref for Tx {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.0
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.0
    }
}

impl Conn {
    pub(super) fn local(local: Local) -> Self {
        Self {
            inner: Inner::Local(local),
            _reading: Some(Reading::begin()),
        }
    }

    pub(super) fn sqlite(connection: PoolConnection<Sqlite>) -> Self {
        Self {
            inner: Inner::Sqlite(connection),
            _reading: Some(Reading::begin()),
        }
    }

    pub(super) fn postgres(connection: PoolConnection<Postgres>) -> Self {
        Self {
            inner: Inner::PostgresRead(connection),
            _reading: Some(Reading::begin()),
        }
    }

    fn engine(&mut self) -> Engine<'_> {
        match &mut self.inner {
            Inner::Local(local) => Engine::Local(local),
            Inner::Sqlite(conn) => Engine::Sqlite(conn),
            Inner::PostgresRead(conn) => Engine::Postgres(conn),
            Inner::PostgresWrite(tx) => Engine::Postgres(tx),
        }
    }

    /// The engine is PostgreSQL: for the few statements that have two texts.
    pub fn is_postgres(&self) -> bool {
        matches!(self.inner, Inner::PostgresRead(_) | Inner::PostgresWrite(_))
    }

    /// Every row of a query (or of a statement that returns rows).
    pub(crate) fn fetch_all<'c, T: FromRow>(
        &'c mut self,
        sql: impl Into<Cow<'c, str>>,
        args: Vec<Value>,
    ) -> Answer<'c, Vec<T>, Rows> {
        self.ask(sql.into(), args, false).map(|rows| rows?.fetch_all())
    }

    /// As [`fetch_all`](Conn::fetch_all), planned for these arguments: PostgreSQL's generic plan would be far slower.
    pub(crate) async fn all_planned_anew<T: FromRow>(
        &mut self,
        sql: impl Into<Cow<'_, str>>,
        args: Vec<Value>,
    ) -> Result<Vec<T>, StoreError> {
        let sql = sql.into();
        match self.engine() {
            Engine::Postgres(conn) => {
                debug_assert!(has_a_place_for_each(&sql, &args), "{} values for {sql}", args.len());
                let query = bind!(sqlx::query(AssertSqlSafe(sql.into_owned())).persistent(false), args);
                Rows::Postgres(query.fetch_all(conn).boxed().await?).fetch_all()
            }
            Engine::Local(_) | Engine::Sqlite(_) => self.fetch_all(sql, args).await,
        }
    }

    /// The first row of a query, if there is one.
    pub(crate) fn fetch_optional<'c, T: FromRow>(
        &'c mut self,
        sql: impl Into<Cow<'c, str>>,
        args: Vec<Value>,
    ) -> Answer<'c, Option<T>, Rows> {
        self.ask(sql.into(), args, true).map(|rows| rows?.fetch_optional())
    }

    /// The one row that a query has.
    pub(crate) fn fetch_one<'c, T: FromRow>(
        &'c mut self,
        sql: impl Into<Cow<'c, str>>,
        args: Vec<Value>,
    ) -> Answer<'c, T, Rows> {
        self.ask(sql.into(), args, true).map(|rows| {
            let row = rows?.fetch_optional()?;
            row.ok_or_else(|| StoreError::NotFound("such row".to_owned()))
        })
    }

    /// Asks several questions, one after another.
    pub(crate) async fn pipeline<const N: usize>(&mut self, asks: [Statement; N]) -> Result<[Rows; N], StoreError> {
        let mut answers = std::array::from_fn(|_| Rows::Local(Vec::new()));
        for (answer, (sql, args)) in answers.iter_mut().zip(asks) {
            *answer = self.ask(sql.into(), args, false).await?;
        }
        Ok(answers)
    }

    /// Whether a query has a row.
    pub(crate) fn exists<'c>(&'c mut self, sql: impl Into<Cow<'c, str>>, args: Vec<Value>) -> Answer<'c, bool, Rows> {
        self.ask(sql.into(), args, true).map(|rows| Ok(!rows?.is_empty()))
    }

    /// Asks for all rows, or for the first.
    fn ask<'c>(&'c mut self, sql: Cow<'c, str>, args: Vec<Value>, first: bool) -> Boxed<'c, Rows> {
        check(&sql, &args);
        async move {
            Ok(match self.engine() {
                Engine::Local(local) => {
                    let most = if first { 1 } else { usize::MAX };
                    Rows::Local(local.rows(&sql, &args, most)?)
                }
                Engine::Sqlite(conn) => {
                    let query = bind!(sqlx::query(AssertSqlSafe(sql.into_owned())), args);
                    Rows::Sqlite(if first {
                        query.fetch_optional(conn).boxed().await?.into_iter().collect()
                    } else {
                        query.fetch_all(conn).boxed().await?
                    })
                }
                Engine::Postgres(conn) => {
                    let query = bind!(sqlx::query(AssertSqlSafe(sql.into_owned())), args);
                    Rows::Postgres(if first {
                        query.fetch_optional(conn).boxed().await?.into_iter().collect()
                    } else {
                        query.fetch_all(conn).boxed().await?
                    })
                }
            })
        }
        .boxed()
    }
}

impl Tx {
    pub(super) fn postgres(transaction: Transaction<'static, Postgres>) -> Self {
        Self(Conn {
            inner: Inner::PostgresWrite(transaction),
            _reading: None,
        })
    }

    /// A transaction on SQLite, which is yet to [begin](Tx::begin).
    pub(super) fn local(local: Local) -> Self {
        Self(Conn {
            inner: Inner::Local(local),
            _reading: None,
        })
    }

    /// The connection, for the next transaction.
    pub(super) fn into_local(self) -> Option<Local> {
        match self.0.inner {
            Inner::Local(local) => Some(local),
            Inner::Sqlite(_) | Inner::PostgresRead(_) | Inner::PostgresWrite(_) => None,
        }
    }

    /// Executes a statement and returns how many rows it touched.
    pub(crate) fn execute<'c>(&'c mut self, sql: impl Into<Cow<'c, str>>, args: Vec<Value>) -> Boxed<'c, u64> {
        self.carry_out(sql.into(), args)
    }

    fn carry_out<'c>(&'c mut self, sql: Cow<'c, str>, args: Vec<Value>) -> Boxed<'c, u64> {
        check(&sql, &args);
        async move {
            Ok(match self.engine() {
                Engine::Local(local) => local.execute(&sql, &args)?,
                Engine::Sqlite(conn) => {
                    let query = bind!(sqlx::query(AssertSqlSafe(sql.into_owned())), args);
                    query.execute(conn).boxed().await?.rows_affected()
                }
                Engine::Postgres(conn) => {
                    let query = bind!(sqlx::query(AssertSqlSafe(sql.into_owned())), args);
                    query.execute(conn).boxed().await?.rows_affected()
                }
            })
        }
        .boxed()
    }

    /// Executes a statement of which nobody asks what it touched. An engine may put it off until the next one that is
    /// answered, or the commit: if it fails, that one does.
    pub(crate) fn defer<'c>(&'c mut self, sql: impl Into<Cow<'c, str>>, args: Vec<Value>) -> Answer<'c, (), u64> {
        self.execute(sql, args).map(|touched| touched.map(drop))
    }

    /// Lets SQLite's file grow no more until the writer reconnects: tests fill a disk by it.
    #[doc(hidden)]
    pub async fn fill(&mut self) -> Result<(), StoreError> {
        self.defer("PRAGMA max_page_count = 1", vec![]).await
    }

    /// Begins on SQLite.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.execute("BEGIN IMMEDIATE", vec![]).await.map(|_| ())
    }

    /// Begins a savepoint.
    pub(super) async fn savepoint(&mut self) -> Result<(), StoreError> {
        self.execute("SAVEPOINT one", vec![]).await.map(|_| ())
    }

    /// Goes back to where a savepoint began, as if nothing of it had been.
    pub(super) async fn rollback_to(&mut self) -> Result<(), StoreError> {
        self.execute("ROLLBACK TO one", vec![]).await?;
        self.release().await
    }

    /// Ends a savepoint; what was done in it stands if the transaction does.
    pub(super) async fn release(&mut self) -> Result<(), StoreError> {
        self.execute("RELEASE one", vec![]).await.map(|_| ())
    }

    /// Commits on SQLite; the connection can be used again.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.execute("COMMIT", vec![]).await.map(|_| ())
    }

    /// Commits on PostgreSQL.
    pub(super) async fn commit_postgres(self) -> Result<(), StoreError> {
        if let Inner::PostgresWrite(tx) = self.0.inner {
            tx.commit().boxed().await?;
        }
        Ok(())
    }

    /// Undoes everything. `false`: the connection is in no known state and must not be used again.
    pub(super) async fn roll_back(&mut self) -> bool {
        match self.execute("ROLLBACK", vec![]).await {
            Ok(_) => true,
            // SQLite has rolled back by itself (a full disk), or nothing had begun.
            Err(error) => error.to_string().contains("no transaction is active"),
        }
    }
}
