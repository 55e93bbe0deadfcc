//! The texts among a call's arguments that are addresses by the schema of the arguments.

use serde_json::{Map, Value};

use super::DEEPEST;

/// How many pieces of a schema are looked at. It may be a stranger's, and a few references that name each other are more
/// than any processor can follow.
const MOST_STEPS: usize = 20_000;

/// A walk through a schema and arguments.
pub(super) struct Addressed<'s, 'a> {
    root: &'s Value,
    left: usize,
    found: Vec<&'a str>,
}

impl<'s, 'a> Addressed<'s, 'a> {
    /// The texts whose schema says that they are addresses; every text, if the schema is too much to follow.
    pub(super) fn in_args(args: &'a Map<String, Value>, schema: &'s Value) -> Vec<&'a str> {
        let mut walk = Self {
            root: schema,
            left: MOST_STEPS,
            found: Vec::new(),
        };
        walk.fields(schema, args, 0);
        if walk.left == 0 {
            walk.found.clear();
            args.values().for_each(|value| texts(value, &mut walk.found));
        }
        walk.found
    }

    fn fields(&mut self, schema: &'s Value, args: &'a Map<String, Value>, depth: usize) {
        let named = schema.get("properties");
        let other = schema.get("additionalProperties").filter(|field| field.is_object());
        for (name, value) in args {
            if let Some(field) = named.and_then(|fields| fields.get(name)).or(other) {
                self.value(field, value, depth);
            }
        }
    }

    fn value(&mut self, schema: &'s Value, value: &'a Value, depth: usize) {
        if depth > DEEPEST {
            self.left = 0;
        }
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let within = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        for other in within("anyOf").chain(within("oneOf")).chain(within("allOf")) {
            self.value(other, value, depth + 1);
        }
        let named = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|name| name.strip_prefix('#'));
        if let Some(other) = named.and_then(|pointer| self.root.pointer(pointer)) {
            self.value(other, value, depth + 1);
        }
        match value {
            Value::String(text) => {
                let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
                if ["url", "uri", "iri", "http-url", "uri-reference", "iri-reference"].contains(&format) {
                    self.found.push(text);
                }
            }
            Value::Array(items) => {
                if let Some(field) = schema.get("items") {
                    items.iter().for_each(|item| self.value(field, item, depth + 1));
                }
            }
            Value::Object(fields) => self.fields(schema, fields, depth + 1),
            _ => {}
        }
    }
}

fn texts<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value, args: &Value) -> Vec<String> {
        let args = args.as_object().expect("arguments");
        let found = Addressed::in_args(args, schema);
        found.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn texts_are_addresses_wherever_their_schema_says_so() {
        let uri = json!({ "type": "string", "format": "uri" });
        let cases = [
            (
                json!({ "properties": { "a": uri, "b": { "type": "string" } } }),
                vec!["x"],
            ),
            (json!({ "additionalProperties": uri }), vec!["x", "y"]),
            (
                json!({ "properties": { "a": { "anyOf": [{ "type": "null" }, uri] } } }),
                vec!["x"],
            ),
            (
                json!({ "properties": { "c": { "items": { "$ref": "#/$defs/place" } } }, "$defs": { "place": uri } }),
                vec!["z"],
            ),
            (json!({}), vec![]),
        ];
        for (schema, expected) in cases {
            assert_eq!(
                found(&schema, &json!({ "a": "x", "b": "y", "c": ["z"] })),
                expected,
                "{schema}"
            );
        }
    }

    #[test]
    fn of_a_schema_that_nobody_could_follow_every_text_is_an_address() {
        let itself = vec![json!({ "$ref": "#/$defs/x" }); 600];
        let among_itself =
            json!({ "properties": { "a": { "$ref": "#/$defs/x" } }, "$defs": { "x": { "anyOf": itself } } });
        let twice = |level: usize| {
            let next = json!({ "$ref": format!("#/$defs/x{}", level + 1) });
            (format!("x{level}"), json!({ "allOf": vec![next; 60] }))
        };
        let levels: Map<String, Value> = (0..60).map(twice).collect();
        let doubling = json!({ "properties": { "a": { "$ref": "#/$defs/x0" } }, "$defs": levels });
        let references = |count: usize| {
            let next = |level: usize| match level < count {
                true => json!({ "$ref": format!("#/$defs/x{}", level + 1) }),
                false => json!({ "type": "string", "format": "uri" }),
            };
            let levels: Map<String, Value> = (0..=count).map(|level| (format!("x{level}"), next(level))).collect();
            json!({ "properties": { "a": { "$ref": "#/$defs/x0" } }, "$defs": levels })
        };
        assert_eq!(
            found(&references(DEEPEST - 1), &json!({ "a": "x", "c": [{ "d": "z" }] })),
            ["x"]
        );
        for schema in [among_itself, doubling, references(DEEPEST), references(10)] {
            assert_eq!(found(&schema, &json!({ "a": "x", "c": [{ "d": "z" }] })), ["x", "z"]);
        }
    }
}
