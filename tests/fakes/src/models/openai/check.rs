//! OpenAI's refusals: unknown fields, wrong types, impossible combinations.
//!
//! Texts and statuses follow <https://platform.openai.com/docs/api-reference/chat/create> and what the
//! service answers.

use serde_json::{Map, Value};

use crate::models::fault::Fault;

/// The type that a field must have.
#[derive(Clone, Copy)]
enum Kind {
    Any,
    Boolean,
    Number,
    PositiveInteger,
    Object,
    Text,
}

const FIELDS: [(&str, Kind); 33] = [
    ("audio", Kind::Object),
    ("frequency_penalty", Kind::Number),
    ("logit_bias", Kind::Object),
    ("logprobs", Kind::Boolean),
    ("max_completion_tokens", Kind::PositiveInteger),
    ("max_tokens", Kind::PositiveInteger),
    ("messages", Kind::Any),
    ("metadata", Kind::Object),
    ("modalities", Kind::Any),
    ("model", Kind::Text),
    ("n", Kind::PositiveInteger),
    ("parallel_tool_calls", Kind::Boolean),
    ("prediction", Kind::Object),
    ("presence_penalty", Kind::Number),
    ("prompt_cache_key", Kind::Text),
    ("reasoning_effort", Kind::Text),
    ("response_format", Kind::Object),
    ("safety_identifier", Kind::Text),
    ("seed", Kind::Number),
    ("service_tier", Kind::Text),
    ("stop", Kind::Any),
    ("store", Kind::Boolean),
    ("stream", Kind::Boolean),
    ("stream_options", Kind::Object),
    ("temperature", Kind::Number),
    ("tool_choice", Kind::Any),
    ("tools", Kind::Any),
    ("top_logprobs", Kind::Number),
    ("top_p", Kind::Number),
    ("user", Kind::Text),
    ("verbosity", Kind::Text),
    ("web_search_options", Kind::Object),
    ("functions", Kind::Any),
];

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
const MESSAGE_FIELDS: [&str; 7] = [
    "role",
    "content",
    "name",
    "refusal",
    "audio",
    "tool_calls",
    "tool_call_id",
];

/// Checks a whole body.
pub(crate) fn request(body: &Value) -> Result<(), Fault> {
    let Some(body) = body.as_object() else {
        return Err(Fault::new(
            400,
            "We could not parse the JSON body of your request: expected an object.",
        ));
    };
    for (name, value) in body {
        field(name, value)?;
    }
    if !body.contains_key("model") {
        return Err(Fault::new(400, "you must provide a model parameter"));
    }
    messages(body.get("messages"))?;
    stream_options(body)?;
    tools(body)?;
    if let Some(format) = body.get("response_format").filter(|format| !format.is_null()) {
        response_format(format, body)?;
    }
    Ok(())
}

fn field(name: &str, value: &Value) -> Result<(), Fault> {
    let Some((name, kind)) = FIELDS.iter().find(|(known, _)| *known == name) else {
        return Err(Fault::new(
            400,
            format!("Unrecognized request argument supplied: {name}"),
        ));
    };
    let expected = match kind {
        _ if value.is_null() && *name != "model" => return Ok(()),
        Kind::Any => return Ok(()),
        Kind::Boolean if value.is_boolean() => return Ok(()),
        Kind::Number if value.is_number() => return Ok(()),
        Kind::PositiveInteger if value.as_u64().is_some_and(|n| n > 0) => return Ok(()),
        Kind::Object if value.is_object() => return Ok(()),
        Kind::Text if value.is_string() => return Ok(()),
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::PositiveInteger => "an integer of at least 1",
        Kind::Object => "an object",
        Kind::Text => "a string",
    };
    Err(Fault::bad(
        name,
        format!("Invalid type for '{name}': expected {expected}, but got {value} instead."),
    ))
}

