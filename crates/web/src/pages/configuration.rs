//! Reading the configuration again: a section of the bot's settings, and what came of it.

use axum::http::Method;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    backend::Asker,
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean, layout,
        parts::{Button, head},
    },
};

/// The settings that differed, by their keys.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    applied: Vec<String>,
    needs_restart: Vec<String>,
}

/// The section on the page of the bot's settings.
pub(super) fn section(asker: &Asker) -> Markup {
    html! {
        section.card aria-labelledby="configuration-title" {
            h2 id="configuration-title" { "Configuration" }
            p {
                "What is changed in " code { "bot.toml" } " takes effect when it is read again: agents, providers, policies, \
                 tools, limits. A file with a mistake changes nothing."
            }
            (Button::new("/reload", "Read it again").leads_on().draw(asker))
        }
    }
}

/// Reads it again, and shows what differs.
#[handler]
pub(crate) async fn reload(form: Form) -> Result<Markup, Failure> {
    let told = form.send(Method::POST, "/api/reload", None).await?;
    let changed: Changed = serde_json::from_value(told).map_err(|_| Failure::Unreadable)?;
    let about = match (changed.applied.is_empty(), changed.needs_restart.is_empty()) {
        (true, true) => "It says what it said before.",
        (true, false) => "Nothing takes effect before a restart.",
        (false, _) => "The bot goes on with it now: what is being answered is finished first.",
    };
    let content = html! {
        (head("Configuration", about, &html! { a.button href="/settings?scope=bot" { "Settings" } }))
        @if !changed.applied.is_empty() { (keys("Takes effect now", &changed.applied)) }
        @if !changed.needs_restart.is_empty() { (keys("Takes effect after a restart", &changed.needs_restart)) }
        @if !changed.applied.is_empty() {
            p.small.quiet { "If the bot cannot work with it, it goes back to what it had before, and its log says why." }
        }
        p.small.quiet {
            "This is about the process that serves this page. Others on the same database read theirs at a SIGHUP."
        }
    };
    Ok(layout::page(&form.asker, "Configuration", &content))
}

fn keys(title: &str, keys: &[String]) -> Markup {
    html! {
        section.card aria-label=(title) {
            h2 { (title) }
            ul.list { @for key in keys { li { code { (clean(key)) } } } }
        }
    }
}
