//! The content of requests; every fault in it is a problem that names the field.

use std::{str::FromStr, time::Duration};

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Request, rejection::BytesRejection},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use clifford_core::unread;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

use super::{
    Shared,
    problem::{Code, Problem},
};

/// A JSON body.
pub(super) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Shared) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let detail = "send it with Content-Type: application/json";
            return Err(Problem::new(Code::UnsupportedMediaType, detail).of_field("Content-Type"));
        }
        let Raw(bytes) = Raw::from_request(request, api).await?;
        parse(&bytes).map(Self)
    }
}

/// A JSON body, read after it is known that the caller may send it.
///
/// # Errors
/// Fails with the fault of the body.
pub(super) async fn body<T: DeserializeOwned>(request: Request, api: &Shared) -> Result<T, Problem> {
    Body::from_request(request, api).await.map(|body| body.0)
}

/// A body as it came.
pub(super) struct Raw(pub Bytes);

impl FromRequest<Shared> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Shared) -> Result<Self, Problem> {
        let within = Duration::from_secs(api.settings.request_timeout_seconds);
        tokio::time::timeout(within, Bytes::from_request(request, api))
            .await
            .map_err(|_| Problem::new(Code::BodyTimeout, format!("it took over {} s", within.as_secs())))?
            .map_err(|rejection| unread(rejection, api.settings.max_body_bytes))
            .map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

fn unread(rejection: BytesRejection, limit: u64) -> Problem {
    if rejection.into_response().status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        Problem::new(
            Code::BodyTooLarge,
            format!("at most {limit} bytes are taken (http.max_body_bytes)"),
        )
    } else {
        Problem::new(Code::InvalidJson, "the body broke off")
    }
}

/// Reads a JSON body.
///
/// # Errors
/// Fails with the fault and its field.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A list of a struct's fields in order would be read as the struct.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
            Ok(_) => Problem::new(Code::InvalidInput, "the body must be an object"),
            Err(error) => no_json(&error),
        });
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            wrong(Code::InvalidInput, &path, &inner.to_string())
        } else {
            no_json(&inner)
        }
    })?;
    reader.end().map_err(|error| no_json(&error))?;
    Ok(value)
}

fn no_json(error: &serde_json::Error) -> Problem {
    Problem::new(Code::InvalidJson, in_words(&error.to_string()))
}

/// The fault of an id.
const UUID: &str = "an id is a UUID, such as 0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";

/// A fault of a reader in words for people; any other as it is.
fn in_words(fault: &str) -> String {
    if fault.starts_with("UUID parsing failed") {
        return UUID.to_owned();
    }
    unread::in_words(fault).unwrap_or_else(|| match fault.rsplit_once(" at line ") {
        Some((told, _)) => told.to_owned(),
        None => fault.to_owned(),
    })
}

/// A fault of serde's, with the field that it is about.
fn wrong(code: Code, path: &str, detail: &str) -> Problem {
    let problem = Problem::new(code, in_words(detail));
    let name_of = |fault: &str| detail.strip_prefix(fault)?.split('`').next();
    let missing = name_of("missing field `");
    let named = missing
        .or_else(|| name_of("unknown field `"))
        .or_else(|| name_of("duplicate field `"));
    match (path, named) {
        ("." | "", None) => problem,
        ("." | "", Some(name)) => problem.of_field(name),
        // The path of a field that is not there ends where it should be.
        (path, _) => match missing {
            Some(name) => problem.of_field(&format!("{path}.{name}")),
            None => problem.of_field(path),
        },
    }
}

/// A query.
pub(super) struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|rejection| {
                let text = rejection.body_text();
                let text = text
                    .strip_prefix("Failed to deserialize query string: ")
                    .unwrap_or(&text);
                // The fault of a known parameter stands behind its name.
                match text.split_once(": ") {
                    Some((field, detail)) if !field.contains(' ') => wrong(Code::InvalidQuery, field, detail),
                    _ => wrong(Code::InvalidQuery, "", text),
                }
            })
    }
}

/// The refusal of a request with a query to a route that has no parameters. What others write is left alone: an address
/// of a webhook may hold some of theirs, and programs send their own along to `/v1` and to what watches a process.
pub(super) fn without_query(request: &Request) -> Option<Response> {
    let path = request.uri().path();
    if !path.starts_with("/api/") || path.starts_with("/api/hooks/") {
        return None;
    }
    let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(request.uri()).ok()?;
    let (name, _) = query.0.first()?;
    let problem = Problem::new(Code::InvalidQuery, format!("there is no `{name}` here"));
    Some(problem.of_field(name).into_response())
}

/// The id in a path. As a text it is empty where it cannot be one.
pub(super) struct Id<T>(pub T);

impl<T: FromStr> FromRequestParts<Shared> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, api)
            .await
            .map(|path| path.0)
            .unwrap_or_default();
        text.parse()
            .map(Self)
            .map_err(|_| Problem::new(Code::InvalidPath, UUID).of_field("id"))
    }
}

/// For a field whose `null` is something else than its absence.
pub(super) fn nullable<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Refuses a text that is blank, too long, or holds what no database column takes.
pub(super) fn check_text(field: &str, text: &str, longest: usize) -> Result<(), Problem> {
    if text.trim().is_empty() {
        return Err(Problem::input(field, "it is empty"));
    }
    if text.contains('\0') {
        return Err(Problem::input(field, "it holds a NUL character"));
    }
    if text.chars().count() > longest {
        return Err(Problem::input(field, format!("it is longer than {longest} characters")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        a: u32,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        inner: Inner,
        #[serde(default)]
        list: Vec<u32>,
    }

    #[test]
    fn a_wrong_body_names_its_field() {
        let cases = [
            (r#"{"inner":{"a":1}}"#, None),
            (r#"{"inner":{"a":"x"}}"#, Some("inner.a")),
            (r#"{"inner":{"a":1,"b":2}}"#, Some("inner.b")),
            (r#"{"inner":{}}"#, Some("inner.a")),
            (r#"{"inner":{"a":1},"list":[1,-1]}"#, Some("list[1]")),
            (r#"{"inner":{"a":1},"other":1}"#, Some("other")),
            (r#"{}"#, Some("inner")),
        ];
        for (body, field) in cases {
            let got = parse::<Outer>(body.as_bytes()).err();
            let expected = field.map(|field| {
                let detail = serde_json::from_str::<Outer>(body).unwrap_err().to_string();
                Problem::input(field, in_words(&detail))
            });
            assert_eq!(got, expected, "{body}");
        }
    }

    #[test]
    fn a_body_is_json_by_its_content_type() {
        for (kind, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/merge-patch+json", true),
            ("text/json", false),
            ("application/x-www-form-urlencoded", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
            assert_eq!(is_json(&headers), expected, "{kind}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
