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
    /// The result of an act, or an event with its name in `event`.
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

/// Fields whose content is a tool's, a model's or a person's: its names are not ours.
const OF_OTHERS: [&str; 5] = ["args", "output", "prompt", "result", "toolCalls"];

/// Gives the fields of a value the names that the API's fields have; they are stored as the engine has them.
pub(super) fn in_camel_case(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            let old = std::mem::take(fields);
            for (name, mut field) in old {
                let name = camel_case(&name);
                if !OF_OTHERS.contains(&name.as_str()) {
                    in_camel_case(&mut field);
                }
                fields.insert(name, field);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(in_camel_case),
        _ => {}
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

impl From<&Step> for StepView {
    fn from(step: &Step) -> Self {
        let (args_json, mut result_json, status) = clifford_core::run::columns::parts(&step.kind);
        if let Some(result) = &mut result_json {
            in_camel_case(result);
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fields_of_an_event_are_named_as_all_are_and_words_of_others_stay() {
        let mut event = json!({
            "event": "llm_request", "prompt_hash": "a", "estimated_tokens": 3,
            "sections": { "cross_channel": 1, "tools": 2 },
            "prompt": [{ "role": "user", "tool_call_id": "x" }],
            "holds": [{ "run_id": "r" }],
        });
        in_camel_case(&mut event);
        let expected = json!({
            "event": "llm_request", "promptHash": "a", "estimatedTokens": 3,
            "sections": { "crossChannel": 1, "tools": 2 },
            "prompt": [{ "role": "user", "tool_call_id": "x" }],
            "holds": [{ "runId": "r" }],
        });
        assert_eq!(event, expected);
        let mut result =
            json!({ "success": true, "result": { "snake_case": { "is_theirs": 1 } }, "spent": { "own_key": 1 } });
        in_camel_case(&mut result);
        let expected =
            json!({ "success": true, "result": { "snake_case": { "is_theirs": 1 } }, "spent": { "ownKey": 1 } });
        assert_eq!(result, expected);
    }
}
