//! The way in and out: a link that holds for one use, or a passkey. The link is opened with a button, so that a program
//! which only looks at links does not use it up. A login always begins a session of its own.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{login_session, passkeys};
use crate::{
    address::is_local,
    backend::Asker,
    extract::Query,
    failure::Failure,
    form::Form,
    handler,
    view::{clean, document, layout, words},
};

/// The link, and the page that was wanted.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct LoginQuery {
    link: String,
    to: String,
}

/// Says how to get in, or offers to go in by a link: also to a reader who is in, whom it may let in as another person.
#[handler]
pub(crate) async fn show(asker: Asker, Query(wanted): Query<LoginQuery>) -> Markup {
    let to = if is_local(&wanted.to) { wanted.to.as_str() } else { "/" };
    let known = asker.me().map(|me| me.name.as_str());
    let content = html! {
        @if let Some(name) = known {
            h2 { "You are logged in" }
            p { "In this browser, as " strong { (words(name)) } "." }
            p { a.button.main href=(to) { "Go on" } }
        }
        @if asker.is_shut_out() {
            h2 { "You are shut out" }
            p { "You may not speak to the bot in private any more, so you see nothing here. If an owner lets you in again, this browser is let in, too." }
            form method="post" action="/logout" {
                (layout::token(&asker))
                button type="submit" { "Log out" }
            }
        }
        @if wanted.link.is_empty() && known.is_none() && !asker.is_shut_out() {
            h2 { "You are not logged in" }
            p { "Nobody needs a password here: a link lets you in, once, for ten minutes." }
            ul {
                li { "In a private chat with the bot, send " code { "/dashboard" } "." }
                li { "On the machine where it runs, type " code { "clifford login" } "." }
            }
            p { "If you added a passkey in the settings, it lets you in, too." }
            (passkeys::entrance(&asker, to))
        } @else if !wanted.link.is_empty() {
            h2 { @if known.is_some() { "Log in anew" } @else { "Log in" } }
            p { "This link lets this browser in. It is good once." }
            form method="post" action="/login" {
                (layout::token(&asker))
                input type="hidden" name="link" value=(clean(&wanted.link));
                input type="hidden" name="back" value=(to);
                button.main type="submit" autofocus { "Log in" }
            }
        }
    };
    document::alone("Log in", &content)
}

/// Goes in.
#[handler]
pub(crate) async fn enter(form: Form) -> Result<Response, Failure> {
    let link = json!({ "link": form.needed("link")? });
    login_session::begin(&form, "/api/sessions", &link).await
}

/// Goes out.
#[handler]
pub(crate) async fn leave(form: Form) -> Result<Response, Failure> {
    login_session::end(&form).await
}
