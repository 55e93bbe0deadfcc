//! A model that never sees a configured secret, and in whose replies there is none: so none is in a step, an argument
//! or an answer.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use clifford_vault::Masker;

/// The layer around all models.
pub struct Masked {
    inner: Arc<dyn Model>,
    masker: Arc<Masker>,
}

impl Masked {
    /// Hides what the masker knows.
    pub const fn new(inner: Arc<dyn Model>, masker: Arc<Masker>) -> Self {
        Self { inner, masker }
    }
}

#[async_trait]
impl Model for Masked {
    /// The pieces handed to `sink` are not masked: a secret may come in two of them. `Draft` hides it.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let holds_one = (request.messages.iter()).any(|message| is_masked(&self.masker, &message.content));
        let completion = if holds_one {
            let mut request = request.clone();
            for message in &mut request.messages {
                message.content = self.masker.mask(&message.content).into_owned();
            }
            self.inner.complete(&request, sink).await
        } else {
            self.inner.complete(request, sink).await
        };
        let mut completion = completion?;
        hide(&self.masker, &mut completion.text);
        for call in &mut completion.tool_calls {
            hide(&self.masker, &mut call.name);
            hide(&self.masker, &mut call.arguments);
        }
        Ok(completion)
    }
}

fn is_masked(masker: &Masker, text: &str) -> bool {
    matches!(masker.mask(text), std::borrow::Cow::Owned(_))
}

fn hide(masker: &Masker, text: &mut String) {
    if let std::borrow::Cow::Owned(masked) = masker.mask(text) {
        *text = masked;
    }
}
