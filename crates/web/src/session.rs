//! The session of a page's reader, as its forms prove it.

use axum::{http::HeaderMap, response::Response};
use clifford_http::sessions::cookie::{self, FormToken};

/// The field of a form that holds the session's token.
pub(crate) const FIELD: &str = "token";

/// The token of the session in which the API answered; without one, that of the cookie that is nearest to one.
pub(crate) fn form_token(headers: &HeaderMap, answer: Option<&Response>) -> String {
    if let Some(FormToken(token)) = answer.and_then(|answer| answer.extensions().get()) {
        return token.clone();
    }
    FormToken::of(cookie::held(headers).first().map(|held| held.secret)).0
}
