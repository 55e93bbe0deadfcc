//! A client for Anthropic's messages API, and for servers that speak it.

mod reply;
mod request;

use std::fmt;

use async_trait::async_trait;
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use reqwest::{Response, header::HeaderName};

use self::{
    reply::{Event, Gathered, Whole},
    request::Body,
};
use crate::{
    function,
    remote::{
        Answer, DONE, Endpoint, Events, Fault, Flow, KeyHeader, ProviderConfig, SetupError, events_of, json, readable,
        usage::believed,
    },
    settings::Provider,
};

/// The version of the API that this client speaks.
const VERSION: &str = "2023-06-01";

/// One provider.
pub struct Anthropic(Endpoint);

impl Anthropic {
    /// Sets a provider up. The client is meant to be shared: see [`crate::http_client`].
    ///
    /// # Errors
    /// [`SetupError`] if the base URL or the key cannot be used.
    pub fn new(config: ProviderConfig, client: reqwest::Client) -> Result<Self, SetupError> {
        let key = KeyHeader {
            name: HeaderName::from_static("x-api-key"),
            prefix: "",
        };
        // Its address is usually given without the version, but not by everybody.
        let is_versioned = config
            .section
            .base_url
            .as_str()
            .trim()
            .trim_end_matches('/')
            .ends_with("/v1");
        let path: &[&str] = if is_versioned {
            &["messages"]
        } else {
            &["v1", "messages"]
        };
        let endpoint = Endpoint::new(config, client, path, &key)?;
        Ok(Self(
            endpoint.with_header(HeaderName::from_static("anthropic-version"), VERSION),
        ))
    }

    async fn ask(&self, request: &Request, flow: &Flow, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let put = |terms| Body::new(&self.0.config, request, terms);
        match self.0.ask(request, put).await? {
            Answer::Response(response) => self.read(response, request, flow, sink).await,
            Answer::Written(text) => {
                let Provider { name, model, .. } = &self.0.config.section;
                sink.began(name, model);
                sink.text(&text);
                self.completed(Gathered::written(text), request)
            }
        }
    }

    /// Reads a stream or a whole reply, whichever came.
    async fn read(
        &self,
        response: Response,
        request: &Request,
        flow: &Flow,
        sink: &mut dyn Sink,
    ) -> Result<Completion, ModelError> {
        let Provider { name, model, .. } = &self.0.config.section;
        sink.began(name, model);
        let mut gathered = Gathered::default();
        if self.0.is_stream(&response) {
            self.read_stream(self.0.events(response, flow), flow, &mut gathered, sink)
                .await?;
        } else {
            let (whole, has_halves) = self.0.whole(response).await?;
            let events = events_of(&whole);
            let unread = |error| self.0.overloaded(&format!("the answer is no message ({error})"));
            if let [only] = &events[..] {
                let whole: Whole = json::read(only).map_err(unread)?;
                self.check(&whole)?;
                gathered.add_whole(whole, has_halves, |text| sink.text(text));
                tell_usage(&gathered, sink);
            } else {
                for event in events.iter().take_while(|event| event.trim() != DONE) {
                    let event = json::read(event).map_err(unread)?;
                    self.add(&mut gathered, event, has_halves, sink)?;
                }
            }
        }
        self.completed(gathered, request)
    }

    async fn read_stream(
        &self,
        mut events: Events<'_>,
        flow: &Flow,
        gathered: &mut Gathered,
        sink: &mut dyn Sink,
    ) -> Result<(), ModelError> {
        let broken = |gathered: &Gathered, reason: &str| self.0.broken(&gathered.text, reason);
        while let Some(event) = (events.next().await).map_err(|ended| self.0.ended(&gathered.text, &ended))? {
            if event.trim() == DONE {
                break;
            }
            let is_over = gathered.stop_reason.is_some();
            let (event, has_halves) = readable(&event);
            let event =
                json::read(&event).map_err(|error| broken(gathered, &format!("an event cannot be read ({error})")));
            if matches!(event, Ok(Event::MessageStop)) {
                events.end().await;
                return Ok(());
            }
            match event.and_then(|event| self.add(gathered, event, has_halves, sink)) {
                Ok(true) => flow.grew(),
                Ok(false) => {}
                // The reply is there, whatever became of its end.
                Err(_) if is_over => break,
                Err(error) => return Err(error),
            }
            if gathered.stop_reason.is_some() {
                events.settle();
            }
        }
        match gathered.stop_reason {
            Some(_) => Ok(()),
            None => Err(broken(gathered, "the stream ended before the reply did")),
        }
    }

    /// Takes an event, and returns whether the reply grew by it.
    fn add(
        &self,
        gathered: &mut Gathered,
        event: Event,
        has_halves: bool,
        sink: &mut dyn Sink,
    ) -> Result<bool, ModelError> {
        match &event {
            Event::Error { error } => return Err(self.0.fault(Fault::from_value(error))),
            Event::Message(whole) => self.check(whole)?,
            _ => {}
        }
        let grew = gathered.add(event, has_halves, |text| sink.text(text));
        tell_usage(gathered, sink);
        Ok(grew)
    }

    /// Whether this is a reply, and no error in the place of one.
    fn check(&self, whole: &Whole) -> Result<(), ModelError> {
        match whole.error() {
            Some(error) => Err(self.0.fault(Fault::from_value(error))),
            None if whole.is_empty() => Err(self.0.overloaded("the answer holds no content")),
            None => Ok(()),
        }
    }

    fn completed(&self, mut gathered: Gathered, request: &Request) -> Result<Completion, ModelError> {
        gathered.end();
        let Provider { name, model, .. } = &self.0.config.section;
        let stop_reason = gathered.stop_reason.as_deref();
        if stop_reason == Some("refusal") {
            return Err(self.0.refused(&gathered.explanation));
        }
        let is_cut = matches!(stop_reason, Some("max_tokens" | "model_context_window_exceeded"));
        if is_cut {
            tracing::warn!(provider = name, "reply reached its token limit");
        }
        let tool_calls = gathered.take_calls();
        let usage = gathered.usage();
        let mut completion = Completion {
            text: gathered.text,
            tool_calls,
            provider: name.clone(),
            model: model.clone(),
            is_cut,
            ..Completion::default()
        };
        completion.usage = believed(name, usage, request, &completion);
        Ok(function::unwrap(completion, request.schema.as_ref()))
    }
}

/// Tells the usage so far.
fn tell_usage(gathered: &Gathered, sink: &mut dyn Sink) {
    if let Some(usage) = gathered.usage() {
        sink.used(usage);
    }
}

impl fmt::Debug for Anthropic {
    /// As the configuration shows itself: without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Anthropic").field(&self.0.config).finish()
    }
}

#[async_trait]
impl Model for Anthropic {
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let flow = Flow::new();
        self.0.in_time(&flow, self.ask(request, &flow, sink)).await
    }
}
