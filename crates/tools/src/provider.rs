//! One request to an OpenAI-compatible server, for tools that need more than its chat.

use std::time::Duration;

use clifford_vault::Secret;
use futures::StreamExt;
use serde_json::Value;

use super::ToolError;

/// The most bytes of an answer: an image in base64 is the largest.
const MOST: usize = 64 << 20;
/// The most characters of a server's words about a fault.
const FAULT: usize = 300;

/// A server and what it is asked.
pub(super) struct Ask<'a> {
    /// The tool that asks: errors name its section.
    pub tool: &'a str,
    /// Where its API begins.
    pub base_url: &'a str,
    /// The route below that, such as `embeddings`.
    pub route: &'a str,
    /// The key.
    pub key: Option<&'a Secret>,
    /// The body.
    pub body: &'a Value,
    /// How long it may take.
    pub within: Duration,
}

impl Ask<'_> {
    /// Asks, and returns the JSON of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or answers something else.
    pub async fn send(&self) -> Result<Value, ToolError> {
        let http = reqwest::Client::builder()
            .timeout(self.within)
            .build()
            .map_err(|error| self.unavailable(&error.to_string()))?;
        let url = format!("{}/{}", self.base_url.trim_end_matches('/'), self.route);
        let mut request = http.post(url).json(self.body);
        if let Some(key) = self.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status();
        let mut bytes = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.map_err(|error| self.broken(error))?);
            if bytes.len() > MOST {
                return Err(self.unavailable("its answer is too long"));
            }
        }
        let answer: Option<Value> = serde_json::from_slice(&bytes).ok();
        if status.is_success() {
            return answer.ok_or_else(|| self.unavailable("its answer is no JSON"));
        }
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
        // A provider's words may quote the request.
        tracing::warn!(tool = self.tool, route = self.route, "tool provider failed");
        tracing::debug!(tool = self.tool, why, "tool provider failure");
        ToolError::Unavailable(format!("the provider of [tools.{}] did not do it: {why}", self.tool))
    }
}
