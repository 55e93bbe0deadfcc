//! Runs as trees: the subagents of a run, those that it waits for, and their usage.

use std::collections::BTreeMap;

use clifford_core::{
    id::RunId,
    row::FromRow,
    run::step::Used,
    runs::{Run, WakeOn},
    value::args,
};

use crate::{Conn, StoreError, Tx, runs::COLUMNS, usage::bounded};

/// The usage of each subagent of a run, with its own subagents: of their times the longest counts, since they work in
/// parallel.
pub async fn used_by_children(conn: &mut Conn, parent: RunId) -> Result<BTreeMap<RunId, Used>, StoreError> {
    #[derive(FromRow)]
    struct Row {
        id: RunId,
        tokens: i64,
        cost: f64,
        ms: i64,
    }
    let rows: Vec<Row> = conn
        .fetch_all(
            concat!(
                "SELECT c.id, ",
                bounded!("c.prompt_tokens", "1000000000000000"),
                " + ",
                bounded!("c.completion_tokens", "1000000000000000"),
                " + COALESCE(CAST(SUM(",
                bounded!("g.prompt_tokens", "1000000000000000"),
                " + ",
                bounded!("g.completion_tokens", "1000000000000000"),
                ") AS BIGINT), 0) AS tokens,
                    c.cost + COALESCE(SUM(g.cost), 0.0) AS cost, c.worked_ms + COALESCE(MAX(g.worked_ms), 0) AS ms
             FROM runs c LEFT JOIN runs g ON g.parent_run_id = c.id
             WHERE c.parent_run_id = $1
             GROUP BY c.id, c.prompt_tokens, c.completion_tokens, c.cost, c.worked_ms"
            ),
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

/// A run's subagents, in order of their making.
pub async fn children(conn: &mut Conn, parent: RunId) -> Result<Vec<Run>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE parent_run_id = $1 ORDER BY id");
    conn.fetch_all(sql, args![parent]).await
}

/// How many subagents a tree has, at all levels.
pub async fn size(conn: &mut Conn, root: RunId) -> Result<usize, StoreError> {
    let sql = "SELECT COUNT(*) FROM runs WHERE root_run_id = $1 AND parent_run_id IS NOT NULL";
    let row: Option<(i64,)> = conn.fetch_optional(sql, args![root]).await?;
    Ok(row.map_or(0, |(size,)| usize::try_from(size).unwrap_or(usize::MAX)))
}

/// Whether a subagent in a tree waits for a person's word.
pub async fn asks(conn: &mut Conn, root: RunId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM runs WHERE root_run_id = $1 AND parent_run_id IS NOT NULL
               AND status = 'waiting' AND wake_reason = 'tool_confirm' LIMIT 1";
    let row: Option<(i64,)> = conn.fetch_optional(sql, args![root]).await?;
    Ok(row.is_some())
}

/// The subagents of a run that have not ended.
pub async fn unended_children(conn: &mut Conn, parent: RunId) -> Result<Vec<RunId>, StoreError> {
    let sql = "SELECT id FROM runs WHERE parent_run_id = $1 AND status IN ('pending', 'running', 'waiting')";
    let rows: Vec<(RunId,)> = conn.fetch_all(sql, args![parent]).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The subagents that wake a waiting run, and how many of its subagents have not ended.
pub async fn awaited(tx: &mut Tx, parent: RunId) -> Result<Option<(WakeOn, i64)>, StoreError> {
    #[derive(FromRow)]
    struct Awaited {
        wake_on: WakeOn,
        unended: i64,
    }
    let row: Option<Awaited> = tx
        .fetch_optional(
            "SELECT wake_on, (SELECT COUNT(*) FROM runs c WHERE c.parent_run_id = p.id
                              AND c.status IN ('pending', 'running', 'waiting')) AS unended
             FROM runs p WHERE id = $1 AND status = 'waiting' AND wake_on IS NOT NULL",
            args![parent],
        )
        .await?;
    Ok(row.map(|row| (row.wake_on, row.unended)))
}
