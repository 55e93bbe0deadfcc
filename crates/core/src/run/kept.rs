//! The results that a run keeps for later, and their ids.

use serde_json::Value;

use crate::id::MessageId;

/// The id of the input.
pub const INPUT: &str = "input";

/// The id of the data that a program passed along with it.
pub const DATA: &str = "data";

/// The id of a step's result.
pub fn step(seq: u32) -> String {
    format!("step-{seq}")
}

/// The id of a message of the conversation.
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
