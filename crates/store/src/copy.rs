//! Copies a whole database from one engine to the other.
//!
//! Rows come from a snapshot of the source, a page at a time in the order of the primary key. Each page goes into the
//! target in one transaction with a mark of how far the copy is (`copy_progress`), so a copy that was killed goes on
//! where it was. At the end both sides are read once more and compared, table by table. The tables and their order come
//! from the schema. Only the full-text indexes are not copied: each engine has its own form of them, and they are built
//! anew.

mod journal;
mod records;
mod shape;

use std::{sync::Arc, time::Duration};

use clifford_core::{id::MessageId, value::Value};

use self::{
    journal::Step,
    records::{digest, insert, page},
    shape::Table,
};
use crate::{Conn, Db, SchemaState, StoreError, documents, search};

/// How many rows are read and written at once.
const PAGE: u32 = 500;
/// How often, and after what pause, PostgreSQL is asked again whether somebody else works with the database: a
/// connection that was just closed may be listed for a moment.
const ASKED_AGAIN: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);
/// Under this name the copy is known to PostgreSQL; other processes have another.
const APPLICATION: &str = "clifford db copy";

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'p> {
    /// The phase under way.
    pub phase: Phase,
    /// The table.
    pub table: &'p str,
    /// How many of its rows are through, in this process.
    pub rows: u64,
    /// How many rows are through in this phase, of all tables.
    pub passed: u64,
    /// How many rows this phase has.
    pub of: u64,
}

/// Tells the progress of the phases, one after the other.
struct Meter<'p> {
    tell: &'p mut (dyn FnMut(Progress<'_>) + Send),
    phase: Phase,
    /// The rows of the tables that are through.
    before: u64,
    of: u64,
}

impl Meter<'_> {
    /// The next phase, which has so many rows.
    const fn begin(&mut self, phase: Phase, of: u64) {
        self.phase = phase;
        self.before = 0;
        self.of = of;
    }

    fn rows(&mut self, table: &str, rows: u64) {
        let passed = (self.before + rows).min(self.of);
        (self.tell)(Progress {
            phase: self.phase,
            table,
            rows,
            passed,
            of: self.of,
        });
    }
}

/// The phases of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Copies rows.
    Copying,
    /// Builds an index for search.
    Indexing,
    /// Compares both sides.
    Verifying,
}

/// A table that is the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its name.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// The sum of its rows' checksums, which does not depend on their order.
    pub checksum: String,
}

