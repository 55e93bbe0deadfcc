//! Replies as different servers write them.

use serde_json::json;

use super::*;

fn gather(chunks: &[Value]) -> Gathered {
    let mut gathered = Gathered::default();
    for chunk in chunks {
        let chunk: Chunk = serde_json::from_value(chunk.clone()).expect("a chunk");
        gathered.add(chunk, false, |_| {}).expect("no error");
    }
    gathered
}

fn call(name: &str, arguments: &str) -> NativeToolCall {
    NativeToolCall {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[test]
fn content_may_be_text_null_or_parts() {
    for (content, expected) in [
        (json!("a"), "a"),
        (Value::Null, ""),
        (
            json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]),
            "ab",
        ),
        (json!(["a", {"text": "b"}, 1]), "ab1"),
        (json!({"type": "text", "text": "a"}), "a"),
        (json!({"say": "a", "type": "b"}), r#"{"say":"a","type":"b"}"#),
        (json!(42), "42"),
        (json!(false), ""),
        (json!({}), ""),
    ] {
        let message = json!({"content": content, "refusal": false, "tool_calls": {}});
        let chunk = json!({"choices": [{"message": message, "finish_reason": 1, "error": {}}], "error": ""});
        let gathered = gather(&[chunk]);
        assert_eq!((gathered.text.as_str(), gathered.refusal.as_str()), (expected, ""));
        assert_eq!((gathered.finish.as_deref(), gathered.calls.len()), (Some("1"), 0));
    }
}

#[test]
fn usage_is_read_wherever_it_comes_and_the_largest_counts_hold() {
    let told = |prompt: Value, completion: Value| json!({"prompt_tokens": prompt, "completion_tokens": completion});
    let text = |usage: Value| json!({"choices": [{"delta": {"content": "a"}}], "usage": usage});
    let last = |usage: Value| json!({"choices": [], "usage": usage});
    for (chunks, expected) in [
        (vec![text(Value::Null), last(told(json!(7), json!(2)))], Some((7, 2))),
        (
            vec![text(told(json!(7), json!(1))), text(told(json!(7), json!(2)))],
            Some((7, 2)),
        ),
        (
            vec![text(told(json!(7), json!(2))), last(told(json!(0), json!(0)))],
            Some((7, 2)),
        ),
        (vec![text(told(json!(7.0), json!("2"))), last(json!({}))], Some((7, 2))),
        (vec![text(told(json!(7), json!(-2)))], Some((7, 0))),
        (vec![text(told(json!(-7), json!(2)))], None),
        (vec![text(json!("none")), last(json!([]))], None),
    ] {
        let usage = gather(&chunks).usage;
        let counts = usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens));
        assert_eq!(counts, expected, "{chunks:?}");
    }
}

#[test]
fn a_reply_that_came_as_reasoning_is_one_if_it_is_all_that_came() {
    let action = r#" {"type":"finish","output":"hi"} "#;
    for (chunks, expected) in [
        (
            vec![json!({"reasoning_content": action, "content": null})],
            action.trim(),
        ),
        (
            vec![
                json!({"reasoning": action.split_at(9).0}),
                json!({"reasoning": action.split_at(9).1}),
            ],
            action.trim(),
        ),
        (
            vec![json!({"reasoning_content": action}), json!({"content": "hello"})],
            "hello",
        ),
        (vec![json!({"reasoning_content": format!("Let me write {action}")})], ""),
        (vec![json!({"reasoning_content": "[1]"})], ""),
    ] {
        let chunks: Vec<_> = chunks
            .into_iter()
            .map(|delta| json!({"choices": [{"delta": delta}]}))
            .collect();
        let mut gathered = gather(&chunks);
        gathered.end();
        assert_eq!(gathered.text, expected, "{chunks:?}");
    }
    let call = json!([{"index": 0, "function": {"name": "f", "arguments": "{}"}}]);
    let mut gathered = gather(&[json!({"choices": [{"delta": {"reasoning": action, "tool_calls": call}}]})]);
    gathered.end();
    assert_eq!(gathered.take_calls().len(), 1);
    assert_eq!(gathered.text, "");
}

