//! `actions.md`: the actions of a model.

use std::fmt::Write;

use clifford_action::{contract, schema};
use serde_json::Value;

use super::{cell, compare};

const HEAD: &str = "\
# Reference: actions

The model answers each request with one JSON object, the *action*. This page lists the actions and their fields.
A test generates it from the types.

The provider is sent the JSON schema of the actions where it can constrain its output (`structured` in
[configuration](configuration.md#llmproviders)). The reader accepts noisy replies all the same: text around the object, code
fences, several objects, a native tool call.

Each action may also carry `notes`, a list of `{category, content}`. Categories are `requirements`, `plan`, `artifact` and
`validation`. With `planning_gate = \"required\"` a run notes a requirement and a plan before it calls a tool, writes output or
ends. [How a run works](../explanation/runs.md) explains what follows from each action.

## Instructions for the model

The system prompt contains this text:

```text
";

fn page() -> String {
    let mut text = format!("{HEAD}{}```\n\n## Fields\n", contract());
    for action in schema()["anyOf"].as_array().unwrap() {
        let kind = action["properties"]["type"]["enum"][0].as_str().unwrap();
        write!(
            text,
            "\n### {kind}\n\n| field | type | required |\n| --- | --- | --- |\n"
        )
        .unwrap();
        for (name, field) in action["properties"].as_object().unwrap() {
            if name == "type" || name == "notes" {
                continue;
            }
            let required = action["required"].as_array().unwrap().iter().any(|one| one == name);
            let required = if required { "yes" } else { "no" };
            writeln!(text, "| `{name}` | {} | {required} |", cell(&shape(field))).unwrap();
        }
    }
    text
}

/// A field's type in words.
fn shape(field: &Value) -> String {
    if let Some(choices) = field["enum"].as_array() {
        let choices: Vec<_> = choices
            .iter()
            .map(|choice| format!("`{}`", choice.as_str().unwrap()))
            .collect();
        return choices.join(", ");
    }
    if let Some(fields) = field["properties"].as_object() {
        let names: Vec<_> = fields.keys().map(|name| format!("`{name}`")).collect();
        return format!("object of {}", names.join(", "));
    }
    match &field["type"] {
        Value::String(kind) if kind == "array" => format!("list of {}", shape(&field["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

#[test]
fn the_page_of_actions_is_what_the_types_say() {
    compare("actions.md", &page());
}
