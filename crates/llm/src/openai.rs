//! A client for every server that speaks OpenAI's chat completions.

mod wire;

use std::fmt;

use async_trait::async_trait;
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use reqwest::{Response, header::AUTHORIZATION};

use self::wire::{Body, Chunk, Gathered};
use crate::{
    function,
    remote::{
        Answer, DONE, Endpoint, Events, Fault, Flow, KeyHeader, ProviderConfig, SetupError, events_of, json, readable,
        usage::believed,
    },
    settings::Provider,
};

/// Why a reply ended, where a filter withheld it: OpenAI's word, Gemini's, Zhipu's.
const FILTERED: [&str; 8] = [
    "content_filter",
    "safety",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
    "sensitive",
    "refusal",
];
/// The same, where the server could not go on: OpenRouter's word, DeepSeek's, Zhipu's.
const INTERRUPTED: [&str; 3] = ["error", "insufficient_system_resource", "network_error"];

/// One provider.
pub struct OpenAi(Endpoint);

impl OpenAi {
    /// Sets a provider up. The client is meant to be shared: see [`crate::http_client`].
    ///
    /// # Errors
    /// [`SetupError`] if the base URL or the key cannot be used.
    pub fn new(config: ProviderConfig, client: reqwest::Client) -> Result<Self, SetupError> {
        let key = KeyHeader {
            name: AUTHORIZATION,
            prefix: "Bearer ",
        };
        Endpoint::new(config, client, &["chat", "completions"], &key).map(Self)
    }

    async fn ask(&self, request: &Request, flow: &Flow, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let put = |terms| Body::new(&self.0.config, request, terms);
        match self.0.ask(request, put).await? {
            Answer::Response(response) => self.read(response, request, flow, sink).await,
            Answer::Written(text) => {
                let Provider { name, model, .. } = &self.0.config.section;
                sink.began(name, model);
                let mut gathered = Gathered::default();
                gathered.take_written(text, |text| sink.text(text));
                self.completed(gathered, request)
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
            for event in events_of(&whole).iter().take_while(|event| event.trim() != DONE) {
                let chunk = json::read(event)
                    .map_err(|error| self.0.overloaded(&format!("the answer is no completion ({error})")))?;
                self.add(&mut gathered, chunk, has_halves, sink)?;
            }
        }
        if !gathered.answered {
            return Err(self.0.overloaded("the answer holds no choice"));
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
        // Some servers give a reason to end with every chunk.
        let mut goes_on = false;
        while let Some(event) = (events.next().await).map_err(|ended| self.0.ended(&gathered.text, &ended))? {
            if event.trim() == DONE {
                events.end().await;
                return Ok(());
            }
            let (is_over, size) = (is_over(gathered), gathered.size());
            let (event, has_halves) = readable(&event);
            let read = json::read(&event)
                .map_err(|error| broken(gathered, &format!("an event is no chunk ({error})")))
                .and_then(|chunk| self.add(gathered, chunk, has_halves, sink));
            match read {
                Ok(true) => flow.grew(),
                Ok(false) => {}
                // The reply is there, whatever became of its end.
                Err(_) if is_over && !goes_on => break,
                Err(error) => return Err(error),
            }
            goes_on |= is_over && gathered.size() > size;
            if goes_on {
                events.unsettle();
            } else if self::is_over(gathered) {
                events.settle();
            }
        }
        match gathered.finish {
            Some(_) => Ok(()),
            None => Err(broken(gathered, "the stream ended before the reply did")),
        }
    }

    /// Takes a chunk, and returns whether the reply grew by it.
    fn add(
        &self,
        gathered: &mut Gathered,
        chunk: Chunk,
        has_halves: bool,
        sink: &mut dyn Sink,
    ) -> Result<bool, ModelError> {
        if let Some(error) = chunk.error() {
            let mut fault = Fault::from_value(error);
            let Some(written) = fault.written.take() else {
                return Err(self.0.fault(fault));
            };
            gathered.take_written(written, |text| sink.text(text));
            return Ok(true);
        }
        let grew = gathered.add(chunk, has_halves, |text| sink.text(text));
        if let Some(usage) = gathered.usage {
            sink.used(usage);
        }
        grew.map_err(|error| self.0.fault(Fault::from_value(&error)))
    }

    fn completed(&self, mut gathered: Gathered, request: &Request) -> Result<Completion, ModelError> {
        gathered.end();
        let Provider { name, model, .. } = &self.0.config.section;
        let finish = finish(&gathered);
        if FILTERED.contains(&finish.as_str()) || !gathered.refusal.is_empty() {
            return Err(self.0.refused(&gathered.refusal));
        }
        if INTERRUPTED.contains(&finish.as_str()) {
            return Err(self
                .0
                .broken(&gathered.text, &format!("the server gave the reply up ({finish})")));
        }
        let is_cut = ["length", "max_tokens", "model_length"].contains(&finish.as_str());
        if is_cut {
            tracing::warn!(provider = name, "reply reached its token limit");
        }
        let tool_calls = gathered.take_calls();
        let usage = gathered.usage;
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

/// Why the reply ended, in small letters; empty if that was not told.
fn finish(gathered: &Gathered) -> String {
    gathered
        .finish
        .as_deref()
        .map(str::to_ascii_lowercase)
        .unwrap_or_default()
}

/// Whether all of the reply is there, as the server says.
fn is_over(gathered: &Gathered) -> bool {
    let finish = finish(gathered);
    let finish = finish.as_str();
    !finish.is_empty() && !INTERRUPTED.contains(&finish) && (FILTERED.contains(&finish) || !gathered.is_empty())
}

impl fmt::Debug for OpenAi {
    /// As the configuration shows itself: without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenAi").field(&self.0.config).finish()
    }
}

#[async_trait]
impl Model for OpenAi {
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let flow = Flow::new();
        self.0.in_time(&flow, self.ask(request, &flow, sink)).await
    }
}
