//! Isolation: one suspect at a time is worked on, and nothing else begins meanwhile.
//!
//! A suspect may take as long as any work, and nobody is to be kept from an answer for that. So its turn ends after
//! `LONGEST` if anything else is in line. Its row says before that it is not alone any more: a death from then on
//! proves nothing.

use std::{sync::Arc, time::Duration};

use clifford_core::quarantine::Mark;
use dashmap::DashMap;
use tokio::{
    sync::{Mutex, OwnedMutexGuard, watch},
    time::Instant,
};

/// How long a suspect is worked on alone while anything else is in line.
const LONGEST: Duration = Duration::from_millis(500);
/// How long the row of an overdue suspect may take to say so. Other work begins then in any case.
const HANDOVER: Duration = Duration::from_millis(250);
/// How long work waits for its turn that others stand in line behind.
pub const SOON: Duration = LONGEST.saturating_add(HANDOVER);
/// How long a suspect waits for what began right before its turn: that is not its doing.
const SETTLING: Duration = Duration::from_millis(50);

/// A piece of work: an id and the epoch of its claim.
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
    /// Until when the turn under way keeps everything else from beginning.
    closed: watch::Sender<Option<Instant>>,
    /// How much waits for the turn under way. A change may also mean that a turn began.
    line: watch::Sender<usize>,
    /// The suspects that this process has in flight.
    suspects: DashMap<Key, SuspectEntry>,
}

/// A suspect in flight.
struct SuspectEntry {
    /// How its row is marked while it is worked on.
    mark: Mark,
    /// Its turn, if it has it.
    turn: Option<Turn>,
}

/// A suspect is worked on as long as this lives.
pub struct Turn {
    inner: Arc<Inner>,
    until: Instant,
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

/// The next turn is this one's. It has not begun.
pub struct Next(OwnedMutexGuard<()>);

/// Something waits for the turn under way as long as this lives.
struct InLine<'a>(&'a Inner);

impl<'a> InLine<'a> {
    fn new(inner: &'a Inner) -> Self {
        inner.line.send_modify(|count| *count += 1);
        Self(inner)
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.0.line.send_modify(|count| *count -= 1);
    }
}

impl Isolation {
    /// Waits until no other suspect is worked on, and keeps everything else from beginning.
    pub async fn turn(&self) -> Turn {
        let next = self.next_turn().await;
        self.begin_turn(next).await
    }

    /// Waits until no other suspect is worked on. A future that is not polled for a while keeps its place in line as
    /// long as it lives.
    pub async fn next_turn(&self) -> Next {
        let _in_line = InLine::new(&self.inner);
        Next(Arc::clone(&self.inner.turn).lock_owned().await)
    }

    /// Keeps everything else from beginning.
    pub async fn begin_turn(&self, Next(guard): Next) -> Turn {
        let until = Instant::now() + LONGEST;
        self.inner.closed.send_replace(Some(until));
        let turn = Turn {
            inner: Arc::clone(&self.inner),
            until,
            _guard: guard,
        };
        tokio::time::sleep(SETTLING).await;
        turn
    }

    /// The same for work that others stand in line behind. `None`: not now.
    pub async fn turn_soon(&self) -> Option<Turn> {
        tokio::time::timeout(SOON, self.turn()).await.ok()
    }

    /// Waits for the end of the turn under way, for a bounded time. The turn that follows it is not waited for.
    pub async fn pass(&self) {
        if self.inner.closed.borrow().is_none() {
            return;
        }
        let mut closed = self.inner.closed.subscribe();
        let Some(until) = *closed.borrow_and_update() else {
            return;
        };
        let _in_line = InLine::new(&self.inner);
        let end = until.max(Instant::now()) + HANDOVER;
        tokio::time::timeout_at(end, closed.changed()).await.ok();
    }

    /// Waits while the turn under way keeps everything else from beginning. Nothing is in line for that: the turn may go on.
    pub async fn opening(&self) {
        let mut closed = self.inner.closed.subscribe();
        let until = *closed.borrow_and_update();
        if let Some(until) = until {
            tokio::time::timeout_at(until, closed.changed()).await.ok();
        }
    }

