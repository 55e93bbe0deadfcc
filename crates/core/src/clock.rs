//! Time, as something that is handed in.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A moment: milliseconds since the epoch, UTC. RFC 3339 in JSON, BIGINT in SQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment and `duration` more.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// This moment less `duration`.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The time from `earlier` until this moment; zero if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Whether this was less than a span before `now`. One that is yet to come was not, unless the clocks of two machines
    /// explain it: the clock was stepped back since, and nothing may wait until it has caught up.
    pub fn was_within(self, span: Duration, now: Self) -> bool {
        now.since(self) < span && self.since(now) <= span
    }

    /// A moment as RFC 3339 has it. So near the end of the year 9999 that it has no place among moments (in some time zone
    /// the next year has begun), it is the last one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Some(at.into());
        }
        let (date, offset) = text.split_at_checked("9999-12-31T23:59:59".len())?;
        (!offset.is_empty() && is_last(date)).then(|| jiff::Timestamp::MAX.into())
    }

    /// The same moment for calendar work. Moments outside of the calendar (the years −9999 to 9999) are
    /// clamped to its ends.
    #[must_use]
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

/// Whether a date and time without an offset is one of the last days that can be represented.
#[must_use]
pub fn is_last(text: &str) -> bool {
    text.starts_with("9999-12-3") && text.parse::<jiff::civil::DateTime>().is_ok()
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(moment: jiff::Timestamp) -> Self {
        Self(moment.as_millisecond())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_jiff().fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            D::Error::custom(format_args!(
                "`{shown}` is no RFC 3339 time such as 2030-01-02T03:04:05Z"
            ))
        })
    }
}

/// Tells the time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        jiff::Timestamp::now().into()
    }
}

/// A clock that everyone holds.
pub type SharedClock = Arc<dyn Clock>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_yet_to_come_was_not_within_any_span() {
        let minute = Duration::from_secs(60);
        for (at, expected) in [(0, false), (1, true), (60_000, true), (120_000, true), (120_001, false)] {
            assert_eq!(Timestamp(at).was_within(minute, Timestamp(60_000)), expected, "{at}");
        }
    }

    #[test]
    fn moments_are_read_up_to_the_end_of_the_calendar() {
        let last = Timestamp::from(jiff::Timestamp::MAX);
        for text in [
            "9999-12-31T23:59:59Z",
            "9999-12-30T23:00:00-23:00",
            "9999-12-31T23:59:59.5+01:00",
        ] {
            assert_eq!(
                serde_json::from_value::<Timestamp>(text.into()).unwrap(),
                last,
                "{text}"
            );
        }
        assert_eq!(Timestamp::parse("1970-01-01T00:00:01Z"), Some(Timestamp(1000)));
        for text in [
            "",
            "tomorrow",
            "9999-12-31T23:59:59",
            "9999-12-39T23:59:59Z",
            "10000-01-01T00:00:00Z",
        ] {
            let error = serde_json::from_value::<Timestamp>(text.into()).unwrap_err();
            let expected = format!("`{text}` is no RFC 3339 time such as 2030-01-02T03:04:05Z");
            assert_eq!(error.to_string(), expected);
        }
    }
}
