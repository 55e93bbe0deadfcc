//! Decides when a lease of another process may be taken over. Leases expire by wall-clock time. The monotonic clock
//! detects when the wall clock was adjusted.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_core::{
    clock::{SharedClock, Timestamp},
    id::WorkerId,
};
use tokio::time::Instant;

use crate::leases::{ClaimWindow, skewed::SkewedLease};

/// For how many leases one that ends too late must stay as it is until nobody is thought to hold it: another process may
/// be set to longer ones.
const SILENCE: u32 = 10;

/// Looks for work with an eye on the clock.
///
/// When the clock was put forward, or the machine slept, what others hold seems to have run out before they could renew
/// it. For one lease from then on nothing counts as run out but what was given back.
#[derive(Debug)]
pub struct ClockGuard {
    clock: SharedClock,
    worker: WorkerId,
    lease: Duration,
    seen: Mutex<Seen>,
}

/// The readings of both clocks at the last look.
#[derive(Clone, Copy, Debug)]
struct Seen {
    wall: Timestamp,
    at: Instant,
    patient_until: Option<Instant>,
}

impl ClockGuard {
    /// For leases of this length, which this process holds as `worker`.
    pub fn new(clock: SharedClock, worker: WorkerId, lease: Duration) -> Self {
        let seen = Seen {
            wall: clock.now(),
            at: Instant::now(),
            patient_until: None,
        };
        Self {
            clock,
            worker,
            lease,
            seen: Mutex::new(seen),
        }
    }

    /// This process.
    pub const fn worker(&self) -> WorkerId {
        self.worker
    }

    /// How long a lease lasts.
    pub const fn lease(&self) -> Duration {
        self.lease
    }

    /// The clock.
    pub const fn clock(&self) -> &SharedClock {
        &self.clock
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// How work is to be looked for now.
    pub fn window(&self) -> ClaimWindow {
        let (now, at) = (self.clock.now(), Instant::now());
        // Two times that are replaced together cannot be left half changed.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let window = ClaimWindow::new(self.worker, now, self.lease);
        if seen.is_patient(now, at, self.lease) {
            window.patient()
        } else {
            window
        }
    }
}

impl Seen {
    /// Whether the clock was put a short while ago, as far as looks at it tell; this is one.
    fn is_patient(&mut self, now: Timestamp, at: Instant, lease: Duration) -> bool {
        let expected = self.wall.after(at.saturating_duration_since(self.at));
        let off = now.since(expected).max(expected.since(now));
        // Less than what a renewed lease lasts at least takes nothing away from it.
        if off > lease / 3 {
            tracing::warn!(?off, "wall clock stepped, extending other workers' leases once");
            self.patient_until = Some(at + lease);
        }
        (self.wall, self.at) = (now, at);
        self.patient_until.is_some_and(|until| at < until)
    }
}

/// Leases that end later than any renewed one: the clock was set back since. Live workers renew theirs, which become
/// usual ones; those of dead workers stay as they are.
#[derive(Debug, Default)]
pub struct Silent(HashMap<(String, WorkerId), (Timestamp, Instant)>);

impl Silent {
    /// Takes in what is found now, and tells which of it has stayed as it is for so long that nobody holds it any more.
    pub fn of(&mut self, found: Vec<SkewedLease>, at: Instant, lease: Duration) -> Vec<SkewedLease> {
        let before = std::mem::take(&mut self.0);
        let mut silent = Vec::new();
        for skewed in found {
            let key = (skewed.held.clone(), skewed.owner);
            let since = match before.get(&key) {
                Some((until, since)) if *until == skewed.until => *since,
                _ => at,
            };
            self.0.insert(key, (skewed.until, since));
            if at.saturating_duration_since(since) >= lease * SILENCE {
                silent.push(skewed);
            }
        }
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    #[test]
    fn what_others_hold_is_theirs_for_one_more_lease_after_the_clock_was_put() {
        let (begin, wall) = (Instant::now(), Timestamp(1_000_000_000));
        let mut seen = Seen {
            wall,
            at: begin,
            patient_until: None,
        };
        // Seconds that passed, milliseconds that the wall clock shows beyond them, and whether to be patient.
        let cases = [
            (1, 0, false),
            (2, 9_000, false),
            (3, 0, false),
            (4, 86_400_000, true),
            (5, 86_400_000, true),
            (33, 86_400_000, true),
            (34, 86_400_000, false),
            (600, 86_400_000, false),
            (601, 0, true),
            (631, 0, false),
        ];
        for (passed, beyond, expected) in cases {
            let now = Timestamp(wall.0 + passed * 1000 + beyond);
            let at = begin + Duration::from_secs(u64::try_from(passed).unwrap());
            assert_eq!(seen.is_patient(now, at, LEASE), expected, "after {passed} s");
        }
    }

    #[test]
    fn only_what_nobody_renews_is_given_up() {
        let (begin, dead, alive) = (Instant::now(), WorkerId::new(), WorkerId::new());
        let skewed = |owner, until| SkewedLease {
            held: "runs".to_owned(),
            owner,
            until: Timestamp(until),
        };
        let mut silent = Silent::default();
        for tenth in 0..10 {
            let at = begin + LEASE * tenth;
            let found = vec![skewed(dead, 7), skewed(alive, i64::from(tenth))];
            assert_eq!(silent.of(found, at, LEASE), []);
        }
        let found = vec![skewed(dead, 7), skewed(alive, 10)];
        assert_eq!(silent.of(found, begin + LEASE * 10, LEASE), [skewed(dead, 7)]);
    }
}
