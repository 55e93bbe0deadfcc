//! Passkeys: a section of the settings, and the button of the login page. A script has the browser make a passkey or answer
//! a challenge with one, and puts the result into a form: so it comes in as every change does. Without a script, or where a
//! browser can have none, the page says so, and a link is the way in.

use axum::{
    http::Method,
    response::{Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::login_session;
use crate::{
    address::part,
    assets::PASSKEYS,
    backend::Asker,
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{At, when},
        layout,
        parts::{Button, empty, needed_field},
        words,
    },
};

/// A passkey.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Passkey {
    id: String,
    user_id: Option<String>,
    name: String,
    rp_id: String,
    created_at: At,
    used_at: Option<At>,
}

/// The section of the settings: what is there, and the form for a new one.
pub(crate) fn section(asker: &Asker, passkeys: &[Passkey]) -> Markup {
    html! {
        section.card id="passkeys" data-live aria-labelledby="passkeys-title" {
            h2 id="passkeys-title" { "Passkeys" }
            @if passkeys.is_empty() {
                (empty("No passkey", &html! { "With one you log in by a finger, a face or a PIN of your device, without a link." }))
            } @else {
                ul.list { @for passkey in passkeys { (line(asker, passkey)) } }
            }
        }
        section.card aria-labelledby="new-passkey-title" {
            h2 id="new-passkey-title" { "New passkey" }
            (scripted("/passkeys", "/api/passkeys/challenge", "No passkey was made: it was not confirmed.", &html! {
                (layout::token(asker))
                (needed_field("name", "Name", "", "The device that keeps it, such as: my phone"))
                div { button type="submit" { "Add a passkey" } }
            }))
        }
    }
}

fn line(asker: &Asker, passkey: &Passkey) -> Markup {
    let mine = asker.me().and_then(|me| me.user_id.as_ref());
    let (id, now) = (part(&passkey.id), asker.now());
    let field = format!("name-{}", passkey.id);
    html! {
        li {
            div.about {
                strong { (words(&passkey.name)) }
                div.small.quiet.row {
                    span { "for " (words(&passkey.rp_id)) }
                    @match passkey.user_id.as_ref() {
                        Some(other) if Some(other) != mine => { span { "of " a href={ "/people/" (part(other)) } { "another person" } } }
                        None if mine.is_some() => { span { "of the operator" } }
                        _ => {}
                    }
                    span { "added " (when(passkey.created_at, now)) }
                    span { @match passkey.used_at { Some(at) => { "last used " (when(at, now)) } None => { "never used" } } }
                }
                details {
                    summary { "Rename" }
                    form.row method="post" action={ "/passkeys/" (id) } data-inplace {
                        (layout::token(asker))
                        label.hidden for=(field) { "Another name" }
                        input id=(field) name="name" value=(clean(&passkey.name)) autocomplete="off";
                        button type="submit" { "Save the name" }
                    }
                }
            }
            (Button::new(&format!("/passkeys/{id}/remove"), "Remove").danger("Remove this passkey? It lets nobody in any more.").draw(asker))
        }
    }
}

/// The button of the login page; `back`: where to go on.
pub(crate) fn entrance(asker: &Asker, back: &str) -> Markup {
    scripted(
        "/login/passkey",
        "/api/sessions/challenge",
        "No passkey was used: there is none for this address, or it was not confirmed. A link lets you in all the same.",
        &html! {
            (layout::token(asker))
            input type="hidden" name="back" value=(back);
            button type="submit" { "Sign in with a passkey" }
        },
    )
}

/// A form that a script fills, and what stands in its place where it cannot.
fn scripted(action: &str, challenge: &str, none: &str, fields: &Markup) -> Markup {
    let address = "Browsers keep passkeys for the name of a secure page: this dashboard's, by https, or localhost on this \
                   machine. Here a link is the way in.";
    let browser = "This browser has no passkeys, or is too old for them. A link is the way in.";
    html! {
        div.stack data-passkeys data-none=(none) data-twice="This device has a passkey of yours already." data-address=(address) data-browser=(browser) {
            form.stack method="post" action=(action) data-challenge=(challenge) hidden {
                (fields)
                input type="hidden" name="credential";
            }
            p.small.quiet data-why="script" { "Passkeys need JavaScript. Without it, a link is the way in." }
            p.small.quiet data-why="address" hidden {
                (address) " " a data-here hidden { "Open this page at localhost" }
            }
            p.small.quiet data-why="browser" hidden { (browser) }
            p.note.warn role="status" hidden {}
            script src=(PASSKEYS.path) type="module" {}
        }
    }
}

/// The fields that the script put into a form.
fn credential(form: &Form) -> Result<Value, Failure> {
    let wrong = || Failure::Wrong("No passkey came with the form. Load the page again, and try once more.".to_owned());
    let read = form.field("credential").map(serde_json::from_str::<Value>);
    read.and_then(Result::ok).filter(Value::is_object).ok_or_else(wrong)
}

/// Goes in.
#[handler]
pub(crate) async fn enter(form: Form) -> Result<Response, Failure> {
    let credential = credential(&form)?;
    login_session::begin(&form, "/api/sessions/passkey", &credential).await
}

/// Adds one to the reader's.
#[handler]
pub(crate) async fn add(form: Form) -> Result<Redirect, Failure> {
    let mut new = credential(&form)?;
    new["name"] = json!(form.needed("name")?);
    form.send(Method::POST, "/api/passkeys", Some(&new)).await?;
    Ok(Redirect::to("/settings"))
}

/// Gives one another name.
#[handler]
pub(crate) async fn rename(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let change = json!({ "name": form.needed("name")? });
    let path = format!("/api/passkeys/{}", part(&id));
    form.send(Method::PATCH, &path, Some(&change)).await?;
    Ok(Redirect::to("/settings"))
}

/// Removes one.
#[handler]
pub(crate) async fn remove(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/passkeys/{}", part(&id));
    form.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to("/settings"))
}
