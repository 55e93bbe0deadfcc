//! Strangers who ask to be let in, with a button for each answer: a part of the start page and of the page of people.

use axum::{http::Method, response::Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::{
    backend::{Asker, Page},
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, title, when},
        parts::Button,
        words,
    },
};

/// A request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pairing {
    platform: String,
    platform_user_id: String,
    name: String,
    expires_at: At,
    code: Option<String>,
}

/// The open requests, if the reader may answer them.
pub(crate) async fn open(asker: &Asker) -> Result<Vec<Pairing>, Failure> {
    let found: Option<Page<Pairing>> = asker.find("/api/pairings").await?;
    Ok(found.unwrap_or_default().items)
}

/// The requests as a part of a page.
pub(crate) fn draw(asker: &Asker, pairings: &[Pairing]) -> Markup {
    html! {
        div id="pairings" data-live {
            @if !pairings.is_empty() {
                section.card aria-labelledby="pairings-title" {
                    header { h2 id="pairings-title" { "Strangers who ask to be let in" } }
                    ul.list { @for pairing in pairings { (line(asker, pairing)) } }
                }
            }
        }
    }
}

fn line(asker: &Asker, pairing: &Pairing) -> Markup {
    let answer = |decision, label| {
        let fields = [
            ("platform", pairing.platform.as_str()),
            ("account", pairing.platform_user_id.as_str()),
            ("decision", decision),
        ];
        Button::new("/pairings", label).with(&fields).draw(asker)
    };
    html! {
        li {
            div.about {
                strong { (words(&pairing.name)) }
                div.small.quiet {
                    (words(&title(&pairing.platform))) " " code { (words(&pairing.platform_user_id)) }
                    @if let Some(code) = &pairing.code { " · code " code { (words(code)) } }
                    " · until " (when(pairing.expires_at, asker.now()))
                }
            }
            div.row { (answer("approve", "Let in")) (answer("refuse", "Refuse")) (answer("block", "Block")) }
        }
    }
}

/// Answers one.
#[handler]
pub(crate) async fn decide(form: Form) -> Result<Redirect, Failure> {
    let decided = json!({
        "platform": form.needed("platform")?,
        "platformUserId": form.needed("account")?,
        "decision": form.needed("decision")?,
    });
    form.send(Method::POST, "/api/pairings/decide", Some(&decided)).await?;
    Ok(Redirect::to(form.back("/people")))
}
