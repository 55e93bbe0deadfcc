//! One text for every JSON value that means the same.

use std::fmt::Write;

use serde_json::Value;

/// The value as compact JSON with the keys of every object in order, so that equal values have equal texts.
///
/// Used to notice that a model asks for the same thing again.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                separate(index, text);
                push(&Value::from(name.as_str()), text);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, text);
                write(item, text);
            }
            text.push(']');
        }
        scalar => push(scalar, text),
    }
}

fn separate(index: usize, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
}

fn push(scalar: &Value, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{scalar}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::canonical;

    #[test]
    fn keys_are_sorted_at_every_level_and_items_keep_their_order() {
        let value = json!({"b": [{"z": 1, "a": null}, 2], "a\"": {"y": true, "x": "é\n"}, "": 1.5});
        assert_eq!(
            canonical(&value),
            r#"{"":1.5,"a\"":{"x":"é\n","y":true},"b":[{"a":null,"z":1},2]}"#
        );
    }

    proptest! {
        #[test]
        fn the_order_of_keys_makes_no_difference(fields in proptest::collection::btree_map(".*", any::<i64>(), 0..8)) {
            let forth: serde_json::Map<_, _> = fields.clone().into_iter().map(|(k, v)| (k, json!(v))).collect();
            let back: serde_json::Map<_, _> = fields.into_iter().rev().map(|(k, v)| (k, json!(v))).collect();
            prop_assert_eq!(canonical(&forth.clone().into()), canonical(&back.into()));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&canonical(&forth.clone().into())).unwrap(), json!(forth));
        }
    }
}
