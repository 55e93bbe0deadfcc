//! How far a copy is, in a table of the target that is there only while the copy is not complete.

use clifford_core::value::{Value, args};

use super::shape::{Kind, Table};
use crate::{Db, StoreError, Tx};

/// The step that names the source.
const SOURCE: &str = "source";

/// How far one step is.
pub(super) struct Step {
    /// The key of the last row that is through.
    pub after: Vec<Value>,
    /// Nothing of it is left.
    pub done: bool,
}

/// Whether a copy from this source was begun in the target.
pub(super) async fn goes_on(to: &Db, source: &str) -> Result<bool, StoreError> {
    let mut conn = to.read().await?;
    let sql = if conn.is_postgres() {
        "SELECT CAST(1 AS BIGINT) FROM pg_catalog.pg_tables
         WHERE schemaname = current_schema() AND tablename = 'copy_progress'"
    } else {
        "SELECT 1 FROM sqlite_schema WHERE name = 'copy_progress'"
    };
    if !conn.exists(sql, vec![]).await? {
        return Ok(false);
    }
    let begun: Option<(String,)> = conn
        .fetch_optional("SELECT reached FROM copy_progress WHERE step = $1", args![SOURCE])
        .await?;
    match begun {
        Some((begun,)) if begun == source => Ok(true),
        begun => Err(StoreError::WrongState(format!(
            "the target holds a part of a copy of {}, not of {source}: go on with that one, or name a new database",
            begun.map_or_else(|| "another database".to_owned(), |begun| begun.0)
        ))),
    }
}

/// Begins a copy.
pub(super) async fn begin(to: &Db, source: &str) -> Result<(), StoreError> {
    let source = source.to_owned();
    to.write(move |tx| {
        Box::pin(async move {
            let sql =
                "CREATE TABLE copy_progress (step TEXT PRIMARY KEY, reached TEXT NOT NULL, done BOOLEAN NOT NULL)";
            tx.execute(sql, vec![]).await?;
            let sql = "INSERT INTO copy_progress (step, reached, done) VALUES ($1, $2, $3)";
            tx.execute(sql, args![SOURCE, source, false]).await.map(|_| ())
        })
    })
    .await
}

/// Ends it: from now on the target is a database as any other.
pub(super) async fn end(to: &Db) -> Result<(), StoreError> {
    to.write(|tx| Box::pin(async move { tx.execute("DROP TABLE copy_progress", vec![]).await.map(|_| ()) }))
        .await
}

/// Marks how far a step is, with the transaction that brought it there.
pub(super) async fn mark(tx: &mut Tx, step: &str, after: &[Value], done: bool) -> Result<(), StoreError> {
    let reached: Vec<serde_json::Value> = after.iter().map(json).collect();
    let sql = "INSERT INTO copy_progress (step, reached, done) VALUES ($1, $2, $3)
               ON CONFLICT (step) DO UPDATE SET reached = excluded.reached, done = excluded.done";
    let reached = serde_json::Value::Array(reached);
    tx.execute(sql, args![step, reached, done]).await.map(|_| ())
}

async fn reached(to: &Db, step: &str) -> Result<Option<(Vec<serde_json::Value>, bool)>, StoreError> {
    let sql = "SELECT reached, done FROM copy_progress WHERE step = $1";
    let row: Option<(String, bool)> = to.read().await?.fetch_optional(sql, args![step]).await?;
    Ok(match row {
        Some((reached, done)) => Some((serde_json::from_str(&reached)?, done)),
        None => None,
    })
}

/// How far a step is that goes by the key of a table.
pub(super) async fn step(to: &Db, step: &str, table: &Table) -> Result<Step, StoreError> {
    let (reached, done) = reached(to, step).await?.unwrap_or_default();
    let kinds = table.key.iter().map(|place| table.columns[*place].kind);
    let after = reached.iter().zip(kinds).map(|(value, kind)| match kind {
        Kind::Text => Value::Text(value.as_str().map(str::to_owned)),
        Kind::Int => Value::Int(value.as_i64()),
        Kind::Real => Value::Real(value.as_f64()),
        Kind::Bool => Value::Bool(value.as_bool()),
    });
    Ok(Step {
        after: after.collect(),
        done,
    })
}

/// The number that a step has reached; 0: none.
pub(super) async fn number(to: &Db, step: &str) -> Result<i64, StoreError> {
    let (reached, _) = reached(to, step).await?.unwrap_or_default();
    Ok(reached.first().and_then(serde_json::Value::as_i64).unwrap_or(0))
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.clone().into(),
        Value::Int(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        Value::Bool(truth) => (*truth).into(),
    }
}
