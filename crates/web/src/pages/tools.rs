//! Tools: what they can do, whether they may, and a form for the settings of each, made from their types.

use axum::{extract::Path, http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    backend::{Asker, Page, part},
    failure::Failure,
    form::Form,
    view::{
        clean,
        format::title,
        layout,
        parts::{Button, Tone, badge, head},
        words,
    },
};

#[derive(Deserialize)]
struct Tool {
    name: String,
    icon: Option<String>,
    description: String,
    usable: bool,
    why: Option<String>,
    commands: Vec<Command>,
    #[serde(default)]
    fields: Vec<Field>,
}

#[derive(Deserialize)]
struct Command {
    name: String,
    description: String,
    class: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    set_by: Value,
    #[serde(default)]
    set_here: Value,
    schema: Value,
}

/// The form of a field, by its schema.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Switch,
    Number,
    Text,
    /// One of these words.
    Words(Vec<String>),
    /// Several lines, one item each.
    Lines,
    /// It has no form here.
    Other,
}

impl Kind {
    fn of(schema: &Value) -> Self {
        if let Some(all) = schema["oneOf"].as_array() {
            let words: Option<Vec<_>> = all.iter().map(|one| one["const"].as_str().map(str::to_owned)).collect();
            return words.map_or(Self::Other, Self::Words);
        }
        let named = match &schema["type"] {
            Value::String(name) => Some(name.as_str()),
            Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            _ => None,
        };
        match named {
            Some("boolean") => Self::Switch,
            Some("integer" | "number") => Self::Number,
            Some("string") => Self::Text,
            Some("array") if schema["items"]["type"] == "string" => Self::Lines,
            _ => Self::Other,
        }
    }

    /// What a form says, as a value; `null`: what holds without it.
    fn read(&self, given: &str) -> Result<Value, String> {
        let given = given.trim();
        if given.is_empty() {
            return Ok(Value::Null);
        }
        match self {
            Self::Switch => Ok(json!(given == "true")),
            Self::Number => match serde_json::from_str(given) {
                Ok(Value::Number(number)) => Ok(Value::Number(number)),
                _ => Err(format!("“{given}” is no number")),
            },
            Self::Text | Self::Words(_) => Ok(json!(given)),
            Self::Lines => Ok(json!(
                given
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .collect::<Vec<_>>()
            )),
            Self::Other => Err("it has no form here".to_owned()),
        }
    }
}

/// The list.
pub(crate) async fn list(asker: Asker) -> Result<Markup, Failure> {
    let page: Page<Tool> = asker.get("/api/tools").await?;
    let is_owner = asker.me().is_some_and(|me| me.role != "person");
    let content = html! {
        (head("Tools", "What the bot can do beside talking. A tool that is off is not shown to models.", &html! {}))
        div.grid id="tools" data-live {
            @for tool in &page.items {
                section.card {
                    header {
                        h2 {
                            @if let Some(icon) = &tool.icon { span aria-hidden="true" { (words(icon)) } " " }
                            @if is_owner { a href={ "/tools/" (part(&tool.name)) } { (words(&tool.name)) } } @else { (words(&tool.name)) }
                        }
                        @if tool.usable { (badge(Tone::Good, "on")) } @else { (badge(Tone::Plain, "off")) }
                    }
                    p { (words(&tool.description)) }
                    @if let Some(why) = &tool.why { p.small.quiet { "To use it: " (words(why)) } }
                    p.small.quiet { (tool.commands.len()) " commands" }
                }
            }
        }
    };
    Ok(layout::page(&asker, "Tools", &content))
}

/// One tool, with its form.
pub(crate) async fn show(asker: Asker, Path(name): Path<String>) -> Result<Markup, Failure> {
    let tool: Tool = asker.get(&format!("/api/tools/{}", part(&name))).await?;
    let action = format!("/tools/{}", part(&tool.name));
    let enabled = tool
        .fields
        .iter()
        .any(|field| field.name == "enabled" && field.value == true);
    let (label, turn) = if enabled {
        ("Turn off", "false")
    } else {
        ("Turn on", "true")
    };
    let content = html! {
        (head(&title(&tool.name), "", &Button::new(&action, label).with(&[("enabled", turn)]).draw(&asker)))
        p { (words(&tool.description)) }
        @if let Some(why) = &tool.why { div.note.warn { p { "It cannot be used: " (words(why)) } } }
        section.card aria-labelledby="commands-title" {
            h2 id="commands-title" { "Commands" }
            ul.list {
                @for command in &tool.commands {
                    li {
                        div.about { code { (words(&command.name)) } div.small.quiet { (words(&command.description)) } }
                        (badge(Tone::Plain, &command.class.to_lowercase()))
                    }
                }
            }
        }
        section.card aria-labelledby="settings-title" {
            h2 id="settings-title" { "Settings" }
            form.stack method="post" action=(action) {
                (layout::token(&asker))
                @for field in tool.fields.iter().filter(|field| field.name != "enabled") { (drawn(field)) }
                div { button.main type="submit" { "Save" } }
            }
        }
    };
    Ok(layout::page(&asker, &title(&tool.name), &content))
}

