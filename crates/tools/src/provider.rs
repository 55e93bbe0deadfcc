//! One request to an OpenAI-compatible server, for tools that need more than its chat.

use std::time::Duration;

use clifford_vault::{Redirected, Secret};
use futures::StreamExt;
use reqwest::{header::LOCATION, multipart::Form, redirect::Policy};
use serde_json::Value;

use super::ToolError;

/// The most bytes of an answer: an image in base64 is the largest.
const MOST: usize = 64 << 20;
/// The most characters of a server's words about a fault.
const FAULT: usize = 300;

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
    /// A form with files.
    Form(Form),
}

impl Ask<'_> {
    /// Asks, and returns the JSON of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or answers something else.
    pub async fn send(self) -> Result<Value, ToolError> {
        let (section, route) = (self.section, self.route);
        let bytes = self.bytes().await?;
        serde_json::from_slice(&bytes).map_err(|_| unavailable(section, route, "its answer is no JSON"))
    }

    /// Asks, and returns the answer as it is.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn bytes(mut self) -> Result<Vec<u8>, ToolError> {
        let http = reqwest::Client::builder()
            .timeout(self.within)
            .redirect(Policy::none())
            .build()
            .map_err(|error| self.unavailable(&error.to_string()))?;
        let url = format!("{}/{}", self.base_url.trim_end_matches('/'), self.route);
        let mut request = match std::mem::replace(&mut self.body, Body::Json(&Value::Null)) {
            Body::Json(body) => http.post(url).json(body),
            Body::Form(form) => http.post(url).multipart(form),
        };
        if let Some(key) = self.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
            let setting = format!("base_url of [{}]", self.section);
            let place = Redirected::new(location.unwrap_or("nowhere"), setting);
            return Err(self.unavailable(&place.to_string()));
        }
        let mut bytes = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.map_err(|error| self.broken(error))?);
            if bytes.len() > MOST {
                return Err(self.unavailable("its answer is too long"));
            }
        }
        if status.is_success() {
            return Ok(bytes);
        }
        let answer: Option<Value> = serde_json::from_slice(&bytes).ok();
        let words = answer.as_ref().and_then(|answer| answer["error"]["message"].as_str());
        let words: String = words.unwrap_or("no reason given").chars().take(FAULT).collect();
        Err(match status.as_u16() {
            401 | 403 => self.unavailable("it refuses the key; its owner has to mend that"),
            404 => self.unavailable("it does not know the model or the route; its owner has to mend that"),
            400 | 422 => ToolError::TellModel(format!("the provider refused it: {words}")),
            code => self.unavailable(&format!("HTTP {code}: {words}")),
        })
    }

    fn broken(&self, error: reqwest::Error) -> ToolError {
        self.unavailable(&error.without_url().to_string())
    }

    fn unavailable(&self, why: &str) -> ToolError {
        unavailable(self.section, self.route, why)
    }
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
