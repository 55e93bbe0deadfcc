//! SQLite in the caller's own thread.
//!
//! sqlx gives every connection a thread, and each result of each statement is handed from there to here: that was half
//! of a reply's processor time (the head of the crate has the figures). So the writer, which has a thread of its own
//! already, and the few short questions that every message asks, execute their statements where they are.

mod place;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_core::{settings::Synchronous, value::Value};
use rusqlite::{CachedStatement, Connection, OpenFlags, config::DbConfig, ffi, types::ValueRef};

use self::place::DatabaseFiles;
use super::rows::{LocalRow, LocalValue};
use crate::{StoreError, is_damage_of_sqlite};

/// How long a connection waits for another's lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How many statements a connection keeps prepared.
pub(super) const STATEMENTS: usize = 400;
/// The pragmas of every connection, besides `synchronous`. Savepoints keep their undo data in memory; the log is copied
/// into the file every 16 MB, not every 4. Deleted content is overwritten: an erased person is not to be found in the
/// file either.
pub(super) const PRAGMAS: [(&str, &str); 3] = [
    ("temp_store", "MEMORY"),
    ("wal_autocheckpoint", "4000"),
    ("secure_delete", "ON"),
];

/// A connection that executes statements in its caller's own thread.
#[derive(Debug)]
pub(super) struct Local {
    /// `None` only once it is dropped.
    connection: Option<Connection>,
    /// Where it goes back to when it is dropped.
    home: Option<Locals>,
}

impl Local {
    /// Executes a statement, and returns up to `most` of its rows.
    pub(crate) fn rows(&self, sql: &str, args: &[Value], most: usize) -> Result<Vec<LocalRow>, StoreError> {
        let mut statement = self.prepare(sql, args)?;
        let width = statement.column_count();
        let mut columns: Option<Arc<[String]>> = None;
        let mut found = Vec::new();
        let mut rows = statement.raw_query();
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            let columns = columns.get_or_insert_with(|| {
                let names = row.as_ref().column_names().into_iter();
                names.map(str::to_owned).collect()
            });
            let mut values = Vec::with_capacity(width);
            for place in 0..width {
                values.push(value(row.get_ref(place)?)?);
            }
            found.push(LocalRow {
                columns: Arc::clone(columns),
                values,
            });
        }
        Ok(found)
    }

    /// Executes a statement, and returns how many rows it touched.
    pub(crate) fn execute(&self, sql: &str, args: &[Value]) -> Result<u64, StoreError> {
        let mut statement = self.prepare(sql, args)?;
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        Ok(self.connection.as_ref().map_or(0, Connection::changes))
    }

    fn prepare(&self, sql: &str, args: &[Value]) -> Result<CachedStatement<'_>, StoreError> {
        let closed = || StoreError::Unavailable("the connection is closed".to_owned());
        let mut statement = self.connection.as_ref().ok_or_else(closed)?.prepare_cached(sql)?;
        // SQLite counts `$n` by where they first stand, not by their number.
        for place in 1..=statement.parameter_count() {
            let name = statement.parameter_name(place).and_then(|name| name.get(1..));
            let number = name.and_then(|name| name.parse().ok()).unwrap_or(place);
            match args.get(number - 1) {
                Some(Value::Text(Some(text))) => statement.raw_bind_parameter(place, text.as_str())?,
                Some(Value::Int(Some(number))) => statement.raw_bind_parameter(place, number)?,
                Some(Value::Real(Some(number))) => statement.raw_bind_parameter(place, number)?,
                Some(Value::Bool(Some(truth))) => statement.raw_bind_parameter(place, truth)?,
                // An unbound parameter is NULL.
                _ => {}
            }
        }
        Ok(statement)
    }
}

fn value(value: ValueRef<'_>) -> Result<LocalValue, StoreError> {
    Ok(match value {
        ValueRef::Null => LocalValue::Null,
        ValueRef::Integer(number) => LocalValue::Int(number),
        ValueRef::Real(number) => LocalValue::Real(number),
        ValueRef::Text(text) => LocalValue::Text(
            std::str::from_utf8(text)
                .map_err(|error| StoreError::Corrupt(error.to_string()))?
                .to_owned(),
        ),
        ValueRef::Blob(_) => return Err(StoreError::Corrupt("bytes where a text or a number belongs".to_owned())),
    })
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::SqliteFailure(code, Some(message))
                if matches!(
                    code.extended_code,
                    ffi::SQLITE_CONSTRAINT_UNIQUE
                        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                        | ffi::SQLITE_CONSTRAINT_FOREIGNKEY
                ) =>
            {
                Self::Conflict(message)
            }
            rusqlite::Error::SqliteFailure(code, _) if is_damage_of_sqlite(code.extended_code) => {
                Self::Damaged(error.to_string())
            }
            error => Self::Unavailable(error.to_string()),
        }
    }
}

/// Connections to one file, made as they are needed. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Locals(Arc<File>);

#[derive(Debug)]
struct File {
    path: PathBuf,
    place: DatabaseFiles,
    synchronous: &'static str,
    free: Mutex<Vec<Connection>>,
}

impl Drop for Local {
    fn drop(&mut self) {
        if let (Some(connection), Some(home)) = (self.connection.take(), &self.home) {
            home.free().push(connection);
        }
    }
}

impl Locals {
    /// Connections to a file that is there.
    pub(crate) fn new(path: &Path, synchronous: Synchronous) -> Self {
        Self(Arc::new(File {
            path: path.to_owned(),
            place: DatabaseFiles::of(path),
            synchronous: match synchronous {
                Synchronous::Full => "FULL",
                Synchronous::Normal => "NORMAL",
            },
            free: Mutex::default(),
        }))
    }

