//! Runs as trees: what the subagents of a run used.

use std::collections::BTreeMap;

use sqlx::FromRow;

use super::{Conn, StoreError, args};
use crate::{engine::step::Used, id::RunId};

/// What each subagent of a run used, with its own: of those the longest counts, since they work at the same time.
///
/// # Errors
/// The store's.
pub async fn used_by_children(conn: &mut Conn, parent: RunId) -> Result<BTreeMap<RunId, Used>, StoreError> {
    #[derive(FromRow)]
    struct Row {
        id: RunId,
        tokens: i64,
        cost: f64,
        ms: i64,
    }
    let rows: Vec<Row> = conn
        .all(
            "SELECT c.id, c.prompt_tokens + c.completion_tokens + COALESCE(CAST(SUM(g.prompt_tokens + g.completion_tokens) AS BIGINT), 0) AS tokens,
                    c.cost + COALESCE(SUM(g.cost), 0.0) AS cost, c.worked_ms + COALESCE(MAX(g.worked_ms), 0) AS ms
             FROM runs c LEFT JOIN runs g ON g.parent_run_id = c.id
             WHERE c.parent_run_id = $1
             GROUP BY c.id, c.prompt_tokens, c.completion_tokens, c.cost, c.worked_ms",
            args![parent],
        )
        .await?;
    let unsigned = |number: i64| u64::try_from(number).unwrap_or_default();
    let used = rows.into_iter().map(|row| {
        let used = Used {
            tokens: unsigned(row.tokens),
            cost: row.cost,
            ms: unsigned(row.ms),
        };
        (row.id, used)
    });
    Ok(used.collect())
}
