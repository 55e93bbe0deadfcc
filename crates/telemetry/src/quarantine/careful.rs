//! When events are stored one by one, each announced before: after a process died that received them.
//!
//! A platform hands in again what nobody confirmed, at the first connection after that. An announcement is a commit, so on
//! all other days there is none.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

/// How long after a connection was made that follows a death.
const WINDOW: Duration = Duration::from_secs(60);

/// Whether to be careful.
#[derive(Debug, Default)]
pub struct Careful {
    /// This process follows one that died.
    follows_a_death: AtomicBool,
    until: Mutex<Option<Instant>>,
    turn: tokio::sync::Mutex<()>,
}

impl Careful {
    /// This process follows one that died: be careful after each connection that it makes.
    pub fn follow_a_death(&self) {
        self.follows_a_death.store(true, Ordering::SeqCst);
    }

    /// Notes that a connection is about to be made; `was_left`: the process that had it died.
    pub fn connect(&self, was_left: bool) {
        if was_left || self.follows_a_death.load(Ordering::SeqCst) {
            *self.until() = Some(Instant::now() + WINDOW);
        }
    }

    /// Whether to be careful now.
    pub fn is_on(&self) -> bool {
        self.until().is_some_and(|until| Instant::now() < until)
    }

    /// One event at a time.
    pub async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    fn until(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        // A time cannot be left half changed.
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn care_is_taken_for_a_while_after_a_connection_that_follows_a_death() {
        let careful = Careful::default();
        careful.connect(false);
        assert!(!careful.is_on());
        careful.connect(true);
        assert!(careful.is_on());
        tokio::time::advance(WINDOW).await;
        assert!(!careful.is_on());
        careful.follow_a_death();
        assert!(!careful.is_on());
        careful.connect(false);
        assert!(careful.is_on());
    }
}
