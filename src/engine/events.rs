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
}

/// Watchers by run.
#[derive(Clone, Debug, Default)]
pub struct Events {
    watched: Arc<DashMap<RunId, broadcast::Sender<RunEvent>>>,
}

impl Events {
    /// Watches a run.
    pub fn watch(&self, run: RunId) -> broadcast::Receiver<RunEvent> {
        self.watched
            .entry(run)
            .or_insert_with(|| broadcast::channel(BUFFER).0)
            .subscribe()
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
