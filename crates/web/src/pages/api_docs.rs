//! The API's description for people: every operation by tag, with its parameters, bodies, answers and a request to try.
//! It is drawn from `/api/openapi.json`, which says nothing of anybody, so it needs no session.

mod excerpt;
mod schema;

use maud::{Markup, html};
use serde_json::Value;

use self::{
    excerpt::{Heads, Texts},
    schema::{kind, needed, object},
};
use crate::{
    address::part,
    backend::Asker,
    extract::Path,
    failure::Failure,
    handler,
    view::{
        document,
        parts::{Tone, badge, head},
        prose, words,
    },
};

/// An operation of the description.
struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    fields: &'a Value,
}

impl<'a> Operation<'a> {
    fn all(description: &'a Value) -> impl Iterator<Item = Self> {
        let paths = description["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, fields)| Self { method, path, fields })
        })
    }

    fn tag(&self) -> &'a str {
        self.fields["tags"][0].as_str().unwrap_or_default()
    }

    fn id(&self) -> &'a str {
        self.fields["operationId"].as_str().unwrap_or_default()
    }

    fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    fn tone(&self) -> Tone {
        match self.method {
            "get" => Tone::Calm,
            "delete" => Tone::Bad,
            "post" => Tone::Good,
            _ => Tone::Warn,
        }
    }

    fn parameters(&self) -> &'a [Value] {
        self.fields["parameters"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The schema of its body.
    fn body(&self) -> Option<(&'a str, &'a Value)> {
        let content = self.fields["requestBody"]["content"].as_object()?;
        content
            .iter()
            .next()
            .map(|(kind, content)| (kind.as_str(), &content["schema"]))
    }
}

