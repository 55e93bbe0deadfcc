//! Steps: append-only, one row each.

use std::collections::BTreeMap;

use clifford_core::{
    id::RunId,
    row::FromRow,
    run::{
        columns::{StepRow, row, step},
        step::Step,
    },
    value::{Value, args},
};

use crate::{Conn, StoreError, Tx};

/// Appends steps of a run, whose lease the same transaction has checked.
///
/// # Errors
/// [`StoreError::Conflict`]: the run has a step of that number, so somebody else wrote.
pub async fn append(tx: &mut Tx, run: RunId, steps: &[Step]) -> Result<(), StoreError> {
    // Both engines limit the arguments of one statement.
    for some in steps.chunks(500) {
        append_some(tx, run, some).await?;
    }
    Ok(())
}

async fn append_some(tx: &mut Tx, run: RunId, steps: &[Step]) -> Result<(), StoreError> {
    const COLUMNS: usize = 13;
    let mut sql = String::from(
        "INSERT INTO run_steps (run_id, seq, type, tool_name, args_json, result_json, status, idempotency_key,
             prompt_tokens, completion_tokens, cached_tokens, duration_ms, created_at) VALUES ",
    );
    let mut values: Vec<Value> = Vec::with_capacity(steps.len() * COLUMNS);
    for (index, step) in steps.iter().enumerate() {
        let from = index * COLUMNS;
        let places: Vec<_> = (1..=COLUMNS).map(|column| format!("${}", from + column)).collect();
        sql.push_str(if index == 0 { "(" } else { ", (" });
        sql.push_str(&places.join(", "));
        sql.push(')');
        values.extend(row(run, step));
    }
    tx.defer(sql, values).await?;
    Ok(())
}

/// A run's steps, in order.
///
/// # Errors
/// [`StoreError::Corrupt`]: a row is of no known form.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Vec<Step>, StoreError> {
    after(conn, run, 0).await
}

/// A step's row, and whose step it is.
#[derive(FromRow)]
pub(crate) struct StepOfRun {
    run_id: RunId,
    #[row(flatten)]
    step: StepRow,
}

/// The columns of a [`StepOfRun`], in statements in which `run_steps` is `s`.
pub(crate) const OF_RUN: &str = "s.run_id, s.seq, s.type, s.tool_name, s.args_json, s.result_json, s.status, \
                                 s.idempotency_key, s.duration_ms, s.created_at";

/// The rows of several runs' steps by run, each in its order. A row of no known form fails its run alone: `Err` says why.
pub(crate) fn by_run(rows: Vec<StepOfRun>) -> BTreeMap<RunId, Result<Vec<Step>, String>> {
    let mut runs: BTreeMap<RunId, Result<Vec<Step>, String>> = BTreeMap::new();
    for row in rows {
        let steps = runs.entry(row.run_id).or_insert_with(|| Ok(Vec::new()));
        if let Ok(known) = steps {
            match step(row.step) {
                Ok(step) => known.push(step),
                Err(fault) => *steps = Err(fault),
            }
        }
    }
    runs
}

/// The steps of a run's subagents that have ended, by subagent. One whose steps cannot be read has the reason in place of
/// them.
pub async fn of_ended_children(
    conn: &mut Conn,
    parent: RunId,
) -> Result<BTreeMap<RunId, Result<Vec<Step>, String>>, StoreError> {
    let sql = format!(
        "SELECT {OF_RUN} FROM run_steps s WHERE s.run_id IN (
             SELECT id FROM runs WHERE parent_run_id = $1 AND status IN ('completed', 'failed', 'cancelled'))
         ORDER BY s.run_id, s.seq"
    );
    Ok(by_run(conn.fetch_all(sql, args![parent]).await?))
}

/// One step of a run.
///
/// # Errors
/// [`StoreError::Corrupt`]: its row is of no known form.
pub async fn one(conn: &mut Conn, run: RunId, seq: u32) -> Result<Option<Step>, StoreError> {
    let behind = after(conn, run, seq.saturating_sub(1)).await?;
    Ok(behind.into_iter().next().filter(|step| step.seq == seq))
}

/// A run's steps behind one of them, in order.
///
/// # Errors
/// [`StoreError::Corrupt`]: a row is of no known form.
pub async fn after(conn: &mut Conn, run: RunId, seq: u32) -> Result<Vec<Step>, StoreError> {
    let rows: Vec<StepRow> = conn
        .fetch_all(
            "SELECT seq, type, tool_name, args_json, result_json, status, idempotency_key, duration_ms, created_at
             FROM run_steps
             WHERE run_id = $1 AND seq > $2 ORDER BY seq",
            args![run, seq],
        )
        .await?;
    rows.into_iter()
        .map(|row| step(row).map_err(StoreError::Corrupt))
        .collect()
}

/// The place of a run's last step, whatever that holds; 0 if there is none. A corrupt place is passed over: there must
/// be one behind it.
pub async fn last(conn: &mut Conn, run: RunId) -> Result<u32, StoreError> {
    let sql = "SELECT COALESCE(MAX(seq), 0) FROM run_steps WHERE run_id = $1 AND seq BETWEEN 1 AND $2";
    let (seq,): (i64,) = conn.fetch_one(sql, args![run, i64::from(u32::MAX / 2)]).await?;
    u32::try_from(seq).map_err(|_| StoreError::Corrupt(format!("step number {seq}")))
}

/// Whether a run has slept: then it is there for a time that came or will come.
pub async fn has_slept(conn: &mut Conn, run: RunId) -> Result<bool, StoreError> {
    // Within a text the quotation marks would be escaped.
    let sql = r#"SELECT seq FROM run_steps WHERE run_id = $1 AND type = 'message'
                 AND result_json LIKE '%"event":"sleep"%' LIMIT 1"#;
    conn.exists(sql, args![run]).await
}
