//! Deletes messages, runs and conversations by their ids, with all that hangs on them.

use std::collections::BTreeMap;

use clifford_core::{row::FromRow, value::Value};

use super::{Conn, StoreError, Tx};

/// How many ids go into one statement.
pub(super) const CHUNK: usize = 400;

/// How many rows of each table were deleted.
pub type Counts = BTreeMap<&'static str, u64>;

/// An id as it stands in the database.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(super) struct Id {
    pub id: String,
}

/// The ids that a query has.
pub(super) async fn ids(conn: &mut Conn, sql: &str, args: Vec<Value>) -> Result<Vec<String>, StoreError> {
    let rows: Vec<Id> = conn.fetch_all(sql, args).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// `$1, $2, …` for so many.
pub(super) fn places(count: usize) -> String {
    let places: Vec<_> = (1..=count).map(|place| format!("${place}")).collect();
    places.join(", ")
}

/// Carries out a statement for all of these ids, which stand where it has `{}`; returns how many rows it touched.
pub(super) async fn each(tx: &mut Tx, sql: &str, ids: &[String]) -> Result<u64, StoreError> {
    let mut touched = 0;
    for some in ids.chunks(CHUNK) {
        let args = some.iter().map(Value::from).collect();
        touched += tx.execute(sql.replace("{}", &places(some.len())), args).await?;
    }
    Ok(touched)
}

/// Adds to what was deleted.
pub(super) fn count(counts: &mut Counts, table: &'static str, rows: u64) {
    *counts.entry(table).or_default() += rows;
}

/// Deletes messages with their parts, and the rows of their files.
pub(super) async fn messages(tx: &mut Tx, ids: &[String], counts: &mut Counts) -> Result<(), StoreError> {
    each(tx, "DELETE FROM message_parts WHERE message_id IN ({})", ids).await?;
    let files = each(tx, "DELETE FROM files WHERE message_id IN ({})", ids).await?;
    count(counts, "files", files);
    let messages = each(tx, "DELETE FROM messages WHERE id IN ({})", ids).await?;
    count(counts, "messages", messages);
    Ok(())
}

/// Deletes runs with their steps, costs and triggers. Their inbound messages stay.
pub(super) async fn runs(tx: &mut Tx, ids: &[String], counts: &mut Counts) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM triggers WHERE run_id IN ({})",
        "DELETE FROM run_steps WHERE run_id IN ({})",
        "DELETE FROM usage WHERE run_id IN ({})",
        "UPDATE messages SET run_id = NULL, metadata = NULL WHERE run_id IN ({})",
        "UPDATE runs SET parent_run_id = NULL WHERE parent_run_id IN ({})",
    ] {
        each(tx, sql, ids).await?;
    }
    let runs = each(tx, "DELETE FROM runs WHERE id IN ({})", ids).await?;
    count(counts, "runs", runs);
    Ok(())
}

/// Deletes conversations with their jobs, of which nothing but items is left.
pub(super) async fn contexts(tx: &mut Tx, ids: &[String], counts: &mut Counts) -> Result<(), StoreError> {
    for sql in [
        "UPDATE contexts SET continued_from = NULL WHERE continued_from IN ({})",
        "UPDATE memory_items SET context_id = NULL WHERE context_id IN ({})",
        "UPDATE channels SET active_context_id = NULL WHERE active_context_id IN ({})",
        "UPDATE triggers SET context_id = NULL WHERE context_id IN ({})",
        "DELETE FROM jobs WHERE context_id IN ({})",
    ] {
        each(tx, sql, ids).await?;
    }
    let contexts = each(tx, "DELETE FROM contexts WHERE id IN ({})", ids).await?;
    count(counts, "contexts", contexts);
    Ok(())
}

/// Deletes channels with what is set for them, and what was to be said there.
pub(super) async fn channels(tx: &mut Tx, ids: &[String], counts: &mut Counts) -> Result<(), StoreError> {
    each(tx, "DELETE FROM settings WHERE scope IN ({})", ids).await?;
    let triggers = each(tx, "DELETE FROM triggers WHERE channel_id IN ({})", ids).await?;
    count(counts, "triggers", triggers);
    for (table, sql) in [
        ("files", "DELETE FROM files WHERE channel_id IN ({})"),
        ("documents", "DELETE FROM documents WHERE channel_id IN ({})"),
    ] {
        let deleted = each(tx, sql, ids).await?;
        count(counts, table, deleted);
    }
    let channels = each(tx, "DELETE FROM channels WHERE id IN ({})", ids).await?;
    count(counts, "channels", channels);
    Ok(())
}

/// Removes a person's words where others answered them and quoted them.
pub async fn quotes(tx: &mut Tx, person: Vec<clifford_core::value::Value>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE messages SET quote = NULL, quoted_user_id = NULL WHERE quoted_user_id = $1",
        person,
    )
    .await?;
    Ok(())
}
