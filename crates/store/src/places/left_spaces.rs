//! Spaces that the bot was removed from: all rows of them, deleted a batch at a time.

use clifford_core::{clock::Timestamp, id::SpaceId, value::args};

use crate::{
    Conn, StoreError, Tx,
    removal::{self, Counts, count, ids},
};

/// How many messages, and how many runs, go in one transaction.
const BATCH: u32 = 400;

/// Nothing was said in the space since it was left: if something was, the bot is back.
const IS_SILENT: &str = "NOT EXISTS (SELECT 1 FROM channels c WHERE c.space_id = spaces.id
                                     AND c.last_message_at > spaces.left_at)";

/// A space that the bot left before a time, and has not come back to.
pub async fn next(conn: &mut Conn, before: Timestamp) -> Result<Option<SpaceId>, StoreError> {
    let row: Option<(SpaceId,)> = conn
        .fetch_optional(
            format!("SELECT id FROM spaces WHERE left_at <= $1 AND {IS_SILENT} ORDER BY left_at, id LIMIT 1"),
            args![before],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Where the next files of a space are whose rows are deleted next.
pub async fn files(conn: &mut Conn, space: SpaceId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT location FROM files WHERE space_id = $1 OR channel_id IN (SELECT id FROM channels WHERE space_id = $1)
             OR message_id IN (
                 SELECT id FROM messages WHERE channel_id IN (SELECT id FROM channels WHERE space_id = $1))",
            args![space],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Deletes some of a space. `true`: nothing is left of it, or the bot came back.
pub async fn delete_some(tx: &mut Tx, space: SpaceId, before: Timestamp) -> Result<bool, StoreError> {
    // Locked, so that the bot does not come back in the middle of a batch.
    let is_left = tx
        .exists(
            format!(
                "UPDATE spaces SET left_at = left_at WHERE id = $1 AND left_at <= $2 AND {IS_SILENT} RETURNING left_at"
            ),
            args![space, before],
        )
        .await?;
    if !is_left {
        return Ok(true);
    }
    let mut counts = Counts::new();
    let own = || args![space];
    let messages = ids(
        tx,
        &format!(
            "SELECT id FROM messages WHERE channel_id IN (SELECT id FROM channels WHERE space_id = $1) LIMIT {BATCH}"
        ),
        own(),
    )
    .await?;
    if !messages.is_empty() {
        removal::messages(tx, &messages, &mut counts).await?;
        return Ok(false);
    }
    let runs = ids(
        tx,
        &format!("SELECT id FROM runs WHERE channel_id IN (SELECT id FROM channels WHERE space_id = $1) LIMIT {BATCH}"),
        own(),
    )
    .await?;
    if !runs.is_empty() {
        removal::runs(tx, &runs, &mut counts).await?;
        return Ok(false);
    }
    for (table, column) in [
        ("memory_items", "origin_space"),
        ("usage", "space_id"),
        ("files", "space_id"),
        ("settings", "scope"),
        ("budget_spending", "subject"),
        ("budget_notices", "subject"),
    ] {
        let deleted = tx
            .execute(format!("DELETE FROM {table} WHERE {column} = $1"), own())
            .await?;
        count(&mut counts, table, deleted);
    }
    for sql in [
        "DELETE FROM budget_spending WHERE subject LIKE '%@' || $1",
        "DELETE FROM budget_notices WHERE subject LIKE '%@' || $1",
        "DELETE FROM rate_buckets WHERE subject = $1",
        "DELETE FROM setting_changes WHERE scope = $1 OR scope IN (SELECT id FROM channels WHERE space_id = $1)",
        "DELETE FROM settings WHERE scope IN (SELECT id FROM channels WHERE space_id = $1)",
    ] {
        tx.execute(sql, own()).await?;
    }
    let contexts = ids(
        tx,
        "SELECT id FROM contexts WHERE space_id = $1 OR channel_id IN (SELECT id FROM channels WHERE space_id = $1)",
        own(),
    )
    .await?;
    let channels = ids(tx, "SELECT id FROM channels WHERE space_id = $1", own()).await?;
    removal::contexts(tx, &contexts, &mut counts).await?;
    removal::channels(tx, &channels, &mut counts).await?;
    tx.execute("DELETE FROM spaces WHERE id = $1", own()).await?;
    Ok(true)
}
