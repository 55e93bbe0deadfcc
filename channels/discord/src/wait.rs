//! Waiting between attempts, and stopping while one waits.

use std::time::Duration;

use rand::Rng;
use tokio_util::sync::CancellationToken;

use crate::config::Timing;

/// The waits between attempts: each about twice the one before.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    first: Duration,
    most: Duration,
}

impl Backoff {
    pub(crate) fn new(timing: &Timing) -> Self {
        Self {
            next: timing.retry,
            first: timing.retry,
            most: timing.retry_at_most,
        }
    }

    /// The next wait, with a random part, so that many who failed together do not try together.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(self.most);
        wait.mul_f64(rand::rng().random_range(0.75..=1.0))
    }

    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

/// Waits, or returns `Err` as soon as `stop` is there.
pub(crate) async fn pause(time: Duration, stop: &CancellationToken) -> Result<(), Stopped> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(Stopped),
        () = tokio::time::sleep(time) => Ok(()),
    }
}

/// Receiving is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew() {
        let timing = Timing {
            retry: Duration::from_secs(1),
            retry_at_most: Duration::from_secs(3),
            ..Timing::default()
        };
        let mut backoff = Backoff::new(&timing);
        for longest in [1, 2, 3, 3] {
            let longest = Duration::from_secs(longest);
            let wait = backoff.next();
            assert!(wait <= longest && wait >= longest.mul_f64(0.74), "{wait:?}");
        }
        backoff.reset();
        assert!(backoff.next() <= Duration::from_secs(1));
    }
}
