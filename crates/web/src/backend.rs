//! Requests to the API, in the name of the person who reads a page: their cookie or token goes along, so the API decides
//! what they see and may do.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::FromRequestParts,
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header, request::Parts},
    response::Response,
};
use clifford_core::clock::Timestamp;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::{
    Shared,
    address::with_query,
    failure::{Failure, Refused},
    session,
};

/// The most bytes of an answer that a page is made from.
const MOST: usize = 32 * 1024 * 1024;

/// The headers by which the API knows who asks.
const PASSED: [HeaderName; 6] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::HOST,
    header::ORIGIN,
    header::USER_AGENT,
    HeaderName::from_static("x-forwarded-proto"),
];

/// A list of the API.
#[derive(Deserialize)]
pub(crate) struct Page<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// Where the next page begins.
    pub(crate) next: Option<String>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            next: None,
        }
    }
}

/// The reader of a page, as the API knows them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Me {
    /// On whose behalf they act.
    pub(crate) role: String,
    /// Their person; nothing: the operator.
    pub(crate) user_id: Option<String>,
    /// The channel in which they write here; nothing: they have not written yet.
    pub(crate) channel_id: Option<String>,
    /// Their name.
    pub(crate) name: String,
    /// The session of their browser.
    pub(crate) session_id: Option<String>,
    /// The day on which the bot's usage counts now.
    pub(crate) today: String,
    /// A model writes down what is said aloud.
    pub(crate) hears: bool,
    /// The time zone in which they write a time.
    pub(crate) time_zone: String,
    /// They are no owner, and manage a server or group.
    pub(crate) manages: bool,
}

impl Me {
    /// They see what is theirs, or a place that they manage: they are no owner, and not the operator.
    pub(crate) fn is_person(&self) -> bool {
        self.role == "person"
    }
}

/// How many requests of one page are made at once. Each of them has a connection of the database to itself, and a
/// connection keeps what it has read: a page that asks for all of its parts at once would leave some megabytes behind.
const AT_ONCE: usize = 2;

/// The reader of a page.
pub(crate) struct Asker {
    web: Shared,
    turns: Semaphore,
    headers: HeaderMap,
    connection: Extensions,
    me: Option<Me>,
    /// Why nobody knows them; nothing: somebody does.
    unrecognized: Option<Failure>,
    is_shut_out: bool,
    /// The path of the page.
    pub(crate) path: String,
    /// Goes with every form of the page.
    pub(crate) token: String,
}

impl Asker {
    /// The present time.
    pub(crate) fn now(&self) -> Timestamp {
        self.web.clock.now()
    }

    /// The day on which the bot's usage counts now.
    pub(crate) fn today(&self) -> &str {
        self.me.as_ref().map_or("", |me| &me.today)
    }

