//! The memory of a person: listed, changed, pinned, shared and forgotten, with where it comes from; and what the
//! writer did last.

mod levels;
mod writer;

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use clifford_core::memory::levels::MODULES;
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{conversations::to_message, names::Names};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{At, title, when},
        layout,
        parts::{Button, Fault, Tone, badge, choice_field, empty, head, older, seen},
        review::{Change, Review},
        with_code, words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    id: String,
    user_id: String,
    level: i64,
    module: String,
    key: String,
    value: String,
    context_id: Option<String>,
    origin_space: Option<String>,
    shareable: bool,
    pinned: bool,
    archived: bool,
    last_seen_at: At,
}

/// Where an item comes from.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    context_id: Option<String>,
    message_id: Option<String>,
}

/// The filters and the page of the list.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct MemoryQuery {
    user_id: String,
    q: String,
    module: String,
    level: String,
    archived: String,
    before: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(query): Query<MemoryQuery>) -> Result<Markup, Failure> {
    let filters = [
        ("userId", query.user_id.as_str()),
        ("q", query.q.trim()),
        ("module", query.module.as_str()),
        ("level", query.level.as_str()),
        ("archived", query.archived.as_str()),
    ];
    // Items in use are shown unless archived ones are asked for.
    let archived = if query.archived == "true" { "true" } else { "false" };
    let asked = filters.map(|(name, value)| (name, if name == "archived" { archived } else { value }));
    let all: Vec<_> = asked.into_iter().chain([("before", query.before.as_str())]).collect();
    let (items, jobs) = (
        with_query("/api/memories", &all),
        with_query("/api/memories/jobs", &[("userId", &query.user_id), ("limit", "5")]),
    );
    let own = asker.me().filter(|me| me.is_person()).and_then(|me| me.user_id.clone());
    let person = Some(query.user_id.clone()).filter(|person| !person.is_empty()).or(own);
    let (page, jobs, people) = try_join!(
        asker.get::<Page<Item>>(&items),
        asker.find::<Page<writer::Write>>(&jobs),
        Names::of_people_with(&asker, &query.user_id)
    )?;
    let filled = match &person {
        Some(person) => Some(levels::of(&asker, person).await?),
        None => None,
    };
    let all_levels = levels::choices();
    let of_level: Vec<_> = all_levels
        .iter()
        .map(|(level, name)| (level.as_str(), name.as_str()))
        .collect();
    let modules = MODULES.map(|module| (module, title(module)));
    let of_module: Vec<_> = [("", "Everything")]
        .into_iter()
        .chain(modules.iter().map(|(module, name)| (*module, name.as_str())))
        .collect();
    let about = match asker.is_person() {
        true => "What the bot remembers of you, and shows to the model when it answers you.",
        false => "What the bot remembers of people, and shows to the model when it answers them.",
    };
    let content = html! {
        (head("Memory", about, &html! {}))
        form.card method="get" action="/memory" role="search" {
            div.fields {
                div.field { label for="q" { "Words" } input type="search" id="q" name="q" value=(clean(&query.q)) autocomplete="off"; }
                @if people.choices().len() > 1 { (people.person_field("userId", "Person", &query.user_id, "Everybody")) }
                (choice_field("module", "About", &query.module, &of_module))
                (choice_field("level", "Level", &query.level, &of_level))
                (choice_field("archived", "Which", &query.archived, &[("", "In use"), ("true", "Archived")]))
                button type="submit" { "Show" }
            }
        }
        section id="memory" data-live aria-label="Items" {
            @if page.items.is_empty() {
                (empty("Nothing is remembered here", &html! {
                    "The bot notes what matters when a conversation closes. Say “remember that …” to have it noted at once."
                }))
            } @else {
                div.stack { @for item in &page.items { (card(&asker, item, &people)) } }
                (older("/memory", &filters, page.next.as_deref()))
            }
        }
        @if let Some(filled) = filled { (levels::draw(filled)) }
        @if let Some(jobs) = jobs.filter(|jobs| !jobs.items.is_empty()) {
            (writer::draw(&asker, &jobs.items, &people))
        }
    };
    Ok(layout::page(&asker, "Memory", &content))
}

