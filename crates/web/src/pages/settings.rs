//! Settings: of the bot, a person, a place; what is inherited is shown. Below them stand sessions and passkeys.

mod fields;

use axum::{
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, json};

use self::fields::{Setting, fields, plain};
use super::{
    configuration,
    passkeys::{self, Passkey},
    sessions::{self, Session},
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::Query,
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::title,
        layout,
        parts::head,
        review::{Change, Review},
    },
};

/// Something with a name.
#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

/// Of what.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct SettingsQuery {
    scope: String,
    /// Only sessions that are older than this one.
    before: String,
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Query(wanted): Query<SettingsQuery>) -> Result<Markup, Failure> {
    let own = asker
        .me()
        .and_then(|me| me.user_id.clone())
        .map(|id| format!("user:{id}"));
    let is_person = asker.me().is_some_and(|me| me.is_person());
    let scope = match (wanted.scope.as_str(), &own) {
        ("", Some(own)) if is_person => own.clone(),
        ("", _) => "bot".to_owned(),
        (scope, _) => scope.to_owned(),
    };
    let path = with_query("/api/settings", &[("scope", &scope)]);
    let sessions = with_query("/api/sessions", &[("before", &wanted.before)]);
    let (page, logged_in, passkeys, about) = try_join!(
        asker.get::<Page<Setting>>(&path),
        asker.find::<Page<Session>>(&sessions),
        asker.find::<Page<Passkey>>("/api/passkeys"),
        whose(&asker, &scope)
    )?;
    let content = html! {
        (head("Settings", &about, &html! {
            @if !is_person && scope != "bot" || is_place(&scope) {
                a.button href=(with_query("/tools", &[("scope", &scope)])) { "Tools here" }
            }
            @if is_person && is_place(&scope) { a.button href="/channels" { "Channels" } }
            @if !is_person && scope != "bot" { a.button href="/settings?scope=bot" { "Bot" } }
            @if let Some(own) = own.filter(|own| *own != scope) { a.button href={ "/settings?scope=" (own) } { "Mine" } }
        }))
        section.card aria-label="Settings" {
            (fields(&asker, &scope, &page.items, (|setting| plain(&setting.value), None)))
        }
        @if !is_person && scope == "bot" { (configuration::section(&asker)) }
        (sessions::section(&asker, &logged_in.unwrap_or_default(), &scope))
        (passkeys::section(&asker, &passkeys.unwrap_or_default().items))
    };
    Ok(layout::page(&asker, "Settings", &content))
}

/// A server, group or channel: of a person who sees it, one that they manage.
fn is_place(scope: &str) -> bool {
    scope.starts_with("space:") || scope.starts_with("channel:")
}

/// The subject of a scope, in a sentence.
pub(super) async fn whose(asker: &Asker, scope: &str) -> Result<String, Failure> {
    let (kind, path) = match scope.split_once(':') {
        Some(("user", id)) => ("Of", format!("/api/users/{}", part(id))),
        Some(("channel", id)) => ("Of the channel", format!("/api/channels/{}", part(id))),
        Some(("space", id)) => ("Of the server or group", format!("/api/spaces/{}", part(id))),
        _ => return Ok("Of the whole bot. A place or a person may have others.".to_owned()),
    };
    let found: Option<Named> = asker.find(&path).await?;
    let name = found.and_then(|found| found.name);
    Ok(format!(
        "{kind} {}.",
        clean(name.as_deref().unwrap_or("without a name"))
    ))
}

/// Saves what was changed, after its writer has seen the difference. Blank: what is inherited holds again.
#[handler]
pub(crate) async fn change(form: Form) -> Result<Response, Failure> {
    let scope = form.needed("scope")?;
    let here = with_query("/settings", &[("scope", scope)]);
    let path = with_query("/api/settings", &[("scope", scope)]);
    let page: Page<Setting> = form.asker.get(&path).await?;
    let changes = page.items.iter().filter_map(|setting| {
        let (name, label) = (format!("set.{}", setting.name), title(&setting.name));
        let change = Change::of(&form, &name, &label, &plain(&setting.value))?;
        Some(change.told_as(|value| setting.told(value)))
    });
    let given = |setting: &Setting| {
        let given = form.raw(&format!("set.{}", setting.name));
        given.map_or_else(|| plain(&setting.value), str::to_owned)
    };
    let review = Review {
        title: "Change settings",
        action: "/settings",
        leave: &here,
        changes: changes.collect(),
        along: &[("scope", scope)],
        form: Some(fields(&form.asker, scope, &page.items, (given, None))),
    };
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    let mut new = Map::new();
    for Change { name, now, .. } in &review.changes {
        let value = Some(now.as_str()).filter(|now| !now.is_empty());
        new.insert(name.trim_start_matches("set.").to_owned(), json!(value));
    }
    let path = format!("/api/settings/{}", part(scope));
    match form.send(Method::PATCH, &path, Some(&new.into())).await {
        Ok(_) => Ok(Redirect::to(&here).into_response()),
        Err(failure) => review.refused(&form.asker, failure, |fault| {
            fields(&form.asker, scope, &page.items, (given, fault))
        }),
    }
}
