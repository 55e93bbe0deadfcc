//! Asks again where asking again may help, and waits where a server asked for patience, in answer to whichever call.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use backon::{BackoffBuilder, ExponentialBuilder};
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink, Usage};
use tokio::time::Instant;

use crate::remote::Lessons;

/// How often, and how long in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Calls in all, the first included.
    pub attempts: usize,
    /// The shortest wait before the second call. Each further wait starts at twice the one before.
    pub base: Duration,
    /// The longest wait that is chosen here.
    pub cap: Duration,
    /// The longest wait that a provider may ask for. If it asks for more, the caller gets the error at
    /// once: to call earlier than asked would only make the provider angrier.
    pub patience: Duration,
    /// Whether who was silent is asked again: not where another can be asked.
    pub silence: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            patience: Duration::from_secs(60),
            silence: true,
        }
    }
}

/// A model that is asked again, with jittered exponential backoff, while its errors are of the passing kind.
#[derive(Clone, Debug)]
pub struct Retrying<M> {
    inner: M,
    policy: RetryPolicy,
    lessons: Arc<Lessons>,
}

impl<M: Model> Retrying<M> {
    /// Puts the layer around a model.
    pub fn new(inner: M, policy: RetryPolicy) -> Self {
        Self {
            inner,
            policy,
            lessons: Arc::default(),
        }
    }

    /// Shares what others learn of the same server.
    #[must_use]
    pub fn sharing(self, lessons: Arc<Lessons>) -> Self {
        Self { lessons, ..self }
    }

    /// Waits until the time is over for which the server asked, in answer to another call, as that one does.
    async fn await_turn(&self, request: &Request) -> Result<(), ModelError> {
        // Others may be asked to wait meanwhile, but not for ever.
        for _ in 0..self.policy.attempts {
            let Some(error) = self.lessons.patience() else {
                return Ok(());
            };
            let apart = self.backoff().next().unwrap_or_default();
            let Some(wait) = self.wait(&error, apart).filter(|wait| in_time(request, *wait)) else {
                return Err(error);
            };
            let wait_ms = wait.as_millis();
            tracing::info!(provider = error.provider(), wait_ms, "waiting for a rate limit");
            tokio::time::sleep(wait).await;
        }
        self.lessons.patience().map_or(Ok(()), Err)
    }

    fn backoff(&self) -> impl Iterator<Item = Duration> + use<M> {
        let cap = self.policy.cap;
        ExponentialBuilder::default()
            .with_min_delay(self.policy.base)
            .with_max_delay(cap)
            .with_max_times(self.policy.attempts.saturating_sub(1))
            .with_jitter()
            .build()
            .map(move |wait| wait.min(cap))
    }

    /// How long to wait before the next call; `None` if it would not help.
    fn wait(&self, error: &ModelError, backoff: Duration) -> Option<Duration> {
        match error {
            // Every refused caller gets the same delay: a little more for each keeps them apart.
            ModelError::Later { after, .. } if *after <= self.policy.patience => Some(*after + backoff / 4),
            ModelError::Overloaded { .. } | ModelError::Cut { .. } => Some(backoff),
            ModelError::Silent { .. } if self.policy.silence => Some(backoff),
            ModelError::Later { .. }
            | ModelError::TooLong { .. }
            | ModelError::Unseen { .. }
            | ModelError::Silent { .. }
            | ModelError::BadRequest { .. }
            | ModelError::Refused { .. }
            | ModelError::Unauthorised { .. } => None,
        }
    }
}

#[async_trait]
impl<M: Model> Model for Retrying<M> {
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let mut backoff = self.backoff();
        loop {
            self.await_turn(request).await?;
            let mut watched = Watched::new(&mut *sink);
            let error = match self.inner.complete(request, &mut watched).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            self.lessons.hear(&error);
            let wrote = watched.wrote;
            let wait = backoff.next().and_then(|next| self.wait(&error, next));
            let Some(wait) = wait.filter(|wait| in_time(request, *wait)) else {
                return Err(error);
            };
            let wait_ms = wait.as_millis();
            tracing::warn!(
                provider = error.provider(),
                error = error.class(),
                wait_ms,
                "retrying a model call"
            );
            tracing::debug!(%error, "model call failed (details)");
            if wrote {
                sink.reset();
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// Whether somebody still waits for the reply after this wait.
fn in_time(request: &Request, wait: Duration) -> bool {
    request
        .deadline
        .is_none_or(|deadline| Instant::now() + wait < Instant::from_std(deadline))
}

/// Notes whether a sink got anything.
struct Watched<'a> {
    sink: &'a mut dyn Sink,
    wrote: bool,
}

impl<'a> Watched<'a> {
    fn new(sink: &'a mut dyn Sink) -> Self {
        Self { sink, wrote: false }
    }
}

impl Sink for Watched<'_> {
    fn text(&mut self, delta: &str) {
        self.wrote = true;
        self.sink.text(delta);
    }

    fn reset(&mut self) {
        self.wrote = false;
        self.sink.reset();
    }

    fn began(&mut self, provider: &str, model: &str) {
        self.sink.began(provider, model);
    }

    fn used(&mut self, usage: Usage) {
        self.sink.used(usage);
    }
}
