//! One lane for each channel: its work is done in the order of ids, one after another; lanes run side by side.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::wait::Stopped;

/// How much work may wait in all lanes together.
const ROOM: usize = 4_096;

/// Does the work.
#[async_trait]
pub(crate) trait Worker: Send + Sync + 'static {
    /// A piece of work.
    type Work: Send + 'static;

    /// Does one piece, to its end.
    ///
    /// # Errors
    /// `Stopped` if it was left undone: then nothing that comes after it in its lane may be done either, or
    /// what the store has last would no longer say what is missing.
    async fn work(&self, work: Self::Work) -> Result<(), Stopped>;
}

/// Where in its lane work stands: work with a lower place is done first, if it is there in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// Before everything else that waits.
    First,
    /// By the id of the message or interaction; an edit comes after what it edits.
    Of {
        /// A snowflake: it carries its time.
        id: u64,
        /// 0 for what is new, 1 for its changes, 2 for its end.
        rank: u8,
    },
    /// After everything else that waits.
    Last,
}

/// The lanes that have work.
pub(crate) struct Lanes<W: Worker> {
    worker: Arc<W>,
    waiting: Arc<Waiting<W::Work>>,
    room: Arc<Semaphore>,
    tasks: TaskTracker,
    window: Duration,
}

struct Item<T> {
    turn: Turn,
    work: T,
    _room: OwnedSemaphorePermit,
}

/// A lane is in the map exactly while a task serves it.
struct Waiting<T>(Mutex<HashMap<u64, Vec<Item<T>>>>);

impl<W: Worker> Lanes<W> {
    /// Work that arrives within `window` is put in order.
    pub(crate) fn new(worker: W, window: Duration, tasks: TaskTracker) -> Self {
        let waiting = Arc::new(Waiting(Mutex::default()));
        Self {
            worker: Arc::new(worker),
            waiting,
            room: Arc::new(Semaphore::new(ROOM)),
            tasks,
            window,
        }
    }

    /// Adds work to a lane; waits while too much work waits everywhere.
    pub(crate) async fn push(&self, lane: u64, turn: Turn, work: W::Work) {
        let Ok(room) = Arc::clone(&self.room).acquire_owned().await else {
            return;
        };
        if self.waiting.add(
            lane,
            Item {
                turn,
                work,
                _room: room,
            },
        ) {
            let (worker, waiting, window) = (Arc::clone(&self.worker), Arc::clone(&self.waiting), self.window);
            self.tasks.spawn(async move {
                loop {
                    tokio::time::sleep(window).await;
                    let Some(mut items) = waiting.take(lane) else {
                        return;
                    };
                    items.sort_by_key(|item| item.turn);
                    for item in items {
                        if worker.work(item.work).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    }
}

impl<T> Waiting<T> {
    /// Whether the lane needs a task to serve it.
    fn add(&self, lane: u64, item: Item<T>) -> bool {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !lanes.contains_key(&lane);
        lanes.entry(lane).or_default().push(item);
        is_new
    }

    /// All that waits in a lane; a lane in which nothing waits ends.
    fn take(&self, lane: u64) -> Option<Vec<Item<T>>> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let items = lanes
            .get_mut(&lane)
            .map(std::mem::take)
            .filter(|items| !items.is_empty());
        if items.is_none() {
            lanes.remove(&lane);
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Notes(Mutex<Vec<&'static str>>);

    #[async_trait]
    impl Worker for Arc<Notes> {
        type Work = &'static str;

        async fn work(&self, work: &'static str) -> Result<(), Stopped> {
            tokio::task::yield_now().await;
            if work == "impossible" {
                return Err(Stopped);
            }
            self.0.lock().unwrap().push(work);
            Ok(())
        }
    }

    #[tokio::test]
    async fn work_is_done_in_the_order_of_ids() {
        let notes = Arc::new(Notes(Mutex::default()));
        let tasks = TaskTracker::new();
        let lanes = Lanes::new(Arc::clone(&notes), Duration::from_millis(5), tasks.clone());
        let of = |id, rank| Turn::Of { id, rank };
        lanes.push(1, Turn::Last, "left").await;
        lanes.push(1, of(20, 1), "edit").await;
        lanes.push(1, of(30, 0), "third").await;
        lanes.push(1, of(20, 0), "second").await;
        lanes.push(1, Turn::First, "missed").await;
        tasks.close();
        tasks.wait().await;
        assert_eq!(*notes.0.lock().unwrap(), ["missed", "second", "edit", "third", "left"]);
        assert!(lanes.waiting.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn after_work_that_was_left_undone_nothing_is_done_in_its_lane() {
        let notes = Arc::new(Notes(Mutex::default()));
        let tasks = TaskTracker::new();
        let lanes = Lanes::new(Arc::clone(&notes), Duration::from_millis(5), tasks.clone());
        lanes.push(1, Turn::First, "impossible").await;
        lanes.push(1, Turn::Last, "after it").await;
        lanes.push(2, Turn::Last, "elsewhere").await;
        tasks.close();
        tasks.wait().await;
        lanes.push(1, Turn::First, "later").await;
        tasks.wait().await;
        assert_eq!(*notes.0.lock().unwrap(), ["elsewhere"]);
    }
}
