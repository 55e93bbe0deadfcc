//! A client for every server that speaks OpenAI's chat completions.

mod body;
mod config;
mod dialect;
mod fault;
mod sse;
mod wire;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Response, StatusCode, Url};

use self::body::Pieces;
pub use self::config::{Capability, OpenAiConfig, SetupError, Timeouts, http_client};
use self::dialect::{Dialect, Terms};
use self::fault::{Fault, Settings};
use self::wire::{Body, Chunk, Gathered};
use crate::tokens::estimate_usage;
use crate::{Completion, Model, ModelError, Request, Sink};

/// Bytes of an error's body that are read.
const LONGEST_ERROR: usize = 64 << 10;
/// Bytes of a reply's body that are read.
const LONGEST_REPLY: usize = 8 << 20;
/// How long the end of a stream is waited for after its last event, so that the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// One provider.
pub struct OpenAi {
    config: OpenAiConfig,
    client: reqwest::Client,
    url: Url,
    /// The base URL as it may be shown.
    shown_url: String,
    authorization: Option<HeaderValue>,
    /// What must not appear in any error.
    secrets: Vec<String>,
    dialect: Dialect,
}

impl OpenAi {
    /// Sets a provider up. The client is meant to be shared: see [`http_client`].
    ///
    /// # Errors
    /// [`SetupError`] if the base URL or the key cannot be used.
    pub fn new(config: OpenAiConfig, client: reqwest::Client) -> Result<Self, SetupError> {
        let base_url = |reason: String| SetupError::BaseUrl {
            provider: config.name.clone(),
            reason,
        };
        let mut url = Url::parse(config.base_url.trim()).map_err(|error| base_url(error.to_string()))?;
        if !["http", "https"].contains(&url.scheme()) || url.cannot_be_a_base() {
            return Err(base_url(format!("its scheme is `{}`", url.scheme())));
        }
        url.path_segments_mut()
            .map_err(|()| base_url("it has no path".to_owned()))?
            .pop_if_empty()
            .extend(["chat", "completions"]);
        // Some services take `https://TOKEN@host`.
        let user = Some(url.username()).filter(|name| !name.is_empty());
        let mut secrets: Vec<String> = url.password().or(user).map(str::to_owned).into_iter().collect();
        let mut authorization = None;
        // An empty key is what an unset environment variable leaves.
        if let Some(key) = config.key.as_deref().map(str::trim).filter(|key| !key.is_empty()) {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| SetupError::Key {
                provider: config.name.clone(),
            })?;
            value.set_sensitive(true);
            authorization = Some(value);
            secrets.push(key.to_owned());
            // Credentials in the URL would be sent as a second authorization.
            clear_credentials(&mut url);
        }
        let shown_url = shown(&config.base_url);
        let dialect = Dialect::new(config.capability);
        Ok(Self {
            config,
            client,
            url,
            shown_url,
            authorization,
            secrets,
            dialect,
        })
    }

    async fn ask(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        loop {
            let terms = self.dialect.terms();
            let response = self.send(request, terms).await?;
            let status = response.status();
            if status.is_success() {
                return self.read(response, request, sink).await;
            }
            let headers = response.headers().clone();
            let body = Pieces::new(response, self.config.timeouts.idle, LONGEST_ERROR)
                .up_to_limit()
                .await;
            let fault = Fault::from_response(status.as_u16(), &headers, &body);
            let unreadable = [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&status);
            if !(unreadable && self.dialect.give_way(terms, &fault.message)) {
                return Err(self.fault(fault));
            }
        }
    }

    async fn send(&self, request: &Request, terms: Terms) -> Result<Response, ModelError> {
        let body =
            serde_json::to_vec(&Body::new(&self.config, request, terms)).map_err(|error| ModelError::BadRequest {
                provider: self.config.name.clone(),
                reason: error.to_string(),
            })?;
        let mut call = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(authorization) = &self.authorization {
            call = call.header(AUTHORIZATION, authorization.clone());
        }
        match tokio::time::timeout(self.patience(), call.send()).await {
            Ok(sent) => sent.map_err(|error| self.overloaded(&body::transport(error))),
            Err(_) => Err(self.overloaded(&format!("no answer within {:?}", self.patience()))),
        }
    }

    /// The longest silence. What does not stream is silent until it has finished.
    const fn patience(&self) -> Duration {
        if self.config.streaming {
            self.config.timeouts.idle
        } else {
            self.config.timeouts.total
        }
    }

    /// Reads a stream or a whole reply, whichever came.
    async fn read(&self, response: Response, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        // Some servers ignore that a stream was asked for, others send one as plain text.
        let is_stream =
            content_type.contains("event-stream") || self.config.streaming && !content_type.contains("json");
        let mut pieces = Pieces::new(response, self.patience(), LONGEST_REPLY);
        let mut gathered = Gathered::default();
        if is_stream {
            self.read_stream(&mut pieces, &mut gathered, sink).await?;
        } else {
            let whole = pieces.whole().await.map_err(|reason| self.overloaded(&reason))?;
            let chunk = serde_json::from_slice(&whole)
                .map_err(|error| self.overloaded(&format!("the answer is no completion ({error})")))?;
            self.add(&mut gathered, chunk, sink)?;
            if !gathered.answered {
                return Err(self.overloaded("the answer holds no choice"));
            }
        }
        self.completed(gathered, request)
    }

    async fn read_stream(
        &self,
        pieces: &mut Pieces,
        gathered: &mut Gathered,
        sink: &mut dyn Sink,
    ) -> Result<(), ModelError> {
        let mut decoder = sse::Decoder::default();
        loop {
            let piece = pieces.next().await.map_err(|reason| self.broken(gathered, &reason))?;
            let over = piece.is_none();
            decoder.push(&piece.unwrap_or_default());
            while let Some(event) = decoder.next().or_else(|| if over { decoder.rest() } else { None }) {
                if event.trim() == "[DONE]" {
                    // Whether the end comes in time does not matter to the reply.
                    let _ = tokio::time::timeout(LAST_BYTES, pieces.next()).await;
                    return Ok(());
                }
                let chunk = serde_json::from_str(&event)
                    .map_err(|error| self.broken(gathered, &format!("an event is no chunk ({error})")))?;
                self.add(gathered, chunk, sink)?;
            }
            if over {
                return match gathered.finish {
                    Some(_) => Ok(()),
                    None => Err(self.broken(gathered, "the stream ended before the reply did")),
                };
            }
        }
    }

    fn add(&self, gathered: &mut Gathered, chunk: Chunk, sink: &mut dyn Sink) -> Result<(), ModelError> {
        if let Some(error) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            return Err(self.fault(Fault::from_value(error)));
        }
        gathered
            .add(chunk, |text| sink.text(text))
            .map_err(|error| self.fault(Fault::from_value(&error)))
    }

    fn completed(&self, mut gathered: Gathered, request: &Request) -> Result<Completion, ModelError> {
        let OpenAiConfig { name, model, .. } = &self.config;
        let filtered = gathered.finish.as_deref() == Some("content_filter");
        if filtered || !gathered.refusal.is_empty() {
            let said = self.clean(gathered.refusal.trim());
            let reason = if said.is_empty() {
                "the content filter withheld the reply".to_owned()
            } else {
                said
            };
            return Err(ModelError::Refused {
                provider: name.clone(),
                reason,
            });
        }
        if gathered.finish.as_deref() == Some("length") {
            tracing::warn!(provider = name, "the reply reached its token limit");
        }
        let tool_calls = gathered.take_calls();
        let usage = gathered.usage;
        let mut completion = Completion {
            text: gathered.text,
            tool_calls,
            provider: name.clone(),
            model: model.clone(),
            ..Completion::default()
        };
        completion.usage = usage.unwrap_or_else(|| estimate_usage(request, &completion));
        Ok(completion)
    }

    fn fault(&self, fault: Fault) -> ModelError {
        let OpenAiConfig { name, model, .. } = &self.config;
        let settings = Settings {
            provider: name,
            model,
            base_url: &self.shown_url,
        };
        fault.into_error(&settings, |text| self.clean(text))
    }

    /// A stream that broke off: what came may be worth something, nothing is not.
    fn broken(&self, gathered: &Gathered, reason: &str) -> ModelError {
        if gathered.text.is_empty() {
            return self.overloaded(reason);
        }
        ModelError::Cut {
            provider: self.config.name.clone(),
            partial: gathered.text.clone(),
        }
    }

    fn overloaded(&self, reason: &str) -> ModelError {
        ModelError::Overloaded {
            provider: self.config.name.clone(),
            reason: self.clean(reason),
        }
    }

    /// Strikes secrets out: servers and proxies like to repeat them.
    fn clean(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
    }
}

impl fmt::Debug for OpenAi {
    /// As the configuration shows itself: without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenAi").field(&self.config).finish()
    }
}

#[async_trait]
impl Model for OpenAi {
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let total = self.config.timeouts.total;
        match tokio::time::timeout(total, self.ask(request, sink)).await {
            Ok(result) => result,
            Err(_) => Err(self.overloaded(&format!("no complete answer within {total:?}"))),
        }
    }
}

/// A base URL without credentials and query.
fn shown(base_url: &str) -> String {
    let Ok(mut url) = Url::parse(base_url.trim()) else {
        return String::new();
    };
    clear_credentials(&mut url);
    url.set_query(None);
    url.to_string()
}

fn clear_credentials(url: &mut Url) {
    // Only a URL without a host refuses, and that has none to clear.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}
