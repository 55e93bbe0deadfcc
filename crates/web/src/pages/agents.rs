//! Agents: who answers, by which prompt. Listed and made here; `one` changes an agent, `versions` compares the versions of
//! its prompt and goes back to one.

pub(crate) mod one;
pub(crate) mod versions;

use axum::{http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    backend::{Asker, Page},
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, when},
        layout,
        parts::{Tone, badge, choice_field, head, long_field, needed_field, short},
        words,
    },
};

/// An agent of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Agent {
    id: String,
    name: String,
    prompt: String,
    prompt_version: u32,
    mode: String,
    enabled: bool,
    is_default: bool,
    source: String,
    updated_at: At,
}

impl Agent {
    fn is_of_file(&self) -> bool {
        self.source == "config"
    }

    fn state(&self) -> Markup {
        html! {
            @if self.enabled { (badge(Tone::Good, "answers")) } @else { (badge(Tone::Plain, "off")) }
            @if self.is_default { " " (badge(Tone::Calm, "default")) }
        }
    }
}

const MODES: [(&str, &str); 2] = [
    ("run", "With tools, step by step"),
    ("chat", "By one model call, without tools"),
];
const STATES: [(&str, &str); 2] = [("true", "Answers"), ("false", "Off")];

/// A value of these choices as its label.
fn named(value: &str) -> String {
    let known = MODES.iter().chain(&STATES).find(|(choice, _)| *choice == value);
    known.map_or_else(|| value.to_owned(), |(_, name)| (*name).to_owned())
}

/// The source of an agent or of a version of its prompt, in words.
fn source(word: &str) -> &'static str {
    match word {
        "config" => "bot.toml",
        _ => "made here",
    }
}

/// The list, and a form for a new one.
#[handler]
pub(crate) async fn list(asker: Asker) -> Result<Markup, Failure> {
    let page: Page<Agent> = asker.get("/api/agents").await?;
    let content = html! {
        (head("Agents", "Who answers: a name, a prompt and a way to answer. Each place may have its own.", &html! {}))
        section id="agents" data-live aria-label="Agents" { (table(&asker, &page.items)) }
        section.card aria-labelledby="new-title" {
            h2 id="new-title" { "New agent" }
            form.stack method="post" action="/agents" {
                (layout::token(&asker))
                div.fields {
                    (needed_field("name", "Name", "", "People who manage a place choose it by this name"))
                    (choice_field("mode", "How it answers", "run", &MODES))
                    (long_field("prompt", "Prompt", "", "Who it is and how it speaks, such as: You are Ada. You answer in one sentence."))
                }
                div { button.main type="submit" { "Make the agent" } }
            }
        }
    };
    Ok(layout::page(&asker, "Agents", &content))
}

fn table(asker: &Asker, agents: &[Agent]) -> Markup {
    html! {
        table.table.cards {
            caption.hidden { "Agents, by name" }
            thead {
                tr {
                    th scope="col" { "Name" } th scope="col" { "State" } th scope="col" { "Prompt" }
                    th.number scope="col" { "Version" } th scope="col" { "From" } th scope="col" { "Changed" }
                }
            }
            tbody {
                @for agent in agents {
                    tr {
                        td.lead { a href={ "/agents/" (agent.id) } { (words(&agent.name)) } }
                        td data-label="State" { span { (agent.state()) } }
                        td data-label="Prompt" { (words(&short(&agent.prompt, 90))) }
                        td.number data-label="Version" { (agent.prompt_version) }
                        td.nowrap data-label="From" { (source(&agent.source)) }
                        td data-label="Changed" { (when(agent.updated_at, asker.now())) }
                    }
                }
            }
        }
    }
}

/// Makes one.
#[handler]
pub(crate) async fn make(form: Form) -> Result<Redirect, Failure> {
    let mut new = json!({ "name": form.needed("name")?, "prompt": form.needed_text("prompt")? });
    if let Some(mode) = form.field("mode") {
        new["mode"] = json!(mode);
    }
    let made: Value = form.send(Method::POST, "/api/agents", Some(&new)).await?;
    let id = made["id"].as_str().unwrap_or_default();
    Ok(Redirect::to(&format!("/agents/{id}")))
}
