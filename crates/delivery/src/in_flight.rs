//! The messages that a process has in flight, independent of their rows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use clifford_core::id::MessageId;

/// The messages in flight, and how often each was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlight(Arc<Mutex<HashMap<MessageId, usize>>>);

/// A message is in flight as long as this lives.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    in_flight: InFlight,
    message: MessageId,
}

impl InFlight {
    /// Takes a message.
    pub(super) fn take(&self, message: MessageId) -> InFlightGuard {
        self.change(|counts| *counts.entry(message).or_default() += 1);
        InFlightGuard {
            in_flight: self.clone(),
            message,
        }
    }

    /// Whether a message is in flight.
    pub(super) fn has(&self, message: MessageId) -> bool {
        self.change(|counts| counts.contains_key(&message))
    }

    fn change<T>(&self, change: impl FnOnce(&mut HashMap<MessageId, usize>) -> T) -> T {
        // A count cannot be left half changed.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.in_flight.change(|counts| {
            if let Some(count) = counts.get_mut(&self.message) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&self.message);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_in_flight_until_its_last_guard_is_dropped() {
        let (in_flight, message) = (InFlight::default(), MessageId::new());
        let first = in_flight.take(message);
        let second = in_flight.take(message);
        drop(first);
        assert!(in_flight.has(message));
        drop(second);
        assert!(!in_flight.has(message));
    }
}
