//! The headers of every page: nothing runs, is loaded or is sent elsewhere but what this server itself gave out.

use std::panic::AssertUnwindSafe;

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;

use super::failure::Failure;

/// What a page may do. There is no `unsafe-inline`: no style or script of a page counts but those of `assets`.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
    ),
];

/// Sets those headers, and makes a page of a panic.
pub(crate) async fn guarded(request: Request, next: Next) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = answered.unwrap_or_else(|_| {
        tracing::error!("request handler panicked");
        Failure::Unreadable.into_response()
    });
    dressed(response)
}

/// Where programs ask, and not people with a browser.
const OF_PROGRAMS: [&str; 5] = ["api", "v1", "metrics", "readyz", "healthz"];

/// Gives a person at an address that leads nowhere a page with the way out. Programs have the API's answer.
pub(crate) async fn found(request: Request, next: Next) -> Response {
    let accepts = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    let is_person = request.method() == Method::GET && accepts.is_some_and(|value| value.contains("text/html"));
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    let may_be_lost = is_person && !OF_PROGRAMS.contains(&first);
    let response = next.run(request).await;
    if may_be_lost && matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::NOT_FOUND) {
        return dressed(Failure::Lost.into_response());
    }
    response
}

fn dressed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Pages are of one reader: no cache keeps them.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
