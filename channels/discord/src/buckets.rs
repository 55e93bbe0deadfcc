//! Discord's rate limits: the bucket of each route, by its headers, and the global one.
//!
//! <https://discord.com/developers/docs/topics/rate-limits>

use std::{collections::HashMap, time::Duration};

use reqwest::header::HeaderMap;
use tokio::time::Instant;

/// The longest wait that is obeyed.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// More buckets than this are looked through for old ones.
const MANY: usize = 1_024;

/// Which limit a request falls under: its route, and the channel, guild or webhook in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) route: &'static str,
    pub(crate) major: String,
}

/// The limits as far as Discord told them.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    global_until: Option<Instant>,
    names: HashMap<&'static str, String>,
    states: HashMap<(String, String), Bucket>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    remaining: u32,
    resets: Instant,
}

impl Buckets {
    /// Takes one request out of its bucket.
    ///
    /// # Errors
    /// How long to wait, if there is none left.
    pub(crate) fn take(&mut self, key: &Key, now: Instant) -> Result<(), Duration> {
        if let Some(until) = self.global_until.filter(|until| *until > now) {
            return Err(until - now);
        }
        let Some(bucket) = self.states.get_mut(&self.names.get(key.route).map_or_else(
            || (key.route.to_owned(), key.major.clone()),
            |name| (name.clone(), key.major.clone()),
        )) else {
            return Ok(());
        };
        if bucket.resets <= now {
            // A new window begins: the next answer tells its size.
            return Ok(());
        }
        if bucket.remaining == 0 {
            return Err(bucket.resets - now);
        }
        bucket.remaining -= 1;
        Ok(())
    }

    /// Learns from the headers of an answer.
    pub(crate) fn learn(&mut self, key: &Key, headers: &HeaderMap, now: Instant) {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let remaining = text("x-ratelimit-remaining").and_then(|value| value.parse::<u32>().ok());
        let reset_after = text("x-ratelimit-reset-after").and_then(seconds);
        let (Some(remaining), Some(reset_after)) = (remaining, reset_after) else {
            return;
        };
        let name = text("x-ratelimit-bucket").unwrap_or(key.route).to_owned();
        self.names.insert(key.route, name.clone());
        self.forget_old(now);
        let resets = now + reset_after;
        let bucket = self
            .states
            .entry((name, key.major.clone()))
            .or_insert(Bucket { remaining, resets });
        // Requests that are under way are not in the answer's count: within a window ours is the lower.
        let same_window = bucket.resets > now;
        bucket.remaining = if same_window {
            bucket.remaining.min(remaining)
        } else {
            remaining
        };
        bucket.resets = resets;
    }

    /// Learns from a 429.
    pub(crate) fn refused(&mut self, key: &Key, retry_after: Duration, global: bool, now: Instant) {
        if global {
            self.global_until = Some(now + retry_after);
            return;
        }
        let name = self
            .names
            .get(key.route)
            .cloned()
            .unwrap_or_else(|| key.route.to_owned());
        self.states.insert(
            (name, key.major.clone()),
            Bucket {
                remaining: 0,
                resets: now + retry_after,
            },
        );
    }

    fn forget_old(&mut self, now: Instant) {
        if self.states.len() > MANY {
            self.states.retain(|_, bucket| bucket.resets > now);
        }
    }
}

/// Reads a number of seconds, such as `1.25`.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse::<f64>().ok().and_then(wait)
}

/// How long to wait, whichever number was sent: a moment too far away for a clock counts as none.
pub(crate) fn wait(seconds: f64) -> Option<Duration> {
    let is_time = seconds.is_finite() && seconds >= 0.0;
    is_time.then(|| Duration::from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wait_is_longer_than_a_day() {
        for (text, expected) in [
            ("1.5", Some(Duration::from_millis(1500))),
            ("18446744073709551000", Some(LONGEST_WAIT)),
            ("1e300", Some(LONGEST_WAIT)),
            ("inf", None),
            ("-1", None),
            ("NaN", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    fn key(channel: &str) -> Key {
        Key {
            route: "send",
            major: channel.to_owned(),
        }
    }

    fn headers(remaining: &str, reset_after: &str) -> HeaderMap {
        let pairs = [
            ("x-ratelimit-bucket", "b"),
            ("x-ratelimit-remaining", remaining),
            ("x-ratelimit-reset-after", reset_after),
        ];
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn an_empty_bucket_waits_for_its_reset_and_others_do_not() {
        let mut buckets = Buckets::default();
        let now = Instant::now();
        buckets.learn(&key("1"), &headers("1", "2.5"), now);
        assert_eq!(buckets.take(&key("1"), now), Ok(()));
        assert_eq!(buckets.take(&key("1"), now), Err(Duration::from_millis(2_500)));
        assert_eq!(buckets.take(&key("2"), now), Ok(()));
        assert_eq!(buckets.take(&key("1"), now + Duration::from_secs(3)), Ok(()));
    }

    #[test]
    fn an_answer_that_is_older_than_what_is_under_way_gives_nothing_back() {
        let mut buckets = Buckets::default();
        let now = Instant::now();
        buckets.learn(&key("1"), &headers("2", "5"), now);
        assert_eq!(buckets.take(&key("1"), now), Ok(()));
        assert_eq!(buckets.take(&key("1"), now), Ok(()));
        buckets.learn(&key("1"), &headers("1", "5"), now);
        assert_eq!(buckets.take(&key("1"), now), Err(Duration::from_secs(5)));
    }

    #[test]
    fn a_global_limit_holds_every_route() {
        let mut buckets = Buckets::default();
        let now = Instant::now();
        buckets.refused(&key("1"), Duration::from_secs(1), true, now);
        assert_eq!(buckets.take(&key("2"), now), Err(Duration::from_secs(1)));
        assert_eq!(buckets.take(&key("2"), now + Duration::from_secs(1)), Ok(()));
    }
}
