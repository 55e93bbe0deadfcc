//! One rule: its form, and what a change would make different. Conditions that the form does not hold stay as they are.

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use clifford_core::policy::Rule;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{ACTIONS, PLACES};
use crate::{
    address::part,
    backend::Asker,
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean, layout,
        parts::{Button, Fault, Filled, choice_field, data, head, long_field, seen, text_field},
        review::{Change, Review},
    },
};

/// The form of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    /// A whole number.
    Number,
    /// Some, with commas between them.
    List,
    /// Some, one a line.
    Lines,
    /// One of these.
    One(&'static [(&'static str, &'static str)]),
    /// A list of at most one of these.
    ListOf(&'static [(&'static str, &'static str)]),
}

struct Field {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    kind: Kind,
}

const fn field(name: &'static str, label: &'static str, kind: Kind, hint: &'static str) -> Field {
    Field {
        name,
        label,
        hint,
        kind,
    }
}

const PERIODS: &[(&str, &str)] = &[
    ("minute", "In a minute"),
    ("hour", "In an hour"),
    ("day", "In a day"),
    ("month", "In 30 days"),
];
const SUBJECTS: &[(&str, &str)] = &[
    ("user", "For each person"),
    ("space", "For each group or server"),
    ("bot", "For all together"),
];

/// The conditions that the form holds.
static FIELDS: [Field; 11] = [
    field("name", "Name", Kind::Text, "Such as: ask before deleting"),
    field(
        "tools",
        "Commands",
        Kind::List,
        "web.fetch, *.delete, or a whole tool; with commas",
    ),
    field("action", "Verdict", Kind::One(&ACTIONS), ""),
    field("places", "Where", Kind::ListOf(&PLACES), ""),
    field(
        "roles",
        "Roles",
        Kind::List,
        "owner, member, stranger; empty: everybody",
    ),
    field("hours", "Hours", Kind::Text, "Such as 22:00-06:00; empty: always"),
    field(
        "priority",
        "Priority",
        Kind::Number,
        "The highest decides; -1000 to 1000",
    ),
    field("calls", "Most calls, of a limit", Kind::Number, ""),
    field("per", "Time, of a limit", Kind::One(PERIODS), ""),
    field("by", "Subject, of a limit", Kind::One(SUBJECTS), ""),
    field("reason", "Reason", Kind::Text, "For whoever is refused or asked"),
];
static ARGUMENTS: Field = field(
    "args",
    "Conditions on arguments",
    Kind::Lines,
    "One a line, such as: amount > 100",
);
/// The fields that the store adds to a rule.
const ADDED: [&str; 3] = ["id", "createdAt", "updatedAt"];

fn all() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().chain([&ARGUMENTS])
}

impl Kind {
    /// A condition as the form has it.
    fn text(self, value: &Value) -> String {
        let joined = |items: &[Value], between: &str| {
            let words: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            words.join(between)
        };
        match (self, value) {
            (_, Value::Null) => String::new(),
            (Self::Lines, Value::Array(items)) => joined(items, "\n"),
            (_, Value::Array(items)) => joined(items, ", "),
            (_, Value::String(text)) => text.clone(),
            (_, other) => other.to_string(),
        }
    }

    /// A condition from the form; `None`: it is left out.
    fn value(self, text: &str) -> Result<Option<Value>, String> {
        let listed = |between: char| {
            let items = text.split(between).map(str::trim).filter(|item| !item.is_empty());
            Some(json!(items.collect::<Vec<_>>()))
        };
        Ok(match self {
            Self::List | Self::ListOf(_) => listed(','),
            Self::Lines => listed('\n'),
            Self::Number if text.is_empty() => None,
            Self::Number => Some(json!(
                text.parse::<i64>()
                    .map_err(|_| format!("“{text}” is not a whole number"))?
            )),
            Self::Text | Self::One(_) => (!text.is_empty()).then(|| json!(text)),
        })
    }

    fn named(self, text: &str) -> String {
        let choices = match self {
            Self::One(choices) | Self::ListOf(choices) => choices,
            _ => return text.to_owned(),
        };
        let known = choices.iter().find(|(choice, _)| *choice == text);
        known.map_or_else(|| text.to_owned(), |(_, name)| (*name).to_owned())
    }
}

impl Field {
    fn text(&self, rule: &Map<String, Value>) -> String {
        self.kind.text(rule.get(self.name).unwrap_or(&Value::Null))
    }

    fn draw(&self, value: &str, fault: Option<Fault<'_>>) -> Markup {
        let filled = Filled::new(self.name, value, fault);
        match self.kind {
            Kind::One(choices) | Kind::ListOf(choices) => {
                let is_known = choices.iter().any(|(choice, _)| *choice == value);
                let own = (!is_known).then_some((value, value));
                let choices: Vec<_> = choices.iter().copied().chain(own).collect();
                choice_field(self.name, self.label, filled, &choices)
            }
            Kind::Lines => long_field(self.name, self.label, filled, self.hint),
            _ => text_field(self.name, self.label, filled, self.hint),
        }
    }
}

