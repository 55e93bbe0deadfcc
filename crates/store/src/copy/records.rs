//! Rows of any table: read by pages, written, and summed up.

use std::fmt::Write as _;

use clifford_core::{
    row::{Cell, FromRow, Row, RowError},
    value::Value,
};
use sha2::{Digest as _, Sha256};

use super::shape::{Kind, Table};
use crate::{Conn, StoreError, Tx};

/// How many arguments one statement has at most; SQLite takes 32,766, PostgreSQL 65,535.
const ARGUMENTS: usize = 30_000;

/// The cells of a row, as they come.
struct Record(Vec<Field>);

enum Field {
    Null,
    Int(i64),
    Real(f64),
    Bool(bool),
    Text(String),
}

impl FromRow for Record {
    fn from_row(row: &dyn Row) -> Result<Self, RowError> {
        let mut fields = Vec::new();
        // A value that is not read ends the row early; the count of its columns tells.
        while let Ok(cell) = row.nth(fields.len()) {
            fields.push(match cell {
                Cell::Null => Field::Null,
                Cell::Int(number) => Field::Int(number),
                Cell::Real(number) => Field::Real(number),
                Cell::Bool(truth) => Field::Bool(truth),
                Cell::Text(text) => Field::Text(text.to_owned()),
            });
        }
        Ok(Self(fields))
    }
}

/// How many rows a table has, and the sum of their checksums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digest {
    pub rows: u64,
    pub sum: u128,
}

/// The rows of a table after the one of this key (of none: from the first), in the order of the key.
pub(super) async fn page(
    conn: &mut Conn,
    table: &Table,
    after: &[Value],
    limit: u32,
) -> Result<Vec<Vec<Value>>, StoreError> {
    let mut sql = format!("SELECT {} FROM \"{}\"", columns(table), table.name);
    let mut args = after.to_vec();
    if !table.key.is_empty() {
        let key = table.key_columns();
        if !after.is_empty() {
            let _ = write!(sql, " WHERE ({key}) > ({})", placeholders(1, after.len()));
        }
        args.push(limit.into());
        let _ = write!(sql, " ORDER BY {key} LIMIT ${}", args.len());
    }
    let records: Vec<Record> = conn.fetch_all(sql, args).await?;
    records.into_iter().map(|record| values(table, record)).collect()
}

fn values(table: &Table, record: Record) -> Result<Vec<Value>, StoreError> {
    if let Some(unread) = table.columns.get(record.0.len()) {
        let (table, column) = (&table.name, &unread.name);
        return Err(StoreError::Corrupt(format!(
            "{table}.{column} holds what is not copied"
        )));
    }
    let cells = record.0.into_iter().zip(&table.columns);
    cells
        .map(|(field, column)| {
            Ok(match (column.kind, field) {
                (kind, Field::Null) => kind.null(),
                (Kind::Text, Field::Text(text)) => Value::from(text),
                (Kind::Int, Field::Int(number)) => Value::Int(Some(number)),
                (Kind::Real, Field::Real(number)) => Value::Real(Some(number)),
                (Kind::Bool, Field::Bool(truth)) => Value::Bool(Some(truth)),
                (Kind::Bool, Field::Int(number)) => Value::Bool(Some(number != 0)),
                (kind, _) => {
                    let (table, column) = (&table.name, &column.name);
                    return Err(StoreError::Corrupt(format!(
                        "{table}.{column} holds something else than {kind:?}"
                    )));
                }
            })
        })
        .collect()
}

