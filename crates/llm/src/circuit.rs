//! A circuit breaker: a provider that keeps failing is skipped for a while, and then tried again.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_llm_api::model::ModelError;
use tokio::time::Instant;

/// When a circuit opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitPolicy {
    /// Calls in a row that fail before it opens. A single one is enough that ends in silence.
    pub failures: u32,
    /// How long it stays open first. Each probe that fails doubles that.
    pub rest: Duration,
    /// The longest that it stays open.
    pub longest_rest: Duration,
}

impl Default for CircuitPolicy {
    fn default() -> Self {
        Self {
            failures: 3,
            rest: Duration::from_secs(15),
            longest_rest: Duration::from_secs(300),
        }
    }
}

/// How a circuit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    /// Calls go through.
    Closed,
    /// Nobody calls for so long.
    Open(Duration),
    /// The next call, or the one that is under way, decides.
    HalfOpen,
}

/// The circuit of one provider, shared by all of its callers.
#[derive(Debug)]
pub struct Circuit {
    provider: String,
    policy: CircuitPolicy,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Calls that failed in a row.
    failures: u32,
    /// Until when it is open, once it has opened.
    until: Option<Instant>,
    /// How long it was open last.
    rest: Duration,
    /// A probe is under way.
    probing: bool,
    /// The setting to change, since it refused the key or the model.
    refusal: Option<String>,
}

/// The right to call; says how that came out.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    circuit: &'a Circuit,
    is_probe: bool,
}

impl Circuit {
    /// A closed circuit.
    pub fn new(provider: impl Into<String>, policy: CircuitPolicy) -> Self {
        Self {
            provider: provider.into(),
            policy,
            inner: Mutex::default(),
        }
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// How it stands now.
    pub fn state(&self) -> CircuitState {
        let inner = self.inner();
        match inner.until {
            None => CircuitState::Closed,
            Some(until) => match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => CircuitState::Open(left),
                _ => CircuitState::HalfOpen,
            },
        }
    }

    /// The setting for its owner to change, if it refused the last call for its key, its account or its model. Holds
    /// none of the provider's words.
    pub fn refusal(&self) -> Option<String> {
        self.inner().refusal.clone()
    }

    /// The right to call; `None`: it is open, or somebody else finds out whether it still need be.
    pub(crate) fn permit(&self) -> Option<Permit<'_>> {
        let mut inner = self.inner();
        let is_probe = inner.until.is_some();
        if inner.until.is_some_and(|until| Instant::now() < until) || is_probe && inner.probing {
            return None;
        }
        inner.probing |= is_probe;
        Some(Permit {
            circuit: self,
            is_probe,
        })
    }

    /// The right to call even if the circuit is open, where there is nobody else to ask.
    pub(crate) fn forced(&self) -> Permit<'_> {
        Permit {
            circuit: self,
            is_probe: false,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing in here can be half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The provider replied.
    pub(crate) fn succeeded(self) {
        self.answered(None);
    }

    /// The provider is there, and says what it will not do. That it does not take the key is known until it replies.
    pub(crate) fn declined(self, error: &ModelError) {
        let refusal = match error {
            ModelError::Unauthorised { remedy, .. } => Some(remedy.clone()),
            _ => self.circuit.refusal(),
        };
        self.answered(refusal);
    }

    fn answered(self, refusal: Option<String>) {
        let inner = Inner {
            refusal,
            ..Inner::default()
        };
        let was_open = std::mem::replace(&mut *self.circuit.inner(), inner).until.is_some();
        if was_open {
            tracing::info!(provider = self.circuit.provider, "provider recovered");
        }
    }

    /// Whether this call finds out if the provider is back.
    pub(crate) const fn is_probe(&self) -> bool {
        self.is_probe
    }

    /// The provider failed.
    pub(crate) fn failed(self, error: &ModelError) {
        let policy = self.circuit.policy;
        let mut inner = self.circuit.inner();
        inner.failures = inner.failures.saturating_add(1);
        let asked = match error {
            ModelError::Later { after, .. } => *after,
            _ => Duration::ZERO,
        };
        // Silence costs each of those who ask as much as the first, so the first is enough.
        let is_silent = matches!(error, ModelError::Silent { .. });
        let opens = inner.failures >= policy.failures || asked > policy.rest || is_silent;
        // Calls that were under way when it opened prove nothing new.
        if opens && (inner.until.is_none() || self.is_probe) {
            inner.rest = (inner.rest * 2).clamp(policy.rest, policy.longest_rest).max(asked);
            inner.until = Some(Instant::now() + inner.rest);
            tracing::warn!(
                provider = self.circuit.provider,
                rest_ms = inner.rest.as_millis(),
                "provider keeps failing, pausing calls to it"
            );
        }
    }
}

impl Drop for Permit<'_> {
    /// A call that was given up says nothing; another one may probe.
    fn drop(&mut self) {
        if self.is_probe {
            self.circuit.inner().probing = false;
        }
    }
}