fn messages(messages: Option<&Value>) -> Result<(), Fault> {
    let bad = |message: String| Err(Fault::bad("messages", message));
    let Some(messages) = messages.and_then(Value::as_array) else {
        return bad("Missing required parameter: 'messages'.".to_owned());
    };
    if messages.is_empty() {
        return bad("Invalid 'messages': empty array. Expected an array with minimum length 1.".to_owned());
    }
    for (index, message) in messages.iter().enumerate() {
        let Some(message) = message.as_object() else {
            return bad(format!("Invalid type for 'messages[{index}]': expected an object."));
        };
        if let Some(name) = message.keys().find(|name| !MESSAGE_FIELDS.contains(&name.as_str())) {
            return bad(format!(
                "Unrecognized request argument supplied: messages[{index}].{name}"
            ));
        }
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if !ROLES.contains(&role) {
            return bad(format!("Invalid value: '{role}'. Supported values are: {ROLES:?}."));
        }
        match message.get("content") {
            Some(Value::String(_)) => {}
            Some(Value::Array(pieces)) if !pieces.is_empty() && pieces.iter().all(is_piece) => {}
            None | Some(Value::Null) if role == "assistant" && message.contains_key("tool_calls") => {}
            _ => {
                return bad(format!(
                    "Invalid value for 'content': expected a string (messages[{index}])."
                ));
            }
        }
    }
    Ok(())
}

/// A piece of a message: text, or an image by its address.
fn is_piece(piece: &Value) -> bool {
    let has = |fields: usize| piece.as_object().is_some_and(|piece| piece.len() == fields);
    match piece["type"].as_str() {
        Some("text") => has(2) && piece["text"].is_string(),
        Some("image_url") => {
            let url = piece["image_url"]["url"].as_str().unwrap_or_default();
            let is_image = url.starts_with("data:image/") && url.contains(";base64,");
            has(2) && (is_image || url.starts_with("https://"))
        }
        _ => false,
    }
}

/// Tools, and the one that is to be called.
fn tools(body: &Map<String, Value>) -> Result<(), Fault> {
    let tools = body
        .get("tools")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for tool in tools {
        let (function, schema) = (&tool["function"], &tool["function"]["parameters"]);
        if tool["type"] != "function" || !function["name"].is_string() {
            return Err(Fault::bad(
                "tools",
                "Missing required parameter: 'tools[0].function.name'.",
            ));
        }
        let choices = ["anyOf", "oneOf", "allOf", "enum", "not"];
        if schema["type"] != "object" || choices.iter().any(|choice| schema.get(choice).is_some()) {
            let message = format!(
                "Invalid schema for function {}: schema must have type 'object' and not have \
                 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
                function["name"]
            );
            return Err(Fault::bad("tools", message));
        }
    }
    match body.get("tool_choice").filter(|choice| choice.is_object()) {
        None => Ok(()),
        Some(choice)
            if choice["type"] == "function"
                && tools
                    .iter()
                    .any(|tool| tool["function"]["name"] == choice["function"]["name"]) =>
        {
            Ok(())
        }
        Some(_) => Err(Fault::bad("tool_choice", "Tool choice is not among 'tools'.")),
    }
}

fn stream_options(body: &Map<String, Value>) -> Result<(), Fault> {
    let Some(options) = body.get("stream_options").and_then(Value::as_object) else {
        return Ok(());
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(Fault::bad("stream_options", message));
    }
    match options
        .iter()
        .find(|(name, value)| *name != "include_usage" || !value.is_boolean())
    {
        Some((name, _)) => Err(Fault::bad(
            "stream_options",
            format!("Unknown parameter: 'stream_options.{name}'."),
        )),
        None => Ok(()),
    }
}

