//! The tables of the schema, as SQLite describes them: columns, keys and references.

use std::collections::BTreeSet;

use clifford_core::value::Value;

use crate::{Conn, StoreError};

/// The tables that a copy leaves out: the migrations that were applied, the indexes for search, and its own mark.
const OWN: [&str; 4] = ["_sqlx_migrations", "message_search", "chunk_search", "copy_progress"];
/// The column that says which entry of the index a message has.
const MADE_ANEW: (&str, &str) = ("messages", "search_id");

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The places of the primary key's columns. A few small tables have none.
    pub key: Vec<usize>,
    /// The places of columns that refer to other rows of the same table.
    pub links: Vec<usize>,
    /// The other tables that it refers to.
    refers: BTreeSet<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub name: String,
    pub kind: Kind,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    Real,
    Bool,
}

impl Kind {
    /// The shape of a column, by its declared type.
    fn of(declared: &str) -> Option<Self> {
        match declared {
            "TEXT" => Some(Self::Text),
            "BIGINT" | "INTEGER" => Some(Self::Int),
            "DOUBLE PRECISION" => Some(Self::Real),
            "BOOLEAN" => Some(Self::Bool),
            _ => None,
        }
    }

    /// No value of this kind.
    pub fn null(self) -> Value {
        match self {
            Self::Text => Value::Text(None),
            Self::Int => Value::Int(None),
            Self::Real => Value::Real(None),
            Self::Bool => Value::Bool(None),
        }
    }
}

impl Table {
    /// The key of one of its rows.
    pub fn key_of(&self, row: &[Value]) -> Vec<Value> {
        self.key.iter().filter_map(|place| row.get(*place).cloned()).collect()
    }

    /// Whether more rows may follow a page of so many. Without a key all rows are one page.
    pub fn has_more(&self, rows: usize, page: u32) -> bool {
        !self.key.is_empty() && u32::try_from(rows).is_ok_and(|rows| rows >= page)
    }

    /// The columns of its key, for an `ORDER BY` or a comparison.
    pub fn key_columns(&self) -> String {
        let names = self
            .key
            .iter()
            .map(|place| format!("\"{}\"", self.columns[*place].name));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The tables of a SQLite database that a copy takes, those first that others refer to.
pub(super) async fn tables(sqlite: &mut Conn) -> Result<Vec<Table>, StoreError> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name";
    let names: Vec<(String,)> = sqlite.fetch_all(sql, vec![]).await?;
    let mut tables = Vec::with_capacity(names.len());
    for (name,) in names {
        if !name.starts_with("sqlite_") && !OWN.contains(&name.as_str()) {
            tables.push(table(sqlite, name).await?);
        }
    }
    ordered(tables)
}

async fn table(sqlite: &mut Conn, name: String) -> Result<Table, StoreError> {
    let sql = "SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid";
    let mut found: Vec<(String, String, i64)> = sqlite.fetch_all(sql, vec![name.as_str().into()]).await?;
    found.retain(|(column, ..)| (name.as_str(), column.as_str()) != MADE_ANEW);
    let sql = "SELECT \"table\", \"from\" FROM pragma_foreign_key_list($1)";
    let references: Vec<(String, String)> = sqlite.fetch_all(sql, vec![name.as_str().into()]).await?;
    let mut columns = Vec::with_capacity(found.len());
    let (mut key, mut links) = (Vec::new(), Vec::new());
    for (place, (column, declared, in_key)) in found.into_iter().enumerate() {
        let kind = Kind::of(&declared).ok_or_else(|| {
            StoreError::Corrupt(format!("{name}.{column} is of type {declared}, which is not copied"))
        })?;
        if in_key > 0 {
            key.push((in_key, place));
        }
        if references.iter().any(|(to, from)| *to == name && *from == column) {
            links.push(place);
        }
        columns.push(Column { name: column, kind });
    }
    key.sort_unstable();
    let refers = references.into_iter().map(|(to, _)| to).filter(|to| *to != name);
    Ok(Table {
        refers: refers.collect(),
        key: key.into_iter().map(|(_, place)| place).collect(),
        name,
        columns,
        links,
    })
}

/// In such an order that what is referred to is there before.
fn ordered(mut left: Vec<Table>) -> Result<Vec<Table>, StoreError> {
    let mut ordered: Vec<Table> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let (ready, waiting): (Vec<_>, Vec<_>) = left.into_iter().partition(|table| {
            table
                .refers
                .iter()
                .all(|to| ordered.iter().any(|before| before.name == *to))
        });
        if ready.is_empty() {
            let names: Vec<_> = waiting.iter().map(|table| table.name.as_str()).collect();
            return Err(StoreError::Corrupt(format!(
                "the tables {} refer to each other in a circle",
                names.join(", ")
            )));
        }
        ordered.extend(ready);
        left = waiting;
    }
    Ok(ordered)
}

/// Nothing, if a PostgreSQL database has the same tables and columns.
pub(super) async fn same(postgres: &mut Conn, tables: &[Table]) -> Result<(), StoreError> {
    let sql = "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
               WHERE table_schema = current_schema()";
    let found: Vec<(String, String)> = postgres.fetch_all(sql, vec![]).await?;
    let found: BTreeSet<_> = (found.iter())
        .map(|(table, column)| (table.as_str(), column.as_str()))
        .filter(|(table, column)| !OWN.contains(table) && (*table, *column) != MADE_ANEW)
        .collect();
    let expected: BTreeSet<_> = (tables.iter())
        .flat_map(|table| {
            table
                .columns
                .iter()
                .map(|column| (table.name.as_str(), column.name.as_str()))
        })
        .collect();
    match found.symmetric_difference(&expected).next() {
        None => Ok(()),
        Some((table, column)) => Err(StoreError::WrongState(format!(
            "only one of the databases has {table}.{column}: a copy needs two databases that nothing but Clifford made"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, refers: &[&str]) -> Table {
        Table {
            name: name.to_owned(),
            columns: Vec::new(),
            key: Vec::new(),
            links: Vec::new(),
            refers: refers.iter().map(|to| (*to).to_owned()).collect(),
        }
    }

    #[test]
    fn a_table_comes_after_those_that_it_refers_to() {
        let tables = vec![table("a", &["c", "b"]), table("b", &["c"]), table("c", &[])];
        let names: Vec<_> = ordered(tables)
            .expect("an order")
            .into_iter()
            .map(|table| table.name)
            .collect();
        assert_eq!(names, ["c", "b", "a"]);
        let circle = ordered(vec![table("a", &["b"]), table("b", &["a"]), table("c", &[])]);
        assert_eq!(
            circle.expect_err("a circle").to_string(),
            "a stored value cannot be read: the tables a, b refer to each other in a circle"
        );
    }
}