/// Writes rows; references within the table are left out, since they may point to rows that come later.
pub(super) async fn insert(tx: &mut Tx, table: &Table, mut rows: Vec<Vec<Value>>) -> Result<(), StoreError> {
    for row in &mut rows {
        for link in &table.links {
            row[*link] = table.columns[*link].kind.null();
        }
    }
    let width = table.columns.len().max(1);
    // Numbers that PostgreSQL makes by itself are taken as they are.
    let overriding = if tx.is_postgres() {
        " OVERRIDING SYSTEM VALUE"
    } else {
        ""
    };
    let most = (ARGUMENTS / width).max(1);
    while !rows.is_empty() {
        let rest = rows.split_off(rows.len().min(most));
        let tuples: Vec<_> = (0..rows.len())
            .map(|row| format!("({})", placeholders(row * width + 1, width)))
            .collect();
        let sql = format!(
            "INSERT INTO \"{}\" ({}){overriding} VALUES {}",
            table.name,
            columns(table),
            tuples.join(", ")
        );
        tx.execute(sql, rows.into_iter().flatten().collect()).await?;
        rows = rest;
    }
    Ok(())
}

/// Sets the reference that a row has to another one of its table.
pub(super) async fn link(tx: &mut Tx, table: &Table, link: usize, row: &[Value]) -> Result<(), StoreError> {
    let key = table.key_of(row);
    let mut args = vec![row[link].clone()];
    let column = &table.columns[link].name;
    let places = placeholders(2, key.len());
    args.extend(key);
    let sql = format!(
        "UPDATE \"{}\" SET \"{column}\" = $1 WHERE ({}) = ({places})",
        table.name,
        table.key_columns()
    );
    tx.execute(sql, args).await.map(|_| ())
}

/// Sums up all rows of a table.
pub(super) async fn digest(conn: &mut Conn, table: &Table, limit: u32) -> Result<Digest, StoreError> {
    let (mut sum, mut after) = (Digest::default(), Vec::new());
    loop {
        let rows = page(conn, table, &after, limit).await?;
        for row in &rows {
            sum.rows += 1;
            sum.sum = sum.sum.wrapping_add(checksum(row));
        }
        if let Some(row) = rows.last() {
            after = table.key_of(row);
        }
        if !table.has_more(rows.len(), limit) {
            return Ok(sum);
        }
    }
}

/// The first half of the SHA-256 of a row's values, each with its kind and length.
fn checksum(row: &[Value]) -> u128 {
    let mut hash = Sha256::new();
    let mut take = |kind: u8, bytes: &[u8]| {
        hash.update([kind]);
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    for value in row {
        match value {
            Value::Text(Some(text)) => take(b't', text.as_bytes()),
            Value::Int(Some(number)) => take(b'i', &number.to_le_bytes()),
            Value::Real(Some(number)) => take(b'r', &number.to_bits().to_le_bytes()),
            Value::Bool(Some(truth)) => take(b'b', &[u8::from(*truth)]),
            Value::Text(None) | Value::Int(None) | Value::Real(None) | Value::Bool(None) => take(b'n', &[]),
        }
    }
    let digest = hash.finalize();
    digest
        .iter()
        .take(16)
        .fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
}

/// Whether it is none.
pub(super) fn is_null(value: &Value) -> bool {
    matches!(
        value,
        Value::Text(None) | Value::Int(None) | Value::Real(None) | Value::Bool(None)
    )
}

fn columns(table: &Table) -> String {
    let names = table.columns.iter().map(|column| format!("\"{}\"", column.name));
    names.collect::<Vec<_>>().join(", ")
}

fn placeholders(first: usize, count: usize) -> String {
    let places = (first..first + count).map(|place| format!("${place}"));
    places.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_tells_apart_what_only_looks_the_same() {
        let text = |text: &str| Value::from(text);
        let rows = [
            vec![text("ab"), text("c")],
            vec![text("a"), text("bc")],
            vec![text("1"), Value::Int(None)],
            vec![Value::Int(Some(1)), Value::Int(None)],
            vec![text(""), Value::Int(None)],
            vec![Value::Text(None), Value::Int(None)],
            vec![Value::Bool(Some(true)), Value::Int(None)],
            vec![Value::Real(Some(1.0)), Value::Int(None)],
        ];
        let mut sums: Vec<_> = rows.iter().map(|row| checksum(row)).collect();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), rows.len());
    }
}
