//! The server on this machine that works on the same database, for commands that let it do their work.

use std::time::Duration;

use anyhow::{Context, bail};
use clifford_config::Loaded;
use clifford_vault::Secret;
use futures::{Stream, StreamExt};
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sse_stream::{Sse, SseStream};

use crate::app::Announcement;

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
}

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// The server does not answer.
    #[error("the server does not answer")]
    Gone,
    /// It says no.
    #[error("{0}")]
    No(String),
}

impl Server {
    /// The server of these settings' database, if one runs on this machine and serves the API.
    pub(super) async fn find(loaded: &Loaded) -> Option<Self> {
        let announced = Announcement::of(loaded).read()?;
        // It is on this machine: no proxy is asked.
        let client = reqwest::Client::builder().no_proxy().connect_timeout(GREETING);
        let server = Self {
            client: client.build().ok()?,
            base: announced.address,
            token: announced.token,
        };
        // One that a crash left behind may stand for another program by now.
        let known = server.request(Method::GET, "/api/me", None, GREETING).await;
        known.is_ok().then_some(server)
    }

    /// Where it listens.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// What lets this machine's commands in.
    pub(super) fn token(&self) -> &Secret {
        &self.token
    }

    /// Asks the API, and returns its answer.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Refused> {
        self.request(method, path, body, PATIENCE).await
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
        let (is_done, bytes) = (response.status().is_success(), response.bytes().await);
        let bytes = bytes.map_err(|_| Refused::Gone)?;
        if is_done && bytes.is_empty() {
            return Ok(Value::Null);
        }
        let answer: Value = serde_json::from_slice(&bytes).map_err(|_| Refused::Gone)?;
        if is_done {
            return Ok(answer);
        }
        // It has no room for a moment, or the database has none.
        if matches!(answer["status"].as_u64(), Some(503)) {
            return Err(Refused::Gone);
        }
        let said = |key: &str| answer[key].as_str().unwrap_or_default();
        Err(Refused::No(said("detail").to_owned()))
    }

    /// Reads a stream of events until it ends or breaks off.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) async fn events<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> anyhow::Result<impl Stream<Item = T> + Unpin + use<T>> {
        let request = self.client.get(format!("{}{path}", self.base));
        let response = request.bearer_auth(self.token.expose()).send().await;
        let response = response.context("the server does not answer")?;
        if !response.status().is_success() {
            bail!("the server does not open the stream ({})", response.status());
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

/// An event of ours; `None`: a comment, or one that this version does not know.
fn read<T: DeserializeOwned>(event: Sse) -> Option<T> {
    let data: Value = serde_json::from_str(&event.data?).ok()?;
    serde_json::from_value(serde_json::json!({ "event": event.event?, "data": data })).ok()
}
