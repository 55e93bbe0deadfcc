//! Completes the description of the API, so that validators and generators of clients take it. Pure: the handlers say
//! what differs from route to route, and this module what follows from it: ids of operations, descriptions of answers,
//! the media type of problems, and how a caller is known.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::sessions::cookie::COOKIE;

const PROBLEM: &str = "#/components/schemas/Problem";
/// The schemas of the events of streams. OpenAPI 3.1 has no place of its own for them.
const EVENTS: [(&str, &str); 3] = [
    ("/api/events", "#/components/schemas/LiveEvent"),
    ("/api/runs/{id}/stream", "#/components/schemas/RunStreamEvent"),
    ("/api/terminal", "#/components/schemas/TerminalEvent"),
];

/// Completes the description as it is served.
pub(super) fn framed(mut description: Value) -> Value {
    // Clients are generated against the server that they fetched it from.
    description["servers"] = json!([{ "url": "/", "description": "This server" }]);
    description["components"]["securitySchemes"]["session"] = json!({
        "type": "apiKey", "in": "cookie", "name": COOKIE,
        "description": "A session in a browser; `_` and the port follow the name where the address has one, and those of other processes count, too. \
                        A change needs an `Origin` that is the `Host`.",
    });
    description
}

/// An operation as it is served.
pub(super) fn complete(path: &str, method: &str, operation: &mut Map<String, Value>) {
    operation.insert("operationId".to_owned(), operation_id(path, method).into());
    let is_secured = operation.contains_key("security");
    let security = if is_secured {
        json!([{ "bearer": [] }, { "session": [] }])
    } else {
        json!([])
    };
    operation.insert("security".to_owned(), security);
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
        return;
    };
    for (status, response) in responses.iter_mut() {
        if response["description"].as_str().is_none_or(str::is_empty) {
            response["description"] = reason(status).into();
        }
        let content = response.get_mut("content").and_then(Value::as_object_mut);
        if let Some(content) = content
            && let Some(stream) = content.get_mut("text/event-stream")
            && let Some((_, schema)) = EVENTS.iter().find(|(of, _)| *of == path)
        {
            stream["schema"] = json!({ "type": "string" });
            stream["x-event-schema"] = json!({ "$ref": schema });
        }
        let content = response.get_mut("content").and_then(Value::as_object_mut);
        if let Some(content) = content
            && let Some(problem) = content.remove("application/json")
        {
            let is_problem = problem["schema"]["$ref"] == PROBLEM;
            let kind = if is_problem {
                "application/problem+json"
            } else {
                "application/json"
            };
            content.insert(kind.to_owned(), problem);
        }
    }
    // Clients of another API read its errors.
    let (kind, schema) = match path.starts_with("/v1/") {
        true => ("application/json", "#/components/schemas/OpenAiError"),
        false => ("application/problem+json", PROBLEM),
    };
    let other = json!({ "description": "Any other fault", "content": { kind: { "schema": { "$ref": schema } } } });
    responses.insert("default".to_owned(), other);
}

/// The name of an operation, which no other has: its method and its path, such as `getRunsById`.
fn operation_id(path: &str, method: &str) -> String {
    let mut id = method.to_owned();
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != "api");
    for part in parts {
        if part.starts_with('{') {
            id.push_str("By");
        }
        for word in part
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            let (first, rest) = word.split_at(1);
            id.push_str(&first.to_ascii_uppercase());
            id.push_str(rest);
        }
    }
    id
}

