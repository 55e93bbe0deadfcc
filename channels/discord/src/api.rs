//! Requests to Discord's REST API: one at a time, with its rate limits and its errors.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use clifford_channel::{ChannelError, lenient};
use clifford_vault::Redirected;
use reqwest::{
    Client, Method, Response, StatusCode,
    header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER},
    multipart::{Form, Part},
    redirect::Policy,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    buckets::{Buckets, Key, seconds, wait},
    config::{DiscordConfig, Timing},
    wait::{Backoff, Stopped, pause},
};

const USER_AGENT: &str = concat!(
    "DiscordBot (",
    env!("CARGO_PKG_REPOSITORY"),
    ", ",
    env!("CARGO_PKG_VERSION"),
    ")"
);
/// How long a file may take, in or out.
const FILE_TIMEOUT: Duration = Duration::from_secs(120);
/// The shortest wait after a 429, whatever it says.
const SHORTEST_WAIT: Duration = Duration::from_millis(250);
/// When a 429 does not say how long to wait.
const UNTOLD_WAIT: Duration = Duration::from_secs(5);

/// Discord's REST API under one token.
#[derive(Debug)]
pub(crate) struct Api {
    http: Client,
    websockets: Client,
    root: String,
    authorization: HeaderValue,
    timing: Timing,
    buckets: Mutex<Buckets>,
}

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// Wait so long before the next request of its kind.
    #[error("Discord asks to wait {} ms", .0.as_millis())]
    Limited(Duration),
    /// No answer, or Discord failed: the request may have been taken.
    #[error("{0}")]
    Unreachable(String),
    /// Discord answered that it failed: the request may have been taken.
    #[error("Discord answered {0}")]
    Failed(StatusCode),
    /// Discord refuses it.
    #[error("{0}")]
    Refused(Refusal),
}

/// Discord's no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (HTTP {status}, code {code})")]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: u64,
    pub(crate) message: String,
}

impl Refusal {
    /// Its first words: Discord's list of what is wrong with each field may be long.
    pub(crate) fn reason(&self) -> String {
        self.message.chars().take(200).collect()
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Below `/api/v10`.
    pub(crate) path: String,
    pub(crate) key: Key,
    pub(crate) body: Body,
    /// It has only this time; and Discord's limits do not hold for it.
    pub(crate) urgent: Option<Duration>,
}

/// A request's body.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    None,
    Json(Value),
    /// Files besides the JSON.
    Files {
        json: Value,
        files: Vec<FilePart>,
    },
}

/// A file of a request.
#[derive(Clone, Debug)]
pub(crate) struct FilePart {
    pub(crate) name: String,
    pub(crate) media_type: String,
    pub(crate) content: Bytes,
}

impl Call {
    /// A request without a body. `route` names the kind of request, `major` the channel, guild or webhook.
    pub(crate) fn new(method: Method, route: &'static str, major: impl ToString, path: String) -> Self {
        Self {
            method,
            path,
            key: Key {
                route,
                major: major.to_string(),
            },
            body: Body::None,
            urgent: None,
        }
    }

    pub(crate) fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }
}

impl Api {
    pub(crate) fn new(config: &DiscordConfig) -> Result<Self, ChannelError> {
        let no_token =
            || ChannelError::Misconfigured("channels.discord.token has characters that no token has".to_owned());
        let mut authorization =
            HeaderValue::from_str(&format!("Bot {}", config.token.expose())).map_err(|_| no_token())?;
        authorization.set_sensitive(true);
        let timeout = config.timing.request;
        // The token goes to nobody else.
        let stay = || {
            Policy::custom(|attempt| {
                let place = Redirected::new(attempt.url().as_str(), "channels.discord.api_url");
                attempt.error(place)
            })
        };
        let client = || {
            Client::builder()
                .user_agent(USER_AGENT)
                .connect_timeout(timeout)
                .redirect(stay())
        };
        let no_client = |error| ChannelError::Misconfigured(format!("no HTTPS client: {error}"));
        let http = client().timeout(timeout).build().map_err(no_client)?;
        let websockets = client().http1_only().build().map_err(no_client)?;
        let root = format!("{}/api/v10", config.api_url.as_str().trim_end_matches('/'));
        Ok(Self {
            http,
            websockets,
            root,
            authorization,
            timing: config.timing,
            buckets: Mutex::default(),
        })
    }

