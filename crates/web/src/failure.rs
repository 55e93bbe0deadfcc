//! Why a page cannot be shown, and the way out.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    address::with_query,
    view::{
        clean, document,
        format::{field_name, sentence},
        with_code, words,
    },
};

/// As many characters of a detail are shown: it may repeat what somebody sent.
const MOST: usize = 400;

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
    /// After how many seconds it may be tried again.
    #[serde(skip)]
    retry_after: Option<u32>,
}

impl Refused {
    /// The same, to be tried again after so many seconds.
    pub(crate) fn after(self, retry_after: Option<u32>) -> Self {
        Self { retry_after, ..self }
    }

    /// It is not the reader's to see, or it is not there.
    pub(crate) fn is_of_access(&self) -> bool {
        matches!(self.status, 403 | 404)
    }

    /// The way in is good, and its person may not look any more.
    pub(crate) fn is_of_shutting_out(&self) -> bool {
        self.code == "shut_out"
    }

    /// It came before, with something beside its content that was otherwise.
    pub(crate) fn is_of_repeat(&self) -> bool {
        self.code == "key_reused"
    }

    /// Its title and detail for people. The API speaks of tokens, bodies and queries; a page has forms and an address.
    fn words(self) -> (String, String) {
        let title = match self.code.as_str() {
            "missing_scope" => {
                let detail = "Ask them, or go back to what is yours.".to_owned();
                return ("This is for the bot's owner".to_owned(), detail);
            }
            "invalid_input" => "Something is not right".to_owned(),
            "invalid_path" | "invalid_query" => "The address is not right".to_owned(),
            "body_too_large" => "It is too large".to_owned(),
            _ => self.title,
        };
        let detail = match (self.code.as_str(), &self.field) {
            ("invalid_input", Some(field)) => format!("{}: {}", field_name(field), self.detail),
            _ => sentence(&self.detail),
        };
        (title, detail)
    }
}

/// A text of which the middle is left out if it is long: its end says what would be right.
fn abridged(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST {
        return text.to_owned();
    }
    let begin: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(count - MOST / 2).collect();
    format!("{begin} … {end}")
}

/// Why a form was refused.
pub(crate) struct OfForm {
    pub(crate) status: StatusCode,
    /// In a few words.
    pub(crate) title: String,
    pub(crate) why: String,
    /// The name of the field that is at fault.
    pub(crate) field: Option<String>,
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
    /// A field of the form is empty: its name.
    Missing(&'static str),
    /// A field of the form is not right.
    Field {
        /// Its name.
        name: String,
        /// Why, as a part of a sentence.
        why: String,
    },
    /// The address leads nowhere.
    Lost,
    /// The address takes forms, and shows no page.
    OnlyForms,
    /// The API's answer could not be read.
    Unreadable,
}

impl Failure {
    /// A field of the form is not right: why, as a part of a sentence.
    pub(crate) fn field(name: &str, why: impl Into<String>) -> Self {
        Self::Field {
            name: name.to_owned(),
            why: why.into(),
        }
    }

