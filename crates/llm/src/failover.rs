//! Asks the next model where one fails for good, and leaves those alone that keep failing.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;

use crate::circuit::{Circuit, Permit};
use crate::retry::Watched;
use crate::{Completion, Model, ModelError, Request, Sink};

/// A model that may be asked, with the circuit of its provider.
#[derive(Clone)]
pub struct Candidate {
    /// The model, with the layers around it that are its own.
    pub model: Arc<dyn Model>,
    /// Whether its provider is to be left alone.
    pub circuit: Arc<Circuit>,
}

/// Models in order of preference: the next is asked when one fails.
///
/// Retrying belongs around each of the models, within this layer. A model whose circuit is open is passed over, unless
/// all are: then there is nothing to lose.
#[derive(Clone)]
pub struct Failover {
    first: Candidate,
    others: Vec<Candidate>,
}

impl Failover {
    /// The models, the preferred one first.
    #[must_use]
    pub fn new(first: Candidate, others: Vec<Candidate>) -> Self {
        Self { first, others }
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

#[async_trait]
impl Model for Failover {
    /// # Errors
    /// If all fail, the error that is most worth mending; of equal ones, the preferred model's.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let mut worst: Option<ModelError> = None;
        for candidate in self.candidates() {
            let Some(permit) = candidate.circuit.permit() else {
                continue;
            };
            match attempt(candidate, permit, request, sink).await {
                Ok(completion) => return Ok(completion),
                Err(error) => worst = Some(worse(worst, error)),
            }
        }
        match worst {
            Some(error) => Err(error),
            None => attempt(&self.first, self.first.circuit.forced(), request, sink).await,
        }
    }
}

async fn attempt(
    candidate: &Candidate,
    permit: Permit<'_>,
    request: &Request,
    sink: &mut dyn Sink,
) -> Result<Completion, ModelError> {
    let mut watched = Watched::new(&mut *sink);
    let result = candidate.model.complete(request, &mut watched).await;
    let wrote = watched.wrote;
    match &result {
        Ok(_) => permit.succeeded(),
        Err(error) => {
            tracing::warn!(provider = error.provider(), error = error.class(), "a model failed");
            tracing::debug!(%error, "what the provider said");
            if wrote {
                sink.reset();
            }
            match error {
                ModelError::Later { .. } | ModelError::Overloaded { .. } | ModelError::Cut { .. } => {
                    permit.failed(error);
                }
                // It is there, and says what it will not do.
                ModelError::BadRequest { .. } | ModelError::Refused { .. } | ModelError::Unauthorised { .. } => {
                    permit.succeeded();
                }
            }
        }
    }
    result
}

fn worse(worst: Option<ModelError>, error: ModelError) -> ModelError {
    match worst {
        Some(worst) if rank(&worst) >= rank(&error) => worst,
        _ => error,
    }
}

/// How much a person can do about an error: a wrong setting before a wrong request before bad luck.
fn rank(error: &ModelError) -> (u8, Reverse<std::time::Duration>) {
    let (rank, wait) = match error {
        ModelError::Unauthorised { .. } => (4, None),
        ModelError::BadRequest { .. } => (3, None),
        ModelError::Refused { .. } => (2, None),
        // Of two waits the shorter one is the useful answer.
        ModelError::Later { after, .. } => (1, Some(*after)),
        ModelError::Overloaded { .. } | ModelError::Cut { .. } => (0, None),
    };
    (rank, Reverse(wait.unwrap_or_default()))
}