fn drawn(field: &Field) -> Markup {
    let kind = Kind::of(&field.schema);
    let about = field.schema["description"].as_str().unwrap_or_default();
    let hint = format!("{}-hint", field.name);
    let now = plain(&field.value);
    let here = plain(&field.set_here);
    let by = field.set_by.as_str().unwrap_or("default");
    html! {
        @if kind != Kind::Other {
            div.field.wide {
                label for=(field.name) { (words(&title(&field.name))) }
                @match &kind {
                    Kind::Switch => { (choices(field, &here, &["true".to_owned(), "false".to_owned()], &hint)) }
                    Kind::Words(all) => { (choices(field, &here, all, &hint)) }
                    Kind::Lines => {
                        textarea id=(field.name) name=(field.name) aria-describedby=(hint) { (clean(&here)) }
                    }
                    _ => {
                        input id=(field.name) name=(field.name) value=(clean(&here)) aria-describedby=(hint) autocomplete="off"
                            inputmode=[(kind == Kind::Number).then_some("decimal")];
                    }
                }
                input type="hidden" name={ "was." (field.name) } value=(clean(&here));
                span.hint id=(hint) {
                    (words(about)) " Now: " code { (words(if now.is_empty() { "nothing" } else { &now })) } ", by " (words(by)) "."
                }
            }
        }
    }
}

fn choices(field: &Field, here: &str, all: &[String], hint: &str) -> Markup {
    html! {
        select id=(field.name) name=(field.name) aria-describedby=(hint) {
            option value="" selected[here.is_empty()] { "As it is without a setting" }
            @for one in all { option value=(clean(one)) selected[one.as_str() == here] { (clean(&title(one))) } }
        }
    }
}

/// A value as a form shows it.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// Saves what was changed in the form; what somebody else changed meanwhile is told, not overwritten.
pub(crate) async fn change(Path(name): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/tools/{}", part(&name));
    let tool: Tool = form.asker.get(&path).await?;
    let mut change = Map::new();
    if let Some(turn) = form.field("enabled") {
        change.insert("enabled".to_owned(), json!(turn == "true"));
    }
    for field in &tool.fields {
        let (Some(given), Some(was)) = (form.raw(&field.name), form.raw(&format!("was.{}", field.name))) else {
            continue;
        };
        if same(given, was) {
            continue;
        }
        if !same(&plain(&field.set_here), was) {
            let why = format!(
                "Somebody changed “{}” while you did; load the page again to see it.",
                field.name
            );
            return Err(Failure::Wrong(why));
        }
        let value = Kind::of(&field.schema).read(given);
        let value = value.map_err(|why| Failure::Wrong(format!("“{}”: {why}.", field.name)))?;
        change.insert(field.name.clone(), value);
    }
    if !change.is_empty() {
        form.send(Method::PATCH, &path, Some(&Value::Object(change))).await?;
    }
    Ok(Redirect::to(&format!("/tools/{}", part(&name))))
}

/// Whether two texts of a form are the same: a browser ends lines its own way.
fn same(one: &str, other: &str) -> bool {
    one.trim().lines().eq(other.trim().lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_the_form_of_its_type() {
        for (schema, expected) in [
            (json!({ "type": "boolean" }), Kind::Switch),
            (json!({ "type": ["integer", "null"] }), Kind::Number),
            (json!({ "type": "string" }), Kind::Text),
            (json!({ "type": "array", "items": { "type": "string" } }), Kind::Lines),
            (
                json!({ "oneOf": [{ "const": "a" }, { "const": "b" }] }),
                Kind::Words(vec!["a".into(), "b".into()]),
            ),
            (json!({ "type": "object" }), Kind::Other),
            (json!({ "oneOf": [{ "type": "object" }] }), Kind::Other),
        ] {
            assert_eq!(Kind::of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_form_becomes_a_value_of_its_type() {
        for (kind, given, expected) in [
            (Kind::Switch, "true", Ok(json!(true))),
            (Kind::Number, " 12 ", Ok(json!(12))),
            (Kind::Number, "1.5", Ok(json!(1.5))),
            (Kind::Number, "", Ok(Value::Null)),
            (Kind::Number, "x", Err("“x” is no number".to_owned())),
            (Kind::Number, "[1]", Err("“[1]” is no number".to_owned())),
            (Kind::Lines, "a\r\n\r\n b ", Ok(json!(["a", "b"]))),
            (Kind::Text, "a", Ok(json!("a"))),
        ] {
            assert_eq!(kind.read(given), expected, "{given}");
        }
        assert!(same("a\r\nb", "a\nb") && !same("a", "b"));
    }
}
