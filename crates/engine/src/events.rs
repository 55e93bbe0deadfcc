//! The events of a run, for watchers in this process. They may be lost: the rows are the truth.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clifford_core::{id::RunId, runs::RunStatus};
use dashmap::DashMap;
use tokio::sync::Notify;

/// How many events wait for a slow watcher. Pieces of an answer beyond that are joined to the one before, and anything
/// else sends the watcher to the rows.
const BUFFER: usize = 256;
/// The most bytes of an answer that wait for a slow watcher.
const MOST: usize = 1024 * 1024;

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// Steps were committed, up to this one.
    Step(u32),
    /// The run stands elsewhere.
    Status(RunStatus),
    /// The answer grows: the next piece of what the user will read.
    Token(String),
    /// The reply starts over, because its server failed in the middle: the pieces so far are void.
    Reset,
    /// The rows changed since they were last looked at: perhaps another process wrote them.
    Changed,
}

/// Watchers by run.
#[derive(Clone, Debug, Default)]
pub struct Events {
    watched: Arc<DashMap<RunId, Vec<Arc<Seat>>>>,
}

/// The queue of one watcher.
#[derive(Debug)]
struct Seat {
    sight: Sight,
    queue: Mutex<Queue>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<RunEvent>,
    /// Bytes of the answer among them.
    bytes: usize,
    has_missed: bool,
}

impl Queue {
    fn push(&mut self, event: RunEvent) {
        if let RunEvent::Token(more) = &event {
            if self.bytes + more.len() > MOST {
                self.has_missed = true;
                return;
            }
            self.bytes += more.len();
        }
        // Resets are rare, and never dropped.
        let is_full = self.events.len() >= BUFFER && event != RunEvent::Reset;
        match (self.events.back_mut().filter(|_| is_full), event) {
            (Some(RunEvent::Token(text)), RunEvent::Token(more)) => text.push_str(&more),
            (Some(_), RunEvent::Token(more)) => {
                self.bytes -= more.len();
                self.has_missed = true;
            }
            (Some(_), _) => self.has_missed = true,
            (None, event) => self.events.push_back(event),
        }
    }

    fn pop(&mut self) -> Option<RunEvent> {
        let event = self.events.pop_front()?;
        if let RunEvent::Token(text) = &event {
            self.bytes -= text.len();
        }
        Some(event)
    }
}

impl Seat {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: RunEvent) {
        self.queue().push(event);
        self.arrived.notify_one();
    }
}

/// The level of detail that a watcher wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// How far it is. The answer may grow unseen.
    Progress,
    /// The answer too, as it grows.
    Draft,
}

impl Events {
    /// Watches a run.
    pub fn watch(&self, run: RunId, sight: Sight) -> Watcher {
        let seat = Arc::new(Seat {
            sight,
            queue: Mutex::default(),
            arrived: Notify::new(),
        });
        self.watched.entry(run).or_default().push(Arc::clone(&seat));
        Watcher {
            seat,
            run,
            watched: Arc::clone(&self.watched),
        }
    }

    /// Whether anybody wants to see a run's answer grow.
    pub(crate) fn is_drafted(&self, run: RunId) -> bool {
        let seats = self.watched.get(&run);
        seats.is_some_and(|seats| seats.iter().any(|seat| seat.sight == Sight::Draft))
    }

    /// Tells those who watch a run.
    pub fn tell(&self, run: RunId, event: RunEvent) {
        let Some(seats) = self.watched.get(&run) else { return };
        let is_draft = matches!(event, RunEvent::Token(_) | RunEvent::Reset);
        for seat in seats.iter().filter(|seat| !is_draft || seat.sight == Sight::Draft) {
            seat.tell(event.clone());
        }
    }
}

/// Watches a run for as long as it lives.
#[derive(Debug)]
pub struct Watcher {
    seat: Arc<Seat>,
    run: RunId,
    watched: Arc<DashMap<RunId, Vec<Arc<Seat>>>>,
}

impl Watcher {
    /// The next event. `None`: some were missed, so the rows must be read.
    pub async fn next(&mut self) -> Option<RunEvent> {
        loop {
            {
                let mut queue = self.seat.queue();
                if std::mem::take(&mut queue.has_missed) {
                    return None;
                }
                if let Some(event) = queue.pop() {
                    return Some(event);
                }
            }
            self.seat.arrived.notified().await;
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The last one to go puts out the light.
        self.watched.remove_if_mut(&self.run, |_, seats| {
            seats.retain(|seat| !Arc::ptr_eq(seat, &self.seat));
            seats.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_nobody_watches_any_more_is_forgotten() {
        let events = Events::default();
        let run = RunId::new();
        let (first, second) = (events.watch(run, Sight::Draft), events.watch(run, Sight::Draft));
        drop(first);
        assert!(events.is_drafted(run));
        drop(second);
        assert!(!events.is_drafted(run));
        assert!(events.watched.is_empty());
    }

    #[tokio::test]
    async fn who_waits_for_a_run_does_not_see_its_answer_grow() {
        let events = Events::default();
        let run = RunId::new();
        let mut waiting = events.watch(run, Sight::Progress);
        assert!(!events.is_drafted(run));
        let mut reading = events.watch(run, Sight::Draft);
        assert!(events.is_drafted(run));
        events.tell(run, RunEvent::Token("Hel".to_owned()));
        events.tell(run, RunEvent::Step(1));
        assert_eq!(waiting.next().await, Some(RunEvent::Step(1)));
        assert_eq!(reading.next().await, Some(RunEvent::Token("Hel".to_owned())));
        drop(reading);
        assert!(!events.is_drafted(run));
    }

    #[tokio::test]
    async fn who_is_too_slow_is_told_to_read_the_rows() {
        let events = Events::default();
        let run = RunId::new();
        let mut watcher = events.watch(run, Sight::Draft);
        for seq in 0..=u32::try_from(BUFFER).unwrap() {
            events.tell(run, RunEvent::Step(seq));
        }
        assert_eq!(watcher.next().await, None);
        assert_eq!(watcher.next().await, Some(RunEvent::Step(0)));
    }

    #[tokio::test]
    async fn who_is_too_slow_for_an_answer_reads_all_of_it_in_larger_pieces() {
        let events = Events::default();
        let run = RunId::new();
        let mut watcher = events.watch(run, Sight::Draft);
        for number in 0..4 * BUFFER {
            events.tell(run, RunEvent::Token(format!("{number} ")));
        }
        let mut text = String::new();
        while !text.ends_with(&format!("{} ", 4 * BUFFER - 1)) {
            let Some(RunEvent::Token(more)) = watcher.next().await else {
                panic!("a piece was missed behind {text}");
            };
            text.push_str(&more);
        }
        let all: String = (0..4 * BUFFER).map(|number| format!("{number} ")).collect();
        assert_eq!(text, all);
        events.tell(run, RunEvent::Token("x".repeat(MOST)));
        events.tell(run, RunEvent::Token("more than is kept".to_owned()));
        assert_eq!(watcher.next().await, None);
    }
}
