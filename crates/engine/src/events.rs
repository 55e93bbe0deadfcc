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
    watched: Arc<DashMap<RunId, Watched>>,
}

/// A run that is watched, or was while its draft grew.
#[derive(Debug, Default)]
struct Watched {
    seats: Vec<Arc<Seat>>,
    /// The answer so far, for watchers that come later.
    draft: String,
    /// The answer is longer than is kept.
    is_too_long: bool,
}

impl Watched {
    fn take(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Token(more) if self.is_too_long || self.draft.len() + more.len() > MOST => {
                self.draft = String::new();
                self.is_too_long = true;
            }
            RunEvent::Token(more) => self.draft.push_str(more),
            _ => self.forget(),
        }
    }

    fn forget(&mut self) {
        self.draft = String::new();
        self.is_too_long = false;
    }

    const fn is_over(&self) -> bool {
        self.seats.is_empty() && self.draft.is_empty() && !self.is_too_long
    }
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
    /// Watches a run. If its answer is growing already, the draft so far comes first.
    pub fn watch(&self, run: RunId, sight: Sight) -> Watcher {
        let seat = Arc::new(Seat {
            sight,
            queue: Mutex::default(),
            arrived: Notify::new(),
        });
        let mut watched = self.watched.entry(run).or_default();
        if sight == Sight::Draft && !watched.draft.is_empty() {
            seat.tell(RunEvent::Token(watched.draft.clone()));
        }
        watched.seats.push(Arc::clone(&seat));
        drop(watched);
        Watcher {
            seat,
            run,
            watched: Arc::clone(&self.watched),
        }
    }

    /// Whether anybody wants to see a run's answer grow.
    pub(crate) fn is_drafted(&self, run: RunId) -> bool {
        let watched = self.watched.get(&run);
        watched.is_some_and(|watched| watched.seats.iter().any(|seat| seat.sight == Sight::Draft))
    }

    /// A reply is whole, or was given up: watchers that come later read its step.
    pub(crate) fn end_draft(&self, run: RunId) {
        self.watched.remove_if_mut(&run, |_, watched| {
            watched.forget();
            watched.is_over()
        });
    }

    /// Tells those who watch a run.
    pub fn tell(&self, run: RunId, event: RunEvent) {
        if matches!(event, RunEvent::Token(_) | RunEvent::Reset) {
            // The last watcher may have just gone: the next one reads this, too.
            let mut watched = self.watched.entry(run).or_default();
            watched.take(&event);
            for seat in watched.seats.iter().filter(|seat| seat.sight == Sight::Draft) {
                seat.tell(event.clone());
            }
        } else if let Some(watched) = self.watched.get(&run) {
            for seat in &watched.seats {
                seat.tell(event.clone());
            }
        }
    }
}

/// Watches a run for as long as it lives.
#[derive(Debug)]
pub struct Watcher {
    seat: Arc<Seat>,
    run: RunId,
    watched: Arc<DashMap<RunId, Watched>>,
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
        self.watched.remove_if_mut(&self.run, |_, watched| {
            watched.seats.retain(|seat| !Arc::ptr_eq(seat, &self.seat));
            watched.is_over()
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

    #[tokio::test]
    async fn a_watcher_that_comes_later_reads_the_draft_so_far_first() {
        let events = Events::default();
        let run = RunId::new();
        let token = |text: &str| RunEvent::Token(text.to_owned());
        drop(events.watch(run, Sight::Draft));
        for (told, expected) in [
            (vec![token("Hel"), token("lo")], "Hello"),
            (vec![token("x"), RunEvent::Reset, token("It is")], "It is"),
        ] {
            told.into_iter().for_each(|event| events.tell(run, event));
            let (mut late, mut waiting) = (events.watch(run, Sight::Draft), events.watch(run, Sight::Progress));
            events.tell(run, token(" on"));
            events.tell(run, RunEvent::Step(1));
            assert_eq!(late.next().await, Some(token(expected)));
            assert_eq!(late.next().await, Some(token(" on")));
            assert_eq!(waiting.next().await, Some(RunEvent::Step(1)));
            events.end_draft(run);
        }
        assert!(events.watched.is_empty());
        // More than is kept: a part of it would begin in the middle of a sentence.
        events.tell(run, token(&"x".repeat(MOST)));
        events.tell(run, token("more"));
        let mut late = events.watch(run, Sight::Draft);
        events.tell(run, token(" on"));
        assert_eq!(late.next().await, Some(token(" on")));
        drop(late);
        events.end_draft(run);
        assert!(events.watched.is_empty());
    }
}
