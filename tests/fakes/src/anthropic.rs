//! A fake of Anthropic's messages API.
//!
//! It is scripted as the fake of OpenAI's is, by the same replies: what a model says does not depend on how it is
//! asked. A handler gets each request [in that fake's form](translated); what is recorded is what came.

mod check;
mod render;

use std::{
    net::{Ipv4Addr, SocketAddr},
    ops::Deref,
};

use serde_json::{Value, json};

pub(crate) use self::{
    check::check,
    render::{body, error, events},
};
use crate::openai::{OpenAiFake, Protocol, RecordedRequest, Reply};

/// What a client puts where a turn of a person is missing; no part of what was said.
const FILLERS: [&str; 2] = ["Go on.", "(What was said before is left out.)"];

/// The server. Dropping it closes its socket and every open connection.
pub struct AnthropicFake(OpenAiFake);

impl AnthropicFake {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// If no socket can be bound.
    pub async fn start() -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self(OpenAiFake::speaking(Protocol::Anthropic, address).await)
    }

    /// The base URL to configure: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.0.address())
    }
}

impl Deref for AnthropicFake {
    type Target = OpenAiFake;

    fn deref(&self) -> &OpenAiFake {
        &self.0
    }
}

/// An error in Anthropic's form.
#[must_use]
pub fn status(status: u16, message: &str) -> Reply {
    Reply::raw(status, "application/json", error(status, message).to_string())
}

/// An error as an event of a stream.
#[must_use]
pub fn error_event(status: u16, message: &str) -> Value {
    error(status, message)
}

/// A request as the fake of OpenAI's chat completions would have got it: the system prompt first, each block a message.
#[must_use]
pub fn translated(request: &RecordedRequest) -> RecordedRequest {
    let texts = |content: &Value| match content {
        Value::String(text) => vec![text.clone()],
        blocks => blocks
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect(),
    };
    let mut messages = Vec::new();
    let system = texts(&request.body["system"]);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    for turn in request.messages() {
        let said = texts(&turn["content"]).into_iter();
        let said = said.filter(|text| !FILLERS.contains(&text.as_str()));
        messages.extend(said.map(|text| json!({"role": turn["role"], "content": text})));
    }
    let mut body = json!({"model": request.model(), "messages": messages, "stream": request.stream()});
    if let Some(schema) = request.body["output_config"]["format"].get("schema") {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {"schema": schema}});
    }
    RecordedRequest {
        headers: request.headers.clone(),
        body,
    }
}
