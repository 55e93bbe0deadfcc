//! The original responses of interactions: placeholder, draft or part, as far as this process knows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use clifford_channel::DeliveryKey;
use jiff::Timestamp;
use tokio::sync::OwnedMutexGuard;

use crate::via::Via;

/// More interactions than this are looked through for those that ended.
const MANY: usize = 256;

/// The acknowledged interactions of this process.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<HashMap<u64, (Via, PlaceholderSlot)>>);

/// `None`: acknowledged by an earlier process. Only Discord knows what became of it.
type PlaceholderSlot = Arc<tokio::sync::Mutex<Option<Original>>>;

/// The message in the place of the acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Original {
    /// "Clifford is thinking…", or a word that stands in for it: the first part goes there.
    Open(Option<Placeholder>),
    /// This part: the others follow it.
    Part(DeliveryKey),
}

/// A word in place of "is thinking".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placeholder {
    /// Something else is at work first.
    Waits,
    /// Nothing is at work for it any more, and nothing was said.
    Silent,
    /// The interaction ends before its answer is there.
    Below,
}

impl Placeholder {
    /// The word.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Waits => "⏳ This comes after what I am doing now. It may be answered together with a later message.",
            Self::Silent => "⏸️ No answer for now.",
            Self::Below => "⤵️ This takes longer. I answer below.",
        }
    }

    /// The word that this text is.
    pub(crate) fn of(text: &str) -> Option<Self> {
        [Self::Waits, Self::Silent, Self::Below]
            .into_iter()
            .find(|stand| stand.text() == text)
    }
}

impl Answers {
    /// An interaction was acknowledged just now.
    pub(crate) fn acknowledged(&self, via: &Via, now: Timestamp) {
        self.place(via, now, Some(Original::Open(None)));
    }

    /// An interaction is being answered, perhaps since before this process began.
    pub(crate) fn at_work(&self, via: &Via, now: Timestamp) {
        self.place(via, now, None);
    }

    /// The interactions that end in some moments.
    pub(crate) fn ending(&self, now: Timestamp) -> Vec<Via> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let vias = answers.values().map(|(via, _)| via);
        vias.filter(|via| via.is_ending(now)).cloned().collect()
    }

    /// Locks the original response of an interaction: nobody else writes there until the guard is dropped.
    pub(crate) async fn hold(&self, via: &Via, now: Timestamp) -> OwnedMutexGuard<Option<Original>> {
        self.place(via, now, None).lock_owned().await
    }

    fn place(&self, via: &Via, now: Timestamp, new: Option<Original>) -> PlaceholderSlot {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MANY {
            answers.retain(|_, (via, _)| via.is_alive(now));
        }
        let known = answers.entry(via.interaction);
        let (_, place) = known.or_insert_with(|| (via.clone(), Arc::new(tokio::sync::Mutex::new(new))));
        Arc::clone(place)
    }
}
