//! Tools: what they can do, whether they may, and a form for the settings of each, made from their types; and the MCP
//! servers that bring some of them.

mod servers;

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{channels, settings::whose};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{count, sentence, title},
        layout,
        parts::{Button, Fault, Tone, badge, head, seen},
        review::{Change, Review},
        with_code, words,
    },
};

#[derive(Deserialize)]
struct Tool {
    name: String,
    icon: Option<String>,
    description: String,
    usable: bool,
    why: Option<String>,
    server: Option<servers::Server>,
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

impl Tool {
    /// The settings that have a form. Whether it is on for the whole bot has its button; elsewhere that may be inherited.
    fn shown(&self, within: &Within) -> impl Iterator<Item = &Field> {
        let has_button = within.is_bot();
        let has_form =
            move |field: &&Field| !(has_button && field.name == "enabled") && Kind::of(&field.schema) != Kind::Other;
        self.fields.iter().filter(has_form)
    }
}

/// Where the settings hold.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Within {
    scope: String,
}

impl Within {
    fn of(form: &Form) -> Self {
        Self {
            scope: form.field("scope").unwrap_or_default().to_owned(),
        }
    }

    fn is_bot(&self) -> bool {
        matches!(self.scope.as_str(), "" | "bot")
    }

    /// The same path for this place.
    fn at(&self, path: &str) -> String {
        with_query(path, &[("scope", &self.scope)])
    }
}

impl Field {
    /// A value of it as people say it; blank: as it is without a setting.
    fn told(&self, value: &str) -> String {
        match (value, Kind::of(&self.schema)) {
            ("", _) => "As it is without a setting".to_owned(),
            (value, Kind::Switch | Kind::Words(_)) => title(value),
            (value, _) => value.to_owned(),
        }
    }
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

