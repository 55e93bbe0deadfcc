//! Asks the next model where one fails for good.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;

use crate::retry::Watched;
use crate::{Completion, Model, ModelError, Request, Sink};

/// Models in order of preference: the next is asked when one fails.
///
/// Retrying belongs around each of the models, within this layer.
#[derive(Clone)]
pub struct Failover {
    first: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
}

impl Failover {
    /// The models, the preferred one first.
    #[must_use]
    pub fn new(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>) -> Self {
        Self { first, others }
    }
}

#[async_trait]
impl Model for Failover {
    /// # Errors
    /// If all fail, the error that is most worth mending; of equal ones, the preferred model's.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let mut worst = match attempt(&*self.first, request, sink).await {
            Ok(completion) => return Ok(completion),
            Err(error) => error,
        };
        for model in &self.others {
            match attempt(&**model, request, sink).await {
                Ok(completion) => return Ok(completion),
                Err(error) if rank(&error) > rank(&worst) => worst = error,
                Err(_) => {}
            }
        }
        Err(worst)
    }
}

async fn attempt(model: &dyn Model, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
    let mut watched = Watched::new(&mut *sink);
    let result = model.complete(request, &mut watched).await;
    let wrote = watched.wrote;
    if let Err(error) = &result {
        tracing::warn!(%error, "a model failed");
        if wrote {
            sink.reset();
        }
    }
    result
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
