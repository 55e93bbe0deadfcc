//! How fast people may write: token buckets. Pure; the rows that several processes share are the store's.

use std::time::Duration;

use clifford_chat::role::{PlatformRole, any_named};

use crate::{
    clock::Timestamp,
    settings::{Ingress, RateLimit, RatePeriod, RateScope},
};

/// A bucket, as it was when a message was last counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// How many messages were left.
    pub tokens: f64,
    /// When.
    pub filled_at: Timestamp,
    /// How many messages in a row were too many.
    pub refused: i64,
}

/// When a message counts against limits. One that comes late counts at the time at which it was sent, in buckets next
/// to those of what comes as it is said: the two tell different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The time at which it counts.
    pub at: Timestamp,
    /// The time at which it came.
    pub came: Timestamp,
}

impl Counted {
    /// Whether it came late.
    pub const fn is_late(self) -> bool {
        self.at.0 < self.came.0
    }

    /// The name of the buckets in which it counts against a limit.
    pub fn name(self, limit: &RateLimit) -> String {
        match self.is_late() {
            true => format!("{}/late", limit.name()),
            false => limit.name(),
        }
    }
}

impl From<Timestamp> for Counted {
    fn from(now: Timestamp) -> Self {
        Self { at: now, came: now }
    }
}

impl RatePeriod {
    /// How long it is.
    pub const fn length(self) -> Duration {
        Duration::from_secs(match self {
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
        })
    }

    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
        }
    }
}

impl RateLimit {
    /// The name of its buckets: those of one subject and period are one, whatever the person's roles.
    pub fn name(&self) -> String {
        let scope = match self.scope {
            RateScope::User => "user",
            RateScope::Space => "space",
            RateScope::Channel => "channel",
        };
        format!("{scope}/{}", self.per.word())
    }

    /// The most messages at once.
    pub fn capacity(&self) -> f64 {
        f64::from(self.messages.max(1))
    }

    /// How many messages a millisecond adds.
    pub fn rate(&self) -> f64 {
        self.capacity() / (self.per.length().as_secs_f64() * 1000.0)
    }

    /// How many messages are left of a bucket; without one, all.
    pub fn left(&self, bucket: Option<Bucket>, now: Timestamp) -> f64 {
        let Some(bucket) = bucket else {
            return self.capacity();
        };
        let filled = now.since(bucket.filled_at).as_secs_f64() * 1000.0 * self.rate();
        (bucket.tokens + filled).min(self.capacity())
    }

    /// How long until there is one message, where so many are left.
    pub fn wait(&self, left: f64) -> Duration {
        Duration::from_secs_f64(((1.0 - left) / self.rate() / 1000.0).max(0.0))
    }
}

/// The limits that hold for a person with these roles: for each period of people's limits the first that is for one of
/// their roles, else those for everybody.
pub fn limits(section: &Ingress, roles: &[PlatformRole]) -> Vec<RateLimit> {
    let all = &section.limits;
    let by_role = |per| {
        let fits = |limit: &&RateLimit| {
            limit.scope == RateScope::User && limit.per == per && any_named(roles, &limit.platform_roles)
        };
        all.iter().find(fits)
    };
    let holds = |limit: &&RateLimit| match (limit.scope, by_role(limit.per)) {
        (RateScope::User, Some(own)) => std::ptr::eq(own, *limit),
        _ => limit.platform_roles.is_empty(),
    };
    all.iter().filter(holds).cloned().collect()
}

/// The same with that of `user_messages_per_minute`, which holds for everybody.
pub fn in_force(section: &Ingress, roles: &[PlatformRole]) -> Vec<RateLimit> {
    let mut limits = limits(section, roles);
    limits.retain(|limit| !is_pace(limit));
    limits.extend(pace(section, roles));
    limits
}

/// How many messages a person may write in a minute; `None`: any number.
pub fn pace(section: &Ingress, roles: &[PlatformRole]) -> Option<RateLimit> {
    let set = limits(section, roles).into_iter().find(is_pace);
    match (set, section.user_messages_per_minute) {
        (set, 0) => set,
        (Some(set), most) => Some(RateLimit {
            messages: set.messages.min(most),
            ..set
        }),
        (None, most) => Some(RateLimit {
            messages: most,
            ..RateLimit::default()
        }),
    }
}

