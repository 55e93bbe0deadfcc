//! An answer of a server, put right where JSON-RPC and MCP take it otherwise.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};

use crate::mcp::words;

/// The most characters of the name of an unknown part's type.
const NAME: usize = 60;
/// JSON-RPC's code for an error that the server does not explain.
const UNEXPLAINED: i64 = -32_603;
/// The version of the protocol that knew no other one.
const OLDEST: &str = "2024-11-05";

/// Whether this is an answer.
pub(super) fn is_one(message: &Value) -> bool {
    message.as_object().is_some_and(answers)
}

fn answers(fields: &Map<String, Value>) -> bool {
    !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error"))
}

/// Puts an answer right; other messages stay as they are.
pub(super) fn mend(fields: &mut Map<String, Value>) {
    if !answers(fields) {
        return;
    }
    fields.entry("jsonrpc").or_insert_with(|| json!("2.0"));
    if let Some(id) = fields.get("id").and_then(number) {
        fields.insert("id".to_owned(), id.into());
    }
    // Version 1 of JSON-RPC has both fields, one of them null.
    if fields.get("error").is_some_and(Value::is_null) {
        fields.remove("error");
    }
    if let Some(told) = fields.get_mut("error") {
        *told = error(told.take());
        fields.remove("result");
    } else if let Some(result) = fields.get_mut("result") {
        match result.take() {
            // Only a call's result is a text or a list.
            content @ (Value::String(_) | Value::Array(_)) => *result = json!({ "content": parts(content) }),
            other => *result = other,
        }
        if let Value::Object(result) = result {
            greeting(result);
            result_of_call(result);
        }
    }
}

/// A request's number that is written as a text or with a fraction.
fn number(id: &Value) -> Option<u64> {
    match id {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) if number.is_f64() => number.to_string().strip_suffix(".0")?.parse().ok(),
        _ => None,
    }
}

