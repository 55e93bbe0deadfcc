//! Asks providers whether they accept a key, for `init` and `doctor`; platforms are asked by their adapters.

pub(super) use clifford_channel::Fault;
use clifford_config::Provider;
use clifford_llm_api::model::{Message, Model, ModelError, Request, Role};
use clifford_vault::Secret;

use crate::app;

/// How long a model's answer may take.
const MODEL_PATIENCE_SECONDS: u64 = 30;

/// Whether a model answers: one short call.
///
/// # Errors
/// [`Fault`].
pub(super) async fn model(provider: &Provider, key: Option<&Secret>) -> Result<(), Fault> {
    let mut provider = provider.clone();
    provider.timeout_seconds = provider.timeout_seconds.min(MODEL_PATIENCE_SECONDS);
    let model = app::provider(&provider, key).map_err(|error| Fault::Refused(error.to_string()))?;
    let request = Request {
        messages: vec![Message {
            role: Role::User,
            content: "Reply with the word OK.".to_owned(),
        }],
        max_tokens: Some(16),
        ..Request::default()
    };
    match model.complete(&request, &mut ()).await {
        // One that is cut off, or asks for patience, knows the key and the model.
        Ok(_) | Err(ModelError::Cut { .. } | ModelError::Later { .. } | ModelError::Refused { .. }) => Ok(()),
        Err(error @ (ModelError::Overloaded { .. } | ModelError::Silent { .. })) => {
            Err(Fault::Unreachable(error.to_string()))
        }
        Err(error) => Err(Fault::Refused(error.to_string())),
    }
}
