//! Isolation: one suspect at a time is worked on, and nothing else begins meanwhile.
//!
//! Who waits for a suspect waits for `LONGEST` at most: a suspect may take as long as any work, and nobody is to be kept
//! from an answer for that. The mark in its row stays until its work is over.

use std::{sync::Arc, time::Duration};

use dashmap::DashMap;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, watch},
    time::Instant,
};

use super::Mark;

/// How long the beginning of other work waits for a suspect at most.
const LONGEST: Duration = Duration::from_millis(750);

/// Which piece of work: an id and the epoch of its claim.
pub type Key = (String, i64);

/// The suspects of this process.
#[derive(Clone, Default)]
pub struct Isolation {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Held by the suspect that is worked on.
    turn: Arc<Mutex<()>>,
    /// Until when nothing else begins.
    closed: watch::Sender<Option<Instant>>,
    /// The suspects that this process has in hand.
    suspects: DashMap<Key, Place>,
}

/// A suspect in hand.
struct Place {
    /// How its row is marked while it is worked on.
    mark: Mark,
    /// Its turn, if it has it.
    turn: Option<Turn>,
}

/// A suspect is worked on as long as this lives.
pub struct Turn {
    inner: Arc<Inner>,
    _guard: OwnedMutexGuard<()>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.inner.closed.send_replace(None);
    }
}

/// A piece of work is a suspect as long as this lives.
pub struct Suspect {
    isolation: Isolation,
    key: Key,
}

impl Drop for Suspect {
    fn drop(&mut self) {
        self.isolation.inner.suspects.remove(&self.key);
    }
}

impl Isolation {
    /// Waits until no other suspect is worked on, and keeps everything else from beginning.
    pub async fn turn(&self) -> Turn {
        let guard = Arc::clone(&self.inner.turn).lock_owned().await;
        self.inner.closed.send_replace(Some(Instant::now() + LONGEST));
        Turn {
            inner: Arc::clone(&self.inner),
            _guard: guard,
        }
    }

    /// The same for work that others stand in line behind: after a while it goes on without a turn.
    pub async fn turn_soon(&self) -> Option<Turn> {
        tokio::time::timeout(LONGEST, self.turn()).await.ok()
    }

    /// Whether a suspect is worked on for whom others wait.
    pub fn is_closed(&self) -> bool {
        let closed = *self.inner.closed.borrow();
        closed.is_some_and(|until| Instant::now() < until)
    }

    /// Waits while a suspect is worked on, for a bounded time.
    pub async fn pass(&self) {
        if !self.is_closed() {
            return;
        }
        let mut closed = self.inner.closed.subscribe();
        loop {
            let Some(until) = *closed.borrow_and_update() else {
                return;
            };
            tokio::select! {
                () = tokio::time::sleep_until(until) => return,
                changed = closed.changed() => if changed.is_err() { return },
            }
        }
    }

    /// From now on this is a suspect, whose row is marked so while it is worked on.
    pub fn suspect(&self, key: Key, mark: Mark) -> Suspect {
        self.inner.suspects.insert(key.clone(), Place { mark, turn: None });
        Suspect {
            isolation: self.clone(),
            key,
        }
    }

    /// Whether this is a suspect. Costs nothing where there is none.
    pub fn is_suspect(&self, key: impl FnOnce() -> Key) -> bool {
        !self.inner.suspects.is_empty() && self.inner.suspects.contains_key(&key())
    }

    /// Begins the turn of a suspect, if it is one that has none. Returns how its row is to be marked, which is to be
    /// done before it is worked on.
    pub async fn enter(&self, key: &Key) -> Option<Mark> {
        let (mark, has_turn) = self
            .inner
            .suspects
            .get(key)
            .map(|place| (place.mark, place.turn.is_some()))?;
        if !has_turn {
            let turn = self.turn().await;
            if let Some(mut place) = self.inner.suspects.get_mut(key) {
                place.turn = Some(turn);
            }
        }
        Some(mark)
    }

    /// Ends the turn of a suspect: it waits for something outside.
    pub fn leave(&self, key: &Key) {
        let turn = self.inner.suspects.get_mut(key).and_then(|mut place| place.turn.take());
        drop(turn);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn key(name: &str) -> Key {
        (name.to_owned(), 1)
    }

    #[tokio::test(start_paused = true)]
    async fn suspects_go_one_after_another_and_everything_else_waits_for_a_moment() {
        let isolation = Isolation::default();
        assert!(isolation.pass().now_or_never().is_some());
        let (_one, _two) = (
            isolation.suspect(key("one"), Mark::Working),
            isolation.suspect(key("two"), Mark::Working),
        );
        isolation.enter(&key("one")).await;
        assert!(isolation.is_closed());
        assert!(isolation.pass().now_or_never().is_none());
        assert!(isolation.enter(&key("two")).now_or_never().is_none());
        isolation.leave(&key("one"));
        assert!(isolation.pass().now_or_never().is_some());
        isolation.enter(&key("two")).await;
        let began = Instant::now();
        isolation.pass().await;
        assert_eq!(began.elapsed(), LONGEST);
        assert!(!isolation.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn what_others_stand_in_line_behind_goes_on_without_a_turn_after_a_while() {
        let isolation = Isolation::default();
        let turn = isolation.turn().await;
        let began = Instant::now();
        assert!(isolation.turn_soon().await.is_none());
        assert_eq!(began.elapsed(), LONGEST);
        drop(turn);
        assert!(isolation.turn_soon().await.is_some());
    }

    #[tokio::test]
    async fn whoever_is_no_suspect_has_no_turn() {
        let isolation = Isolation::default();
        assert_eq!(isolation.enter(&key("one")).await, None);
        assert!(!isolation.is_closed());
        let suspect = isolation.suspect(key("one"), Mark::WorkingAgain);
        assert!(isolation.is_suspect(|| key("one")));
        assert!(!isolation.is_suspect(|| key("two")));
        assert_eq!(isolation.enter(&key("one")).await, Some(Mark::WorkingAgain));
        drop(suspect);
        assert!(!isolation.is_closed());
        assert!(!isolation.is_suspect(|| key("one")));
    }
}