fn error(told: Value) -> Value {
    let Value::Object(mut fields) = told else {
        return json!({ "code": UNEXPLAINED, "message": text(&told) });
    };
    if !fields.get("code").is_some_and(Value::is_i64) {
        fields.insert("code".to_owned(), UNEXPLAINED.into());
    }
    let message = fields.get("message").map(text).unwrap_or_default();
    fields.insert("message".to_owned(), message.into());
    Value::Object(fields)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The answer to `initialize`: what a server says of itself besides is of no use here.
fn greeting(result: &mut Map<String, Value>) {
    if !["protocolVersion", "serverInfo", "capabilities"]
        .iter()
        .any(|field| result.contains_key(*field))
    {
        return;
    }
    if !result.get("protocolVersion").is_some_and(Value::is_string) {
        result.insert("protocolVersion".to_owned(), OLDEST.into());
    }
    let capabilities = match result.remove("capabilities") {
        Some(Value::Object(capabilities)) => capabilities,
        _ => Map::new(),
    };
    let capabilities = capabilities.into_iter().filter_map(|(name, value)| match value {
        Value::Object(mut flags) => {
            flags.retain(|_, flag| flag.is_boolean() || flag.is_object());
            Some((name, Value::Object(flags)))
        }
        Value::Null | Value::Bool(false) => None,
        _ => Some((name, json!({}))),
    });
    result.insert("capabilities".to_owned(), capabilities.collect());
    let named = |field: &str| {
        let info = result.get("serverInfo");
        let told = info.and_then(|info| info.get(field)).map(text);
        told.or_else(|| info.filter(|info| field == "name" && info.is_string()).map(text))
    };
    let info = json!({ "name": named("name").unwrap_or_default(), "version": named("version").unwrap_or_default() });
    result.insert("serverInfo".to_owned(), info);
}

/// Only a call's result has content.
fn result_of_call(result: &mut Map<String, Value>) {
    let Some(content) = result.get_mut("content") else {
        return;
    };
    *content = parts(content.take());
    let failed = match result.get("isError") {
        None | Some(Value::Bool(_)) => return,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        Some(value) => value.as_f64().is_some_and(|number| number != 0.0),
    };
    result.insert("isError".to_owned(), failed.into());
}

fn parts(content: Value) -> Value {
    let parts = match content {
        Value::Array(parts) => parts,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    parts.into_iter().map(part).collect()
}

/// A part as it is, else its text, else what it calls itself.
fn part(part: Value) -> Value {
    if serde_json::from_value::<ContentBlock>(part.clone()).is_ok() {
        return part;
    }
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let text = text(Some(&part)).or_else(|| text(part.get("text"))).unwrap_or_else(|| {
        let kind = text(part.get("type")).unwrap_or_else(|| "none".to_owned());
        format!(
            "(left out: a part that cannot be read here, of the type {})",
            words::cleaned(&kind, NAME)
        )
    });
    json!({ "type": "text", "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Value {
        serde_json::from_slice(&super::super::mended(message.as_bytes())).expect(message)
    }

    #[test]
    fn an_answer_is_read_whatever_is_odd_about_its_form() {
        let plain = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
        for message in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#,
            r#"{"id":7,"result":{},"error":null}"#,
        ] {
            assert_eq!(read(message), plain, "{message}");
        }
        assert_eq!(
            read(r#"{"id":7,"result":null,"error":{"code":1,"message":"no"}}"#),
            json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": 1, "message": "no" } })
        );
        for same in [
            json!({ "jsonrpc": "2.0", "id": "a-7", "result": null }),
            json!({ "jsonrpc": "2.0", "id": -7.0, "result": {} }),
            json!({ "id": "7", "method": "ping" }),
        ] {
            assert_eq!(read(&same.to_string()), same);
        }
    }

    #[test]
    fn one_odd_part_takes_no_other_one_away() {
        let content = |content: Value| read(&json!({ "id": 1, "result": { "content": content } }).to_string());
        let text = |text: &str| json!({ "type": "text", "text": text });
        for (given, expected) in [
            (
                json!([text("a"), { "type": "image", "data": "AA", "mimeType": "image/png" }]),
                None,
            ),
            (
                json!([text("a"), { "type": "hologram", "data": "x" }, text("b")]),
                Some(json!([
                    text("a"),
                    text("(left out: a part that cannot be read here, of the type hologram)"),
                    text("b"),
                ])),
            ),
            (
                json!([{ "type": "markdown", "text": "*a*" }, "b"]),
                Some(json!([text("*a*"), text("b")])),
            ),
            (
                json!([7]),
                Some(json!([text(
                    "(left out: a part that cannot be read here, of the type none)"
                )])),
            ),
            (json!("a"), Some(json!([text("a")]))),
            (json!(text("a")), Some(json!([text("a")]))),
            (json!(null), Some(json!([]))),
        ] {
            let expected = expected.unwrap_or_else(|| given.clone());
            assert_eq!(content(given.clone())["result"]["content"], expected, "{given}");
        }
        for (odd, failed) in [
            (json!("true"), true),
            (json!(1), true),
            (json!("no"), false),
            (json!(null), false),
        ] {
            let message = json!({ "id": 1, "result": { "content": [], "isError": odd } });
            assert_eq!(read(&message.to_string())["result"]["isError"], failed, "{message}");
        }
    }

    #[test]
    fn an_error_says_what_it_says_whatever_its_form() {
        let told = |error: Value| read(&json!({ "id": 1, "error": error }).to_string())["error"].take();
        for (given, code, message) in [
            (json!({ "code": -32602, "message": "bad" }), -32_602, "bad"),
            (json!({ "code": "E1", "message": "bad" }), UNEXPLAINED, "bad"),
            (json!({ "message": ["bad"] }), UNEXPLAINED, "[\"bad\"]"),
            (json!("bad"), UNEXPLAINED, "bad"),
            (json!(true), UNEXPLAINED, "true"),
        ] {
            let error = told(given.clone());
            assert_eq!(
                (error["code"].as_i64(), error["message"].as_str()),
                (Some(code), Some(message)),
                "{given}"
            );
        }
    }

    #[test]
    fn a_server_that_says_little_of_itself_is_greeted() {
        let greeted = |result: Value| read(&json!({ "id": 1, "result": result }).to_string())["result"].take();
        for (given, version, info, capabilities) in [
            (
                json!({ "protocolVersion": "2025-06-18" }),
                "2025-06-18",
                ["", ""],
                json!({}),
            ),
            (
                json!({ "capabilities": { "tools": true, "prompts": null, "logging": {} }, "serverInfo": "s" }),
                OLDEST,
                ["s", ""],
                json!({ "tools": {}, "logging": {} }),
            ),
            (
                json!({ "serverInfo": { "name": "s", "version": 1 }, "capabilities": [] }),
                OLDEST,
                ["s", "1"],
                json!({}),
            ),
        ] {
            let result = greeted(given.clone());
            assert_eq!(result["protocolVersion"], version, "{given}");
            assert_eq!(
                result["serverInfo"],
                json!({ "name": info[0], "version": info[1] }),
                "{given}"
            );
            assert_eq!(result["capabilities"], capabilities, "{given}");
        }
        assert_eq!(greeted(json!({ "tools": [] })), json!({ "tools": [] }));
    }

    #[test]
    fn the_answer_in_a_list_is_the_answer() {
        let list = r#"[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":7,"result":"said"}]"#;
        assert_eq!(
            read(list),
            json!({ "jsonrpc": "2.0", "id": 7, "result": { "content": [{ "type": "text", "text": "said" }] } })
        );
    }
}