/// Copies everything from one database to another, and compares them. `source` names the source, in the same way each
/// time: a copy that was begun from another is refused. `from` is opened with one connection: others on PostgreSQL are
/// taken for those of a process at work.
///
/// # Errors
/// Both are of one engine, a schema is not up to date, another process works with the source, the target holds
/// something else than a part of this copy, the two differ at the end, or a database does not answer.
pub async fn copy(
    source: &str,
    from: &Db,
    to: &Db,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Vec<Verified>, StoreError> {
    let mut reader = reader(from, to).await?;
    alone(&mut reader).await?;
    in_snapshot(source, reader, to, progress).await
}

/// Copies a snapshot, as [`copy`] does, while others go on working with the source.
///
/// # Errors
/// As of [`copy`].
pub async fn snapshot(
    source: &str,
    from: &Db,
    to: &Db,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Vec<Verified>, StoreError> {
    let reader = reader(from, to).await?;
    in_snapshot(source, reader, to, progress).await
}

/// A connection to read with, if a copy from one to the other is possible.
async fn reader(from: &Db, to: &Db) -> Result<Conn, StoreError> {
    if from.is_shared() == to.is_shared() {
        return Err(StoreError::BadUrl(
            "a copy goes from SQLite to PostgreSQL or back: within one engine use `clifford db backup` or pg_dump"
                .to_owned(),
        ));
    }
    for (db, side) in [(from, "source"), (to, "target")] {
        let schema = db.schema().await?;
        if schema.state() != SchemaState::UpToDate {
            return Err(StoreError::WrongState(format!(
                "the schema of the {side} has version {}, this Clifford's {}: bring it up to date with `clifford db migrate`",
                schema.version(),
                schema.newest_known()
            )));
        }
    }
    from.read().await
}

async fn in_snapshot(
    source: &str,
    mut reader: Conn,
    to: &Db,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Vec<Verified>, StoreError> {
    begin(&mut reader).await?;
    let outcome = copy_from(source, &mut reader, to, progress).await;
    // The connection is closed with its database, whether or not it takes this.
    reader.fetch_all::<(i64,)>("ROLLBACK", vec![]).await.ok();
    outcome
}

async fn copy_from(
    source: &str,
    reader: &mut Conn,
    to: &Db,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Vec<Verified>, StoreError> {
    let tables = tables(reader, to).await?;
    if !journal::goes_on(to, source).await? {
        empty(to, &tables).await?;
        journal::begin(to, source).await?;
    }
    let mut counts = Vec::with_capacity(tables.len());
    for table in &tables {
        counts.push(count(reader, table).await?);
    }
    let all = counts.iter().sum();
    let mut meter = Meter {
        tell: progress,
        phase: Phase::Copying,
        before: 0,
        of: all,
    };
    for (table, count) in tables.iter().zip(&counts) {
        copy_rows(reader, to, table, &mut meter).await?;
        meter.before += count;
    }
    for table in &tables {
        for link in &table.links {
            copy_links(reader, to, table, *link).await?;
        }
    }
    let messages = tables.iter().zip(&counts).find(|(table, _)| table.name == "messages");
    meter.begin(Phase::Indexing, messages.map_or(0, |(_, count)| *count));
    index(to, messages.map(|(table, _)| &**table), &mut meter).await?;
    meter.begin(Phase::Verifying, all);
    let mut verified = Vec::with_capacity(tables.len());
    let mut written = to.read().await?;
    for (table, count) in tables.iter().zip(&counts) {
        verified.push(verify(reader, &mut written, table, &mut meter).await?);
        meter.before += count;
    }
    drop(written);
    journal::end(to).await?;
    Ok(verified)
}

/// A snapshot that does not change while it is read.
async fn begin(reader: &mut Conn) -> Result<(), StoreError> {
    let sql = if reader.is_postgres() {
        "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
    } else {
        "BEGIN"
    };
    reader.fetch_all::<(i64,)>(sql, vec![]).await.map(|_| ())
}

/// Nothing, if no other Clifford works with the source on PostgreSQL. SQLite's file has a lock for that.
async fn alone(reader: &mut Conn) -> Result<(), StoreError> {
    if !reader.is_postgres() {
        return Ok(());
    }
    let sql = format!("SET application_name = '{APPLICATION}'");
    reader.fetch_all::<(i64,)>(sql, vec![]).await?;
    let sql = "SELECT CAST(1 AS BIGINT) FROM pg_stat_activity
               WHERE application_name = 'clifford' AND datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..ASKED_AGAIN {
        if !reader.exists(sql, vec![]).await? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(StoreError::InUse(
        "another Clifford works with the source: stop it first, or its new messages would be left behind".to_owned(),
    ))
}

/// The tables that both sides have, those first that others refer to.
async fn tables(reader: &mut Conn, to: &Db) -> Result<Vec<Arc<Table>>, StoreError> {
    let mut other = to.read().await?;
    let (sqlite, postgres) = if reader.is_postgres() {
        (&mut other, reader)
    } else {
        (reader, &mut other)
    };
    let tables = shape::tables(sqlite).await?;
    shape::same(postgres, &tables).await?;
    Ok(tables.into_iter().map(Arc::new).collect())
}

/// Nothing, if the target has no row.
async fn empty(to: &Db, tables: &[Arc<Table>]) -> Result<(), StoreError> {
    let mut conn = to.read().await?;
    for table in tables {
        let sql = format!("SELECT CAST(1 AS BIGINT) FROM \"{}\" LIMIT 1", table.name);
        if conn.exists(sql, vec![]).await? {
            return Err(StoreError::WrongState(format!(
                "the target is not empty, its table {} has rows: name a new database; nothing was changed",
                table.name
            )));
        }
    }
    Ok(())
}

async fn count(reader: &mut Conn, table: &Table) -> Result<u64, StoreError> {
    let sql = format!("SELECT CAST(count(*) AS BIGINT) FROM \"{}\"", table.name);
    let (count,): (i64,) = reader.fetch_one(sql, vec![]).await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

async fn copy_rows(reader: &mut Conn, to: &Db, table: &Arc<Table>, meter: &mut Meter<'_>) -> Result<(), StoreError> {
    let Step { mut after, done } = journal::step(to, &table.name, table).await?;
    let (mut rows, mut last) = (0, done);
    while !last {
        let batch = page(reader, table, &after, PAGE).await?;
        last = !table.has_more(batch.len(), PAGE);
        if let Some(row) = batch.last() {
            after = table.key_of(row);
        }
        rows += u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let (of, mark) = (Arc::clone(table), after.clone());
        to.write(move |tx| {
            Box::pin(async move {
                insert(tx, &of, batch).await?;
                journal::mark(tx, &of.name, &mark, last).await
            })
        })
        .await?;
        meter.rows(&table.name, rows);
    }
    Ok(())
}

/// Sets the references within a table, once all of its rows are there.
async fn copy_links(reader: &mut Conn, to: &Db, table: &Arc<Table>, link: usize) -> Result<(), StoreError> {
    let step = format!("{}.{}", table.name, table.columns[link].name);
    let Step { mut after, done } = journal::step(to, &step, table).await?;
    let mut last = done;
    while !last {
        let batch = page(reader, table, &after, PAGE).await?;
        last = !table.has_more(batch.len(), PAGE);
        if let Some(row) = batch.last() {
            after = table.key_of(row);
        }
        let (of, mark, step) = (Arc::clone(table), after.clone(), step.clone());
        to.write(move |tx| {
            Box::pin(async move {
                for row in &batch {
                    if !records::is_null(&row[link]) {
                        records::link(tx, &of, link, row).await?;
                    }
                }
                journal::mark(tx, &step, &mark, last).await
            })
        })
        .await?;
    }
    Ok(())
}

/// Builds the full-text indexes of the target.
async fn index(to: &Db, messages: Option<&Table>, meter: &mut Meter<'_>) -> Result<(), StoreError> {
    if let Some(messages) = messages {
        index_messages(to, messages, meter).await?;
    }
    const PIECES: &str = "chunk_search";
    let mut after = journal::number(to, PIECES).await?;
    loop {
        let from = after;
        let reached = to
            .write(move |tx| {
                Box::pin(async move {
                    let reached = documents::index_anew(tx, from, PAGE).await?;
                    if let Some(number) = reached {
                        journal::mark(tx, PIECES, &[Value::Int(Some(number))], false).await?;
                    }
                    Ok(reached)
                })
            })
            .await?;
        let Some(reached) = reached else { break };
        after = reached;
    }
    to.write(|tx| Box::pin(async move { documents::go_on_numbering(tx).await }))
        .await
}

async fn index_messages(to: &Db, table: &Table, meter: &mut Meter<'_>) -> Result<(), StoreError> {
    const MESSAGES: &str = "message_search";
    let reached = journal::step(to, MESSAGES, table).await?.after;
    let mut after = reached.first().and_then(|id| match id {
        Value::Text(id) => id.as_deref()?.parse::<MessageId>().ok(),
        _ => None,
    });
    let mut rows = 0;
    loop {
        let from = after;
        let reached = to
            .write(move |tx| {
                Box::pin(async move {
                    let reached = search::index_anew(tx, from, PAGE).await?;
                    if let Some(reached) = reached {
                        journal::mark(tx, MESSAGES, &[reached.message.into()], false).await?;
                    }
                    Ok(reached)
                })
            })
            .await?;
        let Some(reached) = reached else { return Ok(()) };
        after = Some(reached.message);
        rows += u64::try_from(reached.messages).unwrap_or(u64::MAX);
        meter.rows(&table.name, rows);
    }
}

async fn verify(
    source: &mut Conn,
    target: &mut Conn,
    table: &Table,
    meter: &mut Meter<'_>,
) -> Result<Verified, StoreError> {
    let (read, written) = (digest(source, table, PAGE).await?, digest(target, table, PAGE).await?);
    if read != written {
        return Err(StoreError::WrongState(format!(
            "table {} differs: {} rows in the source, {} in the target{}; the source changed since this copy began, so \
             stop everything that works with it, make a new target and copy again",
            table.name,
            read.rows,
            written.rows,
            if read.rows == written.rows {
                ", with other contents"
            } else {
                ""
            }
        )));
    }
    meter.rows(&table.name, read.rows);
    Ok(Verified {
        table: table.name.clone(),
        rows: read.rows,
        checksum: format!("{:032x}", read.sum),
    })
}
