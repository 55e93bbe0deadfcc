//! Tables of texts with the action read from each, and of errors for the model where there is none.

use clifford_action::{Reply, read, read_native};
use serde_json::{Value, json};

/// The action that is found, or the fault.
fn found(reply: Result<Reply, clifford_action::Unreadable>) -> Value {
    reply.map_or_else(|fault| Value::from(fault.message), |reply| reply.to_value())
}

#[test]
fn actions_are_found_in_noise() {
    let finish = json!({ "type": "finish" });
    let note = json!({ "type": "note", "category": "plan", "content": "p" });
    let say = |message: &str| json!({ "type": "send_message", "message": message });
    let call = |name: &str, args: Value| json!({ "type": "tool_call", "name": name, "args": args });
    let cases = [
        // Thoughts.
        (r#"<think>{"type":"dance"}</think>{"type":"finish"}"#, finish.clone()),
        (
            r#"<think>hm</think> so <think>{"type":"dance"}</think> {"type":"finish"} done"#,
            finish.clone(),
        ),
        (
            r#"hm, {"type":"set_output","output":"x"}? No.</think>{"type":"finish"}"#,
            finish.clone(),
        ),
        (
            r#"{"type":"finish"}<think>{"type":"note","category":"plan","content":"p"}"#,
            finish.clone(),
        ),
        (
            r#"{"type":"send_message","message":"write <think> first"}"#,
            say("write <think> first"),
        ),
        (
            r#"{"type":"send_message","message":"</think> closes"}"#,
            say("</think> closes"),
        ),
        // The order: whole text, fences, objects from the front.
        (
            "{\"type\":\"finish\"} or\n```json\n{\"type\":\"note\",\"category\":\"plan\",\"content\":\"p\"}\n```",
            note.clone(),
        ),
        (
            "```\n{\"type\":\"dance\"}\n```\n```\n{\"type\":\"finish\"}\n```",
            finish.clone(),
        ),
        (
            r#"{"type":"dance"} {"type":"finish"} {"type":"note","category":"plan","content":"p"}"#,
            finish.clone(),
        ),
        (r#"{"type":"send_message"} {"type":"finish"}"#, finish.clone()),
        // Fences.
        ("~~~json\n{\"type\":\"finish\"}\n~~~", finish.clone()),
        ("````JSON\r\n{\"type\":\"finish\"}\r\n````", finish.clone()),
        ("Here: ```{\"type\":\"finish\"}``` ok?", finish.clone()),
        ("```json\n{\"type\":\"finish\"}", finish.clone()),
        ("```json\n[{\"a\":1},{\"type\":\"finish\"}]\n```", finish.clone()),
        (
            "```json\n{\"type\":\"finish\"}\n{\"type\":\"note\",\"category\":\"plan\",\"content\":\"p\"}\n```",
            finish.clone(),
        ),
        (
            "```json\n{\"type\":\"send_message\",\"message\":\"```sh\\nls\\n``` and }\"}\n```",
            say("```sh\nls\n``` and }"),
        ),
        ("```rust\nfn main() {}\n```\n{\"type\":\"finish\"}", finish.clone()),
        // Prose around.
        (r#"{ not json } {"type":"finish"}"#, finish.clone()),
        (r#"{ open {"type":"finish"}"#, finish.clone()),
        (r#"it"s {"type":"finish"}"#, finish.clone()),
        (r#"{ it"s } {"type":"finish"}"#, finish.clone()),
        (r#"{"type":"finish"}}}"#, finish.clone()),
        (r#"{"action":{"type":"finish"}}"#, finish.clone()),
        (r#"{"a":1,"actions":[1,{"type":"finish"}]}"#, finish.clone()),
        (
            r#"Ein „{“ und {"type":"send_message","message":"日本 } \" { \u00e9"} ✓"#,
            say("日本 } \" { é"),
        ),
        // Arrays.
        (
            r#"[1,"x",{"a":{"type":"note"}},{"type":"dance"},{"type":"finish"}]"#,
            finish.clone(),
        ),
        (
            r#"Both: [{"type":"note","category":"plan","content":"p"},{"type":"finish"}]"#,
            note.clone(),
        ),
        // Tools.
        (r#"{"type":"a.b","name":"c.d"}"#, call("a.b", json!({}))),
        (
            r#"{"type":null,"name":"mcp.git-hub.list_all","args":{"x":null}}"#,
            call("mcp.git-hub.list_all", json!({ "x": null })),
        ),
        (r#"{"name":"a.b","args":null}"#, call("a.b", json!({}))),
        (
            r#"{"type":"tool_call","name":"a.b","args":"{\"x\":\"{}\"}"}"#,
            call("a.b", json!({"x": "{}"})),
        ),
        (
            r#"{"name":"a.b","args":" {\"x\":{\"y\":2}}\n"}"#,
            call("a.b", json!({"x": {"y": 2}})),
        ),
        (
            r#"{"type":"tool_call","name":"a.b","args":{},"then":[{"name":"c.d","args":"{\"y\":2}"}]}"#,
            json!({
                "type": "tool_call", "name": "a.b", "args": {}, "then": [{"name": "c.d", "args": {"y": 2}}],
            }),
        ),
        (r#"{"name":"a.b","arguments":{"x":1}}"#, call("a.b", json!({ "x": 1 }))),
        (r#"{"type":"tool_call","name":"compute"}"#, call("compute", json!({}))),
        (
            r#"{"type":"tool_call","name":"a.b","args":{"fileIds":[1.5,-2,1e300],"d":{"type":"finish"}}}"#,
            call("a.b", json!({ "fileIds": [1.5, -2, 1e300], "d": { "type": "finish" } })),
        ),
        // Nulls, camelCase and numbers.
        (
            r#"{"type":"finish","output":null,"mode":null,"file_ids":null,"notes":null}"#,
            finish.clone(),
        ),
        (
            r#"{"type":"finish","output":"","fileIds":["f1"]}"#,
            json!({ "type": "finish", "output": "", "mode": "replace", "file_ids": ["f1"] }),
        ),
        (
            r#"{"type":"finish","file_ids":null,"fileIds":["f1"]}"#,
            json!({ "type": "finish", "file_ids": ["f1"] }),
        ),
        (r#"{"type":"send_message","message":"m","file_ids":[]}"#, say("m")),
        (
            r#"{"type":"set_output","output":"a","mode":null}"#,
            json!({ "type": "set_output", "output": "a", "mode": "replace" }),
        ),
        (
            r#"{"type":"set_run_limits","maxIterations":30.0}"#,
            json!({ "type": "set_run_limits", "max_iterations": 30 }),
        ),
        (r#"{"type":"sleep"}"#, json!({ "type": "sleep" })),
        (
            r#"{"type":"sleep","wakeAt":"soon","delaySeconds":0,"cron":"","reason":null}"#,
            json!({ "type": "sleep", "wake_at": "soon", "delay_seconds": 0, "cron": "" }),
        ),
        (
            r#"{"type":"recover","reason":"r","action":null}"#,
            json!({ "type": "recover", "reason": "r" }),
        ),
        (
            r#"{"type":"spawn_subagents","subagents":[{"id":null,"task":"a","tools":null,"context":null}],"wakeOn":"first"}"#,
            json!({ "type": "spawn_subagents", "subagents": [{ "task": "a" }], "wake_on": "first" }),
        ),
        (
            r#"{"type":"spawn_subagent","subagent":{"task":"a","tools":[]}}"#,
            json!({ "type": "spawn_subagent", "subagent": { "task": "a", "tools": [] } }),
        ),
        // Notes that ride along.
        (
            r#"{"name":"a.b","notes":[{"category":"plan","content":"p","more":1}]}"#,
            json!({ "type": "tool_call", "name": "a.b", "args": {}, "notes": [{ "category": "plan", "content": "p" }] }),
        ),
        (
            r#"{"type":"note","category":"plan","content":"p","notes":[]}"#,
            note.clone(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(found(read(text)), expected, "{text}");
    }
}

const KINDS: &str = "one of tool_call, send_message, set_output, finish, decision, note, spawn_subagent, \
                     spawn_subagents, sleep, set_run_limits, recover";

#[test]
fn faults_name_the_field_and_the_reason() {
    let broken = |why: &str| format!("the JSON object is broken: {why}");
    let wanted = r#"answer with exactly one JSON object, such as {"type":"send_message","message":"…"}"#;
    let cases = [
        // Fields.
        (
            r#"{"type":"send_message"}"#,
            "send_message: `message` is missing: it must be a string".to_owned(),
        ),
        (
            r#"{"type":"send_message","message":null}"#,
            "send_message: `message` is missing: it must be a string".into(),
        ),
        (
            r#"{"type":"send_message","message":{"type":"finish"}}"#,
            "send_message: `message` must be a string, not an object".into(),
        ),
        (
            r#"{"type":"send_message","message":" \n\t"}"#,
            "send_message: `message` must not be blank".into(),
        ),
        (
            r#"{"type":"send_message","message":"m","fileIds":"f"}"#,
            r#"send_message: `file_ids` must be a list of strings, not "f""#.into(),
        ),
        (
            r#"{"type":"send_message","message":"m","file_ids":["f",2]}"#,
            "send_message: `file_ids[1]` must be a string, not 2".into(),
        ),
        (
            r#"{"type":"set_output","output":["a"]}"#,
            "set_output: `output` must be a string, not a list".into(),
        ),
        (
            r#"{"type":"finish","output":"x","mode":"prepend"}"#,
            r#"finish: `mode` must be one of replace, append, not "prepend""#.into(),
        ),
        (
            r#"{"type":"decision","content":"c","importance":3}"#,
            "decision: `importance` must be one of low, normal, high, not 3".into(),
        ),
        (
            r#"{"type":"note","category":"Plan","content":"x"}"#,
            r#"note: `category` must be one of requirements, plan, artifact, validation, not "Plan""#.into(),
        ),
        (
            r#"{"type":"tool_call"}"#,
            "tool_call: `name` is missing: it must be a string".into(),
        ),
        (
            r#"{"type":"tool_call","name":"a.b","args":"x=1"}"#,
            r#"tool_call: `args` must be an object, not "x=1""#.into(),
        ),
        (
            r#"{"type":"tool_call","name":"a.b","args":"[1]"}"#,
            r#"tool_call: `args` must be an object, not "[1]""#.into(),
        ),
        (
            r#"{"type":"tool_call","name":"a.b","args":"\"{}\""}"#,
            r#"tool_call: `args` must be an object, not "\"{}\"""#.into(),
        ),
        (
            r#"{"type":"a.b","args":[1]}"#,
            "tool_call: `args` must be an object, not a list".into(),
        ),
        (
            r#"{"type":"spawn_subagents","subagents":[]}"#,
            "spawn_subagents: `subagents` must not be empty".into(),
        ),
        (
            r#"{"type":"spawn_subagents","subagents":{"task":"a"}}"#,
            "spawn_subagents: `subagents` must be a list of objects, not an object".into(),
        ),
        (
            r#"{"type":"spawn_subagents","subagents":[{"task":"a"},{"task":"b","context":[{"role":"tool","content":"x"}]}]}"#,
            r#"spawn_subagents: `subagents[1].context[0].role` must be one of system, user, assistant, not "tool""#
                .into(),
        ),
        (
            r#"{"type":"spawn_subagent","subagent":{"profile":"x"}}"#,
            "spawn_subagent: `subagent.task` is missing: it must be a string".into(),
        ),
        (
            r#"{"type":"sleep","delaySeconds":-5}"#,
            "sleep: `delay_seconds` must be a whole number of at least 0, not -5".into(),
        ),
        (
            r#"{"type":"sleep","delay_seconds":"90"}"#,
            r#"sleep: `delay_seconds` must be a whole number of at least 0, not "90""#.into(),
        ),
        (
            r#"{"type":"sleep","wake_at":1700000000}"#,
            "sleep: `wake_at` must be a string, not 1700000000".into(),
        ),
        (
            r#"{"type":"set_run_limits","max_iterations":0}"#,
            "set_run_limits: `max_iterations` must be a whole number from 1 to 4294967295, not 0".into(),
        ),
        (
            r#"{"type":"set_run_limits","max_iterations":4294967296}"#,
            "set_run_limits: `max_iterations` must be a whole number from 1 to 4294967295, not 4294967296".into(),
        ),
        (
            r#"{"type":"set_run_limits","max_iterations":2.5}"#,
            "set_run_limits: `max_iterations` must be a whole number from 1 to 4294967295, not 2.5".into(),
        ),
        (
            r#"{"type":"recover","reason":true}"#,
            "recover: `reason` must be a string, not true".into(),
        ),
        (
            r#"{"type":"finish","notes":{"category":"plan","content":"p"}}"#,
            "finish: `notes` must be a list of objects, not an object".into(),
        ),
        (
            r#"{"type":"finish","notes":[{"category":"plan","content":"p"},null]}"#,
            "finish: `notes[1]` must be an object, not null".into(),
        ),
        (
            r#"{"type":"finish","notes":[{"category":"plan"}]}"#,
            "finish: `notes[0].content` is missing: it must be a string".into(),
        ),
        // The type.
        (r#"{"type":"dance"}"#, format!(r#"`type` must be {KINDS}, not "dance""#)),
        (
            r#"{"type":"say.","name":"3.14"}"#,
            format!(r#"`type` must be {KINDS}, not "say.""#),
        ),
        (r#"{"type":["finish"]}"#, format!("`type` must be {KINDS}, not a list")),
        (r#"{"output":"x"}"#, format!("`type` is missing: it must be {KINDS}")),
        (
            r#"[{"name":"calendar"}]"#,
            format!("`type` is missing: it must be {KINDS}"),
        ),
        (
            &format!(r#"{{"type":"{}"}}"#, "é".repeat(1_000)),
            format!(r#"`type` must be {KINDS}, not "{}"…"#, "é".repeat(40)),
        ),
        // The most telling fault: a field before a type before syntax before strangers.
        (
            r#"{"a":1} {"type":"dance"} {"type":"send_message"} {"type":"note"}"#,
            "send_message: `message` is missing: it must be a string".into(),
        ),
        (
            r#"{"a":1} {"type":"dance"} {"type":"finish",}"#,
            format!(r#"`type` must be {KINDS}, not "dance""#),
        ),
        (
            r#"{} {"type":"finish",}"#,
            format!("`type` is missing: it must be {KINDS}"),
        ),
        // Syntax.
        (r#"{"type":"finish",}"#, broken("trailing comma at line 1 column 18")),
        (
            "Sure {x}: {'type':'finish'}",
            broken("key must be a string at line 1 column 2"),
        ),
        (
            "{\"type\":\"send_message\",\"message\":\"a\nb\"}",
            broken("control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"),
        ),
        (
            r#"{"message":"hel"#,
            broken("EOF while parsing a string at line 1 column 15"),
        ),
        (
            r#"{"type":"send_message","message":"hel"#,
            "send_message: the JSON object is cut off before its end".into(),
        ),
        (
            r#"So: { "name" : "a.b", "args":{"files":[{"name":"c.txt"},{"na"#,
            "a.b: the JSON object is cut off before its end".into(),
        ),
        // No object at all.
        (
            "I am sorry, I cannot do that.",
            format!("the reply holds no JSON object: {wanted}"),
        ),
        (" \u{feff}\n", format!("the reply is empty: {wanted}")),
        ("<think>what now", format!("the reply is empty: {wanted}")),
        ("42", "the reply must be a JSON object, not 42".into()),
        ("\"finish\"", "the reply must be a JSON object, not \"finish\"".into()),
        ("[]", format!("the reply holds no JSON object: {wanted}")),
    ];
    for (text, expected) in cases {
        assert_eq!(found(read(text)), Value::from(expected), "{text}");
    }
}

#[test]
fn native_calls_are_read_as_tool_calls() {
    let call = |name: &str, args: Value| json!({ "type": "tool_call", "name": name, "args": args });
    let cases = [
        (
            "compute.eval",
            r#"{"expression":"2+2"}"#,
            call("compute.eval", json!({ "expression": "2+2" })),
        ),
        ("compute__eval", "", call("compute.eval", json!({}))),
        ("mcp__git__hub", " null ", call("mcp.git__hub", json!({}))),
        ("a.b__c", "{}", call("a.b__c", json!({}))),
        ("compute", "{}", call("compute", json!({}))),
        (
            "send_message",
            r#"{"message":"m"}"#,
            json!({ "type": "send_message", "message": "m" }),
        ),
        ("finish", "", json!({ "type": "finish" })),
        (
            "tool_call",
            r#"{"name":"a.b","args":{"x":1}}"#,
            call("a.b", json!({ "x": 1 })),
        ),
        (
            "send_message",
            "",
            json!("send_message: `message` is missing: it must be a string"),
        ),
        (" ", "{}", json!("tool_call: `name` must not be blank")),
        ("a.b", r#""{\"x\":1}""#, call("a.b", json!({ "x": 1 }))),
        (
            "a.b",
            "[1]",
            json!(r#"the arguments of "a.b" must be an object, not a list"#),
        ),
        (
            "a.b",
            r#"{"x":"#,
            json!(r#"the arguments of "a.b" are not JSON: EOF while parsing a value at line 1 column 5"#),
        ),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(found(read_native(name, arguments)), expected, "{name} {arguments}");
    }
}

#[test]
fn arguments_may_be_nested_so_deep_that_they_can_still_be_stored() {
    let nested = |levels: usize| format!(r#"{{"x":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
    let reply = read_native("a.b", &nested(64)).unwrap();
    let stored = json!({ "event": { "reply": reply.to_value() } }).to_string();
    let restored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(
        serde_json::from_value::<Reply>(restored["event"]["reply"].clone()).unwrap(),
        reply
    );
    for deeper in [65, 100] {
        let fault = read_native("a.b", &nested(deeper)).unwrap_err();
        assert_eq!(fault.message, "tool_call: `args` is nested more than 64 levels deep");
    }
}
