//! Every JSON value in a reply, for replies that are no actions.

use std::borrow::Cow;

use serde_json::Value;

use crate::{scan::Scanner, think::without_thoughts};

/// The objects and arrays in a model's reply, from the front; what lies in one of them is not told again. Fences, prose
/// and thoughts around them are left out; of a value that is cut off, the whole values within it are told.
///
/// Takes linear time in the reply's length and never panics, whatever the bytes.
pub fn values(text: &str) -> Vec<Value> {
    let spoken = reply_text(text);
    let mut scanner = Scanner::new(&spoken);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = spoken.get(at..).and_then(|rest| rest.find(['{', '['])) {
        at += next;
        match scanner
            .value_at(at)
            .map(|text| (text.len(), serde_json::from_str(text)))
        {
            Some((length, Ok(value))) => {
                found.push(value);
                at += length;
            }
            Some((_, Err(_))) | None => at += 1,
        }
    }
    found
}

/// A model's reply without what it thinks aloud, and without white space around it.
pub fn reply_text(text: &str) -> Cow<'_, str> {
    // A text that is JSON as a whole holds the tags of a thought as text.
    let spoken = match serde_json::from_str::<serde::de::IgnoredAny>(text.trim()) {
        Ok(_) => Cow::Borrowed(text),
        Err(_) => without_thoughts(text),
    };
    match spoken {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::values;

    #[test]
    fn values_are_found_whatever_stands_around_them() {
        for (text, expected) in [
            ("", vec![]),
            ("nothing to keep", vec![]),
            ("[]", vec![json!([])]),
            ("```json\n[{\"a\":1}]\n```", vec![json!([{"a": 1}])]),
            ("Here: {\"a\":[1]} and [2].", vec![json!({"a": [1]}), json!([2])]),
            ("{\"a\":1}\n{\"b\":2}", vec![json!({"a": 1}), json!({"b": 2})]),
            ("<think>[1]</think>[2]", vec![json!([2])]),
            ("[\"<think>x</think>\"]", vec![json!(["<think>x</think>"])]),
            ("[{\"a\":1},{\"b\":2},{\"c\":", vec![json!({"a": 1}), json!({"b": 2})]),
            ("{it's} [x]", vec![]),
        ] as [(&str, Vec<Value>); 10]
        {
            assert_eq!(values(text), expected, "{text}");
        }
    }
}