/// Whether a limit is that of a person's messages in a minute.
pub fn is_pace(limit: &RateLimit) -> bool {
    limit.scope == RateScope::User && limit.per == RatePeriod::Minute
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(scope: RateScope, per: RatePeriod, messages: u32, roles: &[&str]) -> RateLimit {
        RateLimit {
            scope,
            per,
            messages,
            platform_roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        }
    }

    #[test]
    fn a_bucket_fills_by_the_clock_and_never_over_its_brim() {
        let limit = limit(RateScope::User, RatePeriod::Minute, 6, &[]);
        let bucket = |tokens| {
            Some(Bucket {
                tokens,
                filled_at: Timestamp(10_000),
                refused: 0,
            })
        };
        let near = |left: f64, expected: f64| assert!((left - expected).abs() < 1e-9, "{left} {expected}");
        near(limit.left(None, Timestamp(0)), 6.0);
        near(limit.left(bucket(0.0), Timestamp(10_000)), 0.0);
        near(limit.left(bucket(0.0), Timestamp(20_000)), 1.0);
        near(limit.left(bucket(-1.0), Timestamp(30_000)), 1.0);
        near(limit.left(bucket(5.0), Timestamp(999_000)), 6.0);
        // The clock was stepped back.
        near(limit.left(bucket(2.0), Timestamp(0)), 2.0);
        assert_eq!(limit.wait(0.0), Duration::from_secs(10));
        assert_eq!(limit.wait(1.5), Duration::ZERO);
    }

    #[test]
    fn what_comes_late_has_buckets_of_its_own() {
        let limit = limit(RateScope::Space, RatePeriod::Day, 6, &[]);
        let (at, came) = (Timestamp(0), Timestamp(1));
        assert_eq!(Counted { at, came }.name(&limit), "space/day/late");
        assert_eq!(Counted::from(came).name(&limit), "space/day");
    }

    #[test]
    fn a_limit_for_a_role_takes_the_place_of_those_for_everybody() {
        use RatePeriod::{Hour, Minute};
        let section = Ingress {
            limits: vec![
                limit(RateScope::User, Minute, 5, &[]),
                limit(RateScope::User, Minute, 50, &["Staff"]),
                limit(RateScope::User, Hour, 100, &[]),
                limit(RateScope::Space, Minute, 30, &[]),
            ],
            ..Ingress::default()
        };
        let messages = |roles: &[&str]| {
            let roles: Vec<_> = roles.iter().map(|role| PlatformRole::word(role)).collect();
            limits(&section, &roles)
                .iter()
                .map(|limit| limit.messages)
                .collect::<Vec<_>>()
        };
        assert_eq!(messages(&[]), [5, 100, 30]);
        assert_eq!(messages(&["staff"]), [50, 100, 30]);
    }

    #[test]
    fn everybody_has_a_pace_that_is_the_least_of_what_is_set() {
        use RatePeriod::{Hour, Minute};
        let section = |most, limits: Vec<RateLimit>| Ingress {
            user_messages_per_minute: most,
            limits,
            ..Ingress::default()
        };
        let set = |messages| {
            vec![
                limit(RateScope::User, Minute, messages, &[]),
                limit(RateScope::User, Hour, 7, &[]),
            ]
        };
        let in_force = |section: &Ingress| {
            let limits = in_force(section, &[]).into_iter();
            limits.map(|limit| (limit.messages, limit.per)).collect::<Vec<_>>()
        };
        assert_eq!(in_force(&section(0, Vec::new())), []);
        assert_eq!(in_force(&section(60, Vec::new())), [(60, Minute)]);
        assert_eq!(in_force(&section(60, set(5))), [(7, Hour), (5, Minute)]);
        assert_eq!(in_force(&section(3, set(5))), [(7, Hour), (3, Minute)]);
        assert_eq!(in_force(&section(0, set(5))), [(7, Hour), (5, Minute)]);
    }
}
