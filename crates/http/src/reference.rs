//! `docs/reference/api.md`: every operation, from the description that the API serves.

use std::{env, fmt::Write, fs};

use clifford_core::{runs::RunStatus, work::JobKind};
use serde_json::Value;

use super::{openapi, problem::Code, router};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/api.md");

const HEAD: &str = "\
# Reference: the HTTP API

This page lists every operation of the API. A test generates it from the description that `GET /api/openapi.json` serves.

The API listens on `127.0.0.1:8088` ([`[http] bind`](configuration.md#http)). `clifford token create` makes a token. A request
carries it as `Authorization: Bearer TOKEN`. [Use the HTTP API](../how-to/api.md) shows a first request, a stream and paging.
[Tokens](tokens.md) lists what each kind of token may do.

- Bodies are JSON, and fields are camelCase. The body of `POST /api/files` is the file.
- A list answers `{items, next}`. `next` is the id to pass as `before` for the next page, and `null` on the last one.
- An error is a problem document (RFC 9457, `application/problem+json`) with `status`, `code`, `title` and `detail`.
  `field` names the wrong field, where there is one.

";

fn page(description: &Value) -> String {
    let mut text = HEAD.to_owned();
    let mut tags: Vec<&str> = Vec::new();
    for (.., operation) in operations(description) {
        let tag = operation["tags"][0].as_str().unwrap();
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags.sort_unstable();
    let links: Vec<_> = tags.iter().map(|tag| format!("[{tag}](#{tag})")).collect();
    writeln!(
        text,
        "Operations: {}. Last: [error codes](#error-codes).",
        links.join(", ")
    )
    .unwrap();
    for tag in tags {
        write!(text, "\n## {tag}\n").unwrap();
        for (path, method, operation) in operations(description).filter(|(.., operation)| operation["tags"][0] == tag) {
            write!(text, "\n### {} {path}\n\n", method.to_uppercase()).unwrap();
            for part in ["summary", "description"] {
                if let Some(told) = operation[part].as_str() {
                    write!(text, "{}\n\n", told.replace("\n\n", "\n").trim_end()).unwrap();
                }
            }
            fields(&mut text, description, operation);
            let answers: Vec<_> = operation["responses"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(status, _)| *status != "default")
                .map(answer)
                .collect();
            writeln!(text, "Answers: {}.", answers.join(", ")).unwrap();
        }
    }
    text.push_str("\n## Error codes\n\n| code | status | title |\n| --- | --- | --- |\n");
    for code in description["components"]["schemas"]["Code"]["enum"].as_array().unwrap() {
        let known: Code = serde_json::from_value(code.clone()).unwrap();
        let (code, status, title) = (code.as_str().unwrap(), known.status().as_u16(), known.title());
        writeln!(text, "| `{code}` | {status} | {title} |").unwrap();
    }
    text
}

fn operations(description: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = description["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap();
        methods
            .iter()
            .map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

/// The parameters of an operation, and the fields of its body.
fn fields(text: &mut String, description: &Value, operation: &Value) {
    let mut rows = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let required = parameter["required"] == true;
        rows.push(row(
            description,
            parameter["name"].as_str().unwrap(),
            &parameter["in"],
            parameter,
            &parameter["schema"],
            required,
        ));
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let body = resolved(description, body);
    for (name, field) in body["properties"].as_object().into_iter().flatten() {
        let required = body["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|one| one == name));
        rows.push(row(description, name, &"body".into(), field, field, required));
    }
    if !rows.is_empty() {
        write!(
            text,
            "| field | in | type | meaning |\n| --- | --- | --- | --- |\n{}\n",
            rows.concat()
        )
        .unwrap();
    }
}

fn row(description: &Value, name: &str, place: &Value, told: &Value, schema: &Value, required: bool) -> String {
    let mark = if required { "" } else { "?" };
    let told = told["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|");
    let place = place.as_str().unwrap();
    format!(
        "| `{name}{mark}` | {place} | {} | {told} |\n",
        kind(description, schema)
    )
}

fn resolved<'a>(description: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    name.map_or(schema, |name| &description["components"]["schemas"][name])
}

fn kind(description: &Value, schema: &Value) -> String {
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    let present = alternatives.filter(|one| one["type"] != "null").collect::<Vec<_>>();
    let schema = resolved(description, if let [only] = present[..] { only } else { schema });
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<_> = choices
            .iter()
            .filter_map(Value::as_str)
            .map(|choice| format!("`{choice}`"))
            .collect();
        return choices.join(", ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("list of {}", kind_of_items(description, schema)),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn kind_of_items(description: &Value, schema: &Value) -> String {
    kind(description, &schema["items"])
}

/// An answer: its status, the schema of its body, and when it comes.
fn answer((status, answer): (&String, &Value)) -> String {
    let content = answer["content"]
        .as_object()
        .and_then(|content| content.values().next());
    let schema = content.and_then(|content| content["schema"]["$ref"].as_str());
    let schema = schema.and_then(|path| path.rsplit('/').next());
    let told = answer["description"]
        .as_str()
        .filter(|told| *told != openapi::reason(status));
    let notes: Vec<_> = [schema.map(|name| format!("`{name}`")), told.map(str::to_owned)]
        .into_iter()
        .flatten()
        .collect();
    if notes.is_empty() {
        status.clone()
    } else {
        format!("{status} ({})", notes.join(": "))
    }
}

#[test]
fn the_page_of_the_api_is_what_its_description_says() {
    let generated = page(&serde_json::from_str(&router::described()).unwrap());
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(FILE, &generated).unwrap();
    }
    let written = fs::read_to_string(FILE).unwrap_or_default();
    let differs = written
        .lines()
        .zip(generated.lines())
        .find(|(written, generated)| written != generated);
    assert!(
        written == generated,
        "docs/reference/api.md is stale, first at {differs:?}; to write it: UPDATE_DOCS=1 cargo test --workspace --lib reference"
    );
}

/// The words are those that the API writes and reads, not Rust's names of them.
#[test]
fn the_description_names_words_as_they_are_written() {
    let description: Value = serde_json::from_str(&router::described()).unwrap();
    let words = &description["components"]["schemas"];
    let of = |name: &str| serde_json::from_value::<Vec<String>>(words[name]["enum"].clone()).unwrap();
    let statuses: Vec<_> = RunStatus::ALL.iter().map(ToString::to_string).collect();
    let jobs: Vec<_> = JobKind::ALL.iter().map(ToString::to_string).collect();
    assert_eq!((of("RunStatus"), of("JobKind")), (statuses, jobs));
    for (name, schema) in words.as_object().unwrap().iter().filter(|(name, _)| *name != "Class") {
        for word in schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            assert!(!word.starts_with(char::is_uppercase), "{name} names {word}");
        }
    }
}
