//! Why a page cannot be shown, and the way out.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    address::with_query,
    view::{document, words},
};

/// A refusal of the API.
#[derive(Deserialize)]
pub(crate) struct Refused {
    /// The kind, as a word that does not change.
    code: String,
    /// The same for people.
    title: String,
    status: u16,
    /// The details.
    detail: String,
    /// The field that is wrong.
    field: Option<String>,
}

impl Refused {
    /// It is not the reader's to see, or it is not there.
    pub(crate) fn is_of_access(&self) -> bool {
        matches!(self.status, 403 | 404)
    }
}

/// Why a page cannot be shown.
pub(crate) enum Failure {
    /// Nobody knows who asks; the page that they wanted.
    Unknown(String),
    /// The API refuses it.
    Refused(Refused),
    /// A form does not come from a page of this server, or from an old one.
    Forged,
    /// Something of the address or the form is wrong.
    Wrong(String),
    /// The address leads nowhere.
    Lost,
    /// The API's answer could not be read.
    Unreadable,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, title, detail) = match self {
            Self::Unknown(wanted) => {
                let wanted = if wanted == "/" { "" } else { &wanted };
                return Redirect::to(&with_query("/login", &[("to", wanted)])).into_response();
            }
            Self::Refused(refused) => {
                let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let field = refused.field.map(|field| format!(" ({field})")).unwrap_or_default();
                // The API speaks of tokens; who reads a page has none.
                let (title, detail) = match refused.code.as_str() {
                    "missing_scope" => (
                        "This is for the bot's owner".to_owned(),
                        "Ask them, or go back to what is yours.".to_owned(),
                    ),
                    _ => (refused.title, format!("{}{field}", refused.detail)),
                };
                (status, title, detail)
            }
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "This form is out of date".to_owned(),
                "It does not come from a page of this session. Load the page again, and send it once more.".to_owned(),
            ),
            Self::Wrong(detail) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "Something is missing".to_owned(),
                detail,
            ),
            Self::Lost => (
                StatusCode::NOT_FOUND,
                "There is no such page".to_owned(),
                "The address may be mistyped, or what was here is gone.".to_owned(),
            ),
            Self::Unreadable => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong here".to_owned(),
                "The log says more. Nothing that was accepted is lost; try again.".to_owned(),
            ),
        };
        let told = Told { title, detail };
        let page = told.page(None);
        let mut response = (status, page).into_response();
        response.extensions_mut().insert(told);
        response
    }
}

/// The words of a page of a failure.
#[derive(Clone)]
pub(crate) struct Told {
    title: String,
    detail: String,
}

impl Told {
    /// The page. `back`: the page from which its reader came, whose form the browser still has.
    pub(crate) fn page(&self, back: Option<&str>) -> Markup {
        document::alone(
            &self.title,
            &html! {
                div.note.bad role="alert" { p { strong { (words(&self.title)) } } p { (words(&self.detail)) } }
                p.row {
                    @if let Some(back) = back { a.button.main href=(back) { "Go back" } }
                    a.button href="/" { "Go to the start page" }
                }
            },
        )
    }
}
