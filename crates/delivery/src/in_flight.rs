//! The messages that a process has in flight, independent of their rows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use clifford_core::id::MessageId;

/// The messages in hand, and how often each was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Hand(Arc<Mutex<HashMap<MessageId, usize>>>);

/// A message is in hand as long as this lives.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    hand: Hand,
    message: MessageId,
}

impl Hand {
    /// Takes a message.
    pub(super) fn take(&self, message: MessageId) -> InFlightGuard {
        self.change(|taken| *taken.entry(message).or_default() += 1);
        InFlightGuard {
            hand: self.clone(),
            message,
        }
    }

    /// Whether a message is in hand.
    pub(super) fn has(&self, message: MessageId) -> bool {
        self.change(|taken| taken.contains_key(&message))
    }

    fn change<T>(&self, change: impl FnOnce(&mut HashMap<MessageId, usize>) -> T) -> T {
        // A count cannot be left half changed.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.hand.change(|taken| {
            if let Some(count) = taken.get_mut(&self.message) {
                *count -= 1;
                if *count == 0 {
                    taken.remove(&self.message);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_in_hand_until_whoever_took_it_last_is_done() {
        let (hand, message) = (Hand::default(), MessageId::new());
        let first = hand.take(message);
        let second = hand.take(message);
        drop(first);
        assert!(hand.has(message));
        drop(second);
        assert!(!hand.has(message));
    }
}
