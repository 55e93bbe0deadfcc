//! How many messages went out lately, and how many more may. The time comes from the caller.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// After so long without a complaint a flow becomes a step faster.
const CALM: Duration = Duration::from_secs(10);
/// How much slower each further complaint makes a flow.
const SLOWER: f64 = 4.0 / 3.0;
/// More complaints than this make it no slower.
const SLOWEST: u32 = 8;

/// So many messages in a window of time.
#[derive(Clone, Copy, Debug)]
struct Measure {
    most: usize,
    window: Duration,
}

/// A flow of messages: a burst at once and a rate on average, until the platform complains.
#[derive(Debug)]
pub(super) struct Flow {
    /// With bursts.
    free: Measure,
    /// Without.
    even: Measure,
    /// When messages went, the oldest first.
    times: VecDeque<Instant>,
    /// By how many steps it is slowed down.
    steps: u32,
    /// Since when it is calm.
    since: Option<Instant>,
}

impl Flow {
    /// A flow of at most `most` in any window of this length; after a complaint, of `few` in `each` while.
    pub(super) fn new(most: u32, window: Duration, few: u32, each: Duration) -> Self {
        let measure = |most: u32, window| Measure {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            window,
        };
        Self {
            free: measure(most, window),
            even: measure(few, each),
            times: VecDeque::new(),
            steps: 0,
            since: None,
        }
    }

    /// How long to wait until another may go; `None`: it may now.
    pub(super) fn wait(&mut self, now: Instant) -> Option<Duration> {
        self.pass(now);
        let measures = [Some(self.free), self.slowed()];
        let waits = measures.into_iter().flatten().filter_map(|measure| {
            // The message that leaves the window before another may go.
            let leaving = self.times.len().checked_sub(measure.most)?;
            (*self.times.get(leaving)? + measure.window).checked_duration_since(now)
        });
        waits.max().filter(|wait| !wait.is_zero())
    }

    /// Counts a message that goes now; `false`: it may not.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let may = self.wait(now).is_none();
        if may {
            self.times.push_back(now);
        }
        may
    }

    /// Whether half of it is free, and there was no complaint lately.
    pub(super) fn is_half_free(&mut self, now: Instant) -> bool {
        self.pass(now);
        self.steps == 0 && self.times.len() < self.free.most.div_ceil(2)
    }

    /// The platform complained, and wants nothing `until` then.
    pub(super) fn slow_down(&mut self, now: Instant, until: Instant) {
        self.pass(now);
        self.steps = (self.steps + 1).min(SLOWEST);
        self.since = Some(until);
    }

    /// Whether there is nothing to remember of it.
    pub(super) fn is_idle(&mut self, now: Instant) -> bool {
        self.pass(now);
        self.times.is_empty() && self.steps == 0
    }

    /// Forgets what is over.
    fn pass(&mut self, now: Instant) {
        while let Some(since) = self.since
            && self.steps > 0
            && now.saturating_duration_since(since) >= CALM
        {
            self.steps -= 1;
            self.since = Some(since + CALM);
        }
        let window = self
            .slowed()
            .map_or(self.free.window, |slowed| slowed.window.max(self.free.window));
        while self
            .times
            .front()
            .is_some_and(|time| now.saturating_duration_since(*time) >= window)
        {
            self.times.pop_front();
        }
    }

    /// The measure that a complaint has left.
    fn slowed(&self) -> Option<Measure> {
        let further = i32::try_from(self.steps.checked_sub(1)?).unwrap_or(i32::MAX);
        Some(Measure {
            window: self.even.window.mul_f64(SLOWER.powi(further)),
            ..self.even
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// When messages that go as soon as they may go, in seconds after `from`.
    fn times(flow: &mut Flow, start: Instant, from: f64, count: usize) -> Vec<f64> {
        let mut now = start + Duration::from_secs_f64(from);
        let mut times = Vec::new();
        while times.len() < count {
            match flow.wait(now) {
                Some(wait) => now += wait,
                None => {
                    assert!(flow.take(now));
                    times.push(((now - start).as_secs_f64() * 10.0).round() / 10.0);
                }
            }
        }
        times
    }

    #[test]
    fn a_flow_has_bursts_until_it_is_slowed_down_and_again_when_it_was_calm() {
        let start = Instant::now();
        let mut flow = Flow::new(3, SECOND * 3, 1, SECOND);
        assert_eq!(times(&mut flow, start, 0.0, 5), [0.0, 0.0, 0.0, 3.0, 3.0]);
        flow.slow_down(start + SECOND * 20, start + SECOND * 22);
        assert_eq!(times(&mut flow, start, 22.0, 3), [22.0, 23.0, 24.0]);
        // A further complaint makes it slower, and each calm while faster by a step.
        flow.slow_down(start + SECOND * 25, start + SECOND * 26);
        assert_eq!(times(&mut flow, start, 30.0, 3), [30.0, 31.3, 32.7]);
        assert_eq!(times(&mut flow, start, 37.0, 3), [37.0, 38.0, 39.0]);
        assert_eq!(times(&mut flow, start, 47.0, 4), [47.0, 47.0, 47.0, 50.0]);
        assert!(!flow.is_idle(start + SECOND * 51));
        assert!(flow.is_idle(start + SECOND * 60));
    }

    #[test]
    fn half_of_a_flow_is_free_for_what_must_arrive() {
        let start = Instant::now();
        let mut flow = Flow::new(4, SECOND, 1, SECOND);
        let shown = (0..4).filter(|_| flow.is_half_free(start) && flow.take(start)).count();
        assert_eq!(shown, 2);
        assert!(flow.is_half_free(start + SECOND));
        flow.slow_down(start + SECOND, start + SECOND);
        assert!(!flow.is_half_free(start + SECOND * 2));
    }
}