/// A status in words.
pub(super) fn reason(status: &str) -> String {
    let status = status
        .parse::<u16>()
        .ok()
        .and_then(|code| StatusCode::from_u16(code).ok());
    let words = status.and_then(|status| status.canonical_reason());
    words.unwrap_or("An answer").to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::router;

    fn description() -> Value {
        serde_json::from_str(&router::described()).unwrap()
    }

    fn operations(description: &Value) -> Vec<(String, &Value)> {
        let paths = description["paths"].as_object().unwrap().iter();
        let all = paths.flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().iter();
            methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
        });
        all.collect()
    }

    /// Every `$ref` below a value.
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    match field.as_str() {
                        Some(path) if name == "$ref" => found.push(path),
                        _ => references(field, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn an_operation_is_named_by_its_method_and_path() {
        for (method, path, expected) in [
            ("get", "/api/runs", "getRuns"),
            ("get", "/api/runs/{id}", "getRunsById"),
            ("put", "/api/users/{id}/keys/{provider}", "putUsersByIdKeysByProvider"),
            ("post", "/api/users/{id}/link-code", "postUsersByIdLinkCode"),
            ("get", "/api/openapi.json", "getOpenapiJson"),
        ] {
            assert_eq!(operation_id(path, method), expected);
        }
    }

    #[test]
    fn every_operation_is_named_once_and_described_with_all_of_its_answers() {
        let description = description();
        let mut ids = BTreeSet::new();
        for (name, operation) in operations(&description) {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{name}: {id} is another operation's");
            for part in ["summary", "description"] {
                assert!(
                    operation[part].as_str().is_some_and(|told| !told.is_empty()),
                    "{name}: {part}"
                );
            }
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.len() > 1, "{name}");
            for (status, response) in responses {
                let told = response["description"].as_str().unwrap_or_default();
                assert!(!told.is_empty(), "{name}: {status}");
                for (kind, content) in response["content"].as_object().into_iter().flatten() {
                    let is_problem = content["schema"]["$ref"] == PROBLEM;
                    assert_eq!(
                        is_problem,
                        kind == "application/problem+json",
                        "{name}: {status} {kind}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_events_of_streams_have_schemas_with_their_names() {
        let description = description();
        let names = |path: &str| {
            let stream = &description["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"];
            let schema = stream["x-event-schema"]["$ref"].as_str().unwrap();
            let schema = description.pointer(schema.strip_prefix('#').unwrap()).unwrap();
            let names = schema["oneOf"].as_array().unwrap().iter();
            names
                .map(|one| {
                    assert!(one["properties"]["data"].is_object(), "{one}");
                    one["properties"]["event"]["enum"][0].as_str().unwrap().to_owned()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("/api/runs/{id}/stream"),
            ["step", "status", "token", "reset", "done"]
        );
        let live = [
            "mark",
            "reset",
            "run",
            "approval",
            "message",
            "outbox",
            "feedback",
            "connection",
            "pairing",
            "quarantine",
        ];
        assert_eq!(names("/api/events"), live);
    }

    #[test]
    fn no_field_and_no_parameter_is_named_in_snake_case() {
        // The bodies of OpenAI's API have its names.
        let others = ["ChatRequest", "StreamOptions"];
        let description = description();
        let schemas = description["components"]["schemas"].as_object().unwrap().iter();
        let mut wrong = Vec::new();
        for (name, schema) in schemas.filter(|(name, _)| !others.contains(&name.as_str())) {
            let mut open = vec![schema];
            while let Some(schema) = open.pop() {
                open.extend(
                    ["allOf", "oneOf", "anyOf"]
                        .iter()
                        .filter_map(|of| schema[of].as_array())
                        .flatten(),
                );
                let fields = schema["properties"].as_object().into_iter().flatten();
                wrong.extend(
                    fields
                        .filter(|(field, _)| field.contains('_'))
                        .map(|(field, _)| format!("{name}.{field}")),
                );
            }
        }
        for (name, operation) in operations(&description) {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let named = parameters.map(|parameter| parameter["name"].as_str().unwrap());
            wrong.extend(
                named
                    .filter(|field| field.contains('_'))
                    .map(|field| format!("{name}: {field}")),
            );
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn every_parameter_of_a_path_is_declared_and_no_other() {
        let description = description();
        for (name, operation) in operations(&description) {
            let named = name.split(['{', '}']).skip(1).step_by(2);
            let declared = operation["parameters"].as_array().into_iter().flatten();
            let declared = declared.filter(|parameter| parameter["in"] == "path");
            let declared: BTreeSet<_> = declared.map(|parameter| parameter["name"].as_str().unwrap()).collect();
            assert_eq!(named.collect::<BTreeSet<_>>(), declared, "{name}");
        }
    }

    #[test]
    fn what_the_description_refers_to_is_in_it() {
        let description = description();
        let mut found = Vec::new();
        references(&description, &mut found);
        for path in found {
            let pointer = path.strip_prefix('#').unwrap();
            assert!(description.pointer(pointer).is_some(), "{path}");
        }
        let schemes = description["components"]["securitySchemes"].as_object().unwrap();
        for (name, operation) in operations(&description) {
            for one in operation["security"].as_array().unwrap() {
                assert!(
                    one.as_object()
                        .unwrap()
                        .keys()
                        .all(|scheme| schemes.contains_key(scheme)),
                    "{name}"
                );
            }
        }
        assert_eq!(description["servers"][0]["url"], "/");
    }
}