    /// The client for what begins as a request and stays open: HTTP/1.1, and no limit on its whole time.
    pub(crate) fn websockets(&self) -> &Client {
        &self.websockets
    }

    /// Asks for a file at an address, without saying who asks.
    pub(crate) async fn download(&self, url: &str) -> Result<Response, ApiError> {
        let response = self
            .http
            .get(url)
            .timeout(FILE_TIMEOUT)
            .send()
            .await
            .map_err(unreachable)?;
        match response.status() {
            status if status.is_success() => Ok(response),
            StatusCode::TOO_MANY_REQUESTS => Err(ApiError::Limited(obeyed(None, retry_after(response.headers())))),
            status if status.is_client_error() => Err(ApiError::Refused(refusal(status, response).await)),
            status => Err(ApiError::Failed(status)),
        }
    }

    /// Makes one attempt.
    pub(crate) async fn call<T: DeserializeOwned>(&self, call: &Call) -> Result<T, ApiError> {
        let bytes = self.attempt(call).await?.bytes().await.map_err(unreachable)?;
        // "No content" reads as null.
        let bytes = if bytes.is_empty() { b"null".as_slice() } else { &bytes };
        serde_json::from_slice(bytes)
            .map_err(|error| ApiError::Unreachable(format!("the answer to {} is unreadable: {error}", call.key.route)))
    }

