//! The latest changes that this process found, for all of its readers: one task looks for them, and every reader goes
//! through them at its own pace. Nothing of it must survive: the rows are the truth, and a reader that comes later is
//! told from them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clifford_core::{clock::Timestamp, id::UserId, places::Channel};
use tokio::sync::watch;

/// How many changes are kept for readers that are behind.
pub(super) const KEPT: usize = 4096;

/// Whom a change is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// The bot's own.
    Bot,
    /// An object of a person, of a channel, or of both.
    Owned {
        person: Option<UserId>,
        channel: Option<Arc<Channel>>,
    },
}

/// A change, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    /// Everything before this moment was found with it or before it.
    pub through: Timestamp,
    /// The name of its event.
    pub name: String,
    /// Its data, one line of JSON.
    pub data: String,
    /// Whom it is about.
    pub about: About,
}

/// A reader is further behind than the changes that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behind;

/// The latest changes.
#[derive(Debug)]
pub(super) struct Journal {
    kept: Mutex<Kept>,
    /// The number of the next change.
    grown: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    changes: VecDeque<Arc<Change>>,
    /// The number of the first of them.
    first: u64,
    /// The life of the task that looks; 0: none has looked yet. Between two of them changes may be missing.
    life: u64,
    /// Until when everything was found.
    through: Timestamp,
}

/// A place in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The life of the task that looks.
    pub life: u64,
    /// The number of the next change.
    pub number: u64,
    /// Everything before this moment was told.
    pub through: Timestamp,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            grown: watch::Sender::new(0),
        }
    }
}

impl Journal {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task begins to look: what is added follows this moment.
    pub(super) fn begin(&self, now: Timestamp) {
        let mut kept = self.kept();
        kept.first += kept.changes.len() as u64;
        kept.changes.clear();
        kept.life += 1;
        kept.through = now;
        let next = kept.first;
        drop(kept);
        self.grown.send_replace(next);
    }

    /// Where the journal ends.
    pub(super) fn end(&self) -> Position {
        let kept = self.kept();
        Position {
            life: kept.life,
            number: kept.first + kept.changes.len() as u64,
            through: kept.through,
        }
    }

    /// Adds the changes until a moment, and wakes the readers.
    pub(super) fn add(&self, changes: Vec<Change>, through: Timestamp) {
        let next = {
            let mut kept = self.kept();
            kept.through = through;
            if changes.is_empty() {
                return;
            }
            for change in changes {
                if kept.changes.len() >= KEPT {
                    kept.changes.pop_front();
                    kept.first += 1;
                }
                kept.changes.push_back(Arc::new(change));
            }
            kept.first + kept.changes.len() as u64
        };
        self.grown.send_replace(next);
    }

    /// Hears of changes.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.grown.subscribe()
    }

    /// The changes from a number on, at most so many.
    ///
    /// # Errors
    /// They are not kept any more, or never were.
    pub(super) fn from(&self, life: u64, number: u64, most: usize) -> Result<Vec<Arc<Change>>, Behind> {
        let kept = self.kept();
        let place = number
            .checked_sub(kept.first)
            .and_then(|place| usize::try_from(place).ok());
        match place {
            Some(place) if kept.life == life && place <= kept.changes.len() => {
                Ok(kept.changes.iter().skip(place).take(most).cloned().collect())
            }
            _ => Err(Behind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(number: usize) -> Change {
        Change {
            through: Timestamp(0),
            name: "run".to_owned(),
            data: number.to_string(),
            about: About::Bot,
        }
    }

    fn data(found: Result<Vec<Arc<Change>>, Behind>) -> Result<Vec<String>, Behind> {
        found.map(|found| found.iter().map(|change| change.data.clone()).collect())
    }

    #[test]
    fn readers_go_on_where_they_were_and_one_that_is_too_slow_is_told() {
        let journal = Journal::default();
        journal.begin(Timestamp(1));
        let Position {
            life, number: begin, ..
        } = journal.end();
        let mut grown = journal.watch();
        grown.mark_unchanged();
        journal.add((0..3).map(change).collect(), Timestamp(2));
        assert!(grown.has_changed().unwrap());
        assert_eq!(data(journal.from(life, begin, 2)), Ok(vec!["0".into(), "1".into()]));
        assert_eq!(data(journal.from(life, begin + 2, 2)), Ok(vec!["2".into()]));
        assert_eq!(data(journal.from(life, begin + 3, 2)), Ok(vec![]));
        assert_eq!(data(journal.from(life, begin + 4, 2)), Err(Behind));
        journal.add((3..KEPT + 1).map(change).collect(), Timestamp(3));
        assert_eq!(data(journal.from(life, begin, 1)), Err(Behind));
        assert_eq!(data(journal.from(life, begin + 1, 1)), Ok(vec!["1".into()]));
        journal.add(Vec::new(), Timestamp(4));
        let expected = Position {
            life,
            number: begin + KEPT as u64 + 1,
            through: Timestamp(4),
        };
        assert_eq!(journal.end(), expected);
    }

    #[test]
    fn what_another_task_looked_at_is_not_gone_on_with() {
        let journal = Journal::default();
        journal.begin(Timestamp(1));
        journal.add(vec![change(0)], Timestamp(2));
        let old = journal.end();
        journal.begin(Timestamp(3));
        let new = journal.end();
        assert_eq!((new.life, new.number), (old.life + 1, old.number));
        assert_eq!(data(journal.from(old.life, old.number, 1)), Err(Behind));
        assert_eq!(data(journal.from(new.life, new.number, 1)), Ok(vec![]));
    }
}
