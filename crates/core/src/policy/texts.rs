//! The texts of a JSON value, names of fields included. Pure.

use serde_json::Value;

/// Calls something with every text and number of a value.
pub(super) fn each_text(value: &Value, with: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => with(text),
        Value::Number(number) => with(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, with)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            with(name);
            each_text(value, with);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}
