//! The rows of each engine, as types are read from them.

use std::sync::Arc;

use clifford_core::row::{Cell, Row, RowError};
use sqlx::{ColumnIndex, Decode, Row as _, TypeInfo as _, ValueRef as _};
use sqlx_postgres::PgRow;
use sqlx_sqlite::SqliteRow;

/// A row of SQLite that was read in the caller's own thread.
#[derive(Clone, Debug)]
pub(crate) struct LocalRow {
    pub(super) columns: Arc<[String]>,
    pub(super) values: Vec<LocalValue>,
}

/// A value of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LocalValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

/// A row of SQLite that sqlx has read.
pub(super) struct OfSqlite<'r>(pub(super) &'r SqliteRow);

/// A row of PostgreSQL.
pub(super) struct OfPostgres<'r>(pub(super) &'r PgRow);

impl Row for LocalRow {
    fn named(&self, column: &str) -> Result<Cell<'_>, RowError> {
        let place = self.columns.iter().position(|name| name == column);
        self.nth(place.ok_or_else(|| RowError::new(column, "the row has none of this name"))?)
    }

    fn nth(&self, place: usize) -> Result<Cell<'_>, RowError> {
        Ok(match self.values.get(place) {
            Some(LocalValue::Null) => Cell::Null,
            Some(LocalValue::Int(number)) => Cell::Int(*number),
            Some(LocalValue::Real(number)) => Cell::Real(*number),
            Some(LocalValue::Text(text)) => Cell::Text(text),
            None => return Err(RowError::new(place, "the row ends before it")),
        })
    }
}

impl Row for OfSqlite<'_> {
    fn named(&self, column: &str) -> Result<Cell<'_>, RowError> {
        sqlite(self.0, column).map_err(|error| RowError::new(column, error))
    }

    fn nth(&self, place: usize) -> Result<Cell<'_>, RowError> {
        sqlite(self.0, place).map_err(|error| RowError::new(place, error))
    }
}

fn sqlite<I: ColumnIndex<SqliteRow>>(row: &SqliteRow, index: I) -> Result<Cell<'_>, sqlx::error::BoxDynError> {
    let value = row.try_get_raw(index)?;
    if value.is_null() {
        return Ok(Cell::Null);
    }
    let kind = value.type_info().name().to_owned();
    Ok(match kind.as_str() {
        "INTEGER" => Cell::Int(Decode::<sqlx_sqlite::Sqlite>::decode(value)?),
        "REAL" => Cell::Real(Decode::<sqlx_sqlite::Sqlite>::decode(value)?),
        "TEXT" => Cell::Text(Decode::<sqlx_sqlite::Sqlite>::decode(value)?),
        other => return Err(unread(other)),
    })
}

impl Row for OfPostgres<'_> {
    fn named(&self, column: &str) -> Result<Cell<'_>, RowError> {
        postgres(self.0, column).map_err(|error| RowError::new(column, error))
    }

    fn nth(&self, place: usize) -> Result<Cell<'_>, RowError> {
        postgres(self.0, place).map_err(|error| RowError::new(place, error))
    }
}

fn postgres<I: ColumnIndex<PgRow>>(row: &PgRow, index: I) -> Result<Cell<'_>, sqlx::error::BoxDynError> {
    let value = row.try_get_raw(index)?;
    if value.is_null() {
        return Ok(Cell::Null);
    }
    let kind = value.type_info().into_owned();
    Ok(match kind.name() {
        "INT8" => Cell::Int(Decode::<sqlx_postgres::Postgres>::decode(value)?),
        "INT4" => Cell::Int(i64::from(<i32 as Decode<sqlx_postgres::Postgres>>::decode(value)?)),
        "FLOAT8" => Cell::Real(Decode::<sqlx_postgres::Postgres>::decode(value)?),
        "BOOL" => Cell::Bool(Decode::<sqlx_postgres::Postgres>::decode(value)?),
        "TEXT" | "VARCHAR" | "NAME" | "UNKNOWN" => Cell::Text(Decode::<sqlx_postgres::Postgres>::decode(value)?),
        other => return Err(unread(other)),
    })
}

fn unread(kind: &str) -> sqlx::error::BoxDynError {
    format!("values of type {kind} are not read").into()
}
