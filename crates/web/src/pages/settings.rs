//! Settings: of the bot, a person, a place; what is inherited is shown. Below them stand sessions and passkeys.

use axum::{
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    passkeys::{self, Passkey},
    sessions::{self, Session},
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    form::Form,
    handler,
    extract::Query,
    view::{
        clean,
        format::title,
        layout,
        parts::{head, seen},
        review::{Change, Review},
        with_code, words,
    },
};

#[derive(Deserialize)]
struct Setting {
    name: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    inherited: Value,
    #[serde(default, rename = "inheritedFrom")]
    inherited_from: Option<String>,
    #[serde(default)]
    values: Vec<String>,
    description: String,
}

impl Setting {
    /// Where its inherited value comes from, in words.
    fn origin(&self) -> &'static str {
        let from = self.inherited_from.as_deref().unwrap_or_default();
        match from.split(':').next().unwrap_or_default() {
            "configuration" => "bot.toml",
            "platform" => "their app",
            "bot" => "the bot",
            "space" => "the server or group",
            "channel" => "the channel around it",
            _ => "",
        }
    }

    fn said(&self, value: &str) -> String {
        if self.values.is_empty() {
            value.to_owned()
        } else {
            named(value)
        }
    }

    /// The value that holds without one of its own; where it comes from stands beside it.
    fn blank(&self) -> String {
        match plain(&self.inherited).as_str() {
            "" => "Not set here".to_owned(),
            inherited => format!("Inherited: {}", self.said(inherited)),
        }
    }

    /// A value of it as people say it; blank: what is inherited.
    fn told(&self, value: &str) -> String {
        match (value, plain(&self.inherited).as_str()) {
            ("", "") => "Not set here".to_owned(),
            ("", inherited) => match self.origin() {
                "" => format!("As inherited: {}", self.said(inherited)),
                origin => format!("As inherited: {}, by {origin}", self.said(inherited)),
            },
            (value, _) => self.said(value),
        }
    }
}

/// Something with a name.
#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

/// Of what.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    scope: String,
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Query(wanted): Query<Wanted>) -> Result<Markup, Failure> {
    let own = asker
        .me()
        .and_then(|me| me.user_id.clone())
        .map(|id| format!("user:{id}"));
    let is_person = asker.me().is_some_and(|me| me.role == "person");
    let scope = match (wanted.scope.as_str(), &own) {
        ("", Some(own)) if is_person => own.clone(),
        ("", _) => "bot".to_owned(),
        (scope, _) => scope.to_owned(),
    };
    let path = with_query("/api/settings", &[("scope", &scope)]);
    let (page, logged_in, passkeys, about) = try_join!(
        asker.get::<Page<Setting>>(&path),
        asker.find::<Page<Session>>("/api/sessions"),
        asker.find::<Page<Passkey>>("/api/passkeys"),
        whose(&asker, &scope)
    )?;
    let content = html! {
        (head("Settings", &about, &html! {
            @if !is_person && scope != "bot" { a.button href=(with_query("/tools", &[("scope", &scope)])) { "Tools here" } }
            @if !is_person && scope != "bot" { a.button href="/settings?scope=bot" { "Bot" } }
            @if let Some(own) = own.filter(|own| *own != scope) { a.button href={ "/settings?scope=" (own) } { "Mine" } }
        }))
        section.card aria-label="Settings" {
            (fields(&asker, &scope, &page.items, |setting| plain(&setting.value)))
        }
        (sessions::section(&asker, &logged_in.unwrap_or_default().items))
        (passkeys::section(&asker, &passkeys.unwrap_or_default().items))
    };
    Ok(layout::page(&asker, "Settings", &content))
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

/// The form of all settings of a scope.
fn fields(asker: &Asker, scope: &str, settings: &[Setting], value: impl Fn(&Setting) -> String) -> Markup {
    html! {
        form.stack method="post" action="/settings" {
            (layout::token(asker))
            input type="hidden" name="scope" value=(clean(scope));
            ul.list { @for setting in settings { (line(setting, &value(setting))) } }
            div.save { button.main type="submit" { "Show the difference" } span.small.quiet { "Nothing is saved before you have seen it." } }
        }
    }
}

fn line(setting: &Setting, value: &str) -> Markup {
    let (here, inherited) = (plain(&setting.value), setting.blank());
    let origin = if setting.inherited.is_null() {
        ""
    } else {
        setting.origin()
    };
    let (id, hint) = (format!("set-{}", setting.name), format!("hint-{}", setting.name));
    let name = format!("set.{}", setting.name);
    html! {
        li {
            div.about {
                label.label for=(id) { (words(&title(&setting.name))) }
                div.small.quiet id=(hint) {
                    (with_code(&setting.description))
                    @if !origin.is_empty() { " Inherited from " (origin) "." }
                }
            }
            div.field.narrow {
                (seen(&name, &here))
                @if setting.values.is_empty() {
                    input id=(id) name=(name) value=(clean(value)) placeholder=(clean(&inherited)) aria-describedby=(hint) autocomplete="off";
                } @else {
                    select id=(id) name=(name) aria-describedby=(hint) {
                        option value="" selected[value.is_empty()] { (clean(&inherited)) }
                        @for one in &setting.values {
                            option value=(clean(one)) selected[one.as_str() == value] { (clean(&named(one))) }
                        }
                    }
                }
            }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value as people say it.
fn named(value: &str) -> String {
    match value {
        "true" => "On".to_owned(),
        "false" => "Off".to_owned(),
        other => title(other),
    }
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
        form: Some(fields(&form.asker, scope, &page.items, given)),
    };
    if !review.is_sure(&form) {
        return Ok(review.show(&form.asker));
    }
    for Change { name, now, .. } in &review.changes {
        let name = name.trim_start_matches("set.");
        let path = format!("/api/settings/{}/{}", part(scope), part(name));
        match now.as_str() {
            "" => form.send(Method::DELETE, &path, None).await?,
            value => form.send(Method::PUT, &path, Some(&json!({ "value": value }))).await?,
        };
    }
    Ok(Redirect::to(&here).into_response())
}
