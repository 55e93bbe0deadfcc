//! JSON with numbers that are none, and with two fields of one name: some servers write `NaN` or `Infinity`, a number may
//! be larger than any that a program reckons with, and proxies add a field that is there. None of them is worth the
//! reply in which it stands.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads JSON. A number that cannot be read is the largest there is, or `null`; of two fields of one name, the last counts.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    let error = match serde_json::from_str(json) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    // Of fields of one name, a value keeps the last.
    let value = match with_numbers(json) {
        Some(json) => serde_json::from_str::<Value>(&json),
        None => serde_json::from_str(json),
    };
    value.and_then(serde_json::from_value).map_err(|_| error)
}

/// The same JSON with numbers that can be read. `None`: there are no others.
fn with_numbers(json: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let mut text = String::with_capacity(json.len());
    let mut changed = false;
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '"' => string(rest),
            c if is_part(c) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (piece, behind) = rest.split_at(end);
        let number = match (c, piece.trim_start_matches('-')) {
            (_, "NaN" | "Infinity" | "inf" | "nan") => Some("null"),
            ('-' | '0'..='9', _) if piece.parse::<f64>().is_ok_and(f64::is_infinite) => match c {
                '-' => Some("-1e308"),
                _ => Some("1e308"),
            },
            _ => None,
        };
        changed |= number.is_some();
        text.push_str(number.unwrap_or(piece));
        rest = behind;
    }
    changed.then_some(text)
}

/// Where a string ends that begins here.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[test]
    fn of_two_fields_of_one_name_the_last_counts() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Reply {
            text: String,
        }
        for json in [r#"{"text":"a","text":"b"}"#, r#"{"text":NaN,"x":1e999,"text":"b"}"#] {
            let text = "b".to_owned();
            assert_eq!(read::<Reply>(json).expect(json), Reply { text });
        }
        let error = read::<Reply>(r#"{"text":7}"#).expect_err("no text");
        assert!(error.to_string().contains("at line 1"), "{error}");
    }

    #[test]
    fn no_number_makes_json_unreadable() {
        let cases = [
            (r#"{"a":1e400,"b":-1E999}"#, json!({ "a": 1e308, "b": -1e308 })),
            (
                r#"{"a":NaN,"b":[Infinity,-Infinity]}"#,
                json!({ "a": null, "b": [null, null] }),
            ),
            (
                r#"{"NaN":"NaN, \"1e400","b":1e400}"#,
                json!({ "NaN": "NaN, \"1e400", "b": 1e308 }),
            ),
            (r#"{"ü\\":"🙂","b":1e400}"#, json!({ "ü\\": "🙂", "b": 1e308 })),
            (r#"{"a":1.5e3,"b":true}"#, json!({ "a": 1500.0, "b": true })),
        ];
        for (text, expected) in cases {
            assert_eq!(read::<Value>(text).expect(text), expected);
        }
        for text in ["", "{", r#"{"a":"#, r#"{"a":1e400"#, r#""1e400"#, "1e400 1e400"] {
            read::<Value>(text).expect_err(text);
        }
    }
}
