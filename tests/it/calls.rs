//! A model that makes the tool call that a message names, and tells its result.

use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Room},
    scripted_model::{self, Prompt},
};

/// A message of the form `call NAME ARGS` is carried out; the answer is the text of the result, or its JSON. A call
/// that fails is made again and again, as a stubborn model does.
pub fn reply(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    let Some((_, call)) = prompt.input().split_once("call ") else {
        return scripted_model::reply(request);
    };
    if let Some(result) = result(request).filter(|result| result["success"] == true) {
        let result = &result["result"];
        let output = result["text"]
            .as_str()
            .map_or_else(|| result.to_string(), str::to_owned);
        return Reply::json(&json!({"type": "finish", "output": output}));
    }
    let (name, args) = call.split_once(' ').unwrap();
    Reply::json(&json!({
        "type": "tool_call", "name": name, "args": serde_json::from_str::<Value>(args).unwrap(),
        "notes": [{"category": "requirements", "content": "a call"}, {"category": "plan", "content": "make it"}],
    }))
}

/// The last result of a tool that a prompt tells.
pub fn result(request: &RecordedRequest) -> Option<Value> {
    let entries = request.messages().get(2..)?.iter();
    let texts = entries.filter(|entry| entry["role"] == "user").rev();
    let entries = texts.filter_map(|entry| serde_json::from_str::<Value>(entry["content"].as_str()?).ok());
    let mut results = entries.filter_map(|entry| entry.get("tool_result").cloned());
    results.next()
}

/// Has the model make a call in a private chat; returns what it was told, and what the person reads.
pub async fn call(bot: &Bot, room: Room, name: &str, args: Value) -> (Value, String) {
    let before = bot.texts(room).len();
    bot.says(room, &format!("call {name} {args}"));
    let answer = bot.answers(room, before + 1).await.pop().unwrap();
    let requests = bot.model.requests();
    let told = requests.iter().rev().find_map(|request| result(request)).unwrap();
    (told, answer)
}
