//! The versions of an agent's prompt: listed, compared, and brought back.

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Agent, source};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        difference,
        format::{At, count, when},
        layout,
        parts::{Button, Tone, badge, choice_field, data, head, older},
        review::{Change, Review},
    },
};

/// A version without its text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    version: u32,
    source: String,
    restores: Option<u32>,
    characters: u64,
    created_at: At,
}

/// A version with its text.
#[derive(Deserialize)]
struct Text {
    version: u32,
    prompt: String,
}

/// The list, as a part of the agent's page.
pub(super) fn draw(asker: &Asker, agent: &Agent, versions: &Page<Version>) -> Markup {
    let here = format!("/agents/{}", agent.id);
    html! {
        section.card id="versions" data-live aria-labelledby="versions-title" {
            header {
                h2 id="versions-title" { "Versions of the prompt" }
                @if agent.prompt_version > 1 { a.small href={ (here) "/compare" } { "Compare two" } }
            }
            ul.list { @for version in &versions.items { (line(asker, agent, version)) } }
            (older(&here, &[], versions.next.as_deref()))
        }
    }
}

fn line(asker: &Asker, agent: &Agent, version: &Version) -> Markup {
    let number = version.version.to_string();
    let is_newest = version.version == agent.prompt_version;
    let comparison = format!("/agents/{}/compare", agent.id);
    let comparison = with_query(&comparison, &[("a", &number), ("b", &agent.prompt_version.to_string())]);
    html! {
        li {
            div.about {
                strong { "Version " (version.version) } " "
                @if is_newest { (badge(Tone::Good, "in use")) }
                div.small.quiet {
                    (when(version.created_at, asker.now())) " · " (source(&version.source)) " · " (count(version.characters)) " characters"
                    @if let Some(restored) = version.restores { " · version " (restored) " once more" }
                }
            }
            @if !is_newest {
                div.row {
                    a.button href=(comparison) { "Compare with now" }
                    (Button::new(&format!("/agents/{}/restore", agent.id), "Go back").with(&[("version", &number)]).leads_on().draw(asker))
                }
            }
        }
    }
}

/// The two versions to compare.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct VersionsQuery {
    a: String,
    b: String,
}

/// Two versions and what differs; left out: the two newest.
#[handler]
pub(crate) async fn compare(
    asker: Asker,
    Path(id): Path<String>,
    Query(query): Query<VersionsQuery>,
) -> Result<Markup, Failure> {
    let path = format!("/api/agents/{}", part(&id));
    let versions = format!("{path}/prompts");
    let (agent, versions) = try_join!(asker.get::<Agent>(&path), asker.all::<Version>(&versions, &[]))?;
    let chosen = |given: &str, otherwise: u32| given.parse().unwrap_or(otherwise);
    let b = chosen(&query.b, agent.prompt_version);
    let a = chosen(&query.a, b.saturating_sub(1).max(1));
    let (then, now) = try_join!(text(&asker, &id, a), text(&asker, &id, b))?;
    let numbers: Vec<_> = versions.iter().map(|version| version.version.to_string()).collect();
    let names: Vec<_> = numbers.iter().map(|number| format!("Version {number}")).collect();
    let choices: Vec<_> = numbers
        .iter()
        .map(String::as_str)
        .zip(names.iter().map(String::as_str))
        .collect();
    let here = format!("/agents/{}", agent.id);
    let title = format!("Prompts of {}", agent.name);
    let content = html! {
        (head(&title, "Two versions, and what differs between them.", &html! { a.button href=(here) { "The agent" } }))
        form.card method="get" action={ (here) "/compare" } {
            div.fields {
                (choice_field("a", "From", &a.to_string(), &choices))
                (choice_field("b", "To", &b.to_string(), &choices))
                button type="submit" { "Compare" }
            }
        }
        section.card aria-labelledby="difference-title" {
            h2 id="difference-title" { "From version " (then.version) " to version " (now.version) }
            (difference::draw(&then.prompt, &now.prompt))
            @for text in [&then, &now] { (data(&format!("The whole of version {}", text.version), &text.prompt.as_str().into())) }
            @if then.version != agent.prompt_version {
                div {
                    (Button::new(&format!("{here}/restore"), &format!("Go back to version {}", then.version))
                        .with(&[("version", &then.version.to_string())]).leads_on().draw(&asker))
                }
            }
        }
    };
    Ok(layout::page(&asker, &title, &content))
}

async fn text(asker: &Asker, agent: &str, version: u32) -> Result<Text, Failure> {
    asker
        .get(&format!("/api/agents/{}/prompts/{version}", part(agent)))
        .await
}

/// Goes back to a version, after its reader has seen what that makes different.
#[handler]
pub(crate) async fn restore(Path(id): Path<String>, form: Form) -> Result<Response, Failure> {
    let path = format!("/api/agents/{}", part(&id));
    let number = form.needed("version")?;
    let number: u32 =
        (number.parse()).map_err(|_| Failure::Wrong("The version is a whole number, such as 3.".to_owned()))?;
    let (agent, old) = try_join!(form.asker.get::<Agent>(&path), text(&form.asker, &id, number))?;
    let here = format!("/agents/{}", agent.id);
    let (action, title) = (
        format!("{here}/restore"),
        format!("Back to version {number} of {}", agent.name),
    );
    let change = Change::between("prompt", "Prompt", &agent.prompt, &old.prompt, form.raw("was.prompt"));
    let review = Review {
        title: &title,
        action: &action,
        leave: &here,
        changes: change.into_iter().collect(),
        along: &[("version", form.needed("version")?)],
        form: None,
    };
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    let path = format!("{path}/prompts/{number}/restore");
    form.send(Method::POST, &path, Some(&serde_json::json!({}))).await?;
    Ok(Redirect::to(&here).into_response())
}
