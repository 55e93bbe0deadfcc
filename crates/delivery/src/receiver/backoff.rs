//! Waits that double, from one moment to the longest, until a success sets them back.

use std::time::Duration;

/// The next of such waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) const fn new((first, most): (Duration, Duration)) -> Self {
        Self {
            first,
            most,
            next: first,
        }
    }

    pub(super) fn next(&mut self) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(self.most);
        wait
    }

    pub(super) const fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew_after_a_success() {
        let seconds = |seconds: [u64; 3]| seconds.map(Duration::from_secs);
        let mut backoff = Backoff::new((Duration::from_secs(5), Duration::from_secs(12)));
        assert_eq!([backoff.next(), backoff.next(), backoff.next()], seconds([5, 10, 12]));
        backoff.reset();
        assert_eq!([backoff.next(), backoff.next(), backoff.next()], seconds([5, 10, 12]));
    }
}