fn card(asker: &Asker, item: &Item, people: &Names) -> Markup {
    let action = format!("/memory/{}", item.id);
    let (pin, share, archive) = (
        if item.pinned { "false" } else { "true" },
        if item.shareable { "false" } else { "true" },
        if item.archived { "false" } else { "true" },
    );
    html! {
        article.card {
            div.row.apart {
                div { span.quiet { (words(&title(&item.module))) " · " } strong { (words(&item.key)) } }
                div.row {
                    @if item.pinned { (badge(Tone::Calm, "pinned")) }
                    (seen_by(item, asker.is_person()))
                    @if item.archived { (badge(Tone::Plain, "archived")) }
                }
            }
            p { (words(&item.value)) }
            p.small.quiet.row {
                @if !asker.is_person() { span { "of " (people.show(Some(&item.user_id))) } }
                span { "came up " (when(item.last_seen_at, asker.now())) }
                span { (lasting(item.level)) }
                @if item.context_id.is_some() { a href={ "/memory/" (item.id) "/source" } { "where it was said" } }
                @else { span { "noted by hand, or by a call" } }
            }
            div.row {
                (Button::new(&action, if item.pinned { "Unpin" } else { "Pin" }).with(&[("pinned", pin)]).draw(asker))
                (Button::new(&action, if item.shareable { "Keep private" } else { "Share" }).with(&[("shareable", share)]).draw(asker))
                (Button::new(&action, if item.archived { "Use again" } else { "Archive" }).with(&[("archived", archive)]).draw(asker))
                (Button::new(&format!("{action}/forget"), "Forget").danger("Forget this for good?").draw(asker))
            }
            details id={ "edit-" (item.id) } {
                summary { "Edit" }
                (edit(asker, item, &asker.path, (&item.value, None)))
            }
        }
    }
}

/// The people to whom the bot may tell an item; of the reader's own: to the reader.
fn seen_by(item: &Item, is_own: bool) -> Markup {
    let alone = if is_own {
        "told to you alone"
    } else {
        "told to them alone"
    };
    match (item.shareable, &item.origin_space) {
        (true, _) => badge(Tone::Warn, "may be told anywhere"),
        (false, Some(_)) => badge(Tone::Calm, "told in its group, too"),
        (false, None) => badge(Tone::Good, alone),
    }
}

/// How long it is meant to be kept, in words.
const fn lasting(level: i64) -> &'static str {
    match level {
        0 => "lasts",
        1 | 2 => "kept for long",
        3 | 4 => "kept while it matters",
        _ => "a detail of the moment",
    }
}

/// Leads to the message that an item comes from; where none is known, to its conversation.
#[handler]
pub(crate) async fn source(asker: Asker, Path(id): Path<String>) -> Result<Redirect, Failure> {
    let source: Source = asker.get(&format!("/api/memories/{}/source", part(&id))).await?;
    let to = match (source.context_id, source.message_id) {
        (Some(context), Some(message)) => to_message(&context, &message),
        (Some(context), None) => format!("/conversations/{}", part(&context)),
        (None, _) => "/memory".to_owned(),
    };
    Ok(Redirect::to(&to))
}

/// Changes an item. The differences that a new text makes are shown first.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Response, Failure> {
    let path = format!("/api/memories/{}", part(&id));
    let mut change = json!({});
    for name in ["pinned", "shareable", "archived"] {
        if let Some(value) = form.field(name) {
            change[name] = json!(value == "true");
        }
    }
    let back = form.back("/memory");
    if form.raw("value").is_some() {
        let item: Item = form.asker.get(&path).await?;
        let action = format!("/memory/{}", item.id);
        let text = form.field("value").unwrap_or_default();
        let review = Review {
            title: "Change a memory",
            action: &action,
            leave: back,
            changes: Change::of(&form, "value", &item.key, &item.value).into_iter().collect(),
            along: &[("back", back)],
            form: Some(edit(&form.asker, &item, back, (text, None))),
        };
        let again = |fault: Option<Fault<'_>>| edit(&form.asker, &item, back, (text, fault));
        if text.is_empty() {
            return review.refused(&form.asker, Failure::Missing("value"), again);
        }
        if !review.is_sure(&form) {
            return Ok(review.show(&form.asker));
        }
        for Change { now, .. } in &review.changes {
            change["value"] = json!(now);
        }
        return match form.send(Method::PATCH, &path, Some(&change)).await {
            Ok(_) => Ok(Redirect::to(back).into_response()),
            Err(failure) => review.refused(&form.asker, failure, again),
        };
    }
    form.send(Method::PATCH, &path, Some(&change)).await?;
    Ok(Redirect::to(back).into_response())
}

/// The form for another text.
fn edit(asker: &Asker, item: &Item, back: &str, (text, fault): (&str, Option<Fault<'_>>)) -> Markup {
    let field = format!("value-{}", item.id);
    let why = fault.filter(|(name, _)| *name == "value").map(|(_, why)| why);
    html! {
        form.stack method="post" action={ "/memory/" (item.id) } {
            (layout::token(asker))
            input type="hidden" name="back" value=(back);
            (seen("value", &item.value))
            label for=(field) { "Text" }
            textarea id=(field) name="value" required aria-invalid=[why.map(|_| "true")] autofocus[why.is_some()]
                aria-describedby=[why.map(|_| format!("{field}-fault"))] { (clean(text)) }
            @if let Some(why) = why { span.hint id={ (field) "-fault" } { strong { (with_code(why)) } } }
            div { button.main type="submit" { "Show the difference" } }
        }
    }
}

/// Forgets one.
#[handler]
pub(crate) async fn forget(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/memories/{}", part(&id));
    form.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to(form.back("/memory")))
}
