//! A model that tells, remembers and looks for all that it can get hold of.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

/// The words that are looked for: `zq` and a number.
pub fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_word = |part: &&str| {
        let number = part.strip_prefix("zq").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.filter(is_word).map(str::to_owned).collect()
}

/// All text of a request.
pub fn text(request: &RecordedRequest) -> String {
    let texts = request
        .messages()
        .iter()
        .filter_map(|message| message["content"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The purpose of a request: the name of the schema of its reply.
pub fn purpose(request: &RecordedRequest) -> &str {
    request.body["response_format"]["json_schema"]["name"]
        .as_str()
        .unwrap_or_default()
}

/// The payload of a run's request, with place and person.
pub fn payload(request: &RecordedRequest) -> Value {
    serde_json::from_str(request.text(1)).unwrap_or_default()
}

/// The key of what it was last told to remember.
pub const LAST: &str = "last";

/// Conversations of which it heard anywhere.
pub type Rumours = Arc<Mutex<Vec<String>>>;

/// Its reply.
pub fn reply(request: &RecordedRequest, rumours: &Rumours) -> Reply {
    let known: Vec<String> = words(&text(request)).into_iter().collect();
    match purpose(request) {
        "memory_operations" => {
            let operations: Vec<_> = known.iter().map(|word| remember(word)).collect();
            Reply::json(&json!({ "operations": operations }))
        }
        "summary" => Reply::json(&json!({ "summary": known.join(" ") })),
        _ => Reply::json(&act(request, &known, rumours)),
    }
}

fn remember(word: &str) -> Value {
    json!({"op": "add", "module": "recent_context", "key": word, "level": 5, "value": format!("{word} was said"),
        "confidence": 0.9, "id": null})
}

fn act(request: &RecordedRequest, known: &[String], rumours: &Rumours) -> Value {
    let payload = payload(request);
    let input = payload["input"].as_str().unwrap_or_default().to_owned();
    let turn = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    let call = |name: &str, args: Value| json!({"type": "tool_call", "name": name, "args": args});
    let heard: Vec<String> = rumours.lock().unwrap().clone();
    if input.contains("remember") && turn == 0 {
        let word = words(&input).into_iter().next().unwrap_or_default();
        // One key takes many values, one after the other.
        let key = if word.ends_with(['0', '3', '6', '9']) {
            &word
        } else {
            LAST
        };
        return call(
            "memory.put",
            json!({"module": "projects", "key": key, "value": format!("{word} is to be remembered")}),
        );
    }
    if input.contains("search") && turn < 2 {
        let query = ["was said", "zq"][turn];
        return call("memory.search", json!({ "query": query }));
    }
    if input.contains("browse") {
        if turn == 0 {
            return call("memory.sessions", json!({}));
        }
        if let Some(id) = heard.iter().rev().nth(turn - 1).filter(|_| turn <= 4) {
            return call("memory.session_messages", json!({ "id": id }));
        }
    }
    json!({"type": "send_message", "message": format!("I know {}.", known.join(" "))})
}
