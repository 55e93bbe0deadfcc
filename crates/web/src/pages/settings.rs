//! Settings: of the bot, a person, a place; what is inherited is shown. And the browsers in which the reader is logged
//! in, and their passkeys.

use axum::{
    extract::{Path, Query},
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::passkeys::{self, Passkey};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    form::Form,
    view::{
        clean,
        format::{At, title, when},
        layout,
        parts::{Button, empty, head, seen, short},
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

    /// What holds without a value of its own; where it comes from stands beside it.
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    id: String,
    user_agent: Option<String>,
    created_at: At,
    seen_at: At,
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
    let (page, sessions, passkeys, about) = try_join!(
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
        (browsers(&asker, &sessions.unwrap_or_default().items))
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

/// A browser's own name, in two words; the whole stands in the title.
fn browser(agent: Option<&str>) -> String {
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Chromium/", "Chromium"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let Some(agent) = agent else {
        return "A browser without a name".to_owned();
    };
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(part, _)| agent.contains(part));
        found.map(|(_, name)| *name)
    };
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        _ => short(agent, 90),
    }
}

fn browsers(asker: &Asker, sessions: &[Session]) -> Markup {
    html! {
        section.card id="sessions" data-live aria-labelledby="sessions-title" {
            h2 id="sessions-title" { "Logged in" }
            @if sessions.is_empty() {
                (empty("No browser is logged in", &html! { "A link of " code { "clifford login" } " lets one in." }))
            } @else {
                ul.list {
                    @for session in sessions {
                        li {
                            div.about {
                                span title=[session.user_agent.as_deref().map(clean)] { (words(&browser(session.user_agent.as_deref()))) }
                                div.small.quiet { "since " (when(session.created_at, asker.now())) ", last used " (when(session.seen_at, asker.now())) }
                            }
                            (Button::new(&format!("/sessions/{}/end", session.id), "Log out").danger("Log this browser out?").draw(asker))
                        }
                    }
                }
            }
        }
    }
}

/// Saves what was changed, after its writer has seen the difference. Blank: what is inherited holds again.
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

/// Logs a browser out.
pub(crate) async fn end(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/sessions/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to("/settings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_told_in_two_words() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
                "Chrome on Linux",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 Version/19.1 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.9", "curl/8.9"),
        ] {
            assert_eq!(browser(Some(agent)), expected);
        }
        assert_eq!(browser(None), "A browser without a name");
    }
}
