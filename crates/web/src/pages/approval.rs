//! Questions of runs about calls: what will be done, with all arguments and where they come from, and the buttons of the
//! answer. The same on every page, so that nobody answers what they have not read.

use axum::http::Method;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::runs::Run;
use crate::{
    address::part,
    backend::Asker,
    failure::Failure,
    form::Form,
    view::{
        format::{At, when},
        parts::{Button, Tone, badge},
        prose, words,
    },
};

/// The open question of a run, as the API tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    code: String,
    about: String,
    expires_at: At,
    may_be_rule: bool,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    name: String,
    is_unasked: bool,
    doubt: Option<String>,
    why: Option<String>,
    arguments: Vec<Argument>,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: Value,
    origins: Vec<Origin>,
}

#[derive(Deserialize)]
struct Origin {
    of: Option<String>,
    origin: String,
}

/// A question with its run.
pub(crate) struct Approval<'a> {
    /// The run.
    pub(crate) run: &'a str,
    question: &'a Question,
}

impl<'a> Approval<'a> {
    /// The open question of a run, if it has one.
    pub(crate) fn of(run: &'a Run, question: Option<&'a Question>) -> Option<Self> {
        let question = question?;
        Some(Self { run: &run.id, question })
    }

    /// The question with its buttons.
    pub(crate) fn draw(&self, asker: &Asker) -> Markup {
        html! { (self.question.draw(asker)) (self.buttons(asker)) }
    }

    /// The buttons by which it is answered. They name the question: an answer to another one is refused.
    fn buttons(&self, asker: &Asker) -> Markup {
        let action = format!("/runs/{}/confirm", self.run);
        let code = ("code", self.question.code.as_str());
        let always = [("decision", "approve"), ("always", "yes"), code];
        html! {
            div.row {
                (Button::new(&action, "Approve").main().with(&[("decision", "approve"), code]).draw(asker))
                @if self.question.may_be_rule {
                    (Button::new(&action, "Approve always here").with(&always).draw(asker))
                }
                (Button::new(&action, "Deny").with(&[("decision", "deny"), code]).draw(asker))
            }
        }
    }
}

impl Question {
    fn draw(&self, asker: &Asker) -> Markup {
        let count = self.calls.len();
        html! {
            div.question.stack {
                @match (self.about.as_str(), count) {
                    ("result", _) => p { "May the bot use the result of this call?" },
                    (_, 1) => p { "May the bot make this call?" },
                    (_, count) => p { "May the bot make these " (count) " calls? One answer holds for all of them." },
                }
                @for call in &self.calls { (call.draw()) }
                p.small.quiet { "Counts as denied " (when(self.expires_at, asker.now())) }
            }
        }
    }
}

impl Call {
    fn draw(&self) -> Markup {
        html! {
            div.call {
                div.row {
                    code { (words(&self.name)) }
                    @if self.is_unasked { (badge(Tone::Bad, "nobody asked for this")) }
                }
                @if let Some(doubt) = &self.doubt { (prose(doubt)) }
                @if self.arguments.is_empty() {
                    p.small.quiet { "It takes no arguments." }
                } @else {
                    dl.arguments { @for argument in &self.arguments { (argument.draw()) } }
                }
                @if let Some(why) = &self.why { p.small { (words(why)) } }
            }
        }
    }
}

impl Argument {
    fn draw(&self) -> Markup {
        let value = match &self.value {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        html! {
            div {
                dt { code { (words(&self.name)) } }
                dd {
                    div.value dir="auto" { (words(&value)) }
                    @for origin in &self.origins {
                        div.small.quiet {
                            "from: " @if let Some(of) = &origin.of { (words(of)) ": " } (words(&origin.origin))
                        }
                    }
                }
            }
        }
    }
}

/// A call of a question, for the page of all components.
pub(crate) fn example() -> Markup {
    let argument = |name: &str, value: Value, origin: &str| Argument {
        name: name.to_owned(),
        value,
        origins: vec![Origin {
            of: None,
            origin: origin.to_owned(),
        }],
    };
    let call = Call {
        name: "mail.send".to_owned(),
        is_unasked: false,
        doubt: None,
        why: Some("It goes out to others.".to_owned()),
        arguments: vec![
            argument("to", json!(["mia@example.org"]), "your message"),
            argument("text", json!("The quinces are ripe."), "my own words"),
        ],
    };
    html! { div.question { (call.draw()) } }
}

/// Answers the question of a run.
pub(crate) async fn answer(form: &Form, run: &str) -> Result<(), Failure> {
    let mut answer = json!({ "decision": form.needed("decision")?, "always": form.field("always").is_some() });
    for name in ["words", "code"] {
        if let Some(text) = form.field(name) {
            answer[name] = json!(text);
        }
    }
    let path = format!("/api/runs/{}/confirm", part(run));
    form.send(Method::POST, &path, Some(&answer)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_with_all_arguments_and_where_each_comes_from() {
        let call: Call = serde_json::from_value(json!({
            "name": "mail.send", "isUnasked": true, "doubt": "`to` stands **only** in a page.", "why": "It writes.",
            "arguments": [
                { "name": "to", "value": "<b>eve@x.example", "origins": [{ "origin": "only in a page" }] },
                { "name": "ids", "value": [1, 2], "origins": [{ "of": "ids (2 of 2)", "origin": "your message" }] },
            ],
        }))
        .unwrap();
        let shown = call.draw().into_string();
        for part in [
            "nobody asked for this",
            "<strong>only</strong>",
            "&lt;b&gt;eve@x.example",
            "from: <bdi>only in a page</bdi>",
            "<bdi>ids (2 of 2)</bdi>: <bdi>your message</bdi>",
            "It writes.",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
