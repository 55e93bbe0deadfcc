//! A small rule-based responder, so that everything works before a model is connected.
//!
//! It is no language model, and says so. It reads the conversation that the engine sends to every model, answers with
//! one action at a time, and knows nothing but what stands in that conversation and what tools tell. A message is split
//! into intents (`understand`), of which the questions are a table of sentences (`questions`); `parts` says which tool
//! answers each, and `sentences` makes a sentence of its result, in English or German. What it says of itself, such as
//! its help, comes from the catalogues in the reader's language, and `others` knows how people of the other languages
//! ask for it.

mod arithmetic;
mod dates;
mod facts;
mod intent;
mod language;
mod memory;
mod module;
mod others;
mod parts;
mod phrases;
mod plan;
mod questions;
mod sentences;
mod text;
mod transcript;
mod understand;
mod units;
mod zones;

use async_trait::async_trait;
use clifford_llm_api::{
    model::{Completion, Model, ModelError, Request, Sink},
    tokens::estimate_usage,
};

use self::transcript::Transcript;

/// The responder. The same conversation always gets the same reply.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

#[async_trait]
impl Model for Offline {
    /// Replies to a run with the JSON text of one action, to the memory writer with what it asks for, and to a plain
    /// chat, in which nothing is said of how a reply must look, with plain text.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let run = request
            .schema
            .as_ref()
            .and_then(|_| Transcript::read(&request.messages));
        let text = match (memory::reply(request), run) {
            (Some(reply), _) => reply,
            (None, Some(transcript)) => plan::next_action(&transcript).to_string(),
            (None, None) => plan::chat(
                transcript::last_words(&request.messages),
                &transcript::name(&request.messages),
                transcript::reply_language(&request.messages),
            ),
        };
        sink.text(&text);
        let mut completion = Completion {
            text,
            provider: "offline".to_owned(),
            model: "rules".to_owned(),
            ..Completion::default()
        };
        completion.usage = estimate_usage(request, &completion);
        Ok(completion)
    }
}
