//! Permissions that the bot turned out to lack in a channel: it does without for a while, for Discord counts refused
//! requests, and bars who makes too many.
//! <https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans>

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// After this time it is tried again: somebody may have granted it.
const FOR: Duration = Duration::from_secs(600);
/// So many are remembered.
const MOST: usize = 1_000;

/// A right without which an answer is still worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Right {
    /// Pointing at the message that is answered.
    Reply,
    /// Marking a message by a reaction.
    React,
}

/// The rights that were refused lately, by channel.
#[derive(Debug, Default)]
pub(crate) struct Lacking(Mutex<HashMap<(Right, String), Instant>>);

impl Lacking {
    /// It was refused in a channel just now.
    pub(crate) fn note(&self, right: Right, channel: &str, now: Instant) {
        self.with(|refused| {
            if refused.len() >= MOST {
                refused.retain(|_, at| now.duration_since(*at) < FOR);
            }
            if refused.len() < MOST {
                refused.insert((right, channel.to_owned()), now);
            }
        });
    }

    /// Whether it was refused in a channel lately.
    pub(crate) fn is_lacking(&self, right: Right, channel: &str, now: Instant) -> bool {
        let key = (right, channel.to_owned());
        self.with(|refused| refused.get(&key).is_some_and(|at| now.duration_since(*at) < FOR))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<(Right, String), Instant>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_is_tried_again_after_a_while() {
        let lacking = Lacking::default();
        let now = Instant::now();
        lacking.note(Right::Reply, "1", now);
        let is_lacking = |right, channel, after| lacking.is_lacking(right, channel, now + after);
        assert!(is_lacking(Right::Reply, "1", FOR / 2));
        assert!(!is_lacking(Right::Reply, "1", FOR));
        assert!(!is_lacking(Right::React, "1", Duration::ZERO) && !is_lacking(Right::Reply, "2", Duration::ZERO));
        for channel in 0..MOST * 2 {
            lacking.note(Right::React, &channel.to_string(), now);
        }
        assert_eq!(lacking.with(|refused| refused.len()), MOST);
        lacking.note(Right::React, "new", now + FOR);
        assert!(is_lacking(Right::React, "new", FOR));
    }
}
