//! A request as it came, and the protocol that it came by.

use hyper::HeaderMap;
use serde_json::Value;

/// One request for a chat completion, as it came.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
}

impl RecordedRequest {
    /// A header's text, or nothing.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The messages; none if the body had none.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The text of one message, or the first of its pieces that is one; empty if there is no such message or it holds no
    /// text.
    #[must_use]
    pub fn text(&self, index: usize) -> &str {
        let Some(content) = self.messages().get(index).map(|message| &message["content"]) else {
            return "";
        };
        let pieces = content.as_array().map_or(&[][..], Vec::as_slice);
        let first = pieces.iter().find_map(|piece| piece["text"].as_str());
        content.as_str().or(first).unwrap_or_default()
    }

    /// The text of the last message.
    #[must_use]
    pub fn last_text(&self) -> &str {
        self.text(self.messages().len().saturating_sub(1))
    }

    /// The model that was asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Whether a stream was asked for.
    #[must_use]
    pub fn stream(&self) -> bool {
        self.body["stream"] == true
    }
}

/// The protocol of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    OpenAi,
    Anthropic,
}
