//! Forms: the only way in for a change. A form from another site is refused by its `Origin`, and one that does not know
//! the session's token by that. Of somebody whom nobody knows nothing is read but a login.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Multipart, Request},
    http::{HeaderMap, Method, header},
    response::Response,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::{
    Shared,
    address::{is_local, with_query},
    backend::Asker,
    failure::Failure,
    guard::came_from,
    session::FIELD,
};

/// How long a form may take to come.
const WITHIN: Duration = Duration::from_secs(30);
/// The same with files.
const WITH_FILES_WITHIN: Duration = Duration::from_secs(600);

/// A form that comes from a page of this session.
pub(crate) struct Form {
    /// Its sender.
    pub(crate) asker: Asker,
    fields: BTreeMap<String, String>,
    files: Vec<File>,
}

/// A file of a form.
struct File {
    field: String,
    name: String,
    kind: Option<String>,
    content: Bytes,
}

impl File {
    /// The same for the same content and name, in one showing of a form.
    fn key(&self, once: &str) -> String {
        let content = clifford_vault::hex(&Sha256::digest(&self.content));
        clifford_vault::hash(&format!("{once} {} {content} {}", self.field, self.name))
    }
}

impl Form {
    /// A field, without white space around it; left out and blank are the same.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let value = self.fields.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// A field as it came.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// A field of several lines, without those at its ends; left out and blank are the same.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text = plain_lines(self.raw(name)?);
        (!text.is_empty()).then_some(text)
    }

    /// A field that must be there.
    pub(crate) fn needed(&self, name: &'static str) -> Result<&str, Failure> {
        self.field(name).ok_or(Failure::Missing(name))
    }

    /// A field of several lines that must be there.
    pub(crate) fn needed_text(&self, name: &'static str) -> Result<String, Failure> {
        self.text(name).ok_or(Failure::Missing(name))
    }

    /// Has the API change something.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        self.asker.change(method, path, body).await
    }

    /// The key of a form that may be sent twice, by a double click or by a second try after an answer that was lost: the
    /// same for the same words and files. `once` tells one showing of the form from another.
    pub(crate) fn key(&self, once: &str, words: &str) -> String {
        let files: Vec<_> = self.files.iter().map(|file| file.key(once)).collect();
        clifford_vault::hash(&format!("{once} {} {words}", files.concat()))
    }

    /// Hands the files of a field to the API; their ids. Of a form with `once`, a second try gets those of the first.
    pub(crate) async fn upload(&self, field: &str, once: Option<&str>) -> Result<Vec<String>, Failure> {
        let mut ids = Vec::new();
        for (number, file) in self.files.iter().enumerate().filter(|(_, file)| file.field == field) {
            let key = once.map(|once| format!("{number} {}", file.key(once)));
            let path = with_query(
                "/api/files",
                &[
                    ("name", &file.name),
                    ("idempotencyKey", key.as_deref().unwrap_or_default()),
                ],
            );
            let kept = self
                .asker
                .upload(&path, file.kind.as_deref(), file.content.clone())
                .await?;
            ids.extend(kept["id"].as_str().map(str::to_owned));
        }
        Ok(ids)
    }

    /// The answer of the API to a change, as it comes.
    pub(crate) async fn response(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Response, Failure> {
        self.asker.response(method, path, body).await
    }

    /// Where to go on: the page that the form names, if it is one of this server.
    pub(crate) fn back<'a>(&'a self, otherwise: &'a str) -> &'a str {
        self.field("back").filter(|path| is_local(path)).unwrap_or(otherwise)
    }
}

impl FromRequest<Shared> for Form {
    type Rejection = Failure;

    async fn from_request(request: Request, web: &Shared) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let Ok(mut asker) = Asker::from_request_parts(&mut parts, web).await;
        // Its own address shows no page: after a login, and by the buttons of its answer, its sender goes on where they
        // were.
        if let Some(page) = came_from(&parts.headers) {
            asker.path = page;
        }
        if !is_same_origin(&parts.headers) {
            return Err(Failure::Forged);
        }
        let begins = matches!(parts.uri.path(), "/login" | "/login/passkey");
        // Somebody who is shut out may still log out.
        let leaves = parts.uri.path() == "/logout" && asker.is_shut_out();
        if !begins && !leaves {
            asker.check_known()?;
        }
        // A browser sends a bearer token for nobody but its page.
        let is_bearer = parts.headers.contains_key(header::AUTHORIZATION);
        let kind = parts
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        let has_files = kind.is_some_and(|kind| kind.starts_with("multipart/form-data"));
        let request = Request::from_parts(parts, body);
        let (fields, files) = if has_files && !begins {
            in_time(WITH_FILES_WITHIN, several(request, web)).await?
        } else {
            let bytes = in_time(WITHIN, async { Bytes::from_request(request, web).await.ok() }).await?;
            (form_urlencoded::parse(&bytes).into_owned().collect(), Vec::new())
        };
        let given = fields.get(FIELD).map(|token| clifford_vault::hash(token));
        if !is_bearer && given != Some(clifford_vault::hash(&asker.token)) {
            return Err(Failure::Forged);
        }
        Ok(Self { asker, fields, files })
    }
}

