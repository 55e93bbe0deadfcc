//! The headers of every page: nothing runs, is loaded or is sent elsewhere but what this server itself gave out.

use std::panic::AssertUnwindSafe;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use url::Url;

use super::{
    address::is_local,
    failure::{Failure, Told},
};

/// The permissions of a page. There is no `unsafe-inline`: no style or script of a page counts but those of `assets`.
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

/// Sets those headers, and makes a page of a panic, and of an address that only takes forms.
pub(crate) async fn guarded(request: Request, next: Next) -> Response {
    let is_form = request.method() == Method::POST;
    let back = came_from(request.headers()).filter(|_| is_form);
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        tracing::error!("request handler panicked");
        Failure::Unreadable.into_response()
    });
    // Somebody loads the address of a form's answer again, or comes there after a login.
    if response.status() == StatusCode::METHOD_NOT_ALLOWED && !is_form {
        let allowed = response.headers_mut().remove(header::ALLOW);
        response = Failure::OnlyForms.into_response();
        response
            .headers_mut()
            .extend(allowed.map(|allowed| (header::ALLOW, allowed)));
    }
    if let Some(back) = back
        && let Some(told) = response.extensions_mut().remove::<Told>()
    {
        // Not its length, which is another page's.
        let wait = response.headers_mut().remove(header::RETRY_AFTER);
        response = (response.status(), told.page(Some(&back))).into_response();
        response
            .headers_mut()
            .extend(wait.map(|wait| (header::RETRY_AFTER, wait)));
    }
    dressed(response)
}

/// The page of this server from which a request came.
pub(crate) fn came_from(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let page = Url::parse(text(header::REFERER)?).ok()?;
    let host = page.host_str()?;
    let host = page
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    if !text(header::HOST)?.eq_ignore_ascii_case(&host) {
        return None;
    }
    let path = page
        .query()
        .map_or_else(|| page.path().to_owned(), |query| format!("{}?{query}", page.path()));
    is_local(&path).then_some(path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leads_back_to_the_page_of_its_form_and_nowhere_else() {
        for (referer, expected) in [
            ("http://127.0.0.1:8088/tokens", Some("/tokens")),
            ("https://127.0.0.1:8088/memory?q=a%20b#x", Some("/memory?q=a%20b")),
            ("http://evil.example/tokens", None),
            ("http://127.0.0.1:8089/tokens", None),
            ("http://127.0.0.1:8088//evil.example", None),
            ("javascript:alert(1)", None),
        ] {
            let pairs = [(header::HOST, "127.0.0.1:8088"), (header::REFERER, referer)];
            let pairs = pairs.map(|(name, value)| (name, HeaderValue::from_static(value)));
            assert_eq!(
                came_from(&HeaderMap::from_iter(pairs)).as_deref(),
                expected,
                "{referer}"
            );
        }
    }
}
