//! Steps: append-only, one row each.

use std::collections::BTreeSet;

use clifford_action::{Importance, Note, OutputMode};
use serde::{Deserialize, de::Error as _};
use serde_json::{Value as Json, from_value, json};
use sqlx::FromRow;

use super::{Conn, StoreError, Tx, Value, args};
use crate::{
    clock::Timestamp,
    engine::step::{Event, Spent, Step, StepKind, ToolCall, ToolOutcome, ToolResult},
    id::RunId,
};

#[derive(FromRow)]
struct StepRow {
    seq: i64,
    #[sqlx(rename = "type")]
    type_name: String,
    tool_name: Option<String>,
    args_json: Option<String>,
    result_json: Option<String>,
    status: Option<String>,
    idempotency_key: Option<String>,
    duration_ms: Option<i64>,
    created_at: Timestamp,
}

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
    tx.later(sql, values).await?;
    Ok(())
}

/// A run's steps, in order.
///
/// # Errors
/// [`StoreError::Corrupt`]: a row is of no known form.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Vec<Step>, StoreError> {
    after(conn, run, 0).await
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
        .all(
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

/// The place of a run's last step, whatever that holds; 0 if there is none. A place that is none is passed over: there must
/// be one behind it.
///
/// # Errors
/// The store's.
pub async fn last(conn: &mut Conn, run: RunId) -> Result<u32, StoreError> {
    let sql = "SELECT COALESCE(MAX(seq), 0) FROM run_steps WHERE run_id = $1 AND seq BETWEEN 1 AND $2";
    let (seq,): (i64,) = conn.one(sql, args![run, i64::from(u32::MAX / 2)]).await?;
    u32::try_from(seq).map_err(|_| StoreError::Corrupt(format!("step number {seq}")))
}

/// Whether a run has slept: then it is there for a time that came or will come.
///
/// # Errors
/// The store's.
pub async fn has_slept(conn: &mut Conn, run: RunId) -> Result<bool, StoreError> {
    // Within a text the quotation marks would be escaped.
    let sql = r#"SELECT seq FROM run_steps WHERE run_id = $1 AND type = 'message'
                 AND result_json LIKE '%"event":"sleep"%' LIMIT 1"#;
    conn.exists(sql, args![run]).await
}

/// What a step was given, what came of it, and how that is called: the columns `args_json`, `result_json`, `status`.
pub fn parts(kind: &StepKind) -> (Option<Json>, Option<Json>, Option<&'static str>) {
    match kind {
        StepKind::ToolCall(call) => (Some(Json::Object(call.args.clone())), None, None),
        StepKind::ToolResult(ToolResult {
            outcome,
            origins,
            spent,
            ..
        }) => {
            let (mut told, status) = match outcome {
                ToolOutcome::Success { result } => (json!({ "success": true, "result": result }), "success"),
                ToolOutcome::Failure { error, retries, expose } => (
                    json!({ "success": false, "error": error, "retries": retries, "expose": expose }),
                    "failure",
                ),
            };
            if *spent != Spent::default() {
                told["spent"] = json!(spent);
            }
            if !origins.is_empty() {
                told["origins"] = json!(origins);
            }
            (None, Some(told), Some(status))
        }
        StepKind::AssistantMessage { text, sent } => (
            Some(json!({ "message": text })),
            None,
            Some(if *sent { "sent" } else { "not_sent" }),
        ),
        StepKind::OutputUpdate { output, mode } => (Some(json!({ "output": output, "mode": mode })), None, None),
        StepKind::Decision { content, importance } => (
            Some(json!({ "content": content, "importance": importance })),
            None,
            None,
        ),
        StepKind::Note { category, content } => (Some(json!({ "category": category, "content": content })), None, None),
        StepKind::Finish(finish) => (
            None,
            Some(serde_json::to_value(finish).unwrap_or_default()),
            Some(finish.status.as_str()),
        ),
        StepKind::Event(event) => (None, Some(serde_json::to_value(event).unwrap_or_default()), None),
    }
}

/// A step as [`after`] would read it, had [`append`] written it.
#[cfg(test)]
pub(crate) fn stored(step: &Step) -> Result<Step, String> {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        _ => None,
    };
    let int = |value: &Value| match value {
        Value::Int(int) => *int,
        _ => None,
    };
    let values = row(RunId::new(), step);
    self::step(StepRow {
        seq: int(&values[1]).unwrap_or_default(),
        type_name: text(&values[2]).unwrap_or_default(),
        tool_name: text(&values[3]),
        args_json: text(&values[4]),
        result_json: text(&values[5]),
        status: text(&values[6]),
        idempotency_key: text(&values[7]),
        duration_ms: int(&values[11]),
        created_at: Timestamp(int(&values[12]).unwrap_or_default()),
    })
}