    /// Tries until there is an answer or a refusal.
    ///
    /// # Errors
    /// `Err(Stopped)` if it was stopped, `Ok(Err(…))` if Discord refuses.
    pub(crate) async fn call_with_retries<T: DeserializeOwned>(
        &self,
        call: &Call,
        stop: &CancellationToken,
    ) -> Result<Result<T, Refusal>, Stopped> {
        let mut backoff = Backoff::new(&self.timing);
        loop {
            let attempt = tokio::select! {
                () = stop.cancelled() => return Err(Stopped),
                attempt = self.call(call) => attempt,
            };
            let wait = match attempt {
                Ok(answer) => return Ok(Ok(answer)),
                Err(ApiError::Refused(refusal)) => return Ok(Err(refusal)),
                Err(ApiError::Limited(wait)) => wait,
                Err(error @ (ApiError::Unreachable(_) | ApiError::Failed(_))) => {
                    tracing::debug!(route = call.key.route, %error, "request to Discord failed, retrying");
                    backoff.next()
                }
            };
            pause(wait, stop).await?;
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Response, ApiError> {
        self.buckets(|buckets| buckets.take(&call.key, Instant::now()))
            .map_err(ApiError::Limited)?;
        let mut request = self
            .http
            .request(call.method.clone(), format!("{}{}", self.root, call.path));
        request = request.header(AUTHORIZATION, self.authorization.clone());
        request = match &call.body {
            Body::None => request,
            Body::Json(json) => request.json(json),
            Body::Files { json, files } => request.multipart(form(json, files)?),
        };
        if matches!(call.body, Body::Files { .. }) {
            request = request.timeout(FILE_TIMEOUT);
        }
        if let Some(within) = call.urgent {
            request = request.timeout(within);
        }
        let response = request.send().await.map_err(unreachable)?;
        self.buckets(|buckets| buckets.learn(&call.key, response.headers(), Instant::now()));
        match response.status() {
            status if status.is_success() => Ok(response),
            StatusCode::TOO_MANY_REQUESTS => Err(self.limited(&call.key, response).await),
            status if status.is_client_error() => Err(ApiError::Refused(refusal(status, response).await)),
            status => Err(ApiError::Failed(status)),
        }
    }

    async fn limited(&self, key: &Key, response: Response) -> ApiError {
        let header = retry_after(response.headers());
        // Where a proxy before Discord refuses, the body is no JSON.
        let body: Value = response.json().await.unwrap_or_default();
        let told = lenient::number(&body, "retry_after").and_then(wait);
        let (wait, is_global) = (obeyed(told, header), lenient::flag(&body, "global"));
        self.buckets(|buckets| buckets.refused(key, wait, is_global, Instant::now()));
        ApiError::Limited(wait)
    }

    fn buckets<T>(&self, look: impl FnOnce(&mut Buckets) -> T) -> T {
        look(&mut self.buckets.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How long to wait after a 429, by its body and its header. No time at all is none that lets anything pass.
fn obeyed(body: Option<Duration>, header: Option<Duration>) -> Duration {
    let said = |wait: Option<Duration>| wait.filter(|wait| !wait.is_zero());
    said(body).or(said(header)).unwrap_or(UNTOLD_WAIT).max(SHORTEST_WAIT)
}

fn form(json: &Value, files: &[FilePart]) -> Result<Form, ApiError> {
    let json = Part::text(json.to_string())
        .mime_str("application/json")
        .map_err(unreachable)?;
    let mut form = Form::new().part("payload_json", json);
    for (place, file) in files.iter().enumerate() {
        let part = Part::stream(file.content.clone()).file_name(file.name.clone());
        let part = part.mime_str(&file.media_type).map_err(unreachable)?;
        form = form.part(format!("files[{place}]"), part);
    }
    Ok(form)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .and_then(seconds)
}

async fn refusal(status: StatusCode, response: Response) -> Refusal {
    #[derive(Default, Deserialize)]
    struct Body {
        #[serde(default)]
        code: u64,
        message: Option<String>,
        errors: Option<Value>,
    }
    let body: Body = response.json().await.unwrap_or_default();
    let mut message = body.message.unwrap_or_else(|| status.to_string());
    if let Some(errors) = body.errors {
        message = format!("{message}: {errors}");
    }
    Refusal {
        status: status.as_u16(),
        code: body.code,
        message,
    }
}

/// The address is left out: it may carry an interaction's token.
pub(crate) fn unreachable(error: reqwest::Error) -> ApiError {
    let error = error.without_url();
    let cause = std::error::Error::source(&error)
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    ApiError::Unreachable(format!("{error}{cause}"))
}

#[cfg(test)]
mod tests {
    use clifford_fakes::site::SiteFake;
    use clifford_vault::Secret;

    use super::*;

    #[test]
    fn a_refusal_for_haste_is_never_asked_again_at_once() {
        let seconds = Duration::from_secs;
        for (body, header, expected) in [
            (Some(Duration::ZERO), None, UNTOLD_WAIT),
            (Some(Duration::ZERO), Some(seconds(9)), seconds(9)),
            (Some(seconds(2)), Some(seconds(9)), seconds(2)),
            (Some(Duration::from_millis(1)), None, SHORTEST_WAIT),
            (None, Some(Duration::ZERO), UNTOLD_WAIT),
            (None, Some(seconds(9)), seconds(9)),
            (None, None, UNTOLD_WAIT),
        ] {
            assert_eq!(obeyed(body, header), expected, "{body:?} {header:?}");
        }
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_with_the_token() {
        let (old, new) = SiteFake::start_moved().await.unwrap();
        let api = Api::new(&DiscordConfig::new(old.url("").as_str().into(), Secret::new("a token"))).unwrap();
        let call = Call::new(Method::GET, "users", "@me", "/users/@me".to_owned());
        let expected = format!(
            "error following redirect: it redirects to {}, which is not followed: name the server itself in \
             channels.discord.api_url",
            new.url("")
        );
        let told = [
            api.call::<Value>(&call).await.unwrap_err(),
            api.download(&old.url("/files/1")).await.unwrap_err(),
        ];
        assert_eq!(told.map(|error| error.to_string()), [expected.clone(), expected]);
        assert_eq!((old.visits().len(), new.connections()), (2, 0));
    }
}
