//! The model of the journeys: reads the prompt as a model would, and answers by rule.

use std::time::Duration;

use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

/// The text of a prompt.
pub struct Prompt {
    payload: Value,
    /// The number of the model's replies so far.
    turns: usize,
    results: Vec<Value>,
    subagents: Vec<Value>,
    woken: bool,
    heard: Vec<Value>,
}

impl Prompt {
    pub fn read(request: &RecordedRequest) -> Self {
        let behind = request.messages().get(2..).unwrap_or_default();
        let entries: Vec<Value> = behind
            .iter()
            .filter(|message| message["role"] == "user")
            .map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap())
            .collect();
        let named = |name: &str| {
            let found = entries.iter().filter_map(|entry| entry.get(name));
            found.cloned().collect::<Vec<_>>()
        };
        Self {
            payload: serde_json::from_str(request.text(1)).unwrap(),
            turns: behind.iter().filter(|message| message["role"] == "assistant").count(),
            results: named("tool_result"),
            subagents: named("subagents"),
            woken: !named("woke").is_empty(),
            heard: named("user_message").iter().flat_map(lines_of).collect(),
        }
    }

    /// The question.
    pub fn input(&self) -> &str {
        self.payload["input"]
            .as_str()
            .or(self.payload["task"].as_str())
            .unwrap()
    }

    /// The earlier messages of this conversation. A subagent has none.
    pub fn conversation(&self) -> Vec<&str> {
        let turns = self.payload["conversation"].as_array();
        turns
            .into_iter()
            .flatten()
            .map(|turn| turn["content"].as_str().unwrap())
            .collect()
    }

    /// The messages of people while the run was at work.
    pub fn heard(&self) -> Vec<&str> {
        self.heard.iter().map(|text| text.as_str().unwrap()).collect()
    }

    /// The platform's name.
    fn platform(&self) -> &str {
        self.payload["run"]["channel"]["platform"].as_str().unwrap_or_default()
    }

    /// The result of a calculation.
    fn value(&self, place: usize) -> &str {
        self.results[place]["result"]["value"].as_str().unwrap()
    }
}

/// Messages of people between two replies are one text, a line each.
fn lines_of(heard: &Value) -> Vec<Value> {
    heard.as_str().unwrap().split('\n').map(Value::from).collect()
}

/// Which of the memory writer's requests this is; none: it is a run's.
pub fn memory_schema(request: &RecordedRequest) -> Option<&str> {
    let schema = &request.body["response_format"]["json_schema"];
    // Not every API names schemas; each of these has one property.
    let property = schema["schema"]["properties"].as_object()?.keys().next()?;
    let name = schema["name"].as_str().unwrap_or(match property.as_str() {
        "operations" => "memory_operations",
        other => other,
    });
    ["memory_operations", "summary"]
        .into_iter()
        .find(|known| *known == name)
}

/// The memory writer's model: remembers what follows "remember", and tells everything in one line.
pub fn memory(request: &RecordedRequest) -> Option<Value> {
    let schema = memory_schema(request)?;
    let asked: Value = serde_json::from_str(request.last_text()).unwrap();
    let texts: Vec<_> = asked["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|said| said["from"] == "person")
        .map(|said| said["text"].as_str().unwrap())
        .collect();
    Some(if schema == "summary" {
        let before = asked["summary"].as_str().unwrap();
        json!({"summary": format!("{before}{};", texts.join(";"))})
    } else {
        let facts = texts
            .iter()
            .filter_map(|text| text.split_once("remember "))
            .map(|(_, fact)| {
                let key = fact.replace(' ', "_");
                json!({"op": "add", "module": "projects", "key": key, "level": 3, "value": fact, "confidence": 0.9})
            });
        json!({"operations": facts.collect::<Vec<_>>()})
    })
}

/// The inputs that were asked, one for each request of a run, in order.
pub fn inputs(requests: &[std::sync::Arc<RecordedRequest>]) -> Vec<String> {
    requests
        .iter()
        .filter(|request| memory_schema(request).is_none())
        .map(|request| Prompt::read(request).input().to_owned())
        .collect()
}

/// Answers a prompt.
pub fn reply(request: &RecordedRequest) -> Reply {
    if let Some(memory) = memory(request) {
        return Reply::json(&memory);
    }
    let prompt = Prompt::read(request);
    let input = prompt.input();
    type Rule = (&'static str, fn(&Prompt) -> Value);
    let rules: [Rule; 6] = [
        ("two tools", two_tools),
        ("everything", everything),
        ("helper", |prompt| finish(format!("{} is done", prompt.input()))),
        ("nap", nap),
        ("write a lot", |prompt| finish(code(prompt.platform()))),
        (
            "",
            |prompt| json!({"type": "send_message", "message": format!("You said: {}", prompt.input())}),
        ),
    ];
    let rule = rules.iter().find(|(word, _)| input.contains(word)).unwrap().1;
    let delay = if input.contains("slowly") { 700 } else { 0 };
    Reply::json(&rule(&prompt)).delay(Duration::from_millis(delay))
}

fn planned(mut action: Value) -> Value {
    action["notes"] = json!([
        {"category": "requirements", "content": "what is asked"},
        {"category": "plan", "content": "one step after the other"},
    ]);
    action
}

fn finish(output: String) -> Value {
    planned(json!({"type": "finish", "output": output}))
}

fn calculate(expression: &str) -> Value {
    json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": expression}})
}

fn two_tools(prompt: &Prompt) -> Value {
    match prompt.turns {
        0 => planned(calculate("6 * 7")),
        1 => calculate("42 + 1"),
        _ => {
            let heard: String = prompt.heard().iter().map(|text| format!("; {text}")).collect();
            let output = format!("{}: {} and {}{heard}", prompt.input(), prompt.value(0), prompt.value(1));
            json!({"type": "finish", "output": output})
        }
    }
}

/// Every kind of step that a process can die at, twice.
fn everything(prompt: &Prompt) -> Value {
    let child = |task: &str| json!({"type": "spawn_subagent", "subagent": {"task": task}});
    match prompt.turns {
        0 => planned(calculate("6 * 7")),
        1 => json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": "tea"}}),
        2 => json!({"type": "send_message", "message": PROGRESS}),
        3 => child("helper one"),
        4 => child("helper two"),
        _ => {
            assert_eq!(prompt.subagents.len(), 2);
            finish(lines(prompt.platform()).join("\n\n"))
        }
    }
}

fn nap(prompt: &Prompt) -> Value {
    if prompt.woken {
        json!({"type": "finish", "output": "I am awake."})
    } else if prompt.turns == 0 {
        planned(calculate("6 * 7"))
    } else {
        json!({"type": "sleep", "delay_seconds": 1, "reason": "a nap"})
    }
}

/// The message before the end, where there is one.
pub const PROGRESS: &str = "I am on it.";

/// Paragraphs that need three parts on this platform.
pub fn lines(platform: &str) -> Vec<String> {
    let count = if platform == "telegram" { 10 } else { 5 };
    (0..count)
        .map(|line| format!("paragraph {line} {}", "word ".repeat(190).trim_end()))
        .collect()
}

/// A block of code that needs several parts.
pub fn code(platform: &str) -> String {
    format!(
        "Here it is:\n\n```rust\n{}\n```\n\nThat was all.",
        code_lines(platform).join("\n")
    )
}

/// The lines of that block.
pub fn code_lines(platform: &str) -> Vec<String> {
    let count = if platform == "telegram" { 200 } else { 100 };
    (0..count)
        .map(|line| format!("let number_{line} = {line} < 2 && true; // <{line}> & co"))
        .collect()
}
