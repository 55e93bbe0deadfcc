//! Policies: the rules that were made here, a form for a new one, and the tester, which says what would become of a call
//! and why.

pub(crate) mod edit;

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    address::part,
    backend::{Asker, Page},
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::title,
        layout,
        parts::{
            Button, Fault, Filled, Tone, badge, choice_field, data, empty, head, long_field, needed_field, text_field,
        },
        with_code, words,
    },
};

#[derive(Deserialize)]
struct Rule {
    id: String,
    name: String,
    priority: i64,
    action: String,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    places: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
}

#[derive(Deserialize)]
struct Tried {
    call: String,
    class: String,
    outcome: String,
    why: String,
    #[serde(default)]
    limits: Vec<String>,
    labels: Value,
    arguments: Value,
}

const ACTIONS: [(&str, &str); 5] = [
    ("confirm", "Ask a person"),
    ("deny", "Deny"),
    ("allow", "Allow"),
    ("allow_tainted", "Allow, even with words from outside"),
    ("limit", "Limit how often"),
];
const PLACES: [(&str, &str); 3] = [
    ("", "Everywhere"),
    ("private", "Private chats"),
    ("shared", "Shared places"),
];

/// The rules and both forms.
#[handler]
pub(crate) async fn list(asker: Asker) -> Result<Markup, Failure> {
    let page: Page<Rule> = asker.get("/api/policies").await?;
    let content = html! {
        (head("Policies", "Rules that decide which calls of tools are made, asked about or denied.", &html! {}))
        section id="rules" data-live aria-label="Rules" {
            @if page.items.is_empty() {
                (empty("No rules of your own", &html! {
                    "The built-in rules hold: what could harm others is asked about first. Make a rule below, or try a call."
                }))
            } @else { (table(&asker, &page.items)) }
        }
        (tester(&asker, Trial::default(), None))
        section.card aria-labelledby="new-title" {
            h2 id="new-title" { "New rule" }
            form.stack method="post" action="/policies" {
                (layout::token(&asker))
                div.fields {
                    (needed_field("name", "Name", "", "Such as: ask before deleting"))
                    (needed_field("tools", "Commands", "", "web.fetch, *.delete, or a whole tool; with commas"))
                    (choice_field("action", "Verdict", "confirm", &ACTIONS[..4]))
                    (choice_field("place", "Where", "", &PLACES))
                    (text_field("priority", "Priority", "0", "The highest decides; -1000 to 1000"))
                }
                div { button.main type="submit" { "Make the rule" } }
            }
        }
    };
    Ok(layout::page(&asker, "Policies", &content))
}

fn verdict(action: &str) -> Markup {
    let tone = match action {
        "deny" | "denied" => Tone::Bad,
        "confirm" | "limit" => Tone::Warn,
        _ => Tone::Good,
    };
    badge(tone, &title(action))
}

fn table(asker: &Asker, rules: &[Rule]) -> Markup {
    let listed = |items: &[String]| {
        if items.is_empty() {
            "any".to_owned()
        } else {
            items.join(", ")
        }
    };
    html! {
        table.table.cards {
            caption.hidden { "Rules" }
            thead {
                tr {
                    th scope="col" { "Name" } th scope="col" { "Verdict" } th scope="col" { "Commands" } th scope="col" { "Places" }
                    th scope="col" { "Roles" } th.number scope="col" { "Priority" } th scope="col" { span.hidden { "Actions" } }
                }
            }
            tbody {
                @for rule in rules {
                    tr {
                        td.lead { a href={ "/policies/" (rule.id) } { (words(if rule.name.is_empty() { "(no name)" } else { &rule.name })) } }
                        td data-label="Verdict" { (verdict(&rule.action)) }
                        td data-label="Commands" { code { (words(&listed(&rule.tools))) } }
                        td data-label="Places" { (words(&listed(&rule.places))) }
                        td data-label="Roles" { (words(&listed(&rule.roles))) }
                        td.number data-label="Priority" { (rule.priority) }
                        td {
                            (Button::new(&format!("/policies/{}/delete", rule.id), "Delete").danger("Delete this rule?").draw(asker))
                        }
                    }
                }
            }
        }
    }
}

/// A call that is tried.
#[derive(Clone, Copy)]
struct Trial<'a> {
    call: &'a str,
    args: &'a str,
    place: &'a str,
    is_tainted: bool,
}

