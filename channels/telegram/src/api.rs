//! Calls to the Bot API, and the meaning of its answers.
//!
//! teloxide's `JsonRequest` and `MultipartRequest`, over the same HTTP client and with results as lenient as ours, fail
//! three tests:
//!
//! - `what_may_have_arrived_is_failed_or_unreachable_and_shows_no_token`: they sleep 10 s on every 5xx, then drop the
//!   status, so delivery cannot tell a server that failed from one that refused.
//! - `a_refusal_is_read_whatever_stands_beside_it`: an unknown field next to `migrate_to_chat_id`, or a `retry_after`
//!   of more than 32 bits, makes the whole answer unreadable, and a certain refusal an uncertain one.
//! - `an_update_that_no_json_reader_takes_costs_its_batch_nothing`: they read an answer whole, so one number out of
//!   range loses all updates of its batch, and the next poll returns the same batch.
//!
//! Downloads are asked for here as well (`download.rs`).

mod download;

use std::{
    error::Error as _,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use clifford_channel::ChannelError;
use clifford_vault::{Redirected, Secret, Url};
use reqwest::{RequestBuilder, multipart::Form, redirect::Policy};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use teloxide::{Bot, requests::Payload};

use crate::refusal::is_about_markup;

/// How long opening a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request that does not wait for updates may take.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a file may take, in or out.
const FILE_TIMEOUT: Duration = Duration::from_secs(120);
/// The wait if a 429 names none, in seconds.
const RETRY_AFTER: u64 = 5;
/// The shortest wait after a 429, whatever it names.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait that is obeyed.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// The result of a send: the message was sent, even if nothing of this can be read.
#[derive(Deserialize)]
#[serde(from = "Box<RawValue>")]
pub(crate) struct Sent {
    /// Its id, if that can be read.
    pub(crate) id: Option<String>,
}

impl From<Box<RawValue>> for Sent {
    fn from(sent: Box<RawValue>) -> Self {
        #[derive(Default, Deserialize)]
        struct Fields<'a> {
            #[serde(borrow)]
            message_id: Option<&'a RawValue>,
        }
        // A message that one person alone sees has the id 0: it is not found again.
        let fields: Fields<'_> = serde_json::from_str(sent.get()).unwrap_or_default();
        // The other fields need not even hold numbers that fit.
        let id = fields
            .message_id
            .and_then(|id| id.get().trim_matches('"').parse::<i64>().ok())
            .filter(|id| *id != 0);
        Self {
            id: id.map(|id| id.to_string()),
        }
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiError {
    /// 429: nothing more before this time is over.
    RetryAfter(Duration),
    /// The group is a supergroup now, under this id.
    MovedTo(i64),
    /// Telegram understood the request, and refuses it.
    Refused { code: u16, description: String },
    /// There was no connection: the request was not made.
    NoConnection(String),
    /// No answer, or a broken one. The request may have been carried out.
    Unreachable(String),
    /// The server answered that it failed (5xx). The request may have been carried out.
    Failed(String),
}

/// One bot's client for its server.
pub(crate) struct Api {
    bot: Bot,
    /// The server takes rich messages, as far as is known.
    takes_rich: AtomicBool,
}

// A `Bot` shows its token.
impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    ok: bool,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error_code: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Parameters<'a> {
    #[serde(borrow)]
    retry_after: Option<&'a RawValue>,
    #[serde(borrow)]
    migrate_to_chat_id: Option<&'a RawValue>,
}

/// A field, if it can be read: an odd one next to the result must not turn a success into a failure.
fn field<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

impl Api {
    pub(crate) fn new(token: &Secret, api_url: &Url) -> Result<Self, ChannelError> {
        let token = token.expose();
        let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        if token.is_empty() || !token.chars().all(is_token) {
            return Err(ChannelError::Misconfigured(
                "channels.telegram.token is no bot token: take the one that @BotFather gave, such as 123456:ABC-DEF"
                    .to_owned(),
            ));
        }
        let bad_url = |why: &str| ChannelError::Misconfigured(format!("channels.telegram.api_url {why}"));
        let mut server = url::Url::parse(api_url.as_str()).map_err(|_| {
            ChannelError::Misconfigured(format!("channels.telegram.api_url: `{api_url}` is no address"))
        })?;
        server
            .path_segments_mut()
            .map_err(|()| bad_url("is no HTTP address"))?
            .pop_if_empty();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            // Calls set their own; a download has no other.
            .timeout(FILE_TIMEOUT)
            .tcp_nodelay(true)
            // The token is a part of each address.
            .redirect(Policy::custom(|attempt| {
                let place = Redirected::new(attempt.url().as_str(), "channels.telegram.api_url");
                attempt.error(place)
            }))
            .build()
            .map_err(|error| ChannelError::Misconfigured(format!("the HTTP client cannot be made: {error}")))?;
        Ok(Self {
            bot: Bot::with_client(token, http).set_api_url(server),
            takes_rich: AtomicBool::new(true),
        })
    }

    /// The same, with rich messages if they are wanted.
    pub(crate) fn with_rich(self, wanted: bool) -> Self {
        Self {
            takes_rich: AtomicBool::new(wanted),
            ..self
        }
    }

    /// Whether rich messages are sent.
    pub(crate) fn takes_rich(&self) -> bool {
        self.takes_rich.load(Ordering::Relaxed)
    }

    /// The server knows none: it is not asked again.
    pub(crate) fn takes_no_rich(&self) {
        self.takes_rich.store(false, Ordering::Relaxed);
    }

    /// Calls a method with a payload of teloxide's, and reads the part of the result that is needed.
    pub(crate) async fn call<P, R>(&self, payload: &P, timeout: Duration) -> Result<R, ApiError>
    where
        P: Payload + Serialize + Sync,
        R: DeserializeOwned,
    {
        self.perform(self.request(P::NAME, timeout)?.json(payload)).await
    }

    /// The same with a text in Telegram's markup: where it cannot read that, once more as `unmarked` leaves the
    /// payload.
    pub(crate) async fn call_marked<P, R>(&self, mut payload: P, unmarked: impl FnOnce(&mut P)) -> Result<R, ApiError>
    where
        P: Payload + Serialize + Sync,
        R: DeserializeOwned,
    {
        match self.call(&payload, CALL_TIMEOUT).await {
            Err(ApiError::Refused { description, .. }) if is_about_markup(&description) => {
                tracing::debug!(method = P::NAME, %description, "Telegram refused markup, sending the text without");
                unmarked(&mut payload);
                self.call(&payload, CALL_TIMEOUT).await
            }
            answered => answered,
        }
    }

    /// Calls a method that takes a file.
    pub(crate) async fn upload<P: Payload, R: DeserializeOwned>(&self, form: Form) -> Result<R, ApiError> {
        self.perform(self.request(P::NAME, FILE_TIMEOUT)?.multipart(form)).await
    }

    /// The server's address with a segment behind it.
    fn url(&self, segment: &str) -> Result<reqwest::Url, ApiError> {
        let mut url = self.bot.api_url();
        url.path_segments_mut()
            .map_err(|()| ApiError::NoConnection("the server's address takes no path".to_owned()))?
            .push(segment);
        Ok(url)
    }

    fn request(&self, method: &str, timeout: Duration) -> Result<RequestBuilder, ApiError> {
        let mut url = self.url(&format!("bot{}", self.bot.token()))?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.push(method);
        }
        Ok(self.bot.client().post(url).timeout(timeout))
    }

    async fn perform<R: DeserializeOwned>(&self, request: RequestBuilder) -> Result<R, ApiError> {
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(|error| self.unreachable(error))?;
        read(status, &body).map_err(|error| self.without_token(error))
    }

    fn unreachable(&self, error: reqwest::Error) -> ApiError {
        let error = error.without_url();
        let was_made = !error.is_connect() && !error.is_builder() && !error.is_redirect();
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        self.without_token(if was_made {
            ApiError::Unreachable(text)
        } else {
            ApiError::NoConnection(text)
        })
    }

    /// Removes the token, which a server or a proxy may echo: it must not reach a log.
    fn without_token(&self, error: ApiError) -> ApiError {
        let clean = |text: String| text.replace(self.bot.token(), "<token>");
        match error {
            ApiError::NoConnection(text) => ApiError::NoConnection(clean(text)),
            ApiError::Unreachable(text) => ApiError::Unreachable(clean(text)),
            ApiError::Failed(text) => ApiError::Failed(clean(text)),
            ApiError::Refused { code, description } => ApiError::Refused {
                code,
                description: clean(description),
            },
            ApiError::RetryAfter(_) | ApiError::MovedTo(_) => error,
        }
    }
}

