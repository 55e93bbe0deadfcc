//! Everything that is kept: one file per table, the same text for SQLite and PostgreSQL.
//!
//! Functions take a [`Tx`] to write or a [`Conn`] to read, and return domain types. There is no SQL outside
//! of this crate, and no domain rule inside it beyond what keeps rows true.
//!
//! **Two engines, one text.** Statements are written once with `$1` placeholders and plain types (TEXT, BIGINT,
//! BOOLEAN, DOUBLE PRECISION), and run on either engine through [`Conn`]. Search and three other statements have two
//! texts ([`Conn::is_postgres`]).
//!
//! **SQLite in the thread that asks.** sqlx gives every connection to SQLite a thread, and hands over each result of
//! each statement. By sqlx alone a reply took 44 to 61 switches between threads and 1.55 ms of processor time; with
//! rusqlite next to it 8 switches and 0.85 ms, on the two cores of `docs/reference/benchmarks.md`. So the writer, and
//! the reads before each message (`Db::read_local`), execute their statements where they are (`db/local.rs`). Longer
//! reads (`Db::read`) still have their own thread. `clifford_core::row` reads the rows of all of them into the same
//! types.

pub mod budgets;
pub mod contexts;
pub mod copy;
pub mod db;
pub mod deaths;
pub mod documents;
pub mod files;
pub mod ids;
pub mod inbound_lookup;
pub mod jobs;
pub mod leases;
pub mod maintenance;
pub mod memory;
pub mod messages;
pub mod model_images;
pub mod model_windows;
pub mod people;
pub mod places;
pub mod portable;
pub mod rates;
pub mod removal;
pub mod retention;
pub mod runs;
pub mod search;
pub mod triggers;
pub mod usage;
mod withheld;

use clifford_core::row::RowError;
pub use clifford_core::{json_text::JsonText, row::FromRow, value::Value};
pub use db::{BoxFuture, Db, DbOptions, ORPHANS, Pools, hold, is_held, is_new};

pub use crate::db::{
    conn::{Conn, Tx},
    schema::{Schema, SchemaState},
};

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database did not answer, or is full, locked or gone: try again later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// This worker's lease of the run is over: stop, and write nothing more of it.
    #[error("the lease of run {0} is over")]
    LeaseLost(clifford_core::id::RunId),
    /// A rule of the schema forbids the row: it is there already, or what it refers to is not.
    #[error("it does not fit what is stored: {0}")]
    Conflict(String),
    /// There is no such row.
    #[error("there is no {0}")]
    NotFound(String),
    /// The row's state does not allow the change.
    #[error("{0}")]
    WrongState(String),
    /// A row holds what this version cannot read.
    #[error("a stored value cannot be read: {0}")]
    Corrupt(String),
    /// The database needs a newer Clifford.
    #[error("{0}")]
    Newer(String),
    /// Another process has the database.
    #[error("{0}")]
    InUse(String),
    /// The database's file, or a part of a server's, holds what the engine cannot read: a backup or a rescue helps, and
    /// waiting does not. A process at work waits all the same, as if the database were away.
    #[error("{DAMAGED}: {0}{SEE}")]
    Damaged(String),
    /// The database's address cannot be used.
    #[error("{0}")]
    BadUrl(String),
    /// The server refuses what it is asked for, until somebody changes who may do what. A start ends by it; a process
    /// at work waits as if the database were away.
    #[error("{0}")]
    Refused(String),
}

/// How the words of [`StoreError::Damaged`] begin, whatever they stand in.
pub const DAMAGED: &str = "the database is damaged";
/// How they end.
pub const SEE: &str = "; `clifford db check` says what to do";

/// PostgreSQL's code for a right that is missing.
const INSUFFICIENT_PRIVILEGE: &str = "42501";

/// Whether a server would refuse the connection again: the credentials, the database, the rights. Any other failure may
/// be the network's fault, or a server's that is not up yet.
fn is_lasting(error: &sqlx::Error) -> bool {
    /// <https://www.postgresql.org/docs/current/errcodes-appendix.html>: classes of refusals that nothing mends by
    /// itself.
    const LASTING: [&str; 5] = ["0A", "28", "3D", "3F", "42"];
    match error {
        sqlx::Error::Configuration(_) | sqlx::Error::Tls(_) => true,
        sqlx::Error::Database(error) => {
            (error.code()).is_some_and(|code| code.len() == 5 && LASTING.iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}

/// Whether the engine cannot read what is stored: SQLITE_CORRUPT and SQLITE_NOTADB in any of their kinds, which the low
/// byte of the extended code tells (<https://www.sqlite.org/rescode.html>), and PostgreSQL's codes of damaged rows and
/// indexes.
fn is_damage(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| match code.as_ref() {
        "XX001" | "XX002" => true,
        code if code.len() < 5 => code.parse().is_ok_and(is_damage_of_sqlite),
        _ => false,
    })
}

/// The same, of SQLite's codes.
const fn is_damage_of_sqlite(code: i32) -> bool {
    matches!(code & 0xff, 11 | 26)
}

/// The words of the engine, without those of the library that asks it.
fn message(error: &sqlx::Error) -> String {
    (error.as_database_error()).map_or_else(|| error.to_string(), |inner| inner.message().to_owned())
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(inner) if inner.is_unique_violation() || inner.is_foreign_key_violation() => {
                Self::Conflict(inner.message().to_owned())
            }
            sqlx::Error::Database(inner) if inner.code().as_deref() == Some(INSUFFICIENT_PRIVILEGE) => {
                Self::Refused(format!(
                    "the database refuses it: {}; grant its user that right, or set database.url",
                    inner.message()
                ))
            }
            error if is_damage(error) => Self::Damaged(message(error)),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Corrupt(error.to_string()),
            _ => Self::Unavailable(error.to_string()),
        }
    }
}

impl From<RowError> for StoreError {
    fn from(error: RowError) -> Self {
        Self::Corrupt(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}