/// The page of a rule.
#[handler]
pub(crate) async fn show(asker: Asker, Path(id): Path<String>) -> Result<Markup, Failure> {
    let rule: Map<String, Value> = asker.get(&format!("/api/policies/{}", part(&id))).await?;
    let name = name(&rule);
    let further: Map<_, _> = (rule.iter())
        .filter(|(key, value)| {
            !ADDED.contains(&key.as_str()) && all().all(|field| field.name != *key) && !is_empty(value)
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let action = format!("/policies/{}", part(&id));
    let content = html! {
        (head(&name, "A rule about calls of tools: all that it says must fit.", &html! { a.button href="/policies" { "All rules" } }))
        section.card aria-labelledby="edit-title" {
            h2 id="edit-title" { "Rule" }
            (fields(&asker, &action, &rule, (|field: &Field| field.text(&rule), None)))
            @if !further.is_empty() { (data("Further conditions, which stay as they are", &Value::Object(further))) }
        }
        section.card aria-labelledby="delete-title" {
            h2 id="delete-title" { "Delete" }
            p { "The rules behind it decide then." }
            div { (Button::new(&format!("{action}/delete"), "Delete this rule").danger("Delete this rule?").leads_on().draw(&asker)) }
        }
    };
    Ok(layout::page(&asker, &name, &content))
}

fn name(rule: &Map<String, Value>) -> String {
    let name = rule.get("name").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() {
        "A rule without a name".to_owned()
    } else {
        name.to_owned()
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn fields(
    asker: &Asker,
    action: &str,
    rule: &Map<String, Value>,
    (value, fault): (impl Fn(&Field) -> String, Option<Fault<'_>>),
) -> Markup {
    html! {
        form.stack method="post" action=(clean(action)) {
            (layout::token(asker))
            @for field in all() { (seen(field.name, &field.text(rule))) }
            div.fields { @for field in all() { (field.draw(&value(field), fault)) } }
            div { button.main type="submit" { "Show the difference" } }
        }
    }
}

/// Saves what was changed, after its writer has seen the difference.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Response, Failure> {
    let path = format!("/api/policies/{}", part(&id));
    let rule: Map<String, Value> = form.asker.get(&path).await?;
    let changes = all().filter_map(|field| {
        let change = Change::of(&form, field.name, field.label, &field.text(&rule))?;
        Some(change.told_as(|text| field.kind.named(text)))
    });
    let (action, title) = (format!("/policies/{}", part(&id)), format!("Change “{}”", name(&rule)));
    // The form of a difference holds only what changes.
    let given = |field: &Field| match form.raw(field.name) {
        Some(_) => form.text(field.name).unwrap_or_default(),
        None => field.text(&rule),
    };
    let review = Review {
        title: &title,
        action: &action,
        leave: &action,
        changes: changes.collect(),
        along: &[],
        form: Some(fields(&form.asker, &action, &rule, (given, None))),
    };
    let again = |fault: Option<Fault<'_>>| fields(&form.asker, &action, &rule, (given, fault));
    let changed = match changed(&rule, &review.changes) {
        Ok(changed) => changed,
        Err(failure) => return review.refused(&form.asker, failure, again),
    };
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    match form.send(Method::PUT, &path, Some(&Value::Object(changed))).await {
        Ok(_) => Ok(Redirect::to("/policies").into_response()),
        Err(failure) => review.refused(&form.asker, failure, again),
    }
}

/// The rule with these changes, as the API takes it.
fn changed(rule: &Map<String, Value>, changes: &[Change]) -> Result<Map<String, Value>, Failure> {
    let mut rule = rule.clone();
    for Change { name, now, .. } in changes {
        let Some(field) = all().find(|field| field.name == *name) else {
            continue;
        };
        let value = field.kind.value(now);
        match value.map_err(|why| Failure::field(field.name, why))? {
            Some(value) => rule.insert(name.clone(), value),
            None => rule.remove(name),
        };
    }
    rule.retain(|key, _| !ADDED.contains(&key.as_str()));
    // What only the API knows is left to it.
    match serde_json::from_value::<Rule>(Value::Object(rule.clone())).map(|rule| rule.fault()) {
        Ok(Some((name, why))) => Err(Failure::field(name, why)),
        _ => Ok(rule),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_goes_into_the_form_and_out_of_it() {
        for (kind, value, text) in [
            (Kind::Text, json!("a"), "a"),
            (Kind::Number, json!(-3), "-3"),
            (Kind::List, json!(["web", "*.delete"]), "web, *.delete"),
            (Kind::List, json!([]), ""),
            (Kind::Lines, json!(["a > 1", "b = 2, 3"]), "a > 1\nb = 2, 3"),
            (Kind::ListOf(&PLACES), json!(["private"]), "private"),
            (Kind::One(PERIODS), json!("hour"), "hour"),
        ] {
            assert_eq!(kind.text(&value), text, "{value}");
            assert_eq!(kind.value(text), Ok(Some(value)), "{text}");
        }
        assert_eq!(Kind::Text.value(""), Ok(None));
        assert_eq!(Kind::Number.value("1.5"), Err("“1.5” is not a whole number".to_owned()));
        assert_eq!(Kind::One(PERIODS).named("hour"), "In an hour");
    }
}
