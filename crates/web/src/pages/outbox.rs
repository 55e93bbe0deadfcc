//! The outbox: answers that wait to be sent, and those that could not be; each is sent again or given up by a button.

use axum::{http::Method, response::Redirect};
use clifford_core::clock::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, title, when},
        layout,
        parts::{Button, Tone, badge, choice_field, empty, head, older, short},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undelivered {
    id: String,
    platform: String,
    channel_name: Option<String>,
    run_id: Option<String>,
    content: String,
    status: String,
    attempts: u32,
    #[serde(default)]
    error: Option<String>,
    created_at: At,
}

/// Those that could not be delivered since a moment, the newest first, for the start page.
pub(crate) async fn failed_since(asker: &Asker, since: Timestamp, few: usize) -> Result<Vec<Undelivered>, Failure> {
    let limit = few.to_string();
    let path = with_query("/api/outbox", &[("failed", "true"), ("limit", &limit)]);
    let found: Option<Page<Undelivered>> = asker.find(&path).await?;
    let mut newest = found.unwrap_or_default().items;
    newest.retain(|message| message.created_at.0 >= since);
    Ok(newest)
}

/// The same as a part of a page.
pub(crate) fn draw(asker: &Asker, failed: &[Undelivered]) -> Markup {
    html! {
        @if !failed.is_empty() {
            section.card aria-labelledby="unsent-title" {
                header { h2 id="unsent-title" { "Could not be delivered in the last day" } a.small href="/outbox?failed=true" { "All" } }
                ul.list { @for message in failed { (line(asker, message)) } }
            }
        }
    }
}

/// Those that are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct OutboxQuery {
    failed: String,
    before: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<OutboxQuery>) -> Result<Markup, Failure> {
    let filters = [("failed", wanted.failed.as_str())];
    let all = [("failed", wanted.failed.as_str()), ("before", wanted.before.as_str())];
    let page: Page<Undelivered> = asker.get(&with_query("/api/outbox", &all)).await?;
    let content = html! {
        (head("Outbox", "Answers that are not delivered yet, or could not be.", &html! {}))
        form.card method="get" action="/outbox" {
            div.fields {
                (choice_field("failed", "Which", &wanted.failed, &[("", "All"), ("true", "Failed"), ("false", "Waiting")]))
                button type="submit" { "Show" }
            }
        }
        section id="outbox" data-live aria-label="Messages" {
            @if page.items.is_empty() {
                (empty("Everything is delivered", &html! { "What a platform does not take at once waits here, and is sent when it does." }))
            } @else {
                div.card { ul.list { @for message in &page.items { (line(&asker, message)) } } }
                (older("/outbox", &filters, page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Outbox", &content))
}

fn line(asker: &Asker, message: &Undelivered) -> Markup {
    let failed = message.status == "failed";
    let action = |name: &str| format!("/outbox/{}/{name}", message.id);
    html! {
        li {
            div.about {
                span.clamp { (words(&short(&message.content, 300))) }
                div.small.quiet.row {
                    span { "to " (words(&short(message.channel_name.as_deref().unwrap_or("a chat"), 60))) " on " (words(&title(&message.platform))) }
                    span { (when(message.created_at, asker.now())) }
                    @if message.attempts > 0 { span { (message.attempts) @if message.attempts == 1 { " attempt" } @else { " attempts" } } }
                    @if let Some(run) = &message.run_id { a href={ "/runs/" (run) } { "its run" } }
                }
                @if let Some(error) = &message.error { div.small { (words(error)) } }
            }
            div.row {
                @if failed {
                    (badge(Tone::Bad, "failed"))
                    (Button::new(&action("resend"), "Send again").main().draw(asker))
                } @else {
                    (badge(Tone::Calm, "waits"))
                    (Button::new(&action("give-up"), "Give up").danger("Give this answer up? It is not sent.").draw(asker))
                }
            }
        }
    }
}

/// Sends one again, or gives it up.
#[handler]
pub(crate) async fn act(Path((id, action)): Path<(String, String)>, form: Form) -> Result<Redirect, Failure> {
    if !matches!(action.as_str(), "resend" | "give-up") {
        return Err(Failure::Wrong(format!("A message knows no “{action}”.")));
    }
    let path = format!("/api/outbox/{}/{action}", part(&id));
    form.send(Method::POST, &path, None).await?;
    Ok(Redirect::to(form.back("/outbox")))
}
