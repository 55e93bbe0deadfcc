//! Calls to a service whose address the owner configured, and whose answers are JSON.

use std::time::Duration;

use clifford_action::without_halves;
use clifford_vault::Redirected;
use reqwest::{Client, RequestBuilder, StatusCode, header::LOCATION, redirect::Policy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use url::Url;

use super::ToolError;

/// The longest time of an answer.
const TIME: Duration = Duration::from_secs(15);
/// The most bytes of an answer.
const MOST: usize = 2 * 1024 * 1024;
/// The most characters that are repeated of why a service refuses.
const REASON: usize = 200;

/// Where a service's API begins: an http(s) URL without a password, so that it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", inline)]
pub(super) struct BaseUrl(String);

impl BaseUrl {
    /// A service's own address.
    pub fn fixed(url: &'static str) -> Self {
        Self(url.to_owned())
    }

    /// A path below it.
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.0.trim_end_matches('/'))
    }

    /// Its host, to name where an answer came from.
    pub fn host(&self) -> String {
        let url = Url::parse(&self.0).ok();
        url.and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Url::parse(&text) {
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                Err("a service's URL may hold no user name or password".to_owned())
            }
            Ok(url)
                if matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.query().is_none()
                    && url.fragment().is_none() =>
            {
                Ok(Self(text))
            }
            _ => Err("a service's URL begins with http:// or https://, and has a host and no query".to_owned()),
        }
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.0
    }
}

/// A service, as errors speak of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service {
    /// Its name.
    pub name: &'static str,
    /// Where its error's JSON tells the reason: a JSON pointer.
    pub reason: &'static str,
    /// The remedy for an answer of this status, if there is one.
    pub remedy: fn(StatusCode) -> Option<&'static str>,
}

impl Service {
    /// The client for requests. Redirects are not followed: a key could go along.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn client(self) -> Result<Client, ToolError> {
        Client::builder()
            .user_agent(concat!("clifford/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .timeout(TIME)
            .build()
            .map_err(|error| self.unavailable(&format!("no connection can be made: {error}")))
    }

    /// Makes a request, and reads its answer.
    ///
    /// # Errors
    /// The service cannot be reached, refuses, or answers something else than was documented.
    pub async fn ask<T: DeserializeOwned>(self, request: RequestBuilder) -> Result<T, ToolError> {
        let mut response = request.send().await.map_err(|error| self.broken(&error))?;
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
            let place = Redirected::new(location.unwrap_or("nowhere"), "the tool's settings");
            return Err(self.unavailable(&place.to_string()));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(&error))? {
            body.extend_from_slice(&piece);
            if body.len() > MOST {
                return Err(self.unavailable(&format!("its answer is longer than {MOST} bytes")));
            }
        }
        if !status.is_success() {
            return Err(self.refusal(status, &body));
        }
        parse(&body).map_err(|error| {
            tracing::warn!(service = self.name, "failed to parse a response");
            tracing::debug!(service = self.name, %error, "failed to parse a response (details)");
            self.unavailable("its answer cannot be read")
        })
    }

    fn refusal(self, status: StatusCode, body: &[u8]) -> ToolError {
        let body: Value = parse(body).unwrap_or_default();
        let reason = body.pointer(self.reason).and_then(Value::as_str);
        let reason: Option<String> = reason.map(|reason| reason.chars().take(REASON).collect());
        let shown = status_text(status);
        let said = match (&reason, (self.remedy)(status)) {
            (_, Some(remedy)) => format!("it answered {shown}; {remedy}"),
            (Some(reason), None) => format!("it answered {shown}: {reason}"),
            (None, None) => format!("it answered {shown}"),
        };
        match status {
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                ToolError::TellModel(format!("{}: {said}", self.name))
            }
            _ => self.unavailable(&said),
        }
    }

    fn broken(self, error: &reqwest::Error) -> ToolError {
        self.unavailable(if error.is_timeout() {
            "it does not answer in time"
        } else if error.is_connect() {
            "it cannot be reached"
        } else {
            "the connection broke off"
        })
    }

    fn unavailable(self, why: &str) -> ToolError {
        ToolError::Unavailable(format!("{}: {why}", self.name))
    }
}

/// A status as people know it: `404 Not Found`; of one that has no name, the number.
pub(super) fn status_text(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(name) => format!("{} {name}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// Reads JSON. Services cut texts in the middle of a character, and some begin with a byte order mark.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    let text = String::from_utf8_lossy(body);
    serde_json::from_str(&without_halves(text.trim_start_matches('\u{feff}')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_services_url_is_one_of_the_web_without_a_password() {
        for (text, joined) in [
            ("https://api.example", Some("https://api.example/v1/search")),
            (
                "http://127.0.0.1:8080/searx/",
                Some("http://127.0.0.1:8080/searx/v1/search"),
            ),
            ("https://ada:secret@api.example", None),
            ("https://api.example/?key=1", None),
            ("ftp://api.example", None),
            ("api.example", None),
        ] {
            let url = BaseUrl::try_from(text.to_owned());
            let url = url.map(|url| url.join("v1/search"));
            assert_eq!(url.as_deref().ok(), joined, "{text}");
            assert!(!url.is_err_and(|fault| fault.contains("secret")), "{text}");
        }
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed_with_the_key() {
        use clifford_fakes::site::SiteFake;

        let (old, new) = SiteFake::start_moved().await.unwrap();
        let service = Service {
            name: "A service",
            reason: "/error",
            remedy: |_| None,
        };
        let request = service
            .client()
            .expect("a client")
            .get(old.url("/v1/search"))
            .bearer_auth("a key");
        let answer = service.ask::<Value>(request).await;
        let Err(ToolError::Unavailable(why)) = answer else {
            panic!("{answer:?}");
        };
        let told = format!("A service: it redirects to {}, which is not followed", new.url(""));
        assert!(why.starts_with(&told), "{why}");
        assert_eq!((old.visits().len(), new.connections()), (1, 0));
    }

    #[test]
    fn an_answer_with_a_half_of_a_character_is_read() {
        for (body, expected) in [
            (&b"{\"a\":\"x\\ud83d\"}"[..], "x\u{fffd}"),
            (b"{\"a\":\"\\ud83d\\ude00\"}", "\u{1f600}"),
            (b"\xef\xbb\xbf{\"a\":\"x\"}", "x"),
            (b"{\"a\":\"x\xff\"}", "x\u{fffd}"),
        ] {
            let answer: Value = parse(body).expect("JSON");
            assert_eq!(answer["a"], expected, "{body:?}");
        }
        parse::<Value>(b"{").expect_err("no JSON");
    }
}
