//! A step as callers read it: its columns.

use clifford_core::{
    clock::Timestamp,
    run::step::{Event, Step, StepKind},
};
use serde::Serialize;
use serde_json::Value as Json;

/// One step of a run.
#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Step)]
pub(super) struct StepView {
    /// Its place in the run, from 1.
    pub seq: u32,
    /// The events of a life.
    pub r#type: &'static str,
    /// The tool, `tool.command`.
    tool_name: Option<String>,
    /// The arguments of the call.
    #[schema(value_type = Option<Object>)]
    args_json: Option<Json>,
    /// The result of an act.
    #[schema(value_type = Option<Object>)]
    result_json: Option<Json>,
    /// How that is called.
    status: Option<&'static str>,
    /// The same for every attempt at this very call.
    idempotency_key: Option<String>,
    /// Tokens sent to the model.
    prompt_tokens: Option<u64>,
    /// Tokens received.
    completion_tokens: Option<u64>,
    /// Tokens sent that the provider had cached.
    cached_tokens: Option<u64>,
    /// How long it took.
    duration_ms: Option<u64>,
    /// When it was recorded.
    #[schema(value_type = String)]
    created_at: Timestamp,
}

impl From<&Step> for StepView {
    fn from(step: &Step) -> Self {
        let (args_json, result_json, status) = clifford_core::run::columns::parts(&step.kind);
        let mut view = Self {
            seq: step.seq,
            r#type: step.kind.type_name(),
            tool_name: None,
            args_json,
            result_json,
            status,
            idempotency_key: None,
            prompt_tokens: None,
            completion_tokens: None,
            cached_tokens: None,
            duration_ms: None,
            created_at: step.at,
        };
        match &step.kind {
            StepKind::ToolCall(call) => {
                view.tool_name = Some(call.name.clone());
                view.idempotency_key = Some(call.idempotency_key.clone());
            }
            StepKind::ToolResult(result) => {
                view.tool_name = Some(result.name.clone());
                view.duration_ms = Some(result.duration_ms);
            }
            StepKind::Event(Event::LlmResponse(response)) => {
                view.prompt_tokens = Some(response.usage.prompt_tokens);
                view.completion_tokens = Some(response.usage.completion_tokens);
                view.cached_tokens = Some(response.usage.cached_tokens);
                view.duration_ms = Some(response.duration_ms);
            }
            _ => {}
        }
        view
    }
}