/// A step whose columns `args_json` and `result_json` were changed, as [`after`] would read it.
#[cfg(test)]
pub(crate) fn reread(step: &Step, args: Option<String>, result: Option<String>) -> Result<Step, String> {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        _ => None,
    };
    let values = row(RunId::new(), step);
    self::step(StepRow {
        seq: i64::from(step.seq),
        type_name: text(&values[2]).unwrap_or_default(),
        tool_name: text(&values[3]),
        args_json: args,
        result_json: result,
        status: text(&values[6]),
        idempotency_key: text(&values[7]),
        duration_ms: None,
        created_at: step.at,
    })
}

fn row(run: RunId, step: &Step) -> Vec<Value> {
    let (given, result, status) = parts(&step.kind);
    let (tool, key) = match &step.kind {
        StepKind::ToolCall(call) => (Some(call.name.as_str()), Some(call.idempotency_key.as_str())),
        StepKind::ToolResult(result) => (Some(result.name.as_str()), None),
        _ => (None, None),
    };
    let (usage, duration) = match &step.kind {
        StepKind::Event(Event::LlmResponse(response)) => (Some(response.usage), Some(response.duration_ms)),
        StepKind::ToolResult(result) => (None, Some(result.duration_ms)),
        _ => (None, None),
    };
    args![
        run,
        step.seq,
        step.kind.type_name(),
        tool,
        given,
        result,
        status,
        key,
        usage.map(|usage| usage.prompt_tokens),
        usage.map(|usage| usage.completion_tokens),
        usage.map(|usage| usage.cached_tokens),
        duration,
        step.at
    ]
}

fn step(row: StepRow) -> Result<Step, String> {
    let seq = u32::try_from(row.seq).map_err(|_| format!("step number {}", row.seq))?;
    let kind = kind(&row).map_err(|error| format!("step {seq} ({}): {error}", row.type_name))?;
    Ok(Step {
        seq,
        at: row.created_at,
        kind,
    })
}

/// The way back from columns to a step.
fn kind(row: &StepRow) -> Result<StepKind, serde_json::Error> {
    let given: Json = row.args_json.as_deref().map_or(Ok(Json::Null), serde_json::from_str)?;
    let result: Json = row
        .result_json
        .as_deref()
        .map_or(Ok(Json::Null), serde_json::from_str)?;
    let tool = row.tool_name.clone().unwrap_or_default();
    Ok(match row.type_name.as_str() {
        "tool_call" => StepKind::ToolCall(ToolCall {
            name: tool,
            args: from_value(given)?,
            idempotency_key: row.idempotency_key.clone().unwrap_or_default(),
        }),
        "tool_result" => StepKind::ToolResult(ToolResult {
            name: tool,
            origins: result.get("origins").cloned().map_or(Ok(BTreeSet::new()), from_value)?,
            spent: result.get("spent").cloned().map_or(Ok(Spent::default()), from_value)?,
            outcome: from_value::<Outcome>(result)?.into(),
            duration_ms: row.duration_ms.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0),
        }),
        "assistant_message" => {
            let message: Message = from_value(given)?;
            StepKind::AssistantMessage {
                text: message.message,
                sent: row.status.as_deref() == Some("sent"),
            }
        }
        "output_update" => {
            let update: Output = from_value(given)?;
            StepKind::OutputUpdate {
                output: update.output,
                mode: update.mode,
            }
        }
        "decision" => {
            let decided: Decided = from_value(given)?;
            StepKind::Decision {
                content: decided.content,
                importance: decided.importance,
            }
        }
        "note" => {
            let noted: Note = from_value(given)?;
            StepKind::Note {
                category: noted.category,
                content: noted.content,
            }
        }
        "finish" => StepKind::Finish(from_value(result)?),
        "message" => StepKind::Event(from_value(result)?),
        other => return Err(serde_json::Error::custom(format!("`{other}` is no type of step"))),
    })
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

#[derive(Deserialize)]
struct Output {
    output: String,
    mode: OutputMode,
}

#[derive(Deserialize)]
struct Decided {
    content: String,
    importance: Importance,
}

#[derive(Deserialize)]
struct Outcome {
    success: bool,
    #[serde(default)]
    result: Json,
    #[serde(default)]
    error: String,
    #[serde(default)]
    retries: u32,
    #[serde(default)]
    expose: bool,
}

impl From<Outcome> for ToolOutcome {
    fn from(outcome: Outcome) -> Self {
        if outcome.success {
            Self::Success { result: outcome.result }
        } else {
            Self::Failure {
                error: outcome.error,
                retries: outcome.retries,
                expose: outcome.expose,
            }
        }
    }
}
