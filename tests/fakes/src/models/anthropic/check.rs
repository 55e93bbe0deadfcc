//! Anthropic's refusals: missing headers, unknown fields, wrong types, turns in the wrong order, schemas that it
//! cannot hold a reply to.
//!
//! Texts and statuses follow <https://platform.claude.com/docs/en/api/messages> and what the service answers.

use serde_json::{Map, Value};

use crate::models::{fault::Fault, request::RecordedRequest};

/// The version of the API that is known.
const VERSION: &str = "2023-06-01";
/// The most marks for the cache.
const MARKS: usize = 4;
const FIELDS: [&str; 18] = [
    "cache_control",
    "container",
    "context_management",
    "inference_geo",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_p",
];
/// Keywords of schemas that are not supported.
const BOUNDS: [&str; 7] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "multipleOf",
    "maxItems",
    "uniqueItems",
];

type Checked = Result<(), Fault>;

fn bad(message: impl Into<String>) -> Checked {
    Err(Fault::new(400, message))
}

/// Checks a whole request.
pub(crate) fn check(request: &RecordedRequest) -> Checked {
    match request.header("anthropic-version") {
        None => return bad("anthropic-version: header is required"),
        Some(VERSION) => {}
        Some(other) => return bad(format!("anthropic-version: \"{other}\" is not a valid version")),
    }
    let Some(body) = request.body.as_object() else {
        return bad("The request body is not valid JSON: expected an object");
    };
    if let Some(name) = body.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return bad(format!("{name}: Extra inputs are not permitted"));
    }
    if !body.get("model").is_some_and(Value::is_string) {
        return bad("model: Field required");
    }
    match body.get("max_tokens") {
        None => return bad("max_tokens: Field required"),
        Some(most) if most.as_u64().is_none_or(|most| most == 0) => {
            return bad("max_tokens: Input should be greater than or equal to 1");
        }
        Some(_) => {}
    }
    if body.get("stream").is_some_and(|stream| !stream.is_boolean()) {
        return bad("stream: Input should be a valid boolean");
    }
    let temperature = body.get("temperature");
    if temperature.is_some_and(|value| !value.as_f64().is_some_and(|value| (0.0..=1.0).contains(&value))) {
        return bad("temperature: range: 0..1");
    }
    if let Some(system) = body.get("system") {
        content("system", system)?;
    }
    turns(body)?;
    marks(body)?;
    tools(body)?;
    match body.get("output_config") {
        Some(config) => output_config(config),
        None => Ok(()),
    }
}

/// Tools, and the one that is to be called.
fn tools(body: &Map<String, Value>) -> Checked {
    let tools = body
        .get("tools")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (index, tool) in tools.iter().enumerate() {
        let fields = tool.as_object().into_iter().flatten();
        let known = ["name", "description", "input_schema", "cache_control"];
        if let Some((name, _)) = fields.into_iter().find(|(name, _)| !known.contains(&name.as_str())) {
            return bad(format!("tools.{index}.{name}: Extra inputs are not permitted"));
        }
        let schema = &tool["input_schema"];
        if !tool["name"].is_string() || schema["type"] != "object" {
            return bad(format!(
                "tools.{index}.custom.input_schema.type: Input should be 'object'"
            ));
        }
        if ["anyOf", "oneOf", "allOf"]
            .iter()
            .any(|choice| schema.get(choice).is_some())
        {
            return bad(format!(
                "tools.{index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
            ));
        }
    }
    match body.get("tool_choice") {
        None => Ok(()),
        Some(choice) if choice["type"] == "tool" && tools.iter().any(|tool| tool["name"] == choice["name"]) => Ok(()),
        Some(_) => bad("tool_choice: Tool not found in provided tools"),
    }
}

fn turns(body: &Map<String, Value>) -> Checked {
    let Some(messages) = body.get("messages").and_then(Value::as_array) else {
        return bad("messages: Field required");
    };
    if messages.is_empty() {
        return bad("messages: at least one message is required");
    }
    let mut before = "assistant";
    for (index, message) in messages.iter().enumerate() {
        let Some(fields) = message.as_object() else {
            return bad(format!("messages.{index}: Input should be a valid dictionary"));
        };
        if let Some(name) = fields.keys().find(|name| !["role", "content"].contains(&name.as_str())) {
            return bad(format!("messages.{index}.{name}: Extra inputs are not permitted"));
        }
        let role = message["role"].as_str().unwrap_or_default();
        match (role, before) {
            ("user", "assistant") | ("assistant", "user") => before = role,
            ("assistant" | "user", _) if index == 0 => {
                return bad("messages: first message must use the \"user\" role");
            }
            ("assistant" | "user", _) => {
                return bad(format!(
                    "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row"
                ));
            }
            _ => return bad(format!("messages.{index}.role: Input should be 'user' or 'assistant'")),
        }
        content(&format!("messages.{index}"), &message["content"])?;
    }
    if before == "assistant" {
        return bad(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        );
    }
    Ok(())
}

