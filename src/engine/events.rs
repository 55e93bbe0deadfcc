//! What happens in a run, for those who watch in this process. May be lost: the rows are the truth.

use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::broadcast;

use crate::{id::RunId, store::runs::RunStatus};

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
}

/// Watchers by run.
#[derive(Clone, Debug, Default)]
pub struct Events {
    watched: Arc<DashMap<RunId, broadcast::Sender<RunEvent>>>,
}

impl Events {
    /// Watches a run.
    pub fn watch(&self, run: RunId) -> Watcher {
        let events = self
            .watched
            .entry(run)
            .or_insert_with(|| broadcast::channel(BUFFER).0)
            .subscribe();
        Watcher {
            events,
            run,
            watched: Arc::clone(&self.watched),
        }
    }

    /// Whether anybody watches a run.
    pub fn is_watched(&self, run: RunId) -> bool {
        self.watched.contains_key(&run)
    }

    /// Tells those who watch a run.
    pub fn tell(&self, run: RunId, event: RunEvent) {
        let alone = self.watched.get(&run).is_some_and(|sender| sender.send(event).is_err());
        if alone {
            self.watched.remove_if(&run, |_, sender| sender.receiver_count() == 0);
        }
    }
}

/// Watches a run for as long as it lives.
#[derive(Debug)]
pub struct Watcher {
    events: broadcast::Receiver<RunEvent>,
    run: RunId,
    watched: Arc<DashMap<RunId, broadcast::Sender<RunEvent>>>,
}

impl Watcher {
    /// The next event. `None`: some were missed, so the rows must be read.
    pub async fn next(&mut self) -> Option<RunEvent> {
        self.events.recv().await.ok()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The last one to go puts out the light. This one is still counted.
        self.watched
            .remove_if(&self.run, |_, sender| sender.receiver_count() <= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_nobody_watches_any_more_is_forgotten() {
        let events = Events::default();
        let run = RunId::new();
        let (first, second) = (events.watch(run), events.watch(run));
        drop(first);
        assert!(events.is_watched(run));
        drop(second);
        assert!(!events.is_watched(run));
    }

    #[tokio::test]
    async fn who_is_too_slow_is_told_to_read_the_rows() {
        let events = Events::default();
        let run = RunId::new();
        let mut watcher = events.watch(run);
        for seq in 0..=u32::try_from(BUFFER).unwrap() {
            events.tell(run, RunEvent::Step(seq));
        }
        assert_eq!(watcher.next().await, None);
        assert_eq!(watcher.next().await, Some(RunEvent::Step(1)));
    }
}