    /// Whether the file and its log are still where they were opened.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]: they are not, and what to do.
    pub(super) fn in_place(&self) -> Result<(), StoreError> {
        self.0.place.check()
    }

    /// A connection of one's own, to write with; it has the log open.
    pub(super) fn connect(&self) -> Result<Local, StoreError> {
        let own = Local {
            connection: Some(self.open()?),
            home: None,
        };
        own.rows("SELECT 1 FROM sqlite_schema LIMIT 1", &[], 1)?;
        Ok(own)
    }

    /// A connection to ask something short with. There are as few as there are threads that ask at once.
    pub(super) fn lend(&self) -> Result<Local, StoreError> {
        let free = self.free().pop();
        let connection = match free {
            Some(connection) => connection,
            None => self.open()?,
        };
        Ok(Local {
            connection: Some(connection),
            home: Some(self.clone()),
        })
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // A connection to another file under this name takes the log for that file's, and empties it into that one: so
        // the place is checked before, and once more before anything is read.
        self.in_place()?;
        let connection = Connection::open_with_flags(&self.0.path, flags)?;
        self.in_place()?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // The planner would look at the values of `LIMIT $n`, and so plan a statement again whenever one is bound,
        // which takes longer than executing it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        connection.pragma_update(None, "synchronous", self.0.synchronous)?;
        for (name, value) in PRAGMAS {
            connection.pragma_update(None, name, value)?;
        }
        Ok(connection)
    }

    /// Closes those that nobody has.
    pub(super) fn close(&self) {
        self.free().clear();
    }

    fn free(&self) -> MutexGuard<'_, Vec<Connection>> {
        // A panic while the list was held cannot have left it half changed.
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::{row::FromRow, value::args};
    use rusqlite::StatementStatus;

    use super::*;

    fn locals(dir: &tempfile::TempDir) -> Locals {
        let path = dir.path().join("test.db");
        Connection::open(&path).expect("a new file");
        Locals::new(&path, Synchronous::Full)
    }

    #[test]
    fn arguments_are_bound_by_number_and_values_come_back_as_they_were() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = locals(&dir).connect().expect("a connection");
        local
            .execute("CREATE TABLE t (a TEXT, b BIGINT, c DOUBLE PRECISION, d BOOLEAN)", &[])
            .expect("a table");
        let args = args!["x", 7_i64, 0.5, true, None::<String>];
        let touched = local
            .execute(
                "INSERT INTO t (d, c, b, a) VALUES ($4, $3, $2, $1), ($4, $5, $5, $5)",
                &args,
            )
            .expect("two rows");
        assert_eq!(touched, 2);
        type All = (Option<String>, Option<i64>, Option<f64>, bool);
        let rows = local
            .rows("SELECT a, b, c, d FROM t ORDER BY rowid", &[], 9)
            .expect("rows");
        let rows: Vec<All> = rows.iter().map(|row| FromRow::from_row(row).expect("a row")).collect();
        assert_eq!(
            rows,
            [
                (Some("x".to_owned()), Some(7), Some(0.5), true),
                (None, None, None, true)
            ]
        );
        let wrong = local
            .rows("SELECT b FROM t WHERE b = $1", &[7_i64.into()], 1)
            .expect("a row");
        assert!(<(String,)>::from_row(&wrong[0]).is_err());
    }

    #[test]
    fn a_statement_is_planned_once_whatever_is_bound_to_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = locals(&dir).connect().expect("a connection");
        local.execute("CREATE TABLE t (a BIGINT)", &[]).expect("a table");
        let sql = "SELECT a FROM t WHERE a > $1 ORDER BY a LIMIT $2";
        for limit in [1_i64, 2, 3] {
            local.rows(sql, &[limit.into(), limit.into()], 9).expect("rows");
        }
        let statement = local.prepare(sql, &[]).expect("prepared");
        let status = |status| statement.get_status(status);
        assert_eq!(
            (status(StatementStatus::RePrepare), status(StatementStatus::Run)),
            (0, 3)
        );
    }

    #[test]
    fn what_the_schema_forbids_is_a_conflict_and_anything_else_is_trouble() {
        let dir = tempfile::tempdir().expect("a directory");
        let local = locals(&dir).connect().expect("a connection");
        for sql in [
            "CREATE TABLE one (id TEXT PRIMARY KEY, other TEXT UNIQUE)",
            "CREATE TABLE two (one TEXT REFERENCES one (id))",
            "INSERT INTO one VALUES ('a', 'b')",
        ] {
            local.execute(sql, &[]).expect(sql);
        }
        for sql in [
            "INSERT INTO one VALUES ('a', 'c')",
            "INSERT INTO one VALUES ('c', 'b')",
            "INSERT INTO two VALUES ('c')",
        ] {
            let error = local.execute(sql, &[]).expect_err(sql);
            assert!(matches!(error, StoreError::Conflict(_)), "{sql}: {error}");
        }
        let error = local
            .execute("INSERT INTO three VALUES (1)", &[])
            .expect_err("no table");
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    }

    #[test]
    fn a_connection_that_was_lent_is_lent_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let locals = locals(&dir);
        drop([locals.lend().expect("one"), locals.lend().expect("two")]);
        assert_eq!(locals.free().len(), 2);
        let lent = locals.lend().expect("one of them");
        assert_eq!(locals.free().len(), 1);
        drop(lent);
        drop(locals.connect().expect("one's own"));
        assert_eq!(locals.free().len(), 2);
        locals.close();
        assert!(locals.free().is_empty());
    }
}
