//! The common part of clients of remote models: one address, and the meaning of its answers and silences.

mod asking;
mod body;
mod config;
mod dialect;
mod events;
mod fault;
pub(crate) mod json;
mod length;
mod lessons;
mod sse;
mod surrogates;
pub(crate) mod usage;

use std::time::Duration;

use bytes::Bytes;
use clifford_llm_api::model::ModelError;
use reqwest::{
    Response, StatusCode, Url,
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, sleep_until};

pub use self::config::{DEFAULT_MAX_TOKENS, ProviderConfig, SetupError, http_client};
use self::fault::ProviderSettings;
pub use self::lessons::Lessons;
pub(crate) use self::{
    asking::Answer,
    body::Pieces,
    dialect::{Dialect, Terms},
    events::{Ended, Events, Flow},
    fault::{Fault, is_told},
    sse::{DONE, events_of},
    surrogates::{Joiner, readable},
};
use crate::{
    settings::{Provider, Timeouts, thinks_first},
    sight::{self, Refusal},
};

/// Bytes of an error's body that are read.
const LONGEST_ERROR: usize = 64 << 10;
/// Bytes of a reply's body that are read.
const LONGEST_REPLY: usize = 8 << 20;
/// The longest that a stream may go on whose tokens flow.
const LONGEST_FLOW: Duration = Duration::from_secs(3600);

/// How a key is sent.
pub(crate) struct KeyHeader {
    /// The header's name.
    pub(crate) name: HeaderName,
    /// The text before the key.
    pub(crate) prefix: &'static str,
}

/// The result of a request.
pub(crate) enum HttpReply {
    /// The server answers.
    Reply(Response),
    /// The server cannot read the request, as it says.
    Unreadable(Fault),
}

/// One provider's address, with the key to it.
pub(crate) struct Endpoint {
    pub(crate) config: ProviderConfig,
    client: reqwest::Client,
    url: Url,
    /// The base URL as it may be shown.
    shown_url: String,
    headers: HeaderMap,
    /// The strings that must not appear in any error.
    secrets: Vec<String>,
}

impl Endpoint {
    /// Sets an address up: the base URL and `path` below it.
    ///
    /// # Errors
    /// [`SetupError`] if the base URL or the key cannot be used.
    pub(crate) fn new(
        config: ProviderConfig,
        client: reqwest::Client,
        path: &[&str],
        key_header: &KeyHeader,
    ) -> Result<Self, SetupError> {
        let base_url = |reason: String| SetupError::BaseUrl {
            provider: config.section.name.clone(),
            reason,
        };
        let mut url =
            Url::parse(config.section.base_url.as_str().trim()).map_err(|error| base_url(error.to_string()))?;
        if !["http", "https"].contains(&url.scheme()) || url.cannot_be_a_base() {
            return Err(base_url(format!("its scheme is `{}`", url.scheme())));
        }
        url.path_segments_mut()
            .map_err(|()| base_url("it has no path".to_owned()))?
            .pop_if_empty()
            .extend(path);
        // Some services take `https://TOKEN@host`.
        let user = Some(url.username()).filter(|name| !name.is_empty());
        let mut secrets: Vec<String> = url.password().or(user).map(str::to_owned).into_iter().collect();
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        // An empty key is what an unset environment variable leaves.
        if let Some(key) = config
            .key
            .as_ref()
            .map(|key| key.expose().trim())
            .filter(|key| !key.is_empty())
        {
            let mut value =
                HeaderValue::from_str(&format!("{}{key}", key_header.prefix)).map_err(|_| SetupError::Key {
                    provider: config.section.name.clone(),
                })?;
            value.set_sensitive(true);
            headers.insert(key_header.name.clone(), value);
            secrets.push(key.to_owned());
            // Credentials in the URL would be sent as a second authorization.
            clear_credentials(&mut url);
        }
        let shown_url = shown_url(config.section.base_url.as_str());
        Ok(Self {
            config,
            client,
            url,
            shown_url,
            headers,
            secrets,
        })
    }

    /// Sends one more header with every request.
    pub(crate) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The terms that the server understands, as far as it was asked.
    fn dialect(&self) -> &Dialect {
        let Provider { structured, model, .. } = &self.config.section;
        let new = || Dialect::new(*structured, !thinks_first(model));
        self.config.lessons.dialect(new)
    }

    /// Sends a request that is put in these terms; `shows`: it has images.
    async fn send(&self, body: Bytes, terms: Terms, shows: bool) -> Result<HttpReply, ModelError> {
        let patience = self.patience(terms);
        let call = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .body(body);
        let response = match tokio::time::timeout(patience, call.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_timeout() => return Err(self.silent(&body::transport(error))),
            Ok(Err(error)) => return Err(self.overloaded(&body::transport(error))),
            Err(_) => return Err(self.silent(&format!("no answer within {patience:?}"))),
        };
        let status = response.status();
        if status.is_success() {
            self.check(&response)?;
            return Ok(HttpReply::Reply(response));
        }
        let headers = response.headers().clone();
        let body = Pieces::new(response, self.config.timeouts.idle, LONGEST_ERROR)
            .up_to_limit()
            .await;
        let fault = Fault::from_response(status.as_u16(), &headers, &body);
        if let Some(refusal) = sight::refusal(&fault.message).filter(|_| shows && fault.too_long.is_none()) {
            return Err(self.unseen(refusal, &fault.message));
        }
        let is_unread = [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&status);
        if is_unread || fault.blames_form() {
            Ok(HttpReply::Unreadable(fault))
        } else {
            Err(self.fault(fault))
        }
    }