    /// Reads.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        read(&self.ask(Method::GET, path, None).await?)
    }

    /// Reads a list to its end, page by page.
    pub(crate) async fn all<T: DeserializeOwned>(
        &self,
        path: &str,
        filters: &[(&str, &str)],
    ) -> Result<Vec<T>, Failure> {
        let (mut all, mut before) = (Vec::new(), String::new());
        loop {
            let further = [("limit", "200"), ("before", before.as_str())];
            let asked: Vec<_> = filters.iter().copied().chain(further).collect();
            let page: Page<T> = self.get(&with_query(path, &asked)).await?;
            all.extend(page.items);
            match page.next {
                Some(next) => before = next,
                None => return Ok(all),
            }
        }
    }

    /// The reader of the page; nothing: nobody knows them.
    pub(crate) fn me(&self) -> Option<&Me> {
        self.me.as_ref()
    }

    /// The reader is known, and may not look any more.
    pub(crate) fn is_shut_out(&self) -> bool {
        self.is_shut_out
    }

    /// The reader sees what is theirs, or a place that they manage: they are no owner, and not the operator.
    pub(crate) fn is_person(&self) -> bool {
        self.me.as_ref().is_none_or(Me::is_person)
    }

    /// Reads an answer whose status is part of what it tells.
    pub(crate) async fn look<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, Failure> {
        let response = self.response(Method::GET, path, None).await?;
        let bytes = to_bytes(response.into_body(), MOST).await;
        Ok(bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Learns who they are. Of several cookies one is a session here: forms go by that one.
    ///
    /// # Errors
    /// Why the API does not know them, or does not say.
    async fn recognize(&mut self) -> Result<(), Failure> {
        let answer = self.response(Method::GET, "/api/me", None).await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            let bytes = to_bytes(answer.into_body(), MOST).await.unwrap_or_default();
            let refused = serde_json::from_slice::<Refused>(&bytes);
            self.is_shut_out = refused.is_ok_and(|refused| refused.is_of_shutting_out());
            return Err(Failure::Unknown(self.path.clone()));
        }
        if !answer.status().is_success() {
            return Err(refusal(answer, &self.path).await);
        }
        self.token = session::form_token(&self.headers, Some(&answer));
        let bytes = to_bytes(answer.into_body(), MOST).await;
        self.me = Some(read(&bytes.map_err(|_| Failure::Unreadable)?)?);
        Ok(())
    }

    /// Lets on whom the API knows. Only a form asks (`form::Form`).
    ///
    /// # Errors
    /// Nobody knows them: they log in, and come back to the page.
    pub(super) fn check_known(&mut self) -> Result<(), Failure> {
        match self.unrecognized.take() {
            None => Ok(()),
            Some(Failure::Unknown(_)) => Err(Failure::Unknown(self.path.clone())),
            Some(failure) => Err(failure),
        }
    }

    /// Reads what the page can do without: what its reader may not see, and what is not there, is `None`.
    pub(crate) async fn find<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, Failure> {
        match self.get(path).await {
            Ok(found) => Ok(Some(found)),
            Err(Failure::Refused(refused)) if refused.is_of_access() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Changes something. Only a form can call it (`form::Form::send`).
    pub(super) async fn change(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let bytes = self.ask(method, path, body).await?;
        if bytes.is_empty() {
            Ok(Value::Null)
        } else {
            read(&bytes)
        }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Bytes, Failure> {
        let response = self.response(method, path, body).await?;
        if !response.status().is_success() {
            return Err(refusal(response, &self.path).await);
        }
        to_bytes(response.into_body(), MOST)
            .await
            .map_err(|_| Failure::Unreadable)
    }

    /// Hands in a file. Only a form can call it (`form::Form::upload`).
    pub(super) async fn upload(&self, path: &str, kind: Option<&str>, content: Bytes) -> Result<Value, Failure> {
        let kind = kind.and_then(|kind| HeaderValue::from_str(kind).ok());
        let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
        let answer = self.sent(Method::POST, path, Some(kind), Body::from(content)).await?;
        if !answer.status().is_success() {
            return Err(refusal(answer, &self.path).await);
        }
        let bytes = to_bytes(answer.into_body(), MOST).await;
        read(&bytes.map_err(|_| Failure::Unreadable)?)
    }

    /// The answer as it comes.
    pub(crate) async fn response(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Response, Failure> {
        let kind = body.map(|_| HeaderValue::from_static("application/json"));
        let content = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.sent(method, path, kind, content).await
    }

    async fn sent(
        &self,
        method: Method,
        path: &str,
        kind: Option<HeaderValue>,
        content: Body,
    ) -> Result<Response, Failure> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(headers) = request.headers_mut() {
            headers.clone_from(&self.headers);
            if let Some(kind) = kind {
                headers.insert(header::CONTENT_TYPE, kind);
            }
        }
        let mut request = request.body(content).map_err(|_| Failure::Unreadable)?;
        *request.extensions_mut() = self.connection.clone();
        // It is never closed.
        let _turn = self.turns.acquire().await.map_err(|_| Failure::Unreadable)?;
        match Box::pin(self.web.api.clone().oneshot(request)).await {
            Ok(response) => Ok(response),
            Err(never) => match never {},
        }
    }
}

impl FromRequestParts<Shared> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Shared) -> Result<Self, Infallible> {
        let mut headers = HeaderMap::new();
        for name in PASSED {
            for value in parts.headers.get_all(&name) {
                headers.append(name.clone(), value.clone());
            }
        }
        let mut asker = Self {
            web: Shared::clone(web),
            turns: Semaphore::new(AT_ONCE),
            token: session::form_token(&headers, None),
            headers,
            connection: clifford_http::connection(&parts.extensions),
            me: None,
            unrecognized: Some(Failure::Unknown(String::new())),
            is_shut_out: false,
            path: parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        };
        let is_somebody = [header::AUTHORIZATION, header::COOKIE]
            .iter()
            .any(|name| asker.headers.contains_key(name));
        if is_somebody {
            asker.unrecognized = asker.recognize().await.err();
        }
        Ok(asker)
    }
}

/// Why the API refuses something that a page needs.
pub(crate) async fn refusal(response: Response, page: &str) -> Failure {
    if response.status() == StatusCode::UNAUTHORIZED {
        return Failure::Unknown(page.to_owned());
    }
    let seconds = response.headers().get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let Ok(bytes) = to_bytes(response.into_body(), MOST).await else {
        return Failure::Unreadable;
    };
    let refused = serde_json::from_slice::<Refused>(&bytes);
    refused.map_or(Failure::Unreadable, |refused| Failure::Refused(refused.after(seconds)))
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        tracing::error!(%error, "failed to read an answer of the API for a page");
        Failure::Unreadable
    })
}
