//! What a run keeps for later, and what it is called.

use serde_json::Value;

use crate::id::MessageId;

/// What is asked.
pub const INPUT: &str = "input";

/// What a program gave along with it.
pub const DATA: &str = "data";

/// What a step of a run is called.
pub fn step(seq: u32) -> String {
    format!("step-{seq}")
}

/// What a message of the conversation is called.
pub fn message(id: MessageId) -> String {
    format!("message-{id}")
}

/// How a JSON value reads as plain text.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => entries.iter().map(plain).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            let lines = fields.iter().map(|(name, field)| match field {
                Value::Array(_) | Value::Object(_) => format!("{name}:\n{}", plain(field)),
                field => format!("{name}: {}", plain(field)),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