    /// Refuses a reply that is packed: nobody asked for that.
    fn check(&self, response: &Response) -> Result<(), ModelError> {
        let encoding = response
            .headers()
            .get(CONTENT_ENCODING)
            .and_then(|value| value.to_str().ok());
        let encoding = encoding.unwrap_or_default().trim().to_ascii_lowercase();
        if ["", "identity"].contains(&encoding.as_str()) {
            return Ok(());
        }
        Err(ModelError::BadRequest {
            provider: self.config.section.name.clone(),
            reason: self.clean(&format!(
                "status {}: the answer is packed ({}), which was not asked for: turn compression off in the proxy at {}",
                response.status().as_u16(),
                encoding.chars().take(40).collect::<String>(),
                self.shown_url
            )),
        })
    }

    /// The images of a request were refused.
    fn unseen(&self, refusal: Refusal, said: &str) -> ModelError {
        let is_blind = refusal == Refusal::Blind;
        if is_blind {
            self.config.images.learn(false);
        }
        ModelError::Unseen {
            provider: self.config.section.name.clone(),
            reason: self.clean(said),
            is_blind,
        }
    }

    /// The longest silence before a reply begins. A reply that is not streamed is silent until it has finished.
    const fn patience(&self, terms: Terms) -> Duration {
        if self.config.section.stream && terms.stream {
            self.config.timeouts.first_token
        } else {
            self.config.timeouts.total
        }
    }

    /// The body of a reply, to be read in pieces.
    fn pieces(&self, response: Response) -> Pieces {
        Pieces::new(response, self.patience(self.dialect().terms()), LONGEST_REPLY)
    }

    /// Whether a reply comes as a stream: some servers ignore that one was asked for, others send one as plain text.
    pub(crate) fn is_stream(&self, response: &Response) -> bool {
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let is_other = content_type.contains("json") || content_type.contains("html");
        content_type.contains("event-stream") || self.config.section.stream && !is_other
    }

    /// The events of a reply.
    pub(crate) fn events<'a>(&self, response: Response, flow: &'a Flow) -> Events<'a> {
        Events::new(self.pieces(response), flow, self.config.timeouts)
    }

    /// A reply that comes at once, as JSON that can be read, and whether it has halves of characters ([`readable`]).
    pub(crate) async fn whole(&self, response: Response) -> Result<(String, bool), ModelError> {
        let whole = self.pieces(response).whole().await;
        let whole = whole.map_err(|reason| self.overloaded(&reason))?;
        let whole = String::from_utf8_lossy(&whole);
        if whole.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            return Err(self.fault(Fault::web_page()));
        }
        let (whole, has_halves) = readable(&whole);
        Ok((whole.into_owned(), has_halves))
    }

    /// The call as a whole within its time. A stream whose tokens still come by then is not cut: it ends by itself, by
    /// its silence, or with its caller.
    pub(crate) async fn in_time<T>(
        &self,
        flow: &Flow,
        call: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        let Timeouts { idle, total, .. } = self.config.timeouts;
        let mut call = std::pin::pin!(call);
        let mut until = flow.began() + total;
        loop {
            tokio::select! {
                result = &mut call => return result,
                () = sleep_until(until) => {}
            }
            let longest = flow.began() + LONGEST_FLOW;
            match flow.last().map(|last| (last + idle).min(longest)) {
                Some(flows_until) if flows_until > Instant::now() => until = flows_until,
                _ => return Err(self.silent(&format!("no complete answer within {total:?}"))),
            }
        }
    }

    /// The meaning of a server's error for the caller.
    pub(crate) fn fault(&self, fault: Fault) -> ModelError {
        let settings = ProviderSettings {
            provider: &self.config.section.name,
            model: &self.config.section.model,
            base_url: &self.shown_url,
        };
        fault.into_error(&settings, |text| self.clean(text))
    }

    /// A stream that broke off: what came may be worth something, nothing is not.
    pub(crate) fn broken(&self, text: &str, reason: &str) -> ModelError {
        if text.is_empty() {
            return self.overloaded(reason);
        }
        ModelError::Cut {
            provider: self.config.section.name.clone(),
            partial: text.to_owned(),
        }
    }

    /// A stream that cannot be read further.
    pub(crate) fn ended(&self, text: &str, ended: &Ended) -> ModelError {
        match ended {
            Ended::Broken(reason) => self.broken(text, reason),
            Ended::Silent(reason) => self.silent(reason),
        }
    }

    fn silent(&self, reason: &str) -> ModelError {
        ModelError::Silent {
            provider: self.config.section.name.clone(),
            reason: self.clean(reason),
        }
    }

    pub(crate) fn overloaded(&self, reason: &str) -> ModelError {
        ModelError::Overloaded {
            provider: self.config.section.name.clone(),
            reason: self.clean(reason),
        }
    }

    /// The model, or a filter before it, will not answer.
    pub(crate) fn refused(&self, said: &str) -> ModelError {
        let said = self.clean(said.trim());
        ModelError::Refused {
            provider: self.config.section.name.clone(),
            reason: if said.is_empty() {
                "the content filter withheld the reply".to_owned()
            } else {
                said
            },
        }
    }

    /// Strikes secrets out: servers and proxies like to repeat them.
    fn clean(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
    }
}

/// A base URL without credentials and query.
#[must_use]
pub fn shown_url(base_url: &str) -> String {
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
