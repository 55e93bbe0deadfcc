//! Snowflakes and times as Discord writes them.

use std::time::{Duration, UNIX_EPOCH};

use jiff::Timestamp;

/// The first second of 2015, where Discord's snowflakes begin, in milliseconds.
const DISCORD_EPOCH: u64 = 1_420_070_400_000;

/// The fake's clock: real time, plus what a test has let pass.
#[derive(Debug, Default)]
pub(super) struct Clock {
    ahead: Duration,
    last_id: u64,
}

impl Clock {
    pub(super) fn advance(&mut self, by: Duration) {
        self.ahead += by;
    }

    /// Milliseconds since 1970.
    pub(super) fn now_ms(&self) -> u64 {
        let now = UNIX_EPOCH.elapsed().unwrap_or_default() + self.ahead;
        u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
    }

    /// A new snowflake: it carries the time, and every one is larger than the one before.
    pub(super) fn snowflake(&mut self) -> u64 {
        let from_time = self.now_ms().saturating_sub(DISCORD_EPOCH) << 22;
        self.last_id = from_time.max(self.last_id + 1);
        self.last_id
    }
}

/// A time as Discord writes it: `2024-05-01T12:00:00.123000+00:00`.
pub(super) fn iso(ms: u64) -> String {
    let time = i64::try_from(ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snowflakes_grow_and_carry_their_time() {
        let mut clock = Clock::default();
        let ids: Vec<u64> = (0..100).map(|_| clock.snowflake()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        let ms = (ids[0] >> 22) + DISCORD_EPOCH;
        assert!(ms.abs_diff(clock.now_ms()) < 60_000);
    }

    #[test]
    fn times_are_written_with_six_digits_and_an_offset() {
        assert_eq!(iso(1_714_564_800_123), "2024-05-01T12:00:00.123000+00:00");
    }
}