fn content(path: &str, content: &Value) -> Checked {
    let blank = |text: &str| text.trim().is_empty();
    match content {
        Value::String(text) if blank(text) => {
            bad(format!("{path}: text content blocks must contain non-whitespace text"))
        }
        Value::String(_) => Ok(()),
        Value::Array(blocks) if !blocks.is_empty() => blocks.iter().enumerate().try_for_each(|(index, block)| {
            let known = ["type", "text", "source", "cache_control"];
            let fields = block.as_object().into_iter().flatten();
            if let Some((name, _)) = fields.into_iter().find(|(name, _)| !known.contains(&name.as_str())) {
                return bad(format!("{path}.content.{index}.{name}: Extra inputs are not permitted"));
            }
            match (block["type"].as_str(), block["text"].as_str()) {
                (Some("text"), Some(text)) if blank(text) => {
                    bad(format!("{path}: text content blocks must contain non-whitespace text"))
                }
                (Some("text"), Some(_)) => Ok(()),
                (Some("image"), None) if is_image(&block["source"]) => Ok(()),
                _ => bad(format!("{path}.content.{index}: Input should be a text block")),
            }
        }),
        _ => bad(format!("{path}.content: Field required")),
    }
}

/// An image as it is given: in Base64, of a kind that is known.
fn is_image(source: &Value) -> bool {
    let kinds = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    source.as_object().is_some_and(|fields| fields.len() == 3)
        && source["type"] == "base64"
        && source["media_type"].as_str().is_some_and(|kind| kinds.contains(&kind))
        && source["data"].as_str().is_some_and(|data| !data.is_empty())
}

fn marks(body: &Map<String, Value>) -> Checked {
    let system = body.get("system").and_then(Value::as_array).into_iter().flatten();
    let turns = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let said = turns.flat_map(|turn| turn["content"].as_array().into_iter().flatten());
    let marks: Vec<_> = system
        .chain(said)
        .filter_map(|block| block.get("cache_control"))
        .collect();
    if marks.iter().any(|mark| mark["type"] != "ephemeral") {
        return bad("cache_control.type: Input should be 'ephemeral'");
    }
    if marks.len() > MARKS {
        return bad(format!(
            "A maximum of {MARKS} blocks with cache_control may be provided. Found {}.",
            marks.len()
        ));
    }
    Ok(())
}

fn output_config(config: &Value) -> Checked {
    let format = &config["format"];
    if format["type"] != "json_schema" {
        return bad("output_config.format.type: Input should be 'json_schema'");
    }
    if format.as_object().is_some_and(|fields| fields.len() != 2) || !format["schema"].is_object() {
        return bad("output_config.format.schema: Field required");
    }
    schema(&format["schema"])
}

fn schema(value: &Value) -> Checked {
    match value {
        Value::Array(items) => items.iter().try_for_each(schema),
        Value::Object(fields) => {
            if let Some(bound) = BOUNDS
                .iter()
                .find(|bound| fields.get(**bound).is_some_and(|it| !it.is_object()))
            {
                return bad(format!(
                    "output_config.format.schema: For '{}' type, property '{bound}' is not supported",
                    fields.get("type").and_then(Value::as_str).unwrap_or("any")
                ));
            }
            let object = fields.get("type").is_some_and(|kind| kind == "object") && !fields.contains_key("anyOf");
            if object && fields.get("additionalProperties") != Some(&Value::Bool(false)) {
                return bad(
                    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
                );
            }
            fields.values().try_for_each(schema)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(change: impl FnOnce(&mut Value)) -> Option<String> {
        let mut body = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "hello"}]});
        change(&mut body);
        let mut headers = hyper::HeaderMap::new();
        headers.insert("anthropic-version", hyper::header::HeaderValue::from_static(VERSION));
        check(&RecordedRequest { headers, body })
            .err()
            .map(|fault| fault.message)
    }

    #[test]
    fn what_the_real_one_refuses_is_refused() {
        assert_eq!(fault(|_| {}), None);
        let user = json!({"role": "user", "content": "a"});
        let assistant = json!({"role": "assistant", "content": "b"});
        let open = json!({"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}});
        let marked = json!({"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}});
        let cases: [(&str, Value, &str); 8] = [
            ("max_tokens", Value::Null, "max_tokens: Input should be greater"),
            ("top_k_of", json!(1), "top_k_of: Extra inputs"),
            ("temperature", json!(1.5), "temperature: range"),
            ("messages", json!([assistant]), "messages: first message must use"),
            ("messages", json!([user, user]), "messages: roles must alternate"),
            (
                "messages",
                json!([user, assistant]),
                "This model does not support assistant message prefill",
            ),
            ("output_config", open, "output_config.format.schema: For 'object' type"),
            (
                "messages",
                json!([{"role": "user", "content": [marked, marked, marked, marked, marked]}]),
                "A maximum of 4",
            ),
        ];
        for (field, value, expected) in cases {
            let message = fault(|body| body[field] = value.clone()).unwrap_or_default();
            assert!(message.starts_with(expected), "{field} {value}: {message}");
        }
    }
}