/// Reads an answer.
fn read<R: DeserializeOwned>(status: u16, body: &[u8]) -> Result<R, ApiError> {
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(body) else {
        let description = format!("HTTP {status} without an answer of the Bot API");
        return Err(match status {
            400..=499 => ApiError::Refused {
                code: status,
                description,
            },
            500.. => ApiError::Failed(description),
            _ => ApiError::Unreachable(description),
        });
    };
    if envelope.ok {
        let result = envelope.result.map_or("null", RawValue::get);
        return serde_json::from_str(result).map_err(|error| {
            ApiError::Unreachable(format!("the result cannot be read, at column {}", error.column()))
        });
    }
    let code = field(envelope.error_code).unwrap_or(status);
    let description = field(envelope.description).unwrap_or_else(|| format!("error {code}"));
    let parameters: Parameters<'_> = field(envelope.parameters).unwrap_or_default();
    if let Some(id) = field(parameters.migrate_to_chat_id) {
        return Err(ApiError::MovedTo(id));
    }
    let retry_after = field(parameters.retry_after);
    Err(match (code, retry_after) {
        (429, seconds) => ApiError::RetryAfter(wait(seconds.unwrap_or(RETRY_AFTER))),
        (_, Some(seconds)) => ApiError::RetryAfter(wait(seconds)),
        (500.., None) => ApiError::Failed(format!("{code} {description}")),
        (_, None) => ApiError::Refused { code, description },
    })
}

