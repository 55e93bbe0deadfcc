//! The server on this machine that works on the same database, for commands that let it do their work.

use std::time::Duration;

use anyhow::Context;
use clifford_config::Loaded;
use clifford_vault::Secret;
use futures::{Stream, StreamExt};
use reqwest::{Method, StatusCode, header, redirect::Policy};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sse_stream::{Sse, SseStream};

use crate::app::{Announced, Announcement, Stays};

/// How long it may take to answer whether it is there.
const GREETING: Duration = Duration::from_secs(5);
/// How long the answer to a request may take that makes no one wait. A tool's call may take a while.
const PATIENCE: Duration = Duration::from_secs(330);
/// The longest silence of a stream: comments come more often.
const SILENCE: Duration = Duration::from_secs(60);

/// A server that answers.
#[derive(Clone, Debug)]
pub(super) struct Server {
    client: reqwest::Client,
    base: String,
    token: Secret,
    stays: Stays,
}

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// The server does not answer.
    #[error("the server does not answer")]
    Gone,
    /// It answers that it cannot do it now, and why.
    #[error("{0}")]
    Away(String),
    /// Another program answers, or another version of this one.
    #[error(
        "{0} does not answer as Clifford {version} does: restart the bot there if it is of another version; else see which \
         program listens at that address",
        version = env!("CARGO_PKG_VERSION")
    )]
    Foreign(String),
    /// It says no.
    #[error("{0}")]
    No(String),
}

/// The address by which people reach the dashboard: that of the server that runs, or else of the settings.
pub(super) fn dashboard(loaded: &Loaded) -> String {
    let announced = Announcement::of(loaded).read();
    announced.map_or_else(|| loaded.config.http.address(), |announced| announced.dashboard)
}

impl Server {
    /// The server of these settings' database, if one runs on this machine and serves the API.
    pub(super) async fn find(loaded: &Loaded) -> Option<Self> {
        let server = Self::at(Announcement::of(loaded).read()?).ok()?;
        // Another program may listen there by now.
        let me = server.request(Method::GET, "/api/me", None, GREETING).await.ok()?;
        me["role"].is_string().then_some(server)
    }

    /// A server that announced itself.
    ///
    /// # Errors
    /// The system has nothing left for a client.
    pub(super) fn at(announced: Announced) -> anyhow::Result<Self> {
        // It is on this machine: no proxy is asked.
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(GREETING);
        Ok(Self {
            client: client.build().context("no connection can be made")?,
            base: announced.address,
            token: announced.token,
            stays: announced.stays,
        })
    }

    /// Where it listens.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// How long it stays.
    pub(super) const fn stays(&self) -> Stays {
        self.stays
    }

    /// Asks the API, and returns its answer.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Refused> {
        self.request(method, path, body, PATIENCE).await
    }

    /// Asks the API for something of this kind.
    pub(super) async fn ask_for<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<T, Refused> {
        let answer = self.ask(method, path, body).await?;
        serde_json::from_value(answer).map_err(|_| self.foreign())
    }

    fn foreign(&self) -> Refused {
        Refused::Foreign(self.base.clone())
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        within: Duration,
    ) -> Result<Value, Refused> {
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.base))
            .bearer_auth(self.token.expose())
            .timeout(within);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.map_err(|_| Refused::Gone)?;
        let (status, bytes) = (response.status(), response.bytes().await);
        let bytes = bytes.map_err(|_| Refused::Gone)?;
        if status.is_success() && bytes.is_empty() {
            return Ok(Value::Null);
        }
        if status.is_success() {
            return serde_json::from_slice(&bytes).map_err(|_| self.foreign());
        }
        Err(self.refusal(status, &bytes))
    }

    /// The meaning of a refusal.
    fn refusal(&self, status: StatusCode, body: &[u8]) -> Refused {
        // It has no room for a moment, or the database has none.
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return detail(body).map_or(Refused::Gone, Refused::Away);
        }
        detail(body).map_or_else(|| self.foreign(), Refused::No)
    }

    /// Reads a stream of events until it ends or breaks off.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) async fn events<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<impl Stream<Item = T> + Unpin + use<T>, Refused> {
        let request = self.client.get(format!("{}{path}", self.base));
        let response = request.bearer_auth(self.token.expose()).send().await;
        let response = response.map_err(|_| Refused::Gone)?;
        let status = response.status();
        if !status.is_success() {
            let body = response.bytes().await.map_err(|_| Refused::Gone)?;
            return Err(self.refusal(status, &body));
        }
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if !is_stream {
            return Err(self.foreign());
        }
        let bytes = SseStream::from_bytes_stream(response.bytes_stream()).boxed();
        let events = futures::stream::unfold(bytes, |mut events| async move {
            loop {
                let next = tokio::time::timeout(SILENCE, events.next()).await;
                let Ok(Some(Ok(event))) = next else { return None };
                if let Some(event) = read(event) {
                    return Some((event, events));
                }
            }
        });
        Ok(Box::pin(events))
    }
}

/// The words of a refusal; `None`: it is not one of Clifford.
pub(super) fn detail(body: &[u8]) -> Option<String> {
    let problem: Value = serde_json::from_slice(body).ok()?;
    let detail = problem["detail"].as_str()?;
    (!detail.is_empty()).then(|| detail.to_owned())
}

/// The same below its heading, for those who do not know what was asked.
pub(super) fn headed(body: &[u8]) -> Option<String> {
    let detail = detail(body)?;
    let problem: Value = serde_json::from_slice(body).ok()?;
    Some(match problem["title"].as_str().filter(|title| !title.is_empty()) {
        Some(title) => format!("{title}: {detail}"),
        None => detail,
    })
}

/// An event of ours; `None`: a comment, or one that this version does not know.
fn read<T: DeserializeOwned>(event: Sse) -> Option<T> {
    let data: Value = serde_json::from_str(&event.data?).ok()?;
    serde_json::from_value(serde_json::json!({ "event": event.event?, "data": data })).ok()
}
