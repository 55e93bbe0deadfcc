//! The part of the API's description that a page shows. The whole would take some megabytes as a tree, and what was once
//! taken stays with the process.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use super::schema::COMPONENTS;

/// The description of each operation, by path and method.
type Paths<T> = BTreeMap<String, BTreeMap<String, T>>;

/// The heads of all operations.
#[derive(Deserialize, Serialize)]
pub(super) struct Heads {
    paths: Paths<Head>,
}

/// An operation in a line.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    tags: Vec<String>,
    #[serde(default)]
    operation_id: String,
    #[serde(default)]
    summary: String,
}

impl Heads {
    /// They as a description.
    pub(super) fn description(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The description, its parts as they are written.
#[derive(Deserialize)]
pub(super) struct Texts {
    paths: Paths<Box<RawValue>>,
    components: Components,
}

#[derive(Deserialize)]
struct Components {
    schemas: BTreeMap<String, Box<RawValue>>,
}

impl Texts {
    /// The operations of a tag, and the schemas that they lead to, as a description.
    pub(super) fn of_tag(&self, tag: &str) -> Value {
        let mut description = json!({ "paths": {}, "components": { "schemas": {} } });
        let mut wanted = BTreeSet::new();
        for (path, methods) in &self.paths {
            for (method, text) in methods {
                let head = serde_json::from_str::<Head>(text.get());
                if head.is_ok_and(|head| head.tags.first().is_some_and(|first| first == tag)) {
                    description["paths"][path][method] = tree(text);
                    wanted.extend(named(text));
                }
            }
        }
        let mut known = BTreeSet::new();
        while let Some(name) = wanted.pop_first() {
            let Some(text) = self.components.schemas.get(name).filter(|_| known.insert(name)) else {
                continue;
            };
            description["components"]["schemas"][name] = tree(text);
            wanted.extend(named(text));
        }
        description
    }
}

fn tree(text: &RawValue) -> Value {
    serde_json::from_str(text.get()).unwrap_or_default()
}

/// The schemas that a text refers to.
fn named(text: &RawValue) -> impl Iterator<Item = &str> {
    let pieces = text.get().split(COMPONENTS).skip(1);
    pieces.filter_map(|piece| piece.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_comes_with_its_operations_and_all_that_they_lead_to() {
        let refers = |name: &str| json!({ "$ref": format!("{COMPONENTS}{name}") });
        let whole = json!({
            "openapi": "3.1.0",
            "paths": {
                "/a": { "get": { "tags": ["x"], "operationId": "a", "body": refers("One") }, "post": { "tags": ["y"] } },
                "/b": { "get": { "tags": ["y"], "summary": "b", "body": refers("Other") } },
            },
            "components": { "schemas": {
                "One": { "items": refers("Two") }, "Two": { "again": refers("One") }, "Other": {},
            } },
        })
        .to_string();
        let texts: Texts = serde_json::from_str(&whole).unwrap();
        let expected = json!({
            "paths": { "/a": { "get": { "tags": ["x"], "operationId": "a", "body": refers("One") } } },
            "components": { "schemas": { "One": { "items": refers("Two") }, "Two": { "again": refers("One") } } },
        });
        assert_eq!(texts.of_tag("x"), expected);
        let heads: Heads = serde_json::from_str(&whole).unwrap();
        let b = &heads.description()["paths"]["/b"]["get"];
        assert_eq!(*b, json!({ "tags": ["y"], "operationId": "", "summary": "b" }));
    }
}
