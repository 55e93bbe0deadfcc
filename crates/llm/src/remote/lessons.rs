//! The lessons of a server that all calls to its model share, whatever role they are made for: what the server does not
//! understand, and until when it asks to be left alone.
//!
//! Nothing of it is stored: a process learns it anew.

use std::{
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use clifford_llm_api::model::ModelError;
use tokio::time::Instant;

use super::Dialect;

/// The longest that nobody calls: by then, another call may find out whether the server still asks to wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The lessons of one model at one server, by one key.
#[derive(Debug, Default)]
pub struct Lessons {
    dialect: OnceLock<Dialect>,
    pause: Mutex<Option<Pause>>,
}

/// A server asked to wait.
#[derive(Clone, Debug)]
struct Pause {
    provider: String,
    told: Instant,
    until: Instant,
}

impl Lessons {
    /// The terms that its server understands; `new`: what they are before it was asked.
    pub(crate) fn dialect(&self, new: impl FnOnce() -> Dialect) -> &Dialect {
        self.dialect.get_or_init(new)
    }

    /// Takes an error of a call: the server may ask to wait.
    pub(crate) fn hear(&self, error: &ModelError) {
        let ModelError::Later { provider, after } = error else {
            return;
        };
        let told = Instant::now();
        let until = told + *after;
        let mut pause = self.pause();
        if pause.as_ref().is_none_or(|pause| pause.until < until) {
            let provider = provider.clone();
            *pause = Some(Pause { provider, told, until });
        }
    }

    /// The error of a call that is made now, if the server asked for patience in answer to another one.
    pub(crate) fn patience(&self) -> Option<ModelError> {
        let pause = self.pause().clone()?;
        let now = Instant::now();
        let after = pause.until.saturating_duration_since(now);
        let holds = !after.is_zero() && now.saturating_duration_since(pause.told) < LONGEST_PAUSE;
        holds.then_some(ModelError::Later {
            provider: pause.provider,
            after,
        })
    }

    fn pause(&self) -> MutexGuard<'_, Option<Pause>> {
        // Nothing in here can be half done.
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
