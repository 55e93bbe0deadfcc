//! The way back to an interaction, which its answer must carry.

use std::{fmt, time::Duration};

use jiff::Timestamp;

/// An interaction's token is good for 15 minutes; the last seconds are not worth the risk.
const LIFE: Duration = Duration::from_secs(15 * 60 - 15);
/// From this age on, its placeholder says where the answer will be: nothing can be said there later.
const LATE: Duration = Duration::from_secs(13 * 60);

/// Stands before a press whose message the answer takes the place of.
const IN_PLACE: &str = "=";
/// Stands before an interaction whose answer only one person sees. A sign of a number: the version before reads past it.
const ALONE: &str = "+";

/// An interaction, as [`clifford_channel::Address::via`] carries it:
/// `application:interaction:created_ms:token`, with a `+` before it if only one person sees the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Via {
    pub(crate) application: u64,
    pub(crate) interaction: u64,
    pub(crate) created_ms: i64,
    pub(crate) token: String,
    /// Only the person who gave it sees the answer.
    pub(crate) alone: bool,
}

impl Via {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let alone = text.starts_with(ALONE);
        let mut pieces = text.splitn(4, ':');
        Some(Self {
            application: pieces.next()?.parse().ok()?,
            interaction: pieces.next()?.parse().ok()?,
            created_ms: pieces.next()?.parse().ok()?,
            // It becomes part of a path.
            token: pieces.next().filter(|token| is_token(token))?.to_owned(),
            alone,
        })
    }

    /// As [`clifford_channel::Address::via`] carries it for an answer that takes the place of the message below which
    /// something was pressed.
    pub(crate) fn in_place(&self) -> String {
        format!("{IN_PLACE}{self}")
    }

    /// The press whose message the answer takes the place of.
    pub(crate) fn parse_in_place(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix(IN_PLACE)?)
    }

    /// The interaction that an answer goes to, in either of its places.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| Self::parse_in_place(text))
    }

    /// Whether the interaction can still be answered.
    pub(crate) fn is_alive(&self, now: Timestamp) -> bool {
        self.age(now) < LIFE
    }

    /// Whether it can be answered for some moments more.
    pub(crate) fn is_ending(&self, now: Timestamp) -> bool {
        (LATE..LIFE).contains(&self.age(now))
    }

    fn age(&self, now: Timestamp) -> Duration {
        let age = now.as_millisecond().saturating_sub(self.created_ms);
        Duration::from_millis(u64::try_from(age).unwrap_or_default())
    }
}

/// Whether this can be an interaction's token.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_=.".contains(c))
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}:{}:{}:{}",
            if self.alone { ALONE } else { "" },
            self.application,
            self.interaction,
            self.created_ms,
            self.token
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let via = Via {
            application: 1,
            interaction: 2,
            created_ms: 3,
            token: "aW50-_=.".to_owned(),
            alone: false,
        };
        let alone = Via {
            alone: true,
            ..via.clone()
        };
        assert_eq!(Via::parse(&alone.to_string()), Some(alone.clone()));
        assert_eq!(Via::of(&alone.in_place()), Some(alone));
        assert_eq!(Via::parse(&via.to_string()), Some(via.clone()));
        assert_eq!(
            (Via::parse(&via.in_place()), Via::parse_in_place(&via.to_string())),
            (None, None)
        );
        assert_eq!(Via::parse_in_place(&via.in_place()), Some(via));
        for broken in ["", "1:2:3", "1:2:3:", "x:2:3:t", "1:2:3:a/b", "1:2:3:a:b"] {
            assert_eq!(Via::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn an_interaction_lives_for_less_than_15_minutes() {
        let via = Via {
            application: 1,
            interaction: 2,
            created_ms: 0,
            token: "t".to_owned(),
            alone: false,
        };
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert!(via.is_alive(at(14 * 60)));
        assert!(via.is_alive(at(-1)));
        assert!(!via.is_alive(at(15 * 60)));
        let is_ending = [-1, 12 * 60, 13 * 60, 14 * 60, 15 * 60].map(|seconds| via.is_ending(at(seconds)));
        assert_eq!(is_ending, [false, false, true, true, false]);
    }
}
