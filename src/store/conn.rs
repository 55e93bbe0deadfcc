//! Connections and transactions: the same text on either engine.
//!
//! On SQLite every statement is a trip to the connection's thread and back, which costs more than the
//! statement. So what need not be answered at once ([`Tx::later`]) goes along with the next statement that
//! must be, or with the commit; and questions that do not need each other's answers are asked
//! [together](Conn::together).

use std::ops::{Deref, DerefMut};

use futures::TryStreamExt;
use sqlx::{
    AssertSqlSafe, Either, Executor, FromRow, PgConnection, Postgres, Sqlite, SqliteConnection, Transaction,
    pool::PoolConnection, postgres::PgRow, sqlite::SqliteRow,
};

use super::{StoreError, Value};

/// A type that can be read from a row of either engine.
pub trait Row: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}
impl<T> Row for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// A connection to read with.
pub struct Conn {
    inner: Inner,
    /// SQLite: what goes along with the next statement.
    script: Script,
}

/// A transaction to write in; reads as a [`Conn`].
pub struct Tx(Conn);

enum Inner {
    Sqlite(PoolConnection<Sqlite>),
    PostgresRead(PoolConnection<Postgres>),
    PostgresWrite(Transaction<'static, Postgres>),
}

enum Engine<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// Statements that wait to go along, with their arguments numbered through.
#[derive(Default)]
struct Script {
    sql: String,
    args: Vec<Value>,
    /// How many statements.
    count: usize,
    /// How often it was sent: tells whether a given statement has been executed.
    trips: u64,
}

/// A place in a transaction to which it can go back.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    trips: u64,
    sql: usize,
    args: usize,
    count: usize,
}

/// A question with its arguments.
pub(super) type Ask = (String, Vec<Value>);

/// The rows that one of several questions has.
pub(super) enum Answer {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl Answer {
    /// Every row.
    pub(super) fn all<T: Row>(self) -> Result<Vec<T>, StoreError> {
        let rows: Result<Vec<T>, sqlx::Error> = match &self {
            Self::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
            Self::Postgres(rows) => rows.iter().map(T::from_row).collect(),
        };
        Ok(rows?)
    }

    /// The first row, if there is one.
    pub(super) fn maybe<T: Row>(self) -> Result<Option<T>, StoreError> {
        Ok(self.all()?.into_iter().next())
    }

    /// There is no row.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Sqlite(rows) => rows.is_empty(),
            Self::Postgres(rows) => rows.is_empty(),
        }
    }
}

impl Script {
    fn add(&mut self, sql: &str, args: Vec<Value>) {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        renumber(&mut self.sql, sql, self.args.len());
        self.args.extend(args);
        self.count += 1;
    }

    fn take(&mut self) -> (String, Vec<Value>) {
        self.trips += 1;
        self.count = 0;
        (std::mem::take(&mut self.sql), std::mem::take(&mut self.args))
    }

    fn mark(&self) -> Mark {
        Mark {
            trips: self.trips,
            sql: self.sql.len(),
            args: self.args.len(),
            count: self.count,
        }
    }

    /// Forgets what was added since a mark, if nothing of it was sent. `false`: it was.
    fn forget_since(&mut self, mark: Mark) -> bool {
        if self.trips != mark.trips {
            return false;
        }
        self.sql.truncate(mark.sql);
        self.args.truncate(mark.args);
        self.count = mark.count;
        true
    }
}

