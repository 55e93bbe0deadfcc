//! Anthropic's protocol: its refusals, the bytes of its replies, and its requests in the form of OpenAI's.

mod check;
mod render;

pub(crate) use check::check;
pub(crate) use render::{body, error, events};
use serde_json::{Value, json};

use super::request::RecordedRequest;

/// Fillers that a client puts where a turn of a person is missing; no part of anybody's message.
const FILLERS: [&str; 2] = ["Go on.", "(What was said before is left out.)"];

/// A request as the fake of OpenAI's chat completions would have got it: the system prompt first, each block a message.
#[must_use]
pub fn translated(request: &RecordedRequest) -> RecordedRequest {
    let texts = |content: &Value| match content {
        Value::String(text) => vec![text.clone()],
        blocks => blocks
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect(),
    };
    let mut messages = Vec::new();
    let system = texts(&request.body["system"]);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    for turn in request.messages() {
        let said = texts(&turn["content"]).into_iter();
        let said = said.filter(|text| !FILLERS.contains(&text.as_str()));
        messages.extend(said.map(|text| json!({"role": turn["role"], "content": text})));
    }
    let mut body = json!({"model": request.model(), "messages": messages, "stream": request.stream()});
    if let Some(schema) = request.body["output_config"]["format"].get("schema") {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {"schema": schema}});
    }
    RecordedRequest {
        headers: request.headers.clone(),
        body,
    }
}
