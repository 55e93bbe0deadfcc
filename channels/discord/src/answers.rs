//! The original responses of interactions: placeholder, draft or part, as far as this process knows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use clifford_channel::DeliveryKey;
use clifford_text::{Lang, Placeholder as Words};
use jiff::Timestamp;
use tokio::sync::OwnedMutexGuard;

use crate::via::Via;

/// More interactions than this are looked through for those that ended.
const MANY: usize = 256;

/// The acknowledged interactions of this process.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<HashMap<u64, Asked>>);

/// An interaction that was acknowledged.
#[derive(Debug)]
struct Asked {
    via: Via,
    /// The language of the app of whoever gave it; English where an earlier process heard it.
    lang: Lang,
    slot: PlaceholderSlot,
}

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
    pub(crate) fn text(self, lang: Lang) -> String {
        lang.say(match self {
            Self::Waits => Words::Waits,
            Self::Silent => Words::Silent,
            Self::Below => Words::Below,
        })
    }

    /// The word that this text is, in whichever language it was said: Discord keeps nothing else of it.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let is_said = |stand: &Self| Lang::ALL.iter().any(|lang| stand.text(*lang) == text);
        [Self::Waits, Self::Silent, Self::Below].into_iter().find(is_said)
    }
}

impl Answers {
    /// An interaction was acknowledged just now.
    pub(crate) fn acknowledged(&self, via: &Via, lang: Lang, now: Timestamp) {
        self.place(via, now, Some(Original::Open(None)));
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = answers.get_mut(&via.interaction) {
            asked.lang = lang;
        }
    }

    /// The language in which a word for an interaction is read.
    pub(crate) fn lang(&self, via: &Via) -> Lang {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers
            .get(&via.interaction)
            .map_or_else(Lang::default, |asked| asked.lang)
    }

    /// An interaction is being answered, perhaps since before this process began.
    pub(crate) fn at_work(&self, via: &Via, now: Timestamp) {
        self.place(via, now, None);
    }

    /// The interactions that end in some moments.
    pub(crate) fn ending(&self, now: Timestamp) -> Vec<Via> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let vias = answers.values().map(|asked| &asked.via);
        vias.filter(|via| via.is_ending(now)).cloned().collect()
    }

    /// Locks the original response of an interaction: nobody else writes there until the guard is dropped.
    pub(crate) async fn hold(&self, via: &Via, now: Timestamp) -> OwnedMutexGuard<Option<Original>> {
        self.place(via, now, None).lock_owned().await
    }

    fn place(&self, via: &Via, now: Timestamp, new: Option<Original>) -> PlaceholderSlot {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MANY {
            answers.retain(|_, asked| asked.via.is_alive(now));
        }
        let known = answers.entry(via.interaction);
        let asked = known.or_insert_with(|| Asked {
            via: via.clone(),
            lang: Lang::default(),
            slot: Arc::new(tokio::sync::Mutex::new(new)),
        });
        Arc::clone(&asked.slot)
    }
}