/// Appends a statement whose `$n` count from `offset`. Statements hold no `$` but placeholders.
fn renumber(into: &mut String, sql: &str, offset: usize) {
    if offset == 0 {
        return into.push_str(sql);
    }
    let mut pieces = sql.split('$');
    into.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = piece.split_at(digits);
        into.push('$');
        match number.parse::<usize>() {
            Ok(number) => into.push_str(&(number + offset).to_string()),
            Err(_) => into.push_str(number),
        }
        into.push_str(rest);
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
    pub(super) fn sqlite(connection: PoolConnection<Sqlite>) -> Self {
        Self {
            inner: Inner::Sqlite(connection),
            script: Script::default(),
        }
    }

    pub(super) fn postgres(connection: PoolConnection<Postgres>) -> Self {
        Self {
            inner: Inner::PostgresRead(connection),
            script: Script::default(),
        }
    }

    fn engine(&mut self) -> Engine<'_> {
        match &mut self.inner {
            Inner::Sqlite(conn) => Engine::Sqlite(conn),
            Inner::PostgresRead(conn) => Engine::Postgres(conn),
            Inner::PostgresWrite(tx) => Engine::Postgres(tx),
        }
    }

    /// The engine is PostgreSQL: for the few statements that have two texts.
    pub(crate) fn is_postgres(&self) -> bool {
        !matches!(self.inner, Inner::Sqlite(_))
    }

    /// A statement with all that waits to go along with it.
    fn with_script(&mut self, sql: &str, args: Vec<Value>) -> (AssertSqlSafe<String>, Vec<Value>) {
        self.script.add(sql, args);
        let (sql, args) = self.script.take();
        (AssertSqlSafe(sql), args)
    }

    /// Every row of a query (or of a statement that returns rows).
    pub(super) async fn all<T: Row>(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<Vec<T>, StoreError> {
        let (sql, args) = self.with_script(sql.as_ref(), args);
        Ok(match self.engine() {
            Engine::Sqlite(conn) => bind!(sqlx::query_as(sql), args).fetch_all(conn).await?,
            Engine::Postgres(conn) => bind!(sqlx::query_as(sql), args).fetch_all(conn).await?,
        })
    }

    /// As [`all`](Conn::all), planned anew for these arguments: PostgreSQL's plan for any would be far slower.
    pub(super) async fn all_planned_anew<T: Row>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<Vec<T>, StoreError> {
        let (sql, args) = self.with_script(sql.as_ref(), args);
        Ok(match self.engine() {
            Engine::Sqlite(conn) => bind!(sqlx::query_as(sql), args).fetch_all(conn).await?,
            Engine::Postgres(conn) => {
                bind!(sqlx::query_as(sql).persistent(false), args)
                    .fetch_all(conn)
                    .await?
            }
        })
    }

    /// The first row of a query, if there is one.
    pub(super) async fn maybe<T: Row>(
        &mut self,
        sql: impl AsRef<str>,
        args: Vec<Value>,
    ) -> Result<Option<T>, StoreError> {
        let (sql, args) = self.with_script(sql.as_ref(), args);
        Ok(match self.engine() {
            Engine::Sqlite(conn) => bind!(sqlx::query_as(sql), args).fetch_optional(conn).await?,
            Engine::Postgres(conn) => bind!(sqlx::query_as(sql), args).fetch_optional(conn).await?,
        })
    }

    /// The one row that a query has.
    pub(super) async fn one<T: Row>(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<T, StoreError> {
        let row = self.maybe(sql, args).await?;
        row.ok_or_else(|| StoreError::NotFound("such row".to_owned()))
    }

    /// Asks several questions, of which none needs another's answer, in one trip; on PostgreSQL one after another.
    pub(super) async fn together<const N: usize>(&mut self, asks: [Ask; N]) -> Result<[Answer; N], StoreError> {
        match &mut self.inner {
            Inner::Sqlite(conn) => {
                let before = self.script.count;
                for (sql, args) in asks {
                    self.script.add(&sql, args);
                }
                let (sql, args) = self.script.take();
                let mut answers: [Vec<SqliteRow>; N] = std::array::from_fn(|_| Vec::new());
                let mut rows = conn.fetch_many(bind!(sqlx::query(AssertSqlSafe(sql)), args));
                let mut statement = 0_usize;
                while let Some(row) = rows.try_next().await? {
                    match row {
                        Either::Left(_) => statement += 1,
                        Either::Right(row) => {
                            if let Some(answer) = statement.checked_sub(before).and_then(|at| answers.get_mut(at)) {
                                answer.push(row);
                            }
                        }
                    }
                }
                drop(rows);
                Ok(answers.map(Answer::Sqlite))
            }
            Inner::PostgresRead(conn) => together_postgres(conn, asks).await,
            Inner::PostgresWrite(tx) => together_postgres(tx, asks).await,
        }
    }

    /// Whether a query has a row.
    pub(super) async fn exists(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<bool, StoreError> {
        Ok(self.maybe::<(i64,)>(sql, args).await?.is_some())
    }
}

async fn together_postgres<const N: usize>(conn: &mut PgConnection, asks: [Ask; N]) -> Result<[Answer; N], StoreError> {
    let mut answers = std::array::from_fn(|_| Answer::Postgres(Vec::new()));
    for (answer, (sql, args)) in answers.iter_mut().zip(asks) {
        let rows = bind!(sqlx::query(AssertSqlSafe(sql)), args)
            .fetch_all(&mut *conn)
            .await?;
        *answer = Answer::Postgres(rows);
    }
    Ok(answers)
}

impl Tx {
    pub(super) fn postgres(transaction: Transaction<'static, Postgres>) -> Self {
        Self(Conn {
            inner: Inner::PostgresWrite(transaction),
            script: Script::default(),
        })
    }

    /// A transaction that begins with its first statement.
    pub(super) fn begin(connection: PoolConnection<Sqlite>) -> Self {
        let mut tx = Self(Conn::sqlite(connection));
        tx.script.add("BEGIN IMMEDIATE", vec![]);
        tx
    }

    /// The connection, for the next transaction.
    pub(super) fn into_connection(self) -> Option<PoolConnection<Sqlite>> {
        match self.0.inner {
            Inner::Sqlite(connection) => Some(connection),
            Inner::PostgresRead(_) | Inner::PostgresWrite(_) => None,
        }
    }

    /// Executes a statement and returns how many rows it touched.
    pub(super) async fn execute(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<u64, StoreError> {
        let (sql, args) = self.with_script(sql.as_ref(), args);
        match self.engine() {
            Engine::Sqlite(conn) => {
                // Each statement has a count of its own; this one's is the last.
                let mut results = conn.fetch_many(bind!(sqlx::query(sql), args));
                let mut touched = 0;
                while let Some(result) = results.try_next().await? {
                    if let Either::Left(done) = result {
                        touched = done.rows_affected();
                    }
                }
                Ok(touched)
            }
            Engine::Postgres(conn) => Ok(bind!(sqlx::query(sql), args).execute(conn).await?.rows_affected()),
        }
    }

    /// Executes a statement whose outcome nobody needs before the next one that is answered, or the commit. If
    /// it fails, that one does.
    pub(super) async fn later(&mut self, sql: impl AsRef<str>, args: Vec<Value>) -> Result<(), StoreError> {
        if self.is_postgres() {
            self.execute_now(sql.as_ref().to_owned(), args).await?;
        } else {
            self.script.add(sql.as_ref(), args);
        }
        Ok(())
    }

    /// Executes what waits.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        if !self.script.sql.is_empty() {
            let (sql, args) = self.script.take();
            self.execute_now(sql, args).await?;
        }
        Ok(())
    }

    async fn execute_now(&mut self, sql: String, args: Vec<Value>) -> Result<u64, StoreError> {
        let sql = AssertSqlSafe(sql);
        Ok(match self.engine() {
            Engine::Sqlite(conn) => bind!(sqlx::query(sql), args).execute(conn).await?.rows_affected(),
            Engine::Postgres(conn) => bind!(sqlx::query(sql), args).execute(conn).await?.rows_affected(),
        })
    }

    /// Begins a savepoint.
    pub(super) async fn save(&mut self) -> Result<Mark, StoreError> {
        let mark = self.script.mark();
        self.later("SAVEPOINT one", vec![]).await?;
        Ok(mark)
    }

    /// Goes back to where a savepoint began, as if nothing of it had been.
    pub(super) async fn back_to(&mut self, mark: Mark) -> Result<(), StoreError> {
        if self.script.forget_since(mark) {
            return Ok(());
        }
        self.script.take();
        self.execute_now("ROLLBACK TO one; RELEASE one".to_owned(), vec![])
            .await
            .map(|_| ())
    }

    /// Ends a savepoint; what was done in it stands if the transaction does.
    pub(super) async fn keep(&mut self) -> Result<(), StoreError> {
        // What waits may fail: in this savepoint, not in the next.
        let may_fail = !self.script.sql.is_empty();
        self.later("RELEASE one", vec![]).await?;
        if may_fail { self.flush().await } else { Ok(()) }
    }

    /// Commits on SQLite; the connection can be used again.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.script.add("COMMIT", vec![]);
        self.flush().await
    }

    /// Commits on PostgreSQL.
    pub(super) async fn commit_postgres(self) -> Result<(), StoreError> {
        if let Inner::PostgresWrite(tx) = self.0.inner {
            tx.commit().await?;
        }
        Ok(())
    }

    /// Undoes everything. `false`: the connection is in no known state and must not be used again.
    pub(super) async fn roll_back(&mut self) -> bool {
        self.script.take();
        match self.execute_now("ROLLBACK".to_owned(), vec![]).await {
            Ok(_) => true,
            // SQLite has rolled back by itself (a full disk), or nothing had begun.
            Err(error) => error.to_string().contains("no transaction is active"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_go_along_are_numbered_through() {
        let mut script = Script::default();
        script.add("BEGIN IMMEDIATE", vec![]);
        script.add(
            "UPDATE a SET b = $1 WHERE c = $2 AND d = $1",
            vec![1_i64.into(), 2_i64.into()],
        );
        script.add("INSERT INTO e VALUES ($1, $10)", vec![3_i64.into()]);
        assert_eq!(
            script.take(),
            (
                "BEGIN IMMEDIATE; UPDATE a SET b = $1 WHERE c = $2 AND d = $1; INSERT INTO e VALUES ($3, $12)"
                    .to_owned(),
                vec![1_i64.into(), 2_i64.into(), 3_i64.into()]
            )
        );
    }
}
