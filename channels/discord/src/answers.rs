//! Which interactions still show "is thinking", and which part took that place.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use clifford_channel::DeliveryKey;
use jiff::Timestamp;

use crate::via::Via;

/// More interactions than this are looked through for those that ended.
const MANY: usize = 256;

/// The acknowledged interactions of this process.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<HashMap<u64, (Via, Original)>>);

/// What is in the place of the acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Original {
    /// "Clifford is thinking…": the first part goes there.
    Thinking,
    /// This part: the others follow it.
    Part(DeliveryKey),
}

impl Answers {
    pub(crate) fn get(&self, interaction: u64) -> Option<Original> {
        self.with(|answers| answers.get(&interaction).map(|(_, original)| original.clone()))
    }

    pub(crate) fn set(&self, via: &Via, original: Original, now: Timestamp) {
        self.with(|answers| {
            if answers.len() >= MANY {
                answers.retain(|_, (via, _)| via.is_alive(now));
            }
            answers.insert(via.interaction, (via.clone(), original));
        });
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<u64, (Via, Original)>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