    /// From now on this is a suspect, whose row is marked so while it is worked on.
    pub fn suspect(&self, key: Key, mark: Mark) -> Suspect {
        self.inner
            .suspects
            .insert(key.clone(), SuspectEntry { mark, turn: None });
        Suspect {
            isolation: self.clone(),
            key,
        }
    }

    /// Whether this is a suspect. Costs nothing where there is none.
    pub fn is_suspect(&self, key: impl FnOnce() -> Key) -> bool {
        !self.inner.suspects.is_empty() && self.inner.suspects.contains_key(&key())
    }

    /// Takes the turn of a suspect that has none. Its row is to be marked as told, then [`begin`](Self::begin) called,
    /// before it is worked on.
    pub async fn enter(&self, key: &Key) -> Option<(Mark, Turn)> {
        let mark = match self.inner.suspects.get(key) {
            Some(place) if place.turn.is_none() => place.mark,
            _ => return None,
        };
        Some((mark, self.turn().await))
    }

    /// A suspect whose row is marked begins its turn.
    pub fn begin(&self, key: &Key, turn: Turn) {
        if let Some(mut place) = self.inner.suspects.get_mut(key) {
            place.turn = Some(turn);
        }
        self.inner.line.send_modify(|_| ());
    }

    /// Waits until a suspect has had its turn for long enough and anything else is in line; returns the turn. Its row is to
    /// be marked before that is dropped.
    pub async fn overdue(&self, key: &Key) -> Turn {
        let mut line = self.inner.line.subscribe();
        loop {
            let is_wanted = *line.borrow_and_update() > 0;
            let place = self.inner.suspects.get(key);
            let until = place.and_then(|place| place.turn.as_ref().map(|turn| turn.until));
            match until.filter(|_| is_wanted) {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                Some(_) => {
                    if let Some(turn) = self.take(key) {
                        return turn;
                    }
                }
                // The sender lives as long as `self`.
                None => line.changed().await.unwrap_or(()),
            }
        }
    }

    /// Ends the turn of a suspect: it waits for something outside.
    pub fn leave(&self, key: &Key) {
        drop(self.take(key));
    }

