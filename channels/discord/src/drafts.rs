//! The drafts that this process shows, and the mark by which every process knows one.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use clifford_channel::DeliveryKey;

/// The end of a draft, which tells it from an answer: a word joiner, which nobody writes, and a cursor.
const MARK: &str = "\u{2060}▌";

/// The end of a status message.
const STATUS_MARK: &str = "\u{2060}…";

/// The drafts that this process shows: the messages that they are.
#[derive(Debug, Default)]
pub(crate) struct Drafts(Mutex<HashMap<DeliveryKey, String>>);

impl Drafts {
    pub(crate) fn find(&self, key: &DeliveryKey) -> Option<String> {
        self.with(|drafts| drafts.get(key).cloned())
    }

    pub(crate) fn insert(&self, key: &DeliveryKey, id: String) {
        self.with(|drafts| drafts.insert(key.clone(), id));
    }

    pub(crate) fn remove(&self, key: &DeliveryKey) -> Option<String> {
        self.with(|drafts| drafts.remove(key))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<DeliveryKey, String>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A text as a draft shows it.
pub(crate) fn marked(text: &str) -> String {
    format!("{text}{MARK}")
}

/// A text as a status message shows it.
pub(crate) fn with_status_mark(text: &str) -> String {
    format!("{text}{STATUS_MARK}")
}

/// Whether a text is a draft's.
pub(crate) fn is_draft(content: &str) -> bool {
    content.ends_with(MARK)
}

/// Whether a text stands only until the answer comes.
pub(crate) fn is_passing(content: &str) -> bool {
    is_draft(content) || content.ends_with(STATUS_MARK)
}
