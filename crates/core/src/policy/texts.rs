//! The texts of a JSON value, names of fields included, and the words of a text. Pure.

use serde_json::Value;

use super::addresses;

/// Arguments that are written to be read by people.
pub(super) const PROSE: [&str; 16] = [
    "body",
    "caption",
    "comment",
    "content",
    "contents",
    "description",
    "details",
    "memo",
    "message",
    "note",
    "notes",
    "reason",
    "subject",
    "summary",
    "text",
    "title",
];

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

/// The words and numbers of a text, lower case.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = String> {
    let plain = addresses::plain(text).to_lowercase();
    let pieces: Vec<_> = plain
        .split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
        .collect();
    pieces.into_iter()
}
