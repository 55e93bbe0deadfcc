//! Tokens of the API: for programs. Made here and shown once, listed without themselves, and revoked.

use axum::{http::Method, response::Redirect};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::names::Names;
use crate::{
    address::part,
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{At, when},
        layout,
        parts::{Button, Tone, badge, empty, head, needed_field},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    id: String,
    name: String,
    scopes: Vec<String>,
    user_id: Option<String>,
    created_at: At,
    revoked_at: Option<At>,
}

/// A token that was just made.
#[derive(Deserialize)]
struct Made {
    name: String,
    scopes: Vec<String>,
    token: String,
}

const SCOPES: [(&str, &str); 3] = [
    ("read", "Look: what its person may see"),
    ("write", "Write to the bot, and change what is its person's"),
    ("admin", "Act for anybody, and change what is the bot's"),
];

/// For whom a new one is to be.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TokensQuery {
    user: String,
}

/// The list, and a form for a new one.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<TokensQuery>) -> Result<Markup, Failure> {
    let (page, mut people) = try_join!(
        asker.get::<Page<Token>>("/api/tokens"),
        Names::of_people_with(&asker, &wanted.user)
    )?;
    let owners = page.items.iter().map(|token| token.user_id.as_deref());
    people.complete_people(&asker, owners).await?;
    let (used, revoked): (Vec<_>, Vec<_>) = page.items.iter().partition(|token| token.revoked_at.is_none());
    let content = html! {
        (head("Tokens", "For programs that use the API in somebody's name.", &html! { a.button href="/api/docs" { "The API" } }))
        section.card id="tokens" data-live aria-labelledby="tokens-title" {
            h2 id="tokens-title" { "In use" }
            @if used.is_empty() {
                (empty("No tokens", &html! { "Make one below for a program, and give the program that." }))
            } @else {
                ul.list { @for token in used.iter().rev() { (line(&asker, token, &people)) } }
            }
            @if !revoked.is_empty() {
                details {
                    summary { "Revoked: " (revoked.len()) }
                    ul.list { @for token in revoked.iter().rev() { (line(&asker, token, &people)) } }
                }
            }
        }
        (form(&asker, &people, &wanted.user))
    };
    Ok(layout::page(&asker, "Tokens", &content))
}

fn line(asker: &Asker, token: &Token, people: &Names) -> Markup {
    html! {
        li {
            div.about {
                strong { (words(&token.name)) }
                div.small.quiet.row {
                    span {
                        "of "
                        @if token.user_id.is_some() { (people.show(token.user_id.as_deref())) } @else { "the operator" }
                    }
                    span { "made " (when(token.created_at, asker.now())) }
                    @if let Some(at) = token.revoked_at { span { "revoked " (when(at, asker.now())) } }
                }
            }
            div.row {
                @for scope in &token.scopes { (badge(tone(scope), scope)) }
                @if token.revoked_at.is_none() {
                    (Button::new(&format!("/tokens/{}/revoke", token.id), "Revoke").danger("Revoke this token? Its program stops working.").draw(asker))
                }
            }
        }
    }
}

fn tone(scope: &str) -> Tone {
    match scope {
        "admin" => Tone::Warn,
        "write" => Tone::Calm,
        _ => Tone::Plain,
    }
}

fn form(asker: &Asker, people: &Names, user: &str) -> Markup {
    let is_owner = asker.me().is_none_or(|me| !me.is_person());
    let scopes = SCOPES.iter().filter(|(scope, _)| is_owner || *scope != "admin");
    html! {
        section.card aria-labelledby="new-title" {
            h2 id="new-title" { "New token" }
            form.stack method="post" action="/tokens" {
                (layout::token(asker))
                div.fields {
                    (needed_field("name", "Name", "", "The program that gets it, such as: backup of the laptop"))
                    @if is_owner { (people.person_field("user", "Whose it is", user, "The operator: sees everything")) }
                }
                fieldset {
                    legend.label { "What it may do" }
                    @for (scope, about) in scopes {
                        label.check {
                            input type="checkbox" name={ "scope." (scope) } value="yes" checked[*scope == "read"];
                            span { strong { (scope) } span.quiet { " · " (about) } }
                        }
                    }
                }
                div { button.main type="submit" { "Make the token" } }
            }
        }
    }
}

/// Makes a token. The answer is the only page that shows it.
#[handler]
pub(crate) async fn make(form: Form) -> Result<Markup, Failure> {
    let given = SCOPES.iter().map(|(scope, _)| *scope);
    let scopes: Vec<_> = given
        .filter(|scope| form.field(&format!("scope.{scope}")).is_some())
        .collect();
    if scopes.is_empty() {
        return Err(Failure::Wrong(
            "Choose what the token may do, and send it again.".to_owned(),
        ));
    }
    let mut new = json!({ "name": form.needed("name")?, "scopes": scopes });
    if let Some(user) = form.field("user") {
        new["userId"] = json!(user);
    }
    let made: Value = form.send(Method::POST, "/api/tokens", Some(&new)).await?;
    let made: Made = serde_json::from_value(made).map_err(|_| Failure::Unreadable)?;
    let content = html! {
        (head("The token is made", "", &html! { a.button href="/tokens" { "All tokens" } }))
        section.card aria-label="The token" {
            div.row { strong { (words(&made.name)) } @for scope in &made.scopes { (badge(tone(scope), scope)) } }
            div.note.warn { p { "Copy it now: it is shown this once, and only its hash is kept. If it is lost, revoke it and make another one." } }
            div.field.wide {
                label for="made" { "Token" }
                input id="made" value=(clean(&made.token)) readonly autocomplete="off" spellcheck="false" data-select;
            }
            p.small.quiet { "A program sends it with each request: " code { "Authorization: Bearer TOKEN" } }
        }
    };
    Ok(layout::page(&form.asker, "The token is made", &content))
}

/// Revokes one.
#[handler]
pub(crate) async fn revoke(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/tokens/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to(form.back("/tokens")))
}