fn response_format(format: &Value, body: &Map<String, Value>) -> Result<(), Fault> {
    let bad = |message: &str| Err(Fault::bad("response_format", message));
    match format["type"].as_str() {
        Some("text") => Ok(()),
        Some("json_object") if mentions_json(&body["messages"]) => Ok(()),
        Some("json_object") => {
            bad("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
        }
        Some("json_schema") => json_schema(&format["json_schema"]),
        _ => bad("Invalid value for 'response_format.type': supported are 'json_object', 'json_schema', and 'text'."),
    }
}

fn json_schema(schema: &Value) -> Result<(), Fault> {
    let bad = |message: &str| Err(Fault::bad("response_format", message));
    let Some(fields) = schema.as_object() else {
        return bad("Missing required parameter: 'response_format.json_schema'.");
    };
    if fields
        .keys()
        .any(|name| !["name", "description", "schema", "strict"].contains(&name.as_str()))
    {
        return bad("Unknown parameter in 'response_format.json_schema'.");
    }
    let name = schema["name"].as_str().unwrap_or_default();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if name.is_empty() || name.len() > 64 || !name.bytes().all(allowed) {
        return bad(
            "Invalid 'response_format.json_schema.name': expected a string that matches '^[a-zA-Z0-9_-]{1,64}$'.",
        );
    }
    if !schema["schema"].is_object() {
        return bad("Missing required parameter: 'response_format.json_schema.schema'.");
    }
    match &schema["strict"] {
        Value::Bool(true) if schema["schema"]["type"] != "object" => {
            bad("Invalid schema for response_format: schema must be a JSON Schema of 'type: \"object\"'.")
        }
        Value::Bool(true) => strict(&schema["schema"]),
        Value::Bool(false) | Value::Null => Ok(()),
        _ => bad("Invalid type for 'response_format.json_schema.strict': expected a boolean."),
    }
}

/// Strict mode wants every object closed and every property required.
fn strict(schema: &Value) -> Result<(), Fault> {
    let bad = |message: &str| {
        Err(Fault::bad(
            "response_format",
            format!("Invalid schema for response_format: {message}"),
        ))
    };
    match schema {
        Value::Array(items) => items.iter().try_for_each(strict),
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                if fields.get("additionalProperties") != Some(&Value::Bool(false)) {
                    return bad("'additionalProperties' is required to be supplied and to be false.");
                }
                let required = fields.get("required").and_then(Value::as_array);
                if properties
                    .keys()
                    .any(|name| !required.is_some_and(|list| list.iter().any(|item| item == name)))
                {
                    return bad("'required' is required to be supplied and to be an array including every key.");
                }
            }
            fields.values().try_for_each(strict)
        }
        _ => Ok(()),
    }
}

fn mentions_json(messages: &Value) -> bool {
    messages.to_string().to_ascii_lowercase().contains("json")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(name: &str, value: Value) -> Value {
        let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
        body[name] = value;
        body
    }

    #[test]
    fn a_plain_request_is_accepted() {
        assert_eq!(request(&with("temperature", json!(0.5))), Ok(()));
    }

    #[test]
    fn every_fault_is_named_as_openai_names_it() {
        let cases = [
            (with("x", json!(1)), "Unrecognized request argument supplied: x"),
            (with("max_tokens", json!("9")), "Invalid type for 'max_tokens'"),
            (with("max_tokens", json!(0)), "Invalid type for 'max_tokens'"),
            (with("model", Value::Null), "Invalid type for 'model'"),
            (with("messages", json!([])), "empty array"),
            (
                with("messages", json!([{"role": "robot", "content": "x"}])),
                "Invalid value: 'robot'",
            ),
            (
                with("messages", json!([{"role": "user"}])),
                "Invalid value for 'content'",
            ),
            (
                with("messages", json!([{"role": "user", "content": "x", "mood": 1}])),
                "messages[0].mood",
            ),
            (
                with("stream_options", json!({"include_usage": true})),
                "only allowed when 'stream' is enabled",
            ),
            (
                with("response_format", json!({"type": "yaml"})),
                "Invalid value for 'response_format.type'",
            ),
            (
                with("response_format", json!({"type": "json_object"})),
                "must contain the word 'json'",
            ),
            (
                with("response_format", json!({"type": "json_schema"})),
                "'response_format.json_schema'",
            ),
            (
                with(
                    "response_format",
                    json!({"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}),
                ),
                "json_schema.name",
            ),
            (json!([]), "expected an object"),
            (json!({"messages": []}), "you must provide a model parameter"),
        ];
        for (body, expected) in cases {
            let fault = request(&body).expect_err(expected);
            assert_eq!(fault.status, 400, "{fault:?}");
            assert!(
                fault.message.contains(expected),
                "{fault:?} does not mention {expected}"
            );
        }
    }

    #[test]
    fn a_strict_schema_must_close_every_object_and_require_every_property() {
        let format = |schema: Value| {
            with(
                "response_format",
                json!({"type": "json_schema", "json_schema": {"name": "a", "strict": true, "schema": schema}}),
            )
        };
        let closed =
            json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false});
        assert_eq!(request(&format(closed)), Ok(()));
        for open in [
            json!({"anyOf": []}),
            json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": false}),
        ] {
            assert!(request(&format(open.clone())).is_err(), "{open}");
        }
    }
}