/// The wait that Telegram asks for: long enough for another answer, and short enough for the clock.
fn wait(seconds: u64) -> Duration {
    Duration::from_secs(seconds).clamp(SHORTEST_WAIT, LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_becomes_what_the_caller_does_next() {
        let refused = |code: u16, description: &str| ApiError::Refused {
            code,
            description: description.to_owned(),
        };
        let cases: [(u16, &str, Result<u32, ApiError>); 13] = [
            (200, r#"{"ok":true,"result":7}"#, Ok(7)),
            (
                403,
                r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}"#,
                Err(refused(403, "Forbidden: bot was blocked by the user")),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":35}}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(35))),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"parameters":{"retry_after":18446744073709551615}}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(86_400))),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"description":"x"}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(5))),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"parameters":{"retry_after":0}}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(1))),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"parameters":{"retry_after":-3}}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(5))),
            ),
            (
                429,
                r#"{"ok":false,"error_code":429,"parameters":{"retry_after":"NaN"}}"#,
                Err(ApiError::RetryAfter(Duration::from_secs(5))),
            ),
            (
                400,
                r#"{"ok":false,"error_code":400,"description":"x","parameters":{"migrate_to_chat_id":-1005}}"#,
                Err(ApiError::MovedTo(-1005)),
            ),
            (
                500,
                r#"{"ok":false,"error_code":500,"description":"Internal Server Error"}"#,
                Err(ApiError::Failed("500 Internal Server Error".to_owned())),
            ),
            (
                502,
                "<html>",
                Err(ApiError::Failed("HTTP 502 without an answer of the Bot API".to_owned())),
            ),
            (
                413,
                "<html>",
                Err(refused(413, "HTTP 413 without an answer of the Bot API")),
            ),
            (
                200,
                "{}",
                Err(ApiError::Unreachable(
                    "HTTP 200 without an answer of the Bot API".to_owned(),
                )),
            ),
        ];
        for (status, body, expected) in cases {
            assert_eq!(read::<u32>(status, body.as_bytes()), expected, "{status} {body}");
        }
    }

    #[test]
    fn what_was_sent_was_sent_whatever_is_told_of_it() {
        let cases = [
            (r#"{"ok":true,"result":{"message_id":7,"x":1e999}}"#, Some("7")),
            (r#"{"ok":true,"result":{"message_id":"7"}}"#, Some("7")),
            (r#"{"ok":true,"result":{"message_id":7.5}}"#, None),
            (r#"{"ok":true,"result":{"message_id":null,"text":"\ud800"}}"#, None),
            (r#"{"ok":true,"result":[1e999]}"#, None),
            (r#"{"ok":true,"result":true}"#, None),
            (r#"{"ok":true}"#, None),
            (
                r#"{"ok":true,"result":{"message_id":7},"error_code":"x","description":0,"parameters":[1e999]}"#,
                Some("7"),
            ),
        ];
        for (body, id) in cases {
            let sent: Sent = read(200, body.as_bytes()).unwrap();
            assert_eq!(sent.id.as_deref(), id, "{body}");
        }
    }

    #[tokio::test]
    async fn only_what_was_asked_may_have_been_carried_out() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap()).into();
        let api = Api::new(&Secret::new("1:a"), &address).unwrap();
        let ask = async || {
            let request = api.request("GetMe", CALL_TIMEOUT).unwrap();
            api.perform::<u32>(request).await.unwrap_err()
        };
        let (error, ()) = tokio::join!(ask(), async { drop(listener.accept().await) });
        assert!(matches!(error, ApiError::Unreachable(_)), "{error:?}");
        drop(listener);
        let error = ask().await;
        assert!(matches!(error, ApiError::NoConnection(_)), "{error:?}");
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_with_the_token() {
        use clifford_fakes::site::SiteFake;
        use futures::StreamExt as _;

        let (old, new) = SiteFake::start_moved().await.unwrap();
        let api = Api::new(&Secret::new("1:a"), &old.url("").into()).unwrap();
        let ask = async || {
            let request = api.request("GetMe", CALL_TIMEOUT).unwrap();
            api.perform::<u32>(request).await.unwrap_err()
        };
        let read = async || api.download("documents/file_1.bin").next().await.unwrap().unwrap_err();
        let expected = format!(
            "error following redirect: it redirects to {}, which is not followed: name the server itself in \
             channels.telegram.api_url",
            new.url("")
        );
        for error in [ask().await, read().await] {
            assert_eq!(error, ApiError::NoConnection(expected.clone()));
        }
        assert_eq!((old.visits().len(), new.connections()), (2, 0));
    }

    #[tokio::test]
    async fn a_download_that_fails_shows_no_token() {
        use futures::StreamExt as _;

        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap()).into();
        let token = format!("123456:{}", "a".repeat(35));
        let api = Api::new(&Secret::new(&token), &address).unwrap();
        let read = async || api.download("documents/file_1.bin").next().await.unwrap().unwrap_err();
        let (broken, ()) = tokio::join!(read(), async { drop(listener.accept().await) });
        drop(listener);
        let refused = read().await;
        assert!(matches!(broken, ApiError::Unreachable(_)), "{broken:?}");
        assert!(matches!(refused, ApiError::NoConnection(_)), "{refused:?}");
        let shown = format!("{broken:?} {refused:?} {api:?}");
        assert!(!shown.contains(&token) && !shown.contains("documents"), "{shown}");
    }

    #[test]
    fn a_token_or_address_that_cannot_be_right_names_its_setting() {
        let error =
            |token: &str, address: &str| Api::new(&Secret::new(token), &address.into()).unwrap_err().to_string();
        assert!(error("1:a b", "https://x.y").starts_with("channels.telegram.token "));
        assert!(error("", "https://x.y").starts_with("channels.telegram.token "));
        assert!(error("1:a", "mailto:x@y").starts_with("channels.telegram.api_url "));
    }

    #[test]
    fn methods_are_called_below_the_path_of_the_address() {
        for (address, expected) in [
            ("https://api.telegram.org", "https://api.telegram.org/bot1:a/GetMe"),
            ("https://x.y/tg/", "https://x.y/tg/bot1:a/GetMe"),
        ] {
            let api = Api::new(&Secret::new("1:a"), &address.into()).unwrap();
            let request = api.request("GetMe", CALL_TIMEOUT).unwrap().build().unwrap();
            assert_eq!(request.url().as_str(), expected);
        }
    }
}
