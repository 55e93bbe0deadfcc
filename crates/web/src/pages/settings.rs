//! Settings: of the bot, a person, a place; what is inherited is shown. And the browsers in which the reader is logged in.

use axum::{
    extract::{Path, Query},
    http::Method,
    response::Redirect,
};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    backend::{Asker, Page, part, with_query},
    failure::Failure,
    form::Form,
    view::{
        clean,
        format::{At, title, when},
        layout,
        parts::{Button, empty, head, short},
        words,
    },
};

#[derive(Deserialize)]
struct Setting {
    name: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    inherited: Value,
    #[serde(default)]
    values: Vec<String>,
    description: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    id: String,
    user_agent: Option<String>,
    created_at: At,
    seen_at: At,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    id: String,
    name: String,
    scopes: Vec<String>,
    created_at: At,
    revoked_at: Option<At>,
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
    let (page, sessions, tokens) = try_join!(
        asker.get::<Page<Setting>>(&path),
        asker.find::<Page<Session>>("/api/sessions"),
        asker.find::<Page<Token>>("/api/tokens")
    )?;
    let about = match scope.split(':').next() {
        Some("user") => "Of one person.",
        Some("channel") => "Of one channel.",
        Some("space") => "Of one server or group.",
        _ => "Of the whole bot. A place or a person may have others.",
    };
    let content = html! {
        (head("Settings", about, &html! {
            @if !is_person { a.button href="/settings?scope=bot" { "Bot" } }
            @if let Some(own) = own.filter(|own| *own != scope) { a.button href={ "/settings?scope=" (own) } { "Mine" } }
        }))
        section.card aria-label="Settings" {
            ul.list { @for setting in &page.items { (line(&asker, &scope, setting)) } }
        }
        (browsers(&asker, &sessions.unwrap_or_default().items))
        @if let Some(tokens) = tokens { (programs(&asker, &tokens.items)) }
    };
    Ok(layout::page(&asker, "Settings", &content))
}

fn line(asker: &Asker, scope: &str, setting: &Setting) -> Markup {
    let action = format!("/settings/{}/{}", part(scope), part(&setting.name));
    let (here, default) = (plain(&setting.value), plain(&setting.inherited));
    let (id, hint) = (format!("set-{}", setting.name), format!("hint-{}", setting.name));
    html! {
        li {
            div.about {
                label.label for=(id) { (words(&title(&setting.name))) }
                div.small.quiet id=(hint) { (words(&setting.description)) }
            }
            form.row.pair method="post" action=(action) data-inplace data-said="Saved." {
                (layout::token(asker))
                input type="hidden" name="back" value=(asker.path);
                input type="hidden" name="was" value=(clean(&here));
                div.field.choice {
                    @if setting.values.is_empty() {
                        input id=(id) name="value" value=(clean(&here)) placeholder=(if default.is_empty() { "not set here".to_owned() } else { clean(&default) }) aria-describedby=(hint) autocomplete="off";
                    } @else {
                        select id=(id) name="value" aria-describedby=(hint) {
                            option value="" selected[here.is_empty()] {
                                @if default.is_empty() { "Not set here" } @else { "As inherited: " (clean(&named(&default))) }
                            }
                            @for value in &setting.values {
                                option value=(clean(value)) selected[*value == here] { (clean(&named(value))) }
                            }
                        }
                    }
                }
                button type="submit" { "Save" }
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

/// What a browser says of itself, in two words; the whole stands in the title.
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

fn programs(asker: &Asker, tokens: &[Token]) -> Markup {
    let good: Vec<_> = tokens.iter().filter(|token| token.revoked_at.is_none()).collect();
    html! {
        section.card id="tokens" data-live aria-labelledby="tokens-title" {
            h2 id="tokens-title" { "Tokens of programs" }
            @if good.is_empty() {
                (empty("No tokens", &html! { code { "clifford token create" } " makes one, for a program that uses the API." }))
            } @else {
                ul.list {
                    @for token in good {
                        li {
                            div.about {
                                strong { (words(&token.name)) }
                                div.small.quiet { (words(&token.scopes.join(", "))) " · since " (when(token.created_at, asker.now())) }
                            }
                            (Button::new(&format!("/tokens/{}/revoke", token.id), "Revoke").danger("Revoke this token? Its program stops working.").draw(asker))
                        }
                    }
                }
            }
        }
    }
}

/// Revokes a token.
pub(crate) async fn revoke(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/tokens/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to("/settings"))
}

/// Saves one setting; blank: what is inherited holds again. A change by somebody else meanwhile is told.
pub(crate) async fn change(Path((scope, name)): Path<(String, String)>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/settings/{}/{}", part(&scope), part(&name));
    let now: Setting = form.asker.get(&path).await?;
    if plain(&now.value) != form.field("was").unwrap_or_default() {
        let why = format!("Somebody changed “{name}” while you did; load the page again to see it.");
        return Err(Failure::Wrong(why));
    }
    match form.field("value") {
        None if now.value.is_null() => Value::Null,
        None => form.send(Method::DELETE, &path, None).await?,
        Some(value) => form.send(Method::PUT, &path, Some(&json!({ "value": value }))).await?,
    };
    let here = with_query("/settings", &[("scope", &scope)]);
    Ok(Redirect::to(form.back(&here)))
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
