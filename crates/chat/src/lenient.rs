//! Platforms' payloads read leniently: a field that is missing, null or of another type is as good as not there.
//!
//! Platforms add fields faster than any library follows, and servers and proxies next to them differ in their types. A
//! person's text is worth more than its decoration, so nothing here fails; adapters decide which fields they require.

use serde_json::Value;

/// A text; numbers are read as what they look like.
pub fn text(value: &Value, name: &str) -> Option<String> {
    match value.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A text that is not empty.
pub fn name(value: &Value, field: &str) -> Option<String> {
    text(value, field).filter(|text| !text.trim().is_empty())
}

/// A whole number, also if it is written as a text.
pub fn int(value: &Value, name: &str) -> Option<i64> {
    match value.get(name)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A number that is not negative.
pub fn size(value: &Value, name: &str) -> Option<u64> {
    whole(value.get(name)?)
}

/// A value as a number that is not negative, also if it is written as a text.
pub fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A number with a fraction.
pub fn number(value: &Value, name: &str) -> Option<f64> {
    match value.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// Whether something is so.
pub fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// An object.
pub fn object<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|value| value.is_object())
}

/// The members of a list; none, if it is none.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text as one line of at most this many characters.
pub fn line(text: &str, most: usize) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = folded.chars().take(most).collect();
    if cut.len() < folded.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_of_another_type_is_not_there() {
        let value = json!({"a": "x", "b": 7, "c": "8", "d": null, "e": {}, "f": [1], "g": -1, "h": 1.5, "i": true});
        assert_eq!(
            (text(&value, "a"), text(&value, "b"), text(&value, "e")),
            (Some("x".into()), Some("7".into()), None)
        );
        assert_eq!(
            (int(&value, "b"), int(&value, "c"), int(&value, "a")),
            (Some(7), Some(8), None)
        );
        assert_eq!((size(&value, "g"), number(&value, "h")), (None, Some(1.5)));
        assert_eq!((size(&value, "b"), size(&value, "c")), (Some(7), Some(8)));
        assert_eq!((flag(&value, "i"), flag(&value, "a")), (true, false));
        assert!(object(&value, "e").is_some() && object(&value, "f").is_none());
        assert_eq!((list(&value, "f").len(), list(&value, "z").len()), (1, 0));
        assert_eq!(line(" a\n b ", 3), "a b");
        assert_eq!(line("abcd", 3), "abc…");
    }
}
