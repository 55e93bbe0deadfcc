//! The pace at which a server is listened to. One that talks without end waits, rather than to keep a processor busy.

use std::time::Duration;

use tokio::time::Instant;

/// How many bytes are read at once, and how many in each second after that.
const BURST: u64 = 8 * 1024 * 1024;
const EACH_SECOND: u64 = 1024 * 1024;

/// How much was read lately.
#[derive(Debug)]
pub(super) struct Pace {
    read: u64,
    at: Instant,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            read: 0,
            at: Instant::now(),
        }
    }

    /// So many bytes were read; returns how long to wait for the next.
    pub(super) fn take(&mut self, bytes: usize) -> Duration {
        let now = Instant::now();
        let passed = u64::try_from(now.duration_since(self.at).as_micros()).unwrap_or(u64::MAX);
        self.at = now;
        let forgotten = passed.saturating_mul(EACH_SECOND) / 1_000_000;
        self.read = self.read.saturating_sub(forgotten) + bytes as u64;
        Duration::from_micros(self.read.saturating_sub(BURST) * 1_000_000 / EACH_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_said_without_end_is_read_slowly() {
        let mut pace = Pace::new();
        let mib = 1024 * 1024;
        for (passed, bytes, expected) in [
            (0, 7 * mib, 0),
            (0, mib, 0),
            (0, mib / 2, 500),
            (500, mib, 1_000),
            (1_000, 0, 0),
            (60_000, 8 * mib, 0),
        ] {
            tokio::time::advance(Duration::from_millis(passed)).await;
            assert_eq!(pace.take(bytes), Duration::from_millis(expected));
        }
    }
}