    /// The value that a form gives; `null`: the value that holds without it.
    fn read(&self, given: &str) -> Result<Value, String> {
        let given = given.trim();
        if given.is_empty() {
            return Ok(Value::Null);
        }
        match self {
            Self::Switch => Ok(json!(given == "true")),
            Self::Number => match serde_json::from_str(given) {
                Ok(Value::Number(number)) => Ok(Value::Number(number)),
                _ => Err(format!("“{given}” is not a number")),
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
#[handler]
pub(crate) async fn list(asker: Asker, Query(within): Query<Within>) -> Result<Response, Failure> {
    if asker.is_person() && within.scope.is_empty() {
        let managed = channels::managed(&asker).await?;
        if !managed.is_empty() {
            return Ok(of_managed(&asker, &managed));
        }
    }
    let page: Page<Tool> = asker.get(&within.at("/api/tools")).await?;
    let is_owner = asker.me().is_some_and(|me| !me.is_person());
    let content = html! {
        (head("Tools", "What the bot can do besides talking. A tool that is off is not shown to models.", &elsewhere(&within, is_owner)))
        (place(&asker, &within).await?)
        (servers::draw(&page.items, &within, is_owner))
        div.grid.even id="tools" data-live {
            @for tool in page.items.iter().filter(|tool| servers::is_built_in(tool)) {
                section.card {
                    header {
                        h2 {
                            @if let Some(icon) = &tool.icon { span aria-hidden="true" { (words(icon)) } " " }
                            @if is_owner { a href=(address(tool, &within)) { (words(&tool.name)) } } @else { (words(&tool.name)) }
                        }
                        @if tool.usable { (badge(Tone::Good, "on")) } @else { (badge(Tone::Plain, "off")) }
                    }
                    p { bdi { (with_code(&sentence(&tool.description))) } }
                    @if let Some(why) = &tool.why { p.small.quiet { "To use it: " (with_code(why)) } }
                    p.small.quiet { (how_many(tool.commands.len())) }
                }
            }
        }
    };
    Ok(layout::page(&asker, "Tools", &content).into_response())
}

/// The ways to the tools of the places that a person manages; of a single one, its tools.
fn of_managed(asker: &Asker, managed: &[channels::Space]) -> Response {
    if let [space] = managed {
        return Redirect::to(&space.tools()).into_response();
    }
    let content = html! {
        (head("Tools", "What the bot can do besides talking, in each place that you manage.", &html! {}))
        (channels::servers("What you manage", managed, &html! {}))
    };
    layout::page(asker, "Tools", &content).into_response()
}

/// The page of a tool.
fn address(tool: &Tool, within: &Within) -> String {
    within.at(&format!("/tools/{}", part(&tool.name)))
}

/// The place whose settings are shown, unless that is the whole bot.
async fn place(asker: &Asker, within: &Within) -> Result<Markup, Failure> {
    if within.is_bot() {
        return Ok(html! {});
    }
    let whose = whose(asker, &within.scope).await?;
    Ok(html! { div.note { p { (whose) " An option that is not set here holds as it does for the whole bot." } } })
}

/// The ways from a place to its settings, and to the whole bot or the reader's places.
fn elsewhere(within: &Within, is_owner: bool) -> Markup {
    html! {
        @if !within.is_bot() {
            a.button href=(with_query("/settings", &[("scope", &within.scope)])) { "Settings here" }
            @if is_owner { a.button href="/tools" { "Of the whole bot" } } @else { a.button href="/channels" { "Channels" } }
        }
    }
}

fn how_many(commands: usize) -> String {
    match commands {
        0 => "Nothing is set up for it yet".to_owned(),
        1 => "1 command".to_owned(),
        more => format!("{more} commands"),
    }
}

/// One tool, with its form.
#[handler]
pub(crate) async fn show(
    asker: Asker,
    Path(name): Path<String>,
    Query(within): Query<Within>,
) -> Result<Markup, Failure> {
    let tool: Tool = asker.get(&within.at(&format!("/api/tools/{}", part(&name)))).await?;
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
    let beside = html! {
        (elsewhere(&within, !asker.is_person()))
        @if within.is_bot() {
            div id="turn" data-live { (Button::new(&action, label).with(&[("enabled", turn)]).draw(&asker)) }
        }
    };
    let content = html! {
        (head(&title(&tool.name), "", &beside))
        (place(&asker, &within).await?)
        p { bdi { (with_code(&sentence(&tool.description))) } }
        div id="why-not" data-live {
            @if let Some(why) = &tool.why { div.note.warn { p { "It cannot be used: " (with_code(why)) } } }
        }
        section.card aria-labelledby="commands-title" {
            h2 id="commands-title" { "Commands" }
            ul.list {
                @for command in &tool.commands {
                    li {
                        div.about { code { (words(&command.name)) } div.small.quiet { bdi { (with_code(&command.description)) } } }
                        (badge(Tone::Plain, &command.class.to_lowercase()))
                    }
                }
            }
        }
        section.card aria-labelledby="settings-title" {
            h2 id="settings-title" { "Settings" }
            (fields(&asker, &tool, &within, (|field: &Field| plain(&field.set_here), None)))
        }
    };
    Ok(layout::page(&asker, &title(&tool.name), &content))
}

/// The form of a tool's settings.
fn fields(
    asker: &Asker,
    tool: &Tool,
    within: &Within,
    (value, fault): (impl Fn(&Field) -> String, Option<Fault<'_>>),
) -> Markup {
    html! {
        @if tool.shown(within).next().is_none() {
            p.quiet { "It has none." }
        } @else {
            form.stack method="post" action={ "/tools/" (part(&tool.name)) } {
                (layout::token(asker))
                @if !within.is_bot() { input type="hidden" name="scope" value=(clean(&within.scope)); }
                @for field in tool.shown(within) {
                    @let why = fault.filter(|(name, _)| *name == field.name).map(|(_, why)| why);
                    (drawn(field, &value(field), why))
                }
                div { button.main type="submit" { "Show the difference" } }
            }
        }
    }
}

fn drawn(field: &Field, here: &str, why: Option<&str>) -> Markup {
    let kind = Kind::of(&field.schema);
    let about = field.schema["description"].as_str().unwrap_or_default();
    let fault = why.map(|_| format!("{}-fault ", field.name));
    let (hint, invalid) = (format!("{}-hint", field.name), why.map(|_| "true"));
    let described = fault.unwrap_or_default() + &hint;
    let by = field.set_by.as_str().unwrap_or("default");
    html! {
        div.field.wide {
            label for=(field.name) { (words(&title(&field.name))) }
            @match &kind {
                Kind::Switch => { (choices(field, here, &["true".to_owned(), "false".to_owned()], &described)) }
                Kind::Words(all) => { (choices(field, here, all, &described)) }
                Kind::Lines => {
                    textarea id=(field.name) name=(field.name) aria-describedby=(described) aria-invalid=[invalid] { (clean(here)) }
                }
                _ => {
                    input id=(field.name) name=(field.name) value=(clean(here)) aria-describedby=(described) autocomplete="off"
                        aria-invalid=[invalid] autofocus[why.is_some()] inputmode=[(kind == Kind::Number).then_some("decimal")];
                }
            }
            @if let Some(why) = why { span.hint id={ (field.name) "-fault" } { strong { (with_code(why)) } } }
            (seen(&field.name, &plain(&field.set_here)))
            span.hint id=(hint) {
                (with_code(about)) " Now: " (told(&field.value)) @if by != "default" { ", by " (words(by)) } "."
            }
        }
    }
}

/// A value in the words of its reader.
fn told(value: &Value) -> Markup {
    html! {
        @match value {
            Value::Bool(true) => "on",
            Value::Bool(false) => "off",
            Value::Number(number) if number.is_u64() => (count(number.as_u64().unwrap_or_default())),
            other => {
                @let text = plain(other);
                @if text.is_empty() { "nothing" } @else { code { (words(&text)) } }
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

/// Turns a tool on or off, or saves what was changed in its form, after its writer has seen the difference.
#[handler]
pub(crate) async fn change(Path(name): Path<String>, form: Form) -> Result<Response, Failure> {
    let within = Within::of(&form);
    let path = within.at(&format!("/api/tools/{}", part(&name)));
    let tool: Tool = form.asker.get(&path).await?;
    let here = address(&tool, &within);
    let is_button = form.raw("was.enabled").is_none();
    if let Some(turn) = form.field("enabled").filter(|_| is_button) {
        let change = json!({ "enabled": turn == "true" });
        form.send(Method::PATCH, &path, Some(&change)).await?;
        return Ok(Redirect::to(&here).into_response());
    }
    let changes = tool.shown(&within).filter_map(|field| {
        let change = Change::of(&form, &field.name, &title(&field.name), &plain(&field.set_here))?;
        Some(change.told_as(|value| field.told(value)))
    });
    let given = |field: &Field| {
        let given = form.raw(&field.name);
        given.map_or_else(|| plain(&field.set_here), str::to_owned)
    };
    let heading = format!("Change {}", title(&tool.name));
    let action = format!("/tools/{}", part(&tool.name));
    let review = Review {
        title: &heading,
        action: &action,
        leave: &here,
        changes: changes.collect(),
        along: &[("scope", &within.scope)],
        form: Some(fields(&form.asker, &tool, &within, (given, None))),
    };
    let again = |fault: Option<Fault<'_>>| fields(&form.asker, &tool, &within, (given, fault));
    let mut change = Map::new();
    for Change { name, now, .. } in &review.changes {
        let Some(field) = tool.shown(&within).find(|field| field.name == *name) else {
            continue;
        };
        match Kind::of(&field.schema).read(now) {
            Ok(value) => change.insert(name.clone(), value),
            Err(why) => return review.refused(&form.asker, Failure::field(name, why), again),
        };
    }
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    match form.send(Method::PATCH, &path, Some(&Value::Object(change))).await {
        Ok(_) => Ok(Redirect::to(&here).into_response()),
        Err(failure) => review.refused(&form.asker, failure, again),
    }
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
            (Kind::Number, "x", Err("“x” is not a number".to_owned())),
            (Kind::Number, "[1]", Err("“[1]” is not a number".to_owned())),
            (Kind::Lines, "a\r\n\r\n b ", Ok(json!(["a", "b"]))),
            (Kind::Text, "a", Ok(json!("a"))),
        ] {
            assert_eq!(kind.read(given), expected, "{given}");
        }
    }
}