#[test]
fn an_error_in_the_place_of_a_reply_is_told_from_an_empty_one() {
    for (chunk, expected) in [
        (json!({"error": null}), None),
        (json!({"error": false}), None),
        (json!({"error": ""}), None),
        (json!({"error": {}}), None),
        (json!({"error": {"message": "", "code": 0, "param": null}}), None),
        (json!({"base_resp": {"status_code": 0, "status_msg": ""}}), None),
        (json!({"message": "", "detail": null}), None),
        (json!({"choices": [], "message": "no"}), None),
        (json!({"error": "no"}), Some(json!("no"))),
        (json!({"message": "no"}), Some(json!("no"))),
        (json!({"detail": [{"msg": "no"}]}), Some(json!([{"msg": "no"}]))),
        (json!({"error": {"code": 500}}), Some(json!({"code": 500}))),
        (
            json!({"base_resp": {"status_code": 1002}}),
            Some(json!({"status_code": 1002})),
        ),
    ] {
        let read: Chunk = serde_json::from_value(chunk.clone()).expect("a chunk");
        assert_eq!(read.error(), expected.as_ref(), "{chunk}");
    }
}

#[test]
fn fragments_of_tool_calls_are_joined_with_and_without_an_index() {
    let delta = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]});
    let mut indexed = gather(&[
        delta(json!([{"index": 1, "id": "b", "function": {"name": "second", "arguments": ""}}])),
        delta(json!([{"index": 0, "id": "a", "function": {"name": "first", "arguments": "{\"a\""}}])),
        delta(json!([{"index": 0, "function": {"arguments": ":1}"}}, {"index": 1, "function": {"arguments": "{}"}}])),
    ]);
    assert_eq!(indexed.take_calls(), [call("first", "{\"a\":1}"), call("second", "{}")]);
    let mut bare = gather(&[
        delta(json!([{"function": {"name": "first", "arguments": "{"}}])),
        delta(json!([{"function": {"arguments": "}"}}])),
        delta(json!({"index": "1", "function": {"name": "second", "arguments": {"b": 2}}})),
    ]);
    assert_eq!(bare.take_calls(), [call("first", "{}"), call("second", "{\"b\":2}")]);
}

#[test]
fn strict_is_asked_for_only_where_strict_mode_takes_the_schema() {
    let strict = |schema: Value| {
        let body = serde_json::to_value(response_format(&Schema::new("a", &schema), Structured::JsonSchema));
        body.map(|body| body["json_schema"]["strict"].clone()).ok()
    };
    let closed = json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false});
    assert_eq!(strict(closed), Some(json!(true)));
    for open in [
        json!({"anyOf": []}),
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"], "additionalProperties": false}),
    ] {
        assert_eq!(strict(open.clone()), Some(json!(false)), "{open}");
    }
}

#[test]
fn a_name_that_is_repeated_with_every_fragment_is_one_name() {
    let chunk = |name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": function}]}}]})
    };
    let mut gathered = gather(&[chunk("send_message", "{\"a\""), chunk("send_message", ":1}")]);
    let expected = NativeToolCall {
        name: "send_message".to_owned(),
        arguments: "{\"a\":1}".to_owned(),
    };
    assert_eq!(gathered.take_calls(), [expected]);
}

#[test]
fn of_a_text_with_channels_the_last_one_counts() {
    for (text, expected) in [
        (
            "<|channel|>analysis<|message|>They greet.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>",
            "Hello",
        ),
        (
            "<|channel|>analysis<|message|>Well.<|end|><|channel|>final <|constrain|>json<|message|>{\"a\":1}",
            "{\"a\":1}",
        ),
        (
            "{\"a\": \"<|channel|>final<|message|>x\"}",
            "{\"a\": \"<|channel|>final<|message|>x\"}",
        ),
        (
            "<|channel|>analysis<|message|>Well.",
            "<|channel|>analysis<|message|>Well.",
        ),
    ] {
        let mut gathered = gather(&[json!({"choices": [{"delta": {"content": text}}]})]);
        gathered.end();
        assert_eq!(gathered.text, expected, "{text}");
    }
}