    /// Why the form was refused, where its sender may write on.
    ///
    /// # Errors
    /// It is about something else than the form: itself.
    pub(crate) fn of_form(self) -> Result<OfForm, Self> {
        let (status, title, why, field) = match self {
            Self::Refused(refused) if matches!(refused.status, 403 | 409 | 413 | 422 | 429) => {
                // Of a list one item may be wrong.
                let field = refused
                    .field
                    .as_deref()
                    .and_then(|field| field.split(['[', '.']).next());
                let (field, status) = (field.map(str::to_owned), refused.status);
                let detail = sentence(&refused.detail);
                let (title, told) = refused.words();
                let why = if field.is_some() { detail } else { told };
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
                (status, title, why, field)
            }
            Self::Missing(name) => {
                let told = ("Something is missing", "Fill it in, and send it again.");
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                (status, told.0.to_owned(), told.1.to_owned(), Some(name.to_owned()))
            }
            Self::Field { name, why } => {
                let title = "Something is not right".to_owned();
                (StatusCode::UNPROCESSABLE_ENTITY, title, sentence(&why), Some(name))
            }
            Self::Wrong(why) => {
                let title = "Something is not right".to_owned();
                (StatusCode::UNPROCESSABLE_ENTITY, title, why, None)
            }
            other => return Err(other),
        };
        Ok(OfForm {
            status,
            title,
            why: abridged(&why),
            field,
        })
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (mut retry_after, mut field) = (None, None);
        let (status, title, detail) = match self {
            Self::Unknown(wanted) => {
                let wanted = if wanted == "/" { "" } else { &wanted };
                return Redirect::to(&with_query("/login", &[("to", wanted)])).into_response();
            }
            Self::Refused(refused) => {
                retry_after = refused.retry_after;
                let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                field.clone_from(&refused.field);
                let (title, detail) = refused.words();
                (status, title, detail)
            }
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "This form is out of date".to_owned(),
                "It does not come from a page of this session. Load the page again, and send it once more.".to_owned(),
            ),
            Self::Wrong(detail) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "Something is not right".to_owned(),
                detail,
            ),
            Self::Missing(name) => {
                field = Some(name.to_owned());
                (
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "Something is missing".to_owned(),
                    format!("Fill in “{}”, and send it again.", field_name(name)),
                )
            }
            Self::Field { name, why } => {
                let detail = format!("{}: {why}.", field_name(&name));
                field = Some(name);
                (
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "Something is not right".to_owned(),
                    detail,
                )
            }
            Self::Lost => (
                StatusCode::NOT_FOUND,
                "There is no such page".to_owned(),
                "The address may be mistyped, or what was here is gone.".to_owned(),
            ),
            Self::OnlyForms => (
                StatusCode::METHOD_NOT_ALLOWED,
                "There is no page here".to_owned(),
                "This address only takes what a form sends. Nothing was changed now.".to_owned(),
            ),
            Self::Unreadable => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong here".to_owned(),
                "The log says more. Nothing that was accepted is lost; try again.".to_owned(),
            ),
        };
        let told = Told { title, detail, field };
        let page = told.page(None);
        let mut response = (status, page).into_response();
        response.extensions_mut().insert(told);
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The words of a page of a failure.
#[derive(Clone)]
pub(crate) struct Told {
    title: String,
    detail: String,
    /// The field of its form that is at fault: a script tells it there.
    field: Option<String>,
}

impl Told {
    /// The page. `back`: the page from which its reader came, whose form the browser still has.
    pub(crate) fn page(&self, back: Option<&str>) -> Markup {
        document::alone(
            &self.title,
            &html! {
                div.note.bad role="alert" data-field=[self.field.as_deref().map(clean)] { p { strong { (words(&self.title)) } } p { bdi { (with_code(&abridged(&self.detail))) } } }
                p.row {
                    @if let Some(back) = back { a.button.main href=(back) data-back { "Go back" } }
                    a.button href="/" { "Go to the start page" }
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_field_as_its_form_does_and_no_part_of_a_request() {
        for (code, title, detail, field, expected) in [
            (
                "invalid_input",
                "The body is invalid",
                "it is longer than 100 characters",
                Some("name"),
                ("Something is not right", "Name: it is longer than 100 characters"),
            ),
            (
                "invalid_input",
                "The body is invalid",
                "`x` is none of private or shared",
                Some("places[0]"),
                ("Something is not right", "Places: `x` is none of private or shared"),
            ),
            (
                "conflict",
                "There is one already",
                "an agent has this name",
                Some("name"),
                ("There is one already", "An agent has this name"),
            ),
            (
                "missing_scope",
                "The token may not do this",
                "it needs admin",
                None,
                ("This is for the bot's owner", "Ask them, or go back to what is yours."),
            ),
        ] {
            let refused = Refused {
                code: code.to_owned(),
                title: title.to_owned(),
                status: 422,
                detail: detail.to_owned(),
                field: field.map(str::to_owned),
                retry_after: None,
            };
            let (title, detail) = refused.words();
            assert_eq!((title.as_str(), detail.as_str()), expected);
        }
    }

    #[test]
    fn what_somebody_sent_at_length_is_not_repeated_as_a_whole() {
        let long = format!("`{}` is none of run or chat", "x".repeat(30_000));
        let shown = abridged(&long);
        assert!(
            shown.chars().count() < MOST + 10 && shown.ends_with("is none of run or chat"),
            "{shown}"
        );
        assert_eq!(abridged("short"), "short");
    }
}
