//! A step as columns of a row, and back.

use std::collections::BTreeSet;

use clifford_action::{Importance, Note, OutputMode};
use serde::{Deserialize, de::Error as _};
use serde_json::{Value as Json, from_value, json};

use crate::{
    clock::Timestamp,
    id::RunId,
    policy::Reason,
    row::FromRow,
    run::step::{Event, Spent, Step, StepKind, ToolCall, ToolOutcome, ToolResult},
    value::{Value, args},
};

/// The columns of a step.
#[derive(FromRow)]
pub struct StepRow {
    seq: i64,
    #[row(rename = "type")]
    type_name: String,
    tool_name: Option<String>,
    args_json: Option<String>,
    result_json: Option<String>,
    status: Option<String>,
    idempotency_key: Option<String>,
    duration_ms: Option<i64>,
    created_at: Timestamp,
}

/// A step's arguments, result and status: the columns `args_json`, `result_json`, `status`.
pub fn parts(kind: &StepKind) -> (Option<Json>, Option<Json>, Option<&'static str>) {
    match kind {
        StepKind::ToolCall(call) => (Some(Json::Object(call.args.clone())), None, None),
        StepKind::ToolResult(ToolResult {
            outcome,
            origins,
            spent,
            undo,
            readers,
            ..
        }) => {
            let (mut told, status) = match outcome {
                ToolOutcome::Success { result } => (json!({ "success": true, "result": result }), "success"),
                ToolOutcome::Failure {
                    error,
                    retries,
                    expose,
                    refused,
                } => {
                    let mut told = json!({ "success": false, "error": error, "retries": retries, "expose": expose });
                    if let Some(reason) = refused {
                        told["refused"] = json!(reason);
                    }
                    (told, "failure")
                }
            };
            if *spent != Spent::default() {
                told["spent"] = json!(spent);
            }
            if !origins.is_empty() {
                told["origins"] = json!(origins);
            }
            if let Some(undo) = undo {
                told["undo"] = json!(undo);
            }
            if let Some(readers) = readers {
                told["readers"] = json!(readers);
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
        StepKind::Note {
            category,
            content,
            plan,
        } => {
            let mut noted = json!({ "category": category, "content": content });
            if !plan.is_empty() {
                noted["plan"] = json!(plan);
            }
            (Some(noted), None, None)
        }
        StepKind::Finish(finish) => (
            None,
            Some(serde_json::to_value(finish).unwrap_or_default()),
            Some(finish.status.as_str()),
        ),
        StepKind::Event(event) => (
            None,
            Some(serde_json::to_value(event).unwrap_or_default()),
            of_prompt(event),
        ),
    }
}

/// The status of a request whose prompt is recorded: an index finds it by that.
pub const RECORDED: &str = "recorded";
/// The status of a request whose recorded prompt was deleted.
pub const DELETED: &str = "deleted";

const fn of_prompt(event: &Event) -> Option<&'static str> {
    match event {
        Event::LlmRequest { prompt: Some(_), .. } => Some(RECORDED),
        Event::LlmRequest {
            prompt_deleted_at: Some(_),
            ..
        } => Some(DELETED),
        _ => None,
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
#[doc(hidden)]
pub fn reread(step: &Step, args: Option<String>, result: Option<String>) -> Result<Step, String> {
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

/// The columns of a new step of a run, in the order of the statement that inserts it.
pub fn row(run: RunId, step: &Step) -> Vec<Value> {
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

/// The step of a row.
///
/// # Errors
/// The row is of no known form: which, and why.
pub fn step(row: StepRow) -> Result<Step, String> {
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
            // A change that this version does not know it cannot take back.
            undo: result.get("undo").cloned().and_then(|undo| from_value(undo).ok()),
            readers: result
                .get("readers")
                .cloned()
                .and_then(|readers| from_value(readers).ok()),
            outcome: from_value::<StoredToolOutcome>(result)?.into(),
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
                plan: noted.plan,
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
struct StoredToolOutcome {
    success: bool,
    #[serde(default)]
    result: Json,
    #[serde(default)]
    error: String,
    #[serde(default)]
    retries: u32,
    #[serde(default)]
    expose: bool,
    #[serde(default)]
    refused: Option<Box<Reason>>,
}

impl From<StoredToolOutcome> for ToolOutcome {
    fn from(outcome: StoredToolOutcome) -> Self {
        if outcome.success {
            Self::Success { result: outcome.result }
        } else {
            Self::Failure {
                error: outcome.error,
                retries: outcome.retries,
                expose: outcome.expose,
                refused: outcome.refused,
            }
        }
    }
}
