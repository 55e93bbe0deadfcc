//! Reminders, and runs by the clock or a webhook: what comes next, and what came of it.

mod form;

use axum::{http::Method, response::Redirect};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

pub(super) use self::form::make;
use super::names::Names;
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, title, when, when_exactly},
        layout,
        parts::{Button, Tone, badge, empty, head, older, short},
        words,
    },
};

/// The form's words for a trigger that is to come by itself, and one that is not.
const ON: &str = "on";
pub(super) const OFF: &str = "off";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trigger {
    id: String,
    kind: String,
    user_id: Option<String>,
    name: Option<String>,
    content: String,
    cron: Option<String>,
    time_zone: Option<String>,
    webhook: bool,
    enabled: bool,
    next_at: Option<At>,
    last_fired_at: Option<At>,
    last_error: Option<String>,
}

/// Those that are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RemindersQuery {
    before: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<RemindersQuery>) -> Result<Markup, Failure> {
    let path = with_query("/api/triggers", &[("before", &wanted.before)]);
    let (page, mut people) = try_join!(asker.get::<Page<Trigger>>(&path), Names::of_people(&asker))?;
    let owners = page.items.iter().map(|trigger| trigger.user_id.as_deref());
    people.complete_people(&asker, owners).await?;
    let content = html! {
        (head("Reminders", "What happens by the clock: reminders, and runs that begin on their own.", &html! {}))
        (form::new(&asker))
        section id="reminders" data-live aria-label="Reminders" {
            @if page.items.is_empty() {
                (empty("Nothing is planned", &html! { "Say “remind me tomorrow at 9 to …” in " a href="/chat" { "a chat" } "." }))
            } @else {
                div.card {
                    ul.list { @for trigger in &page.items { (line(&asker, trigger, &people)) } }
                }
                (older("/reminders", &[], page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Reminders", &content))
}

fn line(asker: &Asker, trigger: &Trigger, people: &Names) -> Markup {
    let path = format!("/reminders/{}", trigger.id);
    html! {
        li {
            div.about {
                span.clamp { (words(&short(trigger.name.as_deref().unwrap_or(&trigger.content), 300))) }
                div.small.quiet.row {
                    span { (title(&trigger.kind)) }
                    @if let Some(at) = trigger.next_at.filter(|_| trigger.enabled) {
                        span { "next " (when_exactly(at, asker.now())) }
                    }
                    @if let Some(cron) = &trigger.cron {
                        span { code { (words(cron)) } " " (words(trigger.time_zone.as_deref().unwrap_or_default())) }
                    }
                    @if let (Some(user), true) = (&trigger.user_id, is_of_others(asker, trigger)) { span { "for " (people.show(Some(user))) } }
                    @if let Some(at) = trigger.last_fired_at { span { "last " (when(at, asker.now())) } }
                }
                @if let Some(error) = &trigger.last_error { div.small { (badge(Tone::Bad, "failed")) " " (words(error)) } }
                @if trigger.kind != "wake" { (form::change(asker, trigger)) }
            }
            div.row {
                @if !trigger.enabled { (badge(Tone::Plain, "off")) }
                (buttons(asker, &trigger.id, turn(trigger)))
                (Button::new(&path, "Delete").danger("Delete this for good?").with(&[("do", "delete")]).draw(asker))
            }
        }
    }
}

/// The form's word by which one comes by itself no more, or again. `None`: its one time is gone, so it needs another first.
fn turn(trigger: &Trigger) -> Option<&'static str> {
    if trigger.enabled {
        Some(OFF)
    } else {
        (trigger.webhook || trigger.cron.is_some()).then_some(ON)
    }
}

/// The buttons by which one happens now, and comes or does not come by itself.
pub(super) fn buttons(asker: &Asker, id: &str, turn: Option<&str>) -> Markup {
    let path = format!("/reminders/{id}");
    html! {
        div.row {
            (Button::new(&path, "Fire now").with(&[("do", "fire")]).draw(asker))
            @if let Some(turn) = turn {
                @let label = if turn == OFF { "Turn off" } else { "Turn on" };
                (Button::new(&path, label).with(&[("do", turn)]).draw(asker))
            }
        }
    }
}

/// It is another person's than the reader.
fn is_of_others(asker: &Asker, trigger: &Trigger) -> bool {
    asker.me().is_none_or(|me| me.user_id != trigger.user_id)
}

/// A button of one.
#[handler]
pub(crate) async fn act(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/triggers/{}", part(&id));
    let enabled = |on: bool| json!({ "enabled": on });
    match form.needed("do")? {
        "fire" => form.send(Method::POST, &format!("{path}/fire"), None).await?,
        "delete" => form.send(Method::DELETE, &path, None).await?,
        "change" => {
            form::save(&id, &form).await?;
            return Ok(Redirect::to("/reminders"));
        }
        turn => form.send(Method::PATCH, &path, Some(&enabled(turn == ON))).await?,
    };
    Ok(Redirect::to(form.back("/reminders")))
}
