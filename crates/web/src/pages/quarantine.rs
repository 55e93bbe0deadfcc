//! Work that was set aside because processes died of it: what it is, what became of it, and a button for each way on.

use axum::{http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::{
    address::part,
    backend::{Asker, Page},
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, title, when},
        layout,
        parts::{Button, empty, head, short},
        words,
    },
};

/// How many are shown: the newest.
const SHOWN: usize = 200;

/// Work that was set aside.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Work {
    kind: String,
    id: String,
    quarantined_at: At,
    about: Option<String>,
    error: Option<String>,
    run_id: Option<String>,
}

impl Work {
    /// Its kind, as its reader says it.
    fn name(&self) -> &'static str {
        match self.kind.as_str() {
            "run" => "A run",
            "job" => "A job beside the runs",
            "message" => "A message that was to be sent",
            "trigger" => "A reminder or schedule",
            "event" => "Something that a platform handed in",
            "file" => "A file",
            _ => "Other work",
        }
    }

    /// The effect of a new try, and its needs.
    fn way_on(&self) -> &'static str {
        match self.kind.as_str() {
            "run" => {
                "A new try is a new run. Forgotten, it stays failed, and what was written for it counts as deleted."
            }
            "job" | "message" => "A new try comes at once. Forgotten, it stays failed.",
            "trigger" => "Tried again, it fires when it is next due.",
            "event" => {
                "Tried again, it is taken when its platform hands it in once more; its author may have to send it again."
            }
            _ => "Tried again, it may be read once more.",
        }
    }

    fn may_be_forgotten(&self) -> bool {
        matches!(self.kind.as_str(), "run" | "job" | "message")
    }
}

/// The newest of it for the start page, if the reader may see it.
pub(crate) async fn newest(asker: &Asker, few: usize) -> Result<Vec<Work>, Failure> {
    let found: Option<Page<Work>> = asker.find(&format!("/api/quarantine?limit={few}")).await?;
    Ok(found.unwrap_or_default().items)
}

/// The same as a part of a page.
pub(crate) fn draw(asker: &Asker, newest: &[Work]) -> Markup {
    html! {
        div id="aside" data-live {
            @if !newest.is_empty() {
                section.card aria-labelledby="aside-title" {
                    header { h2 id="aside-title" { "Set aside, because processes died of it" } a.small href="/quarantine" { "All" } }
                    ul.list { @for work in newest { (line(asker, work)) } }
                }
            }
        }
    }
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker) -> Result<Markup, Failure> {
    let page: Page<Work> = asker.get(&format!("/api/quarantine?limit={SHOWN}")).await?;
    let content = html! {
        (head("Quarantine", "Work that brought processes of the bot down, again and again. It is set aside, so that everybody else is answered.", &html! {}))
        section id="quarantine" data-live aria-label="Work that was set aside" {
            @if page.items.is_empty() {
                (empty("Nothing is set aside", &html! {
                    "No work brought a process down often enough. What does so shows here, with a button to try it again."
                }))
            } @else {
                div.card { ul.list { @for work in &page.items { (line(&asker, work)) } } }
                @if page.items.len() >= SHOWN { p.small.quiet { "These are the newest " (SHOWN) "." } }
            }
        }
        p.small.quiet { "Look into the log before a new try: it says " code { "quarantined" } " with what the process did last." }
    };
    Ok(layout::page(&asker, "Quarantine", &content))
}

fn line(asker: &Asker, work: &Work) -> Markup {
    let action = |name: &str| format!("/quarantine/{}/{name}", part(&work.id));
    html! {
        li {
            div.about {
                strong { (work.name()) }
                @if let Some(about) = &work.about {
                    " · "
                    @if work.kind == "run" { (words(&short(about, 100))) } @else { span.quiet { (words(&title(about))) } }
                }
                @if let Some(error) = &work.error { div { (words(&short(error, 300))) } }
                div.small.quiet.row {
                    span { "set aside " (when(work.quarantined_at, asker.now())) }
                    @if let Some(run) = &work.run_id { a href={ "/runs/" (part(run)) } { @if work.kind == "run" { "the run" } @else { "its run" } } }
                }
                div.small.quiet { (work.way_on()) }
            }
            div.row {
                (Button::new(&action("retry"), "Try again").main().draw(asker))
                @if work.may_be_forgotten() {
                    (Button::new(&action("forget"), "Forget").danger("Take it off the list? It stays failed.").draw(asker))
                }
            }
        }
    }
}

/// Tries one again, or takes it off the list.
#[handler]
pub(crate) async fn act(Path((id, action)): Path<(String, String)>, form: Form) -> Result<Redirect, Failure> {
    if !matches!(action.as_str(), "retry" | "forget") {
        return Err(Failure::Wrong(format!("Work in quarantine knows no “{action}”.")));
    }
    let path = format!("/api/quarantine/{}/{action}", part(&id));
    form.send(Method::POST, &path, Some(&json!({}))).await?;
    Ok(Redirect::to(form.back("/quarantine")))
}
