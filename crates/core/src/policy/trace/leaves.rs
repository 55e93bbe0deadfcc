//! The values among arguments, to the last one, with their names and schemas. Pure.

use serde_json::{Map, Value};

use crate::policy::{phrase::Haystack, texts::PROSE};

/// How deep arguments are read; what lies deeper is one value that nobody said.
const DEEPEST: usize = 8;

/// A value among the arguments.
pub(super) struct Leaf<'a> {
    /// Where it stands.
    pub path: String,
    /// The name of its field.
    pub name: &'a str,
    pub value: &'a Value,
    /// Its schema; nothing, if that says nothing of it.
    pub schema: Option<&'a Value>,
    /// The names on the way to it that the schema does not know: they say something themselves.
    pub unknown: Vec<&'a str>,
}

impl Leaf<'_> {
    /// Whether it is written for people, by its name and by its schema, which knows it.
    pub fn is_prose(&self) -> bool {
        self.schema.is_some() && self.unknown.is_empty() && PROSE.contains(&self.name)
    }

    /// Whether the schema knows it, or the person's words name it.
    pub fn is_known(&self, person: &Haystack) -> bool {
        self.unknown.iter().all(|name| person.holds(name))
    }
}

/// The way to a value.
#[derive(Clone, Default)]
pub(super) struct Way<'a> {
    pub path: String,
    pub unknown: Vec<&'a str>,
}

/// Notes the values of arguments, one after the other.
pub(super) fn walk<'a>(
    root: &'a Value,
    args: &'a Map<String, Value>,
    schema: &'a Value,
    way: &Way<'a>,
    leaves: &mut Vec<Leaf<'a>>,
    depth: usize,
) {
    for (name, value) in args {
        let field = resolved(root, schema.get("properties").and_then(|fields| fields.get(name)));
        let mut way = way.clone();
        if field.is_none() {
            way.unknown.push(name);
        }
        if !way.path.is_empty() {
            way.path.push('.');
        }
        way.path.push_str(name);
        leaf(root, name, value, field, &way, leaves, depth);
    }
}

fn leaf<'a>(
    root: &'a Value,
    name: &'a str,
    value: &'a Value,
    schema: Option<&'a Value>,
    way: &Way<'a>,
    leaves: &mut Vec<Leaf<'a>>,
    depth: usize,
) {
    match value {
        Value::Array(items) if depth < DEEPEST && !items.is_empty() => {
            let of_items = resolved(root, schema.and_then(|schema| schema.get("items")));
            for item in items {
                leaf(root, name, item, of_items.or(schema), way, leaves, depth + 1);
            }
        }
        Value::Object(fields) if depth < DEEPEST && !fields.is_empty() => {
            walk(root, fields, schema.unwrap_or(&Value::Null), way, leaves, depth + 1);
        }
        value => leaves.push(Leaf {
            path: way.path.clone(),
            name,
            value,
            schema,
            unknown: way.unknown.clone(),
        }),
    }
}

/// A schema behind its references, and its one choice besides `null`.
fn resolved<'a>(root: &'a Value, schema: Option<&'a Value>) -> Option<&'a Value> {
    let mut schema = schema?;
    for _ in 0..DEEPEST {
        let named = schema.get("$ref").and_then(Value::as_str);
        let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
        schema = match (named, choices) {
            (Some(name), _) => root.pointer(name.strip_prefix('#')?)?,
            (None, Some(choices)) => {
                let mut others = choices.iter().filter(|choice| choice["type"] != "null");
                match (others.next(), others.next()) {
                    (Some(only), None) => only,
                    _ => return Some(schema),
                }
            }
            (None, None) => return Some(schema),
        };
    }
    None
}
