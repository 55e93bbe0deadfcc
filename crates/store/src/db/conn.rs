//! Connections and transactions: the same text on either engine.
//!
//! On SQLite a transaction executes its statements in the writer's own thread, and they are cheap. On PostgreSQL every
//! statement is a trip to the server and back.

use std::ops::{Deref, DerefMut};

use clifford_core::{
    row::{FromRow, RowError},
    value::Value,
};
use clifford_telemetry::measures::Reading;
use futures::FutureExt;
use sqlx::{AssertSqlSafe, Transaction, pool::PoolConnection};
use sqlx_postgres::{PgConnection, PgRow, Postgres};
use sqlx_sqlite::{Sqlite, SqliteConnection, SqliteRow};

use super::{
    local::Local,
    rows::{LocalRow, OfPostgres, OfSqlite},
};
use crate::StoreError;

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

/// Whether a statement takes as many values as it is given. SQLite takes any number of them; PostgreSQL prepares a
/// statement for the number that its first caller gives, and refuses every other for as long as the connection lasts.
fn takes(sql: &str, args: &[Value]) -> bool {
    let places = sql.split('$').skip(1).map(|after| {
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        after[..digits].parse().unwrap_or(0)
    });
    // The rows of an import stand behind `?` on SQLite.
    let unnumbered = || sql.matches('?').count();
    places.max().unwrap_or_else(unnumbered) == args.len()
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
    pub async fn fetch_all<T: FromRow>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<Vec<T>, StoreError> {
        self.ask(sql.as_ref(), args).await?.fetch_all()
    }

    /// As [`fetch_all`](Conn::fetch_all), planned for these arguments: PostgreSQL's generic plan would be far slower.
    pub(crate) async fn all_planned_anew<T: FromRow>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<Vec<T>, StoreError> {
        match self.engine() {
            Engine::Postgres(conn) => {
                debug_assert!(takes(sql.as_ref(), &args), "{} values for {}", args.len(), sql.as_ref());
                let sql = AssertSqlSafe(sql.as_ref().to_owned());
                let query = bind!(sqlx::query(sql).persistent(false), args);
                Rows::Postgres(query.fetch_all(conn).boxed().await?).fetch_all()
            }
            Engine::Local(_) | Engine::Sqlite(_) => self.fetch_all(sql, args).await,
        }
    }

    /// The first row of a query, if there is one.
    pub(crate) async fn fetch_optional<T: FromRow>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<Option<T>, StoreError> {
        let sql = sql.as_ref();
        debug_assert!(takes(sql, &args), "{} values for {sql}", args.len());
        let row = match self.engine() {
            Engine::Local(local) => Rows::Local(local.rows(sql, &args, 1)?),
            Engine::Sqlite(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                Rows::Sqlite(query.fetch_optional(conn).boxed().await?.into_iter().collect())
            }
            Engine::Postgres(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                Rows::Postgres(query.fetch_optional(conn).boxed().await?.into_iter().collect())
            }
        };
        row.fetch_optional()
    }

    /// The one row that a query has.
    pub(crate) async fn fetch_one<T: FromRow>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<T, StoreError> {
        let row = self.fetch_optional(sql, args).await?;
        row.ok_or_else(|| StoreError::NotFound("such row".to_owned()))
    }

    /// Asks several questions, one after another.
    pub(crate) async fn pipeline<const N: usize>(&mut self, asks: [Statement; N]) -> Result<[Rows; N], StoreError> {
        let mut answers = std::array::from_fn(|_| Rows::Local(Vec::new()));
        for (answer, (sql, args)) in answers.iter_mut().zip(asks) {
            *answer = self.ask(&sql, args).await?;
        }
        Ok(answers)
    }

    async fn ask(&mut self, sql: &str, args: Vec<Value>) -> Result<Rows, StoreError> {
        debug_assert!(takes(sql, &args), "{} values for {sql}", args.len());
        Ok(match self.engine() {
            Engine::Local(local) => Rows::Local(local.rows(sql, &args, usize::MAX)?),
            Engine::Sqlite(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                Rows::Sqlite(query.fetch_all(conn).boxed().await?)
            }
            Engine::Postgres(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                Rows::Postgres(query.fetch_all(conn).boxed().await?)
            }
        })
    }

    /// Whether a query has a row.
    pub(crate) async fn exists(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<bool, StoreError> {
        Ok(self.fetch_optional::<(i64,)>(sql, args).await?.is_some())
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
    pub(crate) async fn execute(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<u64, StoreError> {
        let sql = sql.as_ref();
        debug_assert!(takes(sql, &args), "{} values for {sql}", args.len());
        Ok(match self.engine() {
            Engine::Local(local) => local.execute(sql, &args)?,
            Engine::Sqlite(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                query.execute(conn).boxed().await?.rows_affected()
            }
            Engine::Postgres(conn) => {
                let query = bind!(sqlx::query(AssertSqlSafe(sql.to_owned())), args);
                query.execute(conn).boxed().await?.rows_affected()
            }
        })
    }

    /// Executes a statement of which nobody asks what it touched. An engine may put it off until the next one that is
    /// answered, or the commit: if it fails, that one does.
    pub(crate) async fn defer(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<(), StoreError> {
        self.execute(sql, args).await.map(|_| ())
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

#[cfg(test)]
mod tests {
    use clifford_core::value::args;

    use super::takes;

    #[test]
    fn a_statement_takes_as_many_values_as_it_has_places() {
        for (sql, values, is_right) in [
            ("DELETE FROM users", args![], true),
            ("DELETE FROM users", args!["a"], false),
            ("DELETE FROM users WHERE id = $1", args!["a"], true),
            ("DELETE FROM users WHERE id = $1", args!["a", "b"], false),
            ("SELECT $2, $1 WHERE $1 = $2", args!["a", "b"], true),
            ("SELECT $10", args!["a"], false),
            ("INSERT INTO users VALUES (?, ?)", args!["a", "b"], true),
            ("INSERT INTO users VALUES (?, ?)", args!["a"], false),
        ] {
            assert_eq!(takes(sql, &values), is_right, "{sql}");
        }
    }
}
