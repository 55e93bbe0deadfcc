//! Asks the next model where one fails permanently, and skips those that keep failing.

use std::{cmp::Reverse, sync::Arc};

use async_trait::async_trait;
use clifford_llm_api::{
    model::{Completion, Model, ModelError, Request, Sink},
    tokens::estimate_request,
};
use tokio::time::Instant;

use crate::{
    circuit::{Circuit, CircuitState, Permit},
    turn::{Heard, Turn},
    window::Window,
};

/// A model that may be asked, with the circuit of its provider.
#[derive(Clone)]
pub struct Candidate {
    /// The model, with the layers around it that are its own.
    pub model: Arc<dyn Model>,
    /// Whether its provider is to be left alone.
    pub circuit: Arc<Circuit>,
    /// How much the model holds; `None`: it reads whatever it is given, and is nothing to turn to with what is too long.
    pub window: Option<Arc<Window>>,
}

impl Candidate {
    /// How many tokens the model holds.
    fn holds(&self) -> Option<u64> {
        self.window.as_ref().map(|window| window.tokens())
    }
}

/// The refusal of a request as too long.
struct TooLong {
    /// That of the preferred model.
    error: ModelError,
    /// A window has to be larger than this.
    window: u64,
}

/// Models in order of preference: the next is asked when one fails.
///
/// Retrying belongs around each of the models, within this layer. A model whose circuit is open is passed over, unless
/// all are: then there is nothing to lose.
///
/// A request that is too long for a model goes at once to the next one that holds more, and the model's window is learned.
/// If there is none, the caller shortens it.
///
/// Where somebody waits for the reply until a deadline, each model has its share of the time that is left, so that
/// silence does not keep the next from being asked; and the call ends by then. Time that runs out is a failure.
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

    /// Whether one after this place may be asked that holds more than so many tokens.
    fn is_larger_behind(&self, place: usize, tokens: u64) -> bool {
        self.candidates().skip(place + 1).any(|candidate| {
            let is_open = matches!(candidate.circuit.state(), CircuitState::Open(_));
            !is_open && candidate.holds().is_some_and(|holds| holds > tokens)
        })
    }

    /// How many may be asked after the one in this place.
    fn next_in_line(&self, place: usize) -> u32 {
        let is_asked = |candidate: &&Candidate| !matches!(candidate.circuit.state(), CircuitState::Open(_));
        let count = self.candidates().skip(place + 1).filter(is_asked).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

#[async_trait]
impl Model for Failover {
    /// # Errors
    /// If all fail, the error that is most worth mending; of equal ones, the preferred model's.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        let mut worst: Option<ModelError> = None;
        let mut too_long: Option<TooLong> = None;
        let tokens = estimate_request(request);
        for (place, candidate) in self.candidates().enumerate() {
            let is_late = request
                .deadline
                .is_some_and(|deadline| Instant::from_std(deadline) <= Instant::now());
            if let Some(error) = worst.take_if(|_| is_late) {
                return Err(error);
            }
            let holds = candidate.holds();
            let is_too_small = match (&too_long, holds) {
                (Some(refused), holds) => holds.is_none_or(|holds| holds <= refused.window),
                (None, Some(holds)) => holds < tokens && self.is_larger_behind(place, holds),
                (None, None) => false,
            };
            if is_too_small {
                continue;
            }
            let Some(permit) = candidate.circuit.permit() else {
                continue;
            };
            let turn = Turn::new(
                request.deadline.map(Instant::from_std),
                self.next_in_line(place),
                permit.is_probe(),
            );
            match attempt(candidate, permit, turn, request, sink).await {
                Ok(completion) => return Ok(completion),
                // The caller leaves the images out, and asks again. Another model's answer to this request is not worth
                // its price.
                Err(error @ (ModelError::Unseen { .. } | ModelError::TooLong { in_bytes: true, .. })) => {
                    return Err(too_long.map_or(error, |refused| refused.error));
                }
                Err(error) => match refused_window(&error, holds) {
                    Some((told, held)) => {
                        if let Some((told, window)) = told.zip(candidate.window.as_ref())
                            && self.is_larger_behind(place, held)
                        {
                            window.refuse(told);
                        }
                        let first = too_long.unwrap_or(TooLong { error, window: held });
                        let window = first.window.max(held);
                        too_long = Some(TooLong { window, ..first });
                    }
                    None => worst = Some(worse(worst, error)),
                },
            }
        }
        // The caller shortens the request, and asks again.
        match too_long.map(|refused| refused.error).or(worst) {
            Some(error) => Err(error),
            None => {
                let turn = Turn::new(request.deadline.map(Instant::from_std), 0, false);
                attempt(&self.first, self.first.circuit.forced(), turn, request, sink).await
            }
        }
    }
}

/// The window that a refusal for length names, and the one that the model has at most.
fn refused_window(error: &ModelError, holds: Option<u64>) -> Option<(Option<u64>, u64)> {
    let ModelError::TooLong { window, .. } = error else {
        return None;
    };
    let held = [*window, holds].into_iter().flatten().min();
    Some((*window, held.unwrap_or_default()))
}

async fn attempt(
    candidate: &Candidate,
    permit: Permit<'_>,
    turn: Turn,
    request: &Request,
    sink: &mut dyn Sink,
) -> Result<Completion, ModelError> {
    let began = Instant::now();
    let heard = Heard::default();
    let mut listening = heard.by(&mut *sink);
    let result = tokio::select! {
        result = candidate.model.complete(request, &mut listening) => result,
        () = turn.over(&heard) => Err(ModelError::Overloaded {
            provider: candidate.circuit.provider().to_owned(),
            reason: format!("no reply within its share of max_run_seconds: {:.1} s", began.elapsed().as_secs_f64()),
        }),
    };
    let wrote = heard.last().is_some();
    match &result {
        Ok(_) => permit.succeeded(),
        Err(error) => {
            tracing::warn!(provider = error.provider(), error = error.class(), "model call failed");
            tracing::debug!(%error, "model call failed (details)");
            if wrote {
                sink.reset();
            }
            match error {
                ModelError::Later { .. }
                | ModelError::Overloaded { .. }
                | ModelError::Silent { .. }
                | ModelError::Cut { .. } => permit.failed(error),
                ModelError::TooLong { .. }
                | ModelError::Unseen { .. }
                | ModelError::BadRequest { .. }
                | ModelError::Refused { .. }
                | ModelError::Unauthorised { .. } => permit.declined(error),
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

/// How much can be done about an error: the caller can shorten a request, a person mend a wrong setting before a wrong
/// request before bad luck.
fn rank(error: &ModelError) -> (u8, Reverse<std::time::Duration>) {
    let (rank, wait) = match error {
        ModelError::TooLong { .. } | ModelError::Unseen { .. } => (5, None),
        ModelError::Unauthorised { .. } => (4, None),
        ModelError::BadRequest { .. } => (3, None),
        ModelError::Refused { .. } => (2, None),
        // Of two waits the shorter one is the useful answer.
        ModelError::Later { after, .. } => (1, Some(*after)),
        ModelError::Overloaded { .. } | ModelError::Silent { .. } | ModelError::Cut { .. } => (0, None),
    };
    (rank, Reverse(wait.unwrap_or_default()))
}
