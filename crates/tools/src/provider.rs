//! One request to an OpenAI-compatible server, for tools that need more than its chat. It is made again, a few times and
//! within its time, while the server has no room for it or fails in passing.

use std::time::Duration;

use clifford_vault::{Redirected, Secret};
use futures::StreamExt;
use reqwest::{
    Response,
    header::{LOCATION, RETRY_AFTER},
    multipart::Form,
    redirect::Policy,
};
use serde_json::Value;
use tokio::time::Instant;

use super::{ToolError, service::parse};

/// The most bytes of an answer: an image in base64 is the largest.
const MOST: usize = 64 << 20;
/// The most characters of a server's words about a fault.
const FAULT: usize = 300;
/// The least waits before it is asked again, where it names none: the half of what they may be.
const WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];
/// The longest wait that it may ask for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and what it is asked.
pub(super) struct Ask<'a> {
    /// The section of its settings: errors name it.
    pub section: &'a str,
    /// The base address of its API.
    pub base_url: &'a str,
    /// The route below that, such as `embeddings`.
    pub route: &'a str,
    /// The key.
    pub key: Option<&'a Secret>,
    /// The body.
    pub body: Body<'a>,
    /// How long it may take.
    pub within: Duration,
}

/// The body of a request.
pub(super) enum Body<'a> {
    /// JSON.
    Json(&'a Value),
    /// A form with files, made anew for each try.
    Form(&'a (dyn Fn() -> Form + Send + Sync)),
}

/// Why a try failed.
enum Failure {
    /// Another one would, too.
    Lasting(ToolError),
    /// Another one may not.
    Passing {
        /// The reason.
        why: String,
        /// The wait that the server asks for.
        after: Option<Duration>,
    },
}

impl Ask<'_> {
    /// Asks, and returns the JSON of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or answers something else.
    pub async fn send(self) -> Result<Value, ToolError> {
        let (section, route) = (self.section, self.route);
        let bytes = self.bytes().await?;
        parse(&bytes).map_err(|_| unavailable(section, route, "its answer is no JSON"))
    }

    /// Asks, again where that may help, and returns the answer as it is.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn bytes(self) -> Result<Vec<u8>, ToolError> {
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .build()
            .map_err(|error| self.unavailable(&error.to_string()))?;
        let until = Instant::now() + self.within;
        let mut backoff = WAITS.into_iter();
        loop {
            let (why, after) = match self.once(&http, until).await {
                Ok(bytes) => return Ok(bytes),
                Err(Failure::Lasting(error)) => return Err(error),
                Err(Failure::Passing { why, after }) => (why, after),
            };
            // Calls that failed together are not made together again.
            let wait = backoff
                .next()
                .map(|wait| after.unwrap_or(wait) + wait.mul_f64(rand::random()));
            let is_in_time = |wait: &Duration| *wait <= PATIENCE && Instant::now() + *wait < until;
            let Some(wait) = wait.filter(is_in_time) else {
                return Err(self.unavailable(&why));
            };
            let wait_ms = wait.as_millis();
            tracing::warn!(
                section = self.section,
                route = self.route,
                wait_ms,
                "retrying a tool provider"
            );
            tracing::debug!(section = self.section, why, "tool provider failed (details)");
            tokio::time::sleep(wait).await;
        }
    }

    /// Asks once.
    async fn once(&self, http: &reqwest::Client, until: Instant) -> Result<Vec<u8>, Failure> {
        let url = format!("{}/{}", self.base_url.trim_end_matches('/'), self.route);
        let mut request = http.post(url).timeout(until.saturating_duration_since(Instant::now()));
        request = match &self.body {
            Body::Json(body) => request.json(body),
            Body::Form(form) => request.multipart(form()),
        };
        if let Some(key) = self.key {
            request = request.bearer_auth(key.expose());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => {
                return Err(Failure::Passing {
                    why: error.without_url().to_string(),
                    after: None,
                });
            }
            Err(error) => return Err(Failure::Lasting(self.broken(error))),
        };
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
            let setting = format!("base_url of [{}]", self.section);
            let place = Redirected::new(location.unwrap_or("nowhere"), setting);
            return Err(Failure::Lasting(self.unavailable(&place.to_string())));
        }
        let after = told_wait(&response);
        let mut bytes = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.map_err(|error| Failure::Lasting(self.broken(error)))?);
            if bytes.len() > MOST {
                return Err(Failure::Lasting(self.unavailable("its answer is too long")));
            }
        }
        if status.is_success() {
            return Ok(bytes);
        }
        let answer: Value = parse(&bytes).unwrap_or_default();
        let error = &answer["error"];
        let words = error["message"].as_str().unwrap_or("no reason given");
        let words: String = words.chars().take(FAULT).collect();
        // No wait fills an account.
        let is_spent = error["code"] == "insufficient_quota";
        Err(Failure::Lasting(match status.as_u16() {
            401 | 403 => self.unavailable("it refuses the key; its owner has to mend that"),
            404 => self.unavailable("it does not know the model or the route; its owner has to mend that"),
            400 | 422 => ToolError::TellModel(format!("the provider refused it: {words}")),
            code @ (408 | 429 | 500 | 502..=504 | 529) if !is_spent => {
                let why = format!("HTTP {code}: {words}");
                return Err(Failure::Passing { why, after });
            }
            code => self.unavailable(&format!("HTTP {code}: {words}")),
        }))
    }

    fn broken(&self, error: reqwest::Error) -> ToolError {
        self.unavailable(&error.without_url().to_string())
    }

    fn unavailable(&self, why: &str) -> ToolError {
        unavailable(self.section, self.route, why)
    }
}

/// The wait that the server asks for, in seconds.
fn told_wait(response: &Response) -> Option<Duration> {
    let seconds = response
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn unavailable(section: &str, route: &str, why: &str) -> ToolError {
    // A provider's words may quote the request.
    tracing::warn!(section, route, "tool provider failed");
    tracing::debug!(section, why, "tool provider failed (details)");
    ToolError::Unavailable(format!("the provider of [{section}] did not do it: {why}"))
}

#[cfg(test)]
mod tests {
    use clifford_fakes::site::SiteFake;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_redirect_is_not_followed_with_the_key() {
        let (old, new) = SiteFake::start_moved().await.unwrap();
        let key = Secret::new("a key");
        let asked = json!({ "prompt": "a cat" });
        let ask = Ask {
            section: "tools.image",
            base_url: &old.url(""),
            route: "images/generations",
            key: Some(&key),
            body: Body::Json(&asked),
            within: Duration::from_secs(30),
        };
        let answer = ask.send().await;
        let Err(ToolError::Unavailable(why)) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(
            why,
            format!(
                "the provider of [tools.image] did not do it: it redirects to {}, which is not followed: name the \
                 server itself in base_url of [tools.image]",
                new.url("")
            )
        );
        assert_eq!((old.visits().len(), new.connections()), (1, 0));
    }
}
