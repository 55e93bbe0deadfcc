//! Whether somebody manages a shared place: the platform says so, and its answer holds for a minute. A platform that
//! gave none is taken to say no, and is not waited for again at once: for half a minute if it was silent, for a moment
//! if it failed at once.
//!
//! [`Managers`] keeps answers by whatever its owner knows people and places by; all of them hold by the same rule.

use std::{hash::Hash, time::Duration};

use clifford_channel::Actor;
use clifford_chat::{act::ActError, platform::Platform};
use clifford_core::clock::Timestamp;
use dashmap::DashMap;

/// How long a platform may take to say it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long its answer holds.
pub const HOLDS: Duration = Duration::from_secs(60);
/// How many answers are kept before old ones are dropped.
pub const KEPT: usize = 10_000;

/// A platform did not say who manages a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It was silent until its time was over.
    Silent,
    /// It failed at once: the next try may go well, and costs no wait.
    Failed,
}

impl NoAnswer {
    /// How long it is taken to say no.
    const fn holds(self) -> Duration {
        match self {
            Self::Silent => Duration::from_secs(30),
            Self::Failed => Duration::from_secs(3),
        }
    }
}

/// The pauses before a platform is asked again that was away, or asked to wait, for a moment: nobody is to be told that
/// they manage nothing because of that.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(1500)];

/// Asks a platform whether an account manages a place, again where that may help, and all within its time.
///
/// # Errors
/// It gave no answer.
pub async fn ask(actor: &dyn Actor, platform: Platform, place: &str, account: &str) -> Result<bool, NoAnswer> {
    let asked = async {
        for pause in PAUSES {
            match actor.manages(place, account).await {
                Err(ActError::Unavailable(_) | ActError::Unsure(_)) => tokio::time::sleep(pause).await,
                answered => return answered,
            }
        }
        actor.manages(place, account).await
    };
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(manages)) => Ok(manages),
        Ok(Err(error)) => {
            tracing::info!(%error, %platform, "failed to look up a channel's managers");
            Err(NoAnswer::Failed)
        }
        Err(_) => {
            tracing::info!(%platform, "platform did not list a channel's managers in time");
            Err(NoAnswer::Silent)
        }
    }
}

/// Whether what began at a moment still holds. A clock that was put back ends it.
pub fn holds(at: Timestamp, now: Timestamp, long: Duration) -> bool {
    at <= now && now.since(at) < long
}

/// The latest answers of platforms. `K`: a person and a place.
#[derive(Debug)]
pub struct Managers<K: Eq + Hash> {
    told: DashMap<K, (Timestamp, bool)>,
    /// When a platform gave no answer. What it said before is kept.
    untold: DashMap<K, (Timestamp, NoAnswer)>,
}

impl<K: Eq + Hash> Default for Managers<K> {
    fn default() -> Self {
        Self {
            told: DashMap::new(),
            untold: DashMap::new(),
        }
    }
}

impl<K: Eq + Hash> Managers<K> {
    /// The answer that holds. `None`: the platform is to be asked.
    pub fn held(&self, key: &K, now: Timestamp) -> Option<bool> {
        if let Some(told) = self.told.get(key)
            && holds(told.0, now, HOLDS)
        {
            return Some(told.1);
        }
        let untold = self.untold.get(key).map(|untold| *untold);
        untold.filter(|(at, why)| holds(*at, now, why.holds())).map(|_| false)
    }

    /// Keeps an answer, or that there was none.
    pub fn keep(&self, key: K, now: Timestamp, answer: Result<bool, NoAnswer>) {
        match answer {
            Ok(manages) => {
                if self.told.len() >= KEPT {
                    self.told.retain(|_, (at, _)| holds(*at, now, HOLDS));
                }
                self.untold.remove(&key);
                self.told.insert(key, (now, manages));
            }
            Err(why) => {
                if self.untold.len() >= KEPT {
                    self.untold.retain(|_, (at, why)| holds(*at, now, why.holds()));
                }
                self.untold.insert(key, (now, why));
            }
        }
    }

    /// Whether a platform gave no answer a moment ago about one of these.
    pub fn is_unsure(&self, now: Timestamp, is_one: impl Fn(&K) -> bool) -> bool {
        let mut untold = self.untold.iter();
        untold.any(|untold| is_one(untold.key()) && holds(untold.0, now, untold.1.holds()))
    }

    /// Whether platforms said yes of one of these, however long ago. `None`: they said nothing.
    pub fn said_of(&self, is_one: impl Fn(&K) -> bool) -> Option<bool> {
        let told = self.told.iter().filter(|told| is_one(told.key()));
        told.map(|told| told.1).reduce(|one, other| one || other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_for_a_minute_silence_for_half_of_one_and_a_failure_for_a_moment() {
        let managers = Managers::default();
        let at = |seconds: i64| Timestamp(seconds * 1000);
        let held = |seconds| managers.held(&("ada", "club"), at(seconds));
        let keep = |seconds, answer| managers.keep(("ada", "club"), at(seconds), answer);
        let (ada, bob) = (|key: &(&str, &str)| key.0 == "ada", |key: &(&str, &str)| key.0 == "bob");
        assert_eq!(held(0), None);
        keep(0, Ok(true));
        assert_eq!([held(0), held(59), held(60)], [Some(true), Some(true), None]);
        keep(60, Err(NoAnswer::Silent));
        assert_eq!([held(60), held(89), held(90)], [Some(false), Some(false), None]);
        // The platform's last word is known all the while.
        assert_eq!((managers.said_of(ada), managers.said_of(bob)), (Some(true), None));
        keep(90, Err(NoAnswer::Failed));
        assert_eq!([held(90), held(92), held(93)], [Some(false), Some(false), None]);
        assert!(managers.is_unsure(at(92), ada) && !managers.is_unsure(at(93), ada));
        assert!(!managers.is_unsure(at(92), bob));
        keep(91, Ok(true));
        assert_eq!([held(91), held(92)], [Some(true); 2]);
        // The clock was put back.
        assert_eq!(held(5), None);
    }
}
