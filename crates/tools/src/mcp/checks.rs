//! The schema that the arguments of a server's tool are checked by: keywords whose cost the schema's length bounds.
//!
//! A schema of 1 kB can take years to check: references may double at each step, and patterns may backtrack. It is a
//! stranger's text, and arguments are checked by it in this process. So they are checked by a copy that leaves these
//! out. The model is shown the whole schema, and the server checks by it.

use serde_json::{Map, Value, json};

/// Keywords that are taken over as they are.
const PLAIN: [&str; 14] = [
    "type",
    "enum",
    "const",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];
/// Keywords next to which others mean something else.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema with which arguments are checked in place of the server's: it allows all that the server's allows.
pub(super) fn checkable(schema: &Value) -> Value {
    match schema {
        Value::Bool(_) => schema.clone(),
        Value::Object(fields) if REFERENCES.iter().all(|name| !fields.contains_key(*name)) => {
            let kept = fields.iter().filter_map(|(name, value)| {
                let value = keyword(fields, name, value)?;
                Some((name.clone(), value))
            });
            Value::Object(kept.collect())
        }
        _ => json!({}),
    }
}

/// The treatment of a keyword; `None`: it is left to the server.
fn keyword(beside: &Map<String, Value>, name: &str, value: &Value) -> Option<Value> {
    let has = |other: &str| beside.contains_key(other);
    match name {
        "properties" => {
            let fields = value.as_object()?.iter();
            Some(fields.map(|(name, schema)| (name.clone(), checkable(schema))).collect())
        }
        "additionalProperties" if !has("patternProperties") => Some(checkable(value)),
        "items" if !has("prefixItems") && !value.is_array() => Some(checkable(value)),
        "anyOf" | "allOf" => Some(value.as_array()?.iter().map(checkable).collect()),
        _ => PLAIN.contains(&name).then(|| value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_schema_costs_to_check_is_left_to_the_server() {
        let cases = [
            (
                json!({
                    "type": "object", "description": "of a place",
                    "properties": { "name": { "type": "string", "pattern": "^(a+)+$", "maxLength": 9 } },
                    "required": ["name"], "additionalProperties": false,
                }),
                json!({
                    "type": "object", "properties": { "name": { "type": "string", "maxLength": 9 } },
                    "required": ["name"], "additionalProperties": false,
                }),
            ),
            (
                json!({ "$defs": { "a": { "type": "string" } }, "properties": { "x": { "$ref": "#/$defs/a", "type": "string" } } }),
                json!({ "properties": { "x": {} } }),
            ),
            (
                json!({ "patternProperties": { "^x": {} }, "additionalProperties": false, "minProperties": 1 }),
                json!({ "minProperties": 1 }),
            ),
            (
                json!({ "anyOf": [{ "type": "string" }, { "$ref": "#" }], "not": { "type": "null" }, "oneOf": [{}] }),
                json!({ "anyOf": [{ "type": "string" }, {}] }),
            ),
            (json!({ "items": [{ "type": "string" }] }), json!({})),
            (
                json!({ "items": { "type": "string", "enum": ["a"] } }),
                json!({ "items": { "type": "string", "enum": ["a"] } }),
            ),
            (json!({ "prefixItems": [{}], "items": false }), json!({})),
            (
                json!({ "properties": { "x": true, "y": 7 } }),
                json!({ "properties": { "x": true, "y": {} } }),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(checkable(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_doubles_at_each_step_is_checked_at_once() {
        let twice = |level: usize| {
            let next = json!({ "$ref": format!("#/$defs/a{}", level + 1) });
            (format!("a{level}"), json!({ "allOf": [next.clone(), next] }))
        };
        let mut levels: Map<String, Value> = (0..60).map(twice).collect();
        levels.insert("a60".to_owned(), json!({ "type": "string" }));
        let schema =
            json!({ "type": "object", "$defs": levels, "allOf": [{ "$ref": "#/$defs/a0" }], "required": ["x"] });
        let checked = jsonschema::validator_for(&checkable(&schema)).expect("a schema");
        assert!(checked.is_valid(&json!({ "x": 1 })));
        assert!(!checked.is_valid(&json!({})));
    }
}