/// The content of a form, if it comes in time and as a whole.
async fn in_time<T>(within: Duration, read: impl Future<Output = Option<T>>) -> Result<T, Failure> {
    match tokio::time::timeout(within, read).await {
        Ok(read) => read.ok_or_else(too_large),
        Err(_) => {
            let detail = format!(
                "The form did not come within {} s. Send it once more.",
                within.as_secs()
            );
            Err(Failure::Wrong(detail))
        }
    }
}

fn too_large() -> Failure {
    Failure::Wrong("The form is too large, or only a part of it came.".to_owned())
}

/// The fields and files of a form of several parts.
async fn several(request: Request, web: &Shared) -> Option<(BTreeMap<String, String>, Vec<File>)> {
    let mut parts = Multipart::from_request(request, web).await.ok()?;
    let (mut fields, mut files) = (BTreeMap::new(), Vec::new());
    while let Some(part) = parts.next_field().await.ok()? {
        let field = part.name().unwrap_or_default().to_owned();
        let (name, kind) = (
            part.file_name().map(str::to_owned),
            part.content_type().map(str::to_owned),
        );
        let content = part.bytes().await.ok()?;
        match name {
            // A browser sends an empty one where no file was chosen.
            Some(name) if name.is_empty() && content.is_empty() => {}
            Some(name) => files.push(File {
                field,
                name,
                kind,
                content,
            }),
            None => {
                fields.insert(field, String::from_utf8_lossy(&content).into_owned());
            }
        }
    }
    Some((fields, files))
}

/// A text as it was written: a browser ends lines its own way.
pub(crate) fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// Whether a request comes from a page of the host that it is sent to.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if text(header::HeaderName::from_static("sec-fetch-site")).is_some_and(|site| site != "same-origin") {
        return false;
    }
    match (text(header::ORIGIN), text(header::HOST)) {
        // No browser leaves it out of a POST; programs that do so know the token.
        (None, _) => true,
        (Some(origin), Some(host)) => {
            let origin = origin
                .strip_prefix("https://")
                .or_else(|| origin.strip_prefix("http://"));
            origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(given: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = given.iter().map(|(name, value)| {
            let name = header::HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_that_does_not_come_is_not_waited_for() {
        let never = in_time(WITHIN, std::future::pending::<Option<()>>());
        assert!(matches!(never.await, Err(Failure::Wrong(told)) if told.contains("within 30 s")));
        assert!(matches!(in_time(WITHIN, async { Some(7) }).await, Ok(7)));
        assert!(matches!(
            in_time(WITHIN, async { None::<()> }).await,
            Err(Failure::Wrong(_))
        ));
    }

    #[test]
    fn a_form_comes_from_the_host_that_it_is_sent_to() {
        let host = ("host", "127.0.0.1:8088");
        for (given, expected) in [
            (vec![host], true),
            (vec![host, ("origin", "http://127.0.0.1:8088")], true),
            (vec![host, ("origin", "https://127.0.0.1:8088")], true),
            (vec![host, ("origin", "http://evil.example")], false),
            (vec![host, ("origin", "http://127.0.0.1:8089")], false),
            (vec![host, ("origin", "null")], false),
            (vec![host, ("origin", "http://127.0.0.1:8088.evil.example")], false),
            (vec![host, ("sec-fetch-site", "cross-site")], false),
            (vec![host, ("sec-fetch-site", "same-site")], false),
            (vec![host, ("sec-fetch-site", "same-origin")], true),
            (vec![("origin", "http://127.0.0.1:8088")], false),
        ] {
            assert_eq!(is_same_origin(&headers(&given)), expected, "{given:?}");
        }
    }
}
