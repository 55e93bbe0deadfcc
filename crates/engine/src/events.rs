//! What happens in a run, for those who watch in this process. May be lost: the rows are the truth.

use std::sync::Arc;

use clifford_core::{id::RunId, runs::RunStatus};
use dashmap::DashMap;
use tokio::sync::broadcast;

/// How many events a slow watcher may lag behind before it must read the rows.
const BUFFER: usize = 256;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// Steps were committed, up to this one.
    Step(u32),
    /// The run stands elsewhere.
    Status(RunStatus),
    /// The answer grows: the next piece of what the user will read.
    Token(String),
    /// The reply begins anew, because its server failed in the middle: the pieces so far are worth nothing.
    Reset,
    /// The rows changed since they were last looked at: perhaps another process wrote them.
    Changed,
}

/// Watchers by run.
#[derive(Clone, Debug, Default)]
pub struct Events {
    watched: Arc<DashMap<RunId, Watched>>,
}

#[derive(Debug)]
struct Watched {
    events: broadcast::Sender<RunEvent>,
    /// How many of those who watch want to see the answer grow.
    drafts: usize,
}

/// What somebody wants to see of a run.
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
        let mut watched = self.watched.entry(run).or_insert_with(|| Watched {
            events: broadcast::channel(BUFFER).0,
            drafts: 0,
        });
        watched.drafts += usize::from(sight == Sight::Draft);
        Watcher {
            events: watched.events.subscribe(),
            run,
            sight,
            watched: Arc::clone(&self.watched),
        }
    }

    /// Whether anybody wants to see a run's answer grow.
    pub fn is_drafted(&self, run: RunId) -> bool {
        self.watched.get(&run).is_some_and(|watched| watched.drafts > 0)
    }

    /// Tells those who watch a run.
    pub fn tell(&self, run: RunId, event: RunEvent) {
        if let Some(watched) = self.watched.get(&run) {
            // The last one to go removes the entry.
            watched.events.send(event).ok();
        }
    }
}

/// Watches a run for as long as it lives.
#[derive(Debug)]
pub struct Watcher {
    events: broadcast::Receiver<RunEvent>,
    run: RunId,
    sight: Sight,
    watched: Arc<DashMap<RunId, Watched>>,
}

impl Watcher {
    /// The next event. `None`: some were missed, so the rows must be read.
    pub async fn next(&mut self) -> Option<RunEvent> {
        loop {
            match self.events.recv().await.ok()? {
                RunEvent::Token(_) | RunEvent::Reset if self.sight == Sight::Progress => {}
                event => return Some(event),
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The last one to go puts out the light. This one is still counted.
        self.watched.remove_if_mut(&self.run, |_, watched| {
            watched.drafts -= usize::from(self.sight == Sight::Draft);
            watched.events.receiver_count() <= 1
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
        assert_eq!(watcher.next().await, Some(RunEvent::Step(1)));
    }
}
