//! A session of the dashboard: what begins and ends it, with the cookies that the API gives.

use axum::{
    http::{Method, header},
    response::{IntoResponse, Redirect, Response},
};
use serde_json::Value;

use crate::{backend::refusal, failure::Failure, form::Form};

/// Begins a session by a proof of who its person is, and goes on to the page that they wanted.
pub(super) async fn begin(form: &Form, path: &str, proof: &Value) -> Result<Response, Failure> {
    let answer = form.response(Method::POST, path, Some(proof)).await?;
    if !answer.status().is_success() {
        return Err(refusal(answer, &form.asker.path).await);
    }
    Ok(redirect(form.back("/"), &answer))
}

/// Ends the session of this browser.
pub(super) async fn end(form: &Form) -> Result<Response, Failure> {
    let answer = form.response(Method::DELETE, "/api/sessions/current", None).await?;
    Ok(redirect("/login", &answer))
}

/// Leads the browser there, with the cookies of an answer of the API.
fn redirect(to: &str, answer: &Response) -> Response {
    let mut response = Redirect::to(to).into_response();
    for cookie in answer.headers().get_all(header::SET_COOKIE) {
        response.headers_mut().append(header::SET_COOKIE, cookie.clone());
    }
    response
}
