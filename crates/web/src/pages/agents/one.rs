//! One agent: its form, what a change would make different, and the end of it.

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, json};

use super::{
    Agent, MODES, STATES, named,
    versions::{self, Version},
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        layout,
        parts::{Button, Fault, Filled, choice_field, head, long_field, seen},
        review::{Change, Review},
    },
};

/// The page of versions of its prompt.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct AgentQuery {
    before: String,
}

/// The page.
#[handler]
pub(crate) async fn show(
    asker: Asker,
    Path(id): Path<String>,
    Query(query): Query<AgentQuery>,
) -> Result<Markup, Failure> {
    let path = format!("/api/agents/{}", part(&id));
    let versions = with_query(
        &format!("{path}/prompts"),
        &[("before", &query.before), ("limit", "20")],
    );
    let (agent, versions) = try_join!(asker.get::<Agent>(&path), asker.get::<Page<Version>>(&versions))?;
    let content = html! {
        (head(&agent.name, "", &html! {
            (agent.state())
            a.button href="/agents" { "All agents" }
        }))
        section.card aria-labelledby="edit-title" {
            h2 id="edit-title" { "Prompt" }
            (fields(&asker, &agent, &Values::of(&agent), None))
        }
        (versions::draw(&asker, &agent, &versions))
        (end(&asker, &agent))
    };
    Ok(layout::page(&asker, &agent.name, &content))
}

/// The values of the form.
struct Values<'a> {
    prompt: &'a str,
    mode: &'a str,
    enabled: &'a str,
}

impl<'a> Values<'a> {
    fn of(agent: &'a Agent) -> Self {
        Self {
            prompt: &agent.prompt,
            mode: &agent.mode,
            enabled: state(agent),
        }
    }
}

fn state(agent: &Agent) -> &'static str {
    if agent.enabled { "true" } else { "false" }
}

fn fields(asker: &Asker, agent: &Agent, values: &Values<'_>, fault: Option<Fault<'_>>) -> Markup {
    html! {
        form.stack method="post" action={ "/agents/" (agent.id) } {
            (layout::token(asker))
            (seen("prompt", &agent.prompt)) (seen("mode", &agent.mode)) (seen("enabled", state(agent)))
            div.fields {
                (long_field("prompt", "Prompt", Filled::new("prompt", values.prompt, fault), "Who it is and how it speaks. Runs go by it from their next question to the model on."))
                (choice_field("mode", "How it answers", Filled::new("mode", values.mode, fault), &MODES))
                (choice_field("enabled", "State", Filled::new("enabled", values.enabled, fault), &STATES))
            }
            @if agent.is_of_file() {
                p.small.quiet {
                    "It stands in " code { "bot.toml" } ": its state and mode hold until the next start, and its prompt until "
                    code { "bot.toml" } " gives it another one."
                }
            }
            div { button.main type="submit" { "Show the difference" } }
        }
    }
}

fn end(asker: &Asker, agent: &Agent) -> Markup {
    html! {
        section.card aria-labelledby="delete-title" {
            h2 id="delete-title" { "Delete" }
            @if agent.is_of_file() {
                p { "It stands in " code { "bot.toml" } ". Take it out there: the next start turns it off, and then it can be deleted here." }
            } @else {
                p { "Channels and schedules that name it have the default agent then. Its runs stay, and so do the versions of its prompt, if an agent of this name is made again." }
                div {
                    (Button::new(&format!("/agents/{}/delete", agent.id), "Delete this agent").danger("Delete this agent?").draw(asker))
                }
            }
        }
    }
}

/// Saves what was changed, after its writer has seen the difference.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Response, Failure> {
    let path = format!("/api/agents/{}", part(&id));
    let agent: Agent = form.asker.get(&path).await?;
    let changes = [
        Change::of(&form, "prompt", "Prompt", &agent.prompt),
        Change::of(&form, "mode", "How it answers", &agent.mode).map(|change| change.told_as(named)),
        Change::of(&form, "enabled", "State", state(&agent)).map(|change| change.told_as(named)),
    ];
    let here = format!("/agents/{}", agent.id);
    let values = Values {
        prompt: form.raw("prompt").unwrap_or(&agent.prompt),
        mode: form.field("mode").unwrap_or(&agent.mode),
        enabled: form.field("enabled").unwrap_or(state(&agent)),
    };
    let title = format!("Change {}", agent.name);
    let review = Review {
        title: &title,
        action: &here,
        leave: &here,
        changes: changes.into_iter().flatten().collect(),
        along: &[],
        form: Some(fields(&form.asker, &agent, &values, None)),
    };
    let again = |fault: Option<Fault<'_>>| fields(&form.asker, &agent, &values, fault);
    if review
        .changes
        .iter()
        .any(|change| change.name == "prompt" && change.now.is_empty())
    {
        return review.refused(&form.asker, Failure::Missing("prompt"), again);
    }
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    let mut change = Map::new();
    for Change { name, now, .. } in &review.changes {
        let value = match name.as_str() {
            "enabled" => json!(now == "true"),
            _ => json!(now),
        };
        change.insert(name.clone(), value);
    }
    match form.send(Method::PATCH, &path, Some(&change.into())).await {
        Ok(_) => Ok(Redirect::to(&here).into_response()),
        Err(failure) => review.refused(&form.asker, failure, again),
    }
}

/// Deletes one.
#[handler]
pub(crate) async fn delete(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/agents/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to("/agents"))
}
