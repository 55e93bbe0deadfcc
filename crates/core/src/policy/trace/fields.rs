//! The fields of results, and which of them a call may be made of.

use serde_json::Value;

use super::PROSE;
use crate::policy::{
    evidence::Evidence,
    phrase::{self, Said},
};

/// A text of more words, or of more characters, is running text.
const WORDS: usize = 6;
const CHARACTERS: usize = 80;

/// Whether a value is one whole field of an announced result of a tool, which nobody but the service can have written,
/// as far as that can be told: no address or code, nothing that a running text speaks of, and nothing that stands beside
/// running text but an id.
pub(super) fn is_whole(value: &Value, evidence: &Evidence, tool: &str) -> bool {
    let written = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let told = || (evidence.heard.iter()).filter(|heard| crate::policy::evidence::tool(&heard.command) == tool);
    // What nobody else can have written may be anything.
    let mut vouched = told().filter(|heard| !heard.is_foreign);
    if vouched.any(|heard| has_field(&heard.told, value, true)) {
        return true;
    }
    let is_addressed = phrase::is_address(&written) || (value.is_string() && phrase::is_code(&written));
    !is_addressed
        && told()
            .filter(|heard| heard.is_announced)
            .any(|heard| has_field(&heard.told, value, false))
        && !evidence.heard.iter().any(|heard| speaks_of(&heard.told, &written))
}

/// Whether one of the fields is this value. `any`: also one beside running text.
fn has_field(told: &Value, wanted: &Value, any: bool) -> bool {
    fn look(value: &Value, name: &str, beside: bool, wanted: &Value, any: bool) -> bool {
        match value {
            // What one item says in running text, another may say in a word.
            Value::Array(items) => {
                let beside = beside || items.iter().any(runs);
                items.iter().any(|item| look(item, name, beside, wanted, any))
            }
            Value::Object(fields) => {
                let beside = beside || runs(value);
                fields.iter().any(|(name, value)| {
                    let is_prose = PROSE.contains(&name.to_lowercase().as_str());
                    look(value, name, beside || is_prose, wanted, any)
                })
            }
            scalar => (any || !beside || is_id(name)) && is_same(scalar, wanted),
        }
    }
    look(told, "", false, wanted, any)
}

/// Whether a value is running text, or has a field or an item that is.
fn runs(value: &Value) -> bool {
    match value {
        Value::String(text) => is_running(text),
        Value::Array(items) => items.iter().any(runs),
        Value::Object(fields) => fields.values().filter(|field| !field.is_object()).any(runs),
        _ => false,
    }
}

fn is_running(text: &str) -> bool {
    text.contains('\n') || text.chars().count() > CHARACTERS || text.split_whitespace().count() > WORDS
}

pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            number.to_string() == *text
        }
        (one, other) => one == other,
    }
}

/// Whether a field is called as what a service gives its objects.
fn is_id(name: &str) -> bool {
    let name = name.to_lowercase();
    name.trim_matches('_') == "id" || name.ends_with("_id") || name.ends_with("uuid")
}

/// Whether a running text of a result holds a value.
fn speaks_of(told: &Value, written: &str) -> bool {
    let mut speaks = false;
    each_text(told, &mut |text| {
        speaks |= is_running(text) && Said::of([text]).holds(written)
    });
    speaks
}

/// Calls something with every text and number of a value.
pub(crate) fn each_text(value: &Value, with: &mut impl FnMut(&str)) {
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
