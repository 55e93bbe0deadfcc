//! Schemas of the API's description: their types in words, their fields, and examples.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::view::{prose, words};

/// The prefix of a reference to a schema.
pub(super) const COMPONENTS: &str = "#/components/schemas/";

/// The name of the schema that a reference leads to.
fn name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(COMPONENTS)
}

/// A type in words; an object leads to its fields.
pub(super) fn kind(schema: &Value) -> Markup {
    if let Some(name) = name(schema) {
        return html! { a href={ "#object-" (name) } { (name) } };
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[choice].as_array() {
            return joined(parts.iter().map(kind));
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(|value| html! { code { (words(&bare(value))) } });
        return joined(values);
    }
    match &schema["type"] {
        Value::String(one) if one == "array" => html! { "list of " (kind(&schema["items"])) },
        Value::String(one) => html! { (words(one)) },
        Value::Array(several) => joined(several.iter().map(|one| html! { (words(&bare(one))) })),
        _ => html! { "any value" },
    }
}

fn joined(parts: impl Iterator<Item = Markup>) -> Markup {
    html! { @for (place, part) in parts.enumerate() { @if place > 0 { " or " } (part) } }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Marks what must be given.
pub(super) fn needed(is_needed: bool) -> Markup {
    html! { @if is_needed { " " span.small.quiet { "needed" } } }
}

/// The fields of an object, those of its parts too.
fn fields<'a>(schema: &'a Value, found: &mut Vec<(&'a String, &'a Value, bool)>) {
    let required = schema["required"].as_array();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let is_needed = required.is_some_and(|required| required.iter().any(|one| one == name.as_str()));
        found.push((name, field, is_needed));
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fields(part, found);
    }
}

/// An object with its fields.
pub(super) fn object(description: &Value, name: &str) -> Markup {
    let schema = &description["components"]["schemas"][name];
    let mut all = Vec::new();
    fields(schema, &mut all);
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let parts: Vec<_> = parts.filter(|part| part["$ref"].is_string()).collect();
    html! {
        section.card id={ "object-" (name) } aria-labelledby={ "object-name-" (name) } {
            header { h3 id={ "object-name-" (name) } { (name) } }
            @if let Some(told) = schema["description"].as_str() { (prose(told)) }
            @for part in parts { p { "All of " (kind(part)) " and:" } }
            @if all.is_empty() {
                @if schema["oneOf"].is_array() { (variants(schema)) } @else { p { (kind(schema)) } }
            } @else {
                table.table.cards {
                    caption { "Fields of " (name) }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Type" } th scope="col" { "About" } } }
                    tbody {
                        @for (field, schema, is_needed) in all {
                            tr {
                                td.lead { code { (words(field)) } (needed(is_needed)) }
                                td data-label="Type" { (kind(schema)) }
                                td data-label="About" { (words(schema["description"].as_str().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The shapes that an object may have.
fn variants(schema: &Value) -> Markup {
    html! {
        ul.list {
            @for variant in schema["oneOf"].as_array().into_iter().flatten() {
                li {
                    div.about {
                        @let properties = variant["properties"].as_object();
                        @if let Some(properties) = properties {
                            @for (place, (name, field)) in properties.iter().enumerate() {
                                @if place > 0 { ", " } code { (words(name)) } ": " (kind(field))
                            }
                        } @else { (kind(variant)) }
                        div.small.quiet { (words(variant["description"].as_str().unwrap_or_default())) }
                    }
                }
            }
        }
    }
}

/// The names of all objects that these values lead to, in order.
pub(super) fn objects<'a>(description: &'a Value, values: impl Iterator<Item = &'a Value>) -> Vec<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Value> = values.collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(name) = name(value)
                    && found.insert(name)
                {
                    open.push(&description["components"]["schemas"][name]);
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found.into_iter().collect()
}

/// A value that a schema takes, with what is needed.
pub(super) fn example(description: &Value, schema: &Value) -> Value {
    if let Some(name) = name(schema) {
        return example(description, &description["components"]["schemas"][name]);
    }
    if let Some(first) = schema["oneOf"].get(0).or_else(|| schema["enum"].get(0)) {
        return if schema["enum"].is_array() {
            first.clone()
        } else {
            example(description, first)
        };
    }
    let mut all = Vec::new();
    fields(schema, &mut all);
    if !all.is_empty() {
        let needed = all.into_iter().filter(|(.., is_needed)| *is_needed);
        let fields: Map<_, _> = needed
            .map(|(name, field, _)| (name.clone(), example(description, field)))
            .collect();
        return Value::Object(fields);
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([example(description, &schema["items"])]),
        Some("object") => json!({}),
        _ => json!("…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Value {
        json!({ "components": { "schemas": {
            "Run": { "type": "object", "required": ["id"], "properties": {
                "id": { "type": "string", "description": "Its <id>" },
                "status": { "$ref": "#/components/schemas/Status" },
                "children": { "type": "array", "items": { "$ref": "#/components/schemas/Run" } },
            }},
            "Status": { "type": "string", "enum": ["pending", "done"] },
            "Other": { "type": "object" },
        }}})
    }

    #[test]
    fn a_type_is_told_in_words() {
        for (schema, expected) in [
            (json!({ "type": "string" }), "<bdi>string</bdi>"),
            (
                json!({ "type": ["integer", "null"] }),
                "<bdi>integer</bdi> or <bdi>null</bdi>",
            ),
            (
                json!({ "type": "array", "items": { "$ref": "#/components/schemas/Run" } }),
                "list of <a href=\"#object-Run\">Run</a>",
            ),
            (
                json!({ "enum": ["a", "b"] }),
                "<code><bdi>a</bdi></code> or <code><bdi>b</bdi></code>",
            ),
            (json!({}), "any value"),
        ] {
            assert_eq!(kind(&schema).into_string(), expected);
        }
    }

    #[test]
    fn what_is_referred_to_is_found_once_and_drawn_with_its_fields() {
        let description = description();
        let wanted = json!({ "schema": { "$ref": "#/components/schemas/Run" } });
        assert_eq!(objects(&description, std::iter::once(&wanted)), ["Run", "Status"]);
        let drawn = object(&description, "Run").into_string();
        for part in ["Its &lt;id&gt;", "id=\"object-Run\"", "href=\"#object-Status\""] {
            assert!(drawn.contains(part), "{part} is not in {drawn}");
        }
        assert_eq!(example(&description, &wanted["schema"]), json!({ "id": "…" }));
    }
}
