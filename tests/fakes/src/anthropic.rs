//! A fake of Anthropic's messages API.
//!
//! It is scripted as the fake of OpenAI's is, by the same replies: what a model says does not depend on how it is
//! asked. A handler gets each request [in that fake's form](translated); what is recorded is what came.

use std::{
    net::{Ipv4Addr, SocketAddr},
    ops::Deref,
};

use serde_json::Value;

pub use crate::models::anthropic::translated;
use crate::{
    models::{Protocol, Reply, anthropic::error},
    openai::OpenAiFake,
};

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