    fn take(&self, key: &Key) -> Option<Turn> {
        self.inner.suspects.get_mut(key).and_then(|mut place| place.turn.take())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn key(name: &str) -> Key {
        (name.to_owned(), 1)
    }

    async fn enter(isolation: &Isolation, name: &str) -> Option<Mark> {
        let (mark, turn) = isolation.enter(&key(name)).await?;
        isolation.begin(&key(name), turn);
        Some(mark)
    }

    #[tokio::test(start_paused = true)]
    async fn suspects_go_one_after_another_and_everything_else_waits() {
        let isolation = Isolation::default();
        assert!(isolation.pass().now_or_never().is_some());
        let (_one, _two) = (
            isolation.suspect(key("one"), Mark::Working),
            isolation.suspect(key("two"), Mark::Working),
        );
        enter(&isolation, "one").await;
        assert!(isolation.pass().now_or_never().is_none());
        assert!(enter(&isolation, "two").now_or_never().is_none());
        isolation.leave(&key("one"));
        assert!(isolation.pass().now_or_never().is_some());
        assert_eq!(enter(&isolation, "two").await, Some(Mark::Working));
        assert!(isolation.pass().now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_suspect_begins_after_what_began_right_before_it() {
        let isolation = Isolation::default();
        let _one = isolation.suspect(key("one"), Mark::Working);
        let began = Instant::now();
        enter(&isolation, "one").await;
        assert_eq!(began.elapsed(), SETTLING);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_ends_when_it_was_long_enough_and_anything_waits() {
        let isolation = Isolation::default();
        let _one = isolation.suspect(key("one"), Mark::Working);
        let began = Instant::now();
        enter(&isolation, "one").await;
        // Nobody waits: its row goes on to say that it is worked on alone.
        let alone = tokio::time::timeout(LONGEST * 10, isolation.overdue(&key("one"))).await;
        assert!(alone.is_err());
        assert!(isolation.opening().now_or_never().is_some());
        isolation.leave(&key("one"));

        enter(&isolation, "one").await;
        let again = Instant::now();
        isolation.opening().await;
        assert_eq!(again.elapsed(), LONGEST - SETTLING);
        let is_marked = watch::Sender::new(false);
        let keeper = async {
            let turn = isolation.overdue(&key("one")).await;
            is_marked.send_replace(true);
            drop(turn);
        };
        let other = async {
            isolation.pass().await;
            assert!(
                *is_marked.borrow(),
                "it begins when the row says that the suspect is not alone"
            );
        };
        tokio::join!(keeper, other);
        assert_eq!(again.elapsed(), LONGEST - SETTLING);
        assert!(began.elapsed() > LONGEST * 10);
        // It goes on with a turn of its own when it comes back to its work.
        assert_eq!(enter(&isolation, "one").await, Some(Mark::Working));
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_began_while_its_end_was_waited_for_ends_as_well() {
        let isolation = Isolation::default();
        let _one = isolation.suspect(key("one"), Mark::Working);
        let (began, one) = (Instant::now(), key("one"));
        let keeper = async { drop(isolation.overdue(&one).await) };
        let work = async {
            enter(&isolation, "one").await;
            isolation.pass().await;
        };
        tokio::join!(keeper, work);
        assert_eq!(began.elapsed(), LONGEST);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_two_turns_in_a_row() {
        let isolation = Isolation::default();
        let first = isolation.turn().await;
        let began = Instant::now();
        let suspects = async {
            tokio::time::sleep(LONGEST - SETTLING).await;
            drop(first);
            isolation.turn().await
        };
        let other = async {
            isolation.pass().await;
            began.elapsed()
        };
        let (second, waited) = tokio::join!(suspects, other);
        assert_eq!(waited, LONGEST - SETTLING);
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_does_not_end_holds_nothing_up_for_long() {
        let isolation = Isolation::default();
        let turn = isolation.turn().await;
        let began = Instant::now();
        isolation.pass().await;
        assert_eq!(began.elapsed(), LONGEST - SETTLING + HANDOVER);
        isolation.pass().await;
        assert_eq!(began.elapsed(), LONGEST - SETTLING + HANDOVER * 2);
        assert!(isolation.turn_soon().await.is_none());
        drop(turn);
        assert!(isolation.turn_soon().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_in_line_is_kept_while_nobody_waits_for_it() {
        let isolation = Isolation::default();
        let suspect = async || {
            for _ in 0..9 {
                let _turn = isolation.turn().await;
                tokio::time::sleep(LONGEST).await;
            }
        };
        // With three of them there is always one in line.
        let suspects = async { tokio::join!(suspect(), suspect(), suspect()) };
        let began = Instant::now();
        let other = async {
            tokio::time::sleep(SETTLING).await;
            let next = isolation.next_turn();
            tokio::pin!(next);
            loop {
                if let Ok(next) = tokio::time::timeout(SOON, &mut next).await {
                    return drop(isolation.begin_turn(next).await);
                }
            }
        };
        tokio::select! {
            _ = suspects => {}
            () = other => {}
        }
        assert_eq!(began.elapsed(), (LONGEST + SETTLING) * 3 + SETTLING);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_no_suspect_has_no_turn() {
        let isolation = Isolation::default();
        assert_eq!(enter(&isolation, "one").await, None);
        assert!(isolation.pass().now_or_never().is_some());
        let suspect = isolation.suspect(key("one"), Mark::WorkingAgain);
        assert!(isolation.is_suspect(|| key("one")));
        assert!(!isolation.is_suspect(|| key("two")));
        assert_eq!(enter(&isolation, "one").await, Some(Mark::WorkingAgain));
        assert_eq!(enter(&isolation, "one").await, None, "it has its turn");
        drop(suspect);
        assert!(isolation.pass().now_or_never().is_some());
        assert!(!isolation.is_suspect(|| key("one")));
    }
}