/// The tags, in order.
fn tags(description: &Value) -> Vec<&str> {
    let mut tags: Vec<_> = Operation::all(description).map(|operation| operation.tag()).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// Every operation on one line.
#[handler]
pub(crate) async fn index(asker: Asker) -> Result<Markup, Failure> {
    let heads: Heads = asker.get("/api/openapi.json").await?;
    let description = heads.description();
    let beside = html! { a.button href="/api/openapi.json" { "OpenAPI" } a.button href="/" { "Dashboard" } };
    let content = html! {
        (head("API", "Every operation, by what it is about.", &beside))
        div.note {
            p {
                "A request carries a token: " code { "Authorization: Bearer TOKEN" } ". " code { "clifford token create" }
                " makes one. In the examples, " code { "$CLIFFORD" } " is the address of this server, and " code { "$TOKEN" }
                " the token."
            }
        }
        @for tag in tags(&description) {
            section.card aria-labelledby={ "tag-" (tag) } {
                header { h2 id={ "tag-" (tag) } { a href={ "/api/docs/" (part(tag)) } { (tag) } } }
                ul.list {
                    @for operation in Operation::all(&description).filter(|operation| operation.tag() == tag) {
                        li {
                            div.about {
                                a href={ "/api/docs/" (part(tag)) "#" (operation.id()) } { (words(&operation.name())) }
                                div.small.quiet { (words(operation.fields["summary"].as_str().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(document::open("API", &content))
}

/// The operations of a tag, with the objects that they take and give.
#[handler]
pub(crate) async fn of_tag(asker: Asker, Path(wanted): Path<String>) -> Result<Markup, Failure> {
    let texts: Texts = asker.get("/api/openapi.json").await?;
    let description = texts.of_tag(&wanted);
    drop(texts);
    let operations: Vec<_> = Operation::all(&description)
        .filter(|operation| operation.tag() == wanted)
        .collect();
    if operations.is_empty() {
        return Err(Failure::Lost);
    }
    let objects = schema::objects(&description, operations.iter().map(|operation| operation.fields));
    let content = html! {
        (head(&format!("API: {wanted}"), "", &html! { a.button href="/api/docs" { "All operations" } }))
        @for operation in &operations { (operation_card(&description, operation)) }
        @if !objects.is_empty() { h2 { "Objects" } }
        @for name in &objects { (object(&description, name)) }
    };
    Ok(document::open(&format!("API: {wanted}"), &content))
}

fn operation_card(description: &Value, operation: &Operation<'_>) -> Markup {
    let told = ["summary", "description"].map(|name| operation.fields[name].as_str().unwrap_or_default());
    html! {
        section.card id=(operation.id()) aria-labelledby={ "name-" (operation.id()) } {
            header {
                h2 id={ "name-" (operation.id()) } { code { (words(operation.path)) } }
                (badge(operation.tone(), &operation.method.to_uppercase()))
            }
            @for text in told { @if !text.is_empty() { (prose(text)) } }
            @if !operation.parameters().is_empty() {
                table.table.cards {
                    caption { "Parameters" }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "In" } th scope="col" { "Type" } th scope="col" { "About" } } }
                    tbody {
                        @for parameter in operation.parameters() {
                            tr {
                                td.lead { code { (words(text(parameter, "name"))) } (needed(parameter["required"] == true)) }
                                td data-label="In" { (words(text(parameter, "in"))) }
                                td data-label="Type" { (kind(&parameter["schema"])) }
                                td data-label="About" { (words(text(parameter, "description"))) }
                            }
                        }
                    }
                }
            }
            @if let Some((media, schema)) = operation.body() {
                p { "Body (" code { (words(media)) } "): " (kind(schema)) }
            }
            table.table.cards {
                caption { "Answers" }
                thead { tr { th scope="col" { "Status" } th scope="col" { "Content" } th scope="col" { "About" } } }
                tbody {
                    @for (status, answer) in operation.fields["responses"].as_object().into_iter().flatten() {
                        tr {
                            td.lead { (words(status)) }
                            td data-label="Content" {
                                @for (media, content) in answer["content"].as_object().into_iter().flatten() {
                                    div { (kind(content.get("x-event-schema").unwrap_or(&content["schema"]))) }
                                    div.small.quiet { (words(media)) }
                                }
                            }
                            td data-label="About" { (words(text(answer, "description"))) }
                        }
                    }
                }
            }
            div.label { "Try it" }
            pre tabindex="0" { (words(&request(description, operation))) }
        }
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// A request that makes the operation, for curl.
fn request(description: &Value, operation: &Operation<'_>) -> String {
    let mut path = operation.path.to_owned();
    for parameter in operation
        .parameters()
        .iter()
        .filter(|parameter| parameter["in"] == "path")
    {
        let name = text(parameter, "name");
        path = path.replace(&format!("{{{name}}}"), &format!("${}", name.to_uppercase()));
    }
    let mut query: Vec<_> = (operation.parameters().iter())
        .filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
        .map(|parameter| format!("{}={}", text(parameter, "name"), text(parameter, "name").to_uppercase()))
        .collect();
    if !query.is_empty() {
        query.insert(0, String::new());
        path = format!("{path}?{}", query.join("&").trim_start_matches('&'));
    }
    let mut line = vec!["curl".to_owned()];
    if operation.method != "get" {
        line.push(format!("-X {}", operation.method.to_uppercase()));
    }
    line.push(format!("\"$CLIFFORD{path}\""));
    let is_open = operation.fields["security"].as_array().is_none_or(Vec::is_empty);
    if !is_open {
        line.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    if operation.fields["responses"]["200"]["content"]["text/event-stream"].is_object() {
        line.push("--no-buffer".to_owned());
    }
    match operation.body() {
        Some(("application/json", schema)) => {
            let example = schema::example(description, schema);
            line.push(format!("--json '{example}'"));
        }
        Some(_) => line.push("--data-binary @FILE".to_owned()),
        None => {}
    }
    line.join(" \\\n  ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_names_what_is_needed_and_nothing_else() {
        let description = json!({
            "components": { "schemas": { "New": {
                "type": "object", "required": ["name", "count"],
                "properties": {
                    "name": { "type": "string" }, "count": { "type": "integer" }, "note": { "type": "string" },
                },
            }}},
            "paths": { "/api/things/{id}": { "post": {
                "tags": ["things"], "operationId": "postThingsById", "security": [{ "bearer": [] }],
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                    { "name": "q", "in": "query", "required": true, "schema": { "type": "string" } },
                    { "name": "limit", "in": "query", "schema": { "type": "integer" } },
                ],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/New" } } } },
                "responses": {},
            }}},
        });
        let operation = Operation::all(&description).next().unwrap();
        let expected = "curl \\\n  -X POST \\\n  \"$CLIFFORD/api/things/$ID?q=Q\" \\\n  \
                        -H \"Authorization: Bearer $TOKEN\" \\\n  --json '{\"name\":\"…\",\"count\":1}'";
        assert_eq!(request(&description, &operation), expected);
        assert_eq!(tags(&description), ["things"]);
    }
}