impl Default for Trial<'_> {
    fn default() -> Self {
        Self {
            call: "",
            args: "{}",
            place: "private",
            is_tainted: false,
        }
    }
}

impl<'a> Trial<'a> {
    fn of(form: &'a Form) -> Self {
        let nothing = Self::default();
        Self {
            call: form.field("call").unwrap_or(nothing.call),
            args: form.field("args").unwrap_or(nothing.args),
            place: form.field("place").unwrap_or(nothing.place),
            is_tainted: form.field("tainted").is_some(),
        }
    }

    /// What would become of it.
    async fn outcome(self, form: &Form) -> Result<Tried, Failure> {
        let call = form.needed("call")?;
        let args: Value = serde_json::from_str(self.args)
            .map_err(|_| Failure::field("args", "it is not JSON; write it as {\"query\": \"x\"}"))?;
        let asked = json!({ "call": call, "args": args, "place": self.place, "tainted": self.is_tainted });
        let answer = form.send(Method::POST, "/api/policies/test", Some(&asked)).await?;
        serde_json::from_value(answer).map_err(|_| Failure::Unreadable)
    }
}

fn tester(asker: &Asker, trial: Trial<'_>, fault: Option<Fault<'_>>) -> Markup {
    html! {
        section.card aria-labelledby="test-title" {
            h2 id="test-title" { "Try a call" }
            p.quiet { "Nothing is called: this only says what the rules would do." }
            form method="post" action="/policies/test" {
                (layout::token(asker))
                div.fields {
                    (needed_field("call", "Command", Filled::new("call", trial.call, fault), "Such as web.search"))
                    (choice_field("place", "Where", Filled::new("place", trial.place, fault), &PLACES[1..]))
                    label.check {
                        input type="checkbox" name="tainted" value="yes" checked[trial.is_tainted];
                        "has read words from outside"
                    }
                    (long_field("args", "Arguments, as JSON", Filled::new("args", trial.args, fault), ""))
                    button type="submit" { "Try" }
                }
            }
        }
    }
}

/// The tester's answer.
#[handler]
pub(crate) async fn test(form: Form) -> Result<Response, Failure> {
    let (asker, trial) = (&form.asker, Trial::of(&form));
    let told = |content: &Markup, fault: Option<Fault<'_>>| {
        let content = html! {
            (head("What the rules would do", "", &html! { a.button href="/policies" { "All rules" } }))
            (content)
            (tester(asker, trial, fault))
        };
        layout::page(asker, "Try a call", &content)
    };
    // The form stands again: the page before it may be the answer to a trial.
    let tried = match trial.outcome(&form).await {
        Ok(tried) => tried,
        Err(failure) => {
            let refused = failure.of_form()?;
            let fault = refused.field.as_deref().map(|name| (name, refused.why.as_str()));
            let note = html! {
                div.note.bad role="alert" { p { strong { (words(&refused.title)) } } p { bdi { (with_code(&refused.why)) } } }
            };
            return Ok((refused.status, told(&note, fault)).into_response());
        }
    };
    let answer = html! {
        section.card {
            div.row.apart { div { code { (words(&tried.call)) } " " (badge(Tone::Plain, &tried.class.to_lowercase())) } (verdict(&tried.outcome)) }
            p { (words(&tried.why)) }
            @if !tried.limits.is_empty() { p.small { "It would count against: " (words(&tried.limits.join(", "))) } }
            (data("Where the arguments come from", &tried.arguments))
            (data("What the run holds", &tried.labels))
        }
    };
    Ok(told(&answer, None).into_response())
}

/// Makes a rule.
#[handler]
pub(crate) async fn make(form: Form) -> Result<Redirect, Failure> {
    let tools: Vec<_> = (form.needed("tools")?.split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let priority: i64 = (form.field("priority").unwrap_or("0").parse())
        .map_err(|_| Failure::field("priority", "give a whole number, such as 10"))?;
    let mut rule = json!({
        "name": form.needed("name")?, "action": form.needed("action")?, "tools": tools, "priority": priority,
    });
    if let Some(place) = form.field("place") {
        rule["places"] = json!([place]);
    }
    form.send(Method::POST, "/api/policies", Some(&rule)).await?;
    Ok(Redirect::to("/policies"))
}

/// Deletes one.
#[handler]
pub(crate) async fn delete(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/policies/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to("/policies"))
}
