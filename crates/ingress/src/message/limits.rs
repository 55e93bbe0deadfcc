//! Whether a message is answered: by the rules of its place's managers, and by the limits of how many are.

use clifford_core::{
    access::{Access, PlaceRules},
    people::{User, UserRole},
    places::Channel,
    rate::{self, Counted},
    settings::{RateLimit, RateScope},
};
use clifford_store::{
    StoreError, Tx,
    inbound_lookup::Plain,
    rates::{self, StoredBucket},
};

use super::{AcceptContext, Limited};
use crate::{late, pace::Over};

impl AcceptContext {
    /// Whether no limit of messages is reached.
    pub(super) fn has_left(&self, found: &Plain) -> bool {
        self.limits.iter().all(|limit| {
            let Some(subject) = subject(limit, &found.user, &found.channel) else {
                return true;
            };
            has_one(limit, &found.buckets, &subject, self.counted())
        })
    }

    /// Whether it is over a limit, and its author is to be told: by this process's own count, or by its limits, against
    /// which it is counted.
    pub(super) async fn limited(&self, tx: &mut Tx, user: &User, channel: &Channel) -> Result<Limited, StoreError> {
        match self.limited {
            _ if self.is_too_old() => Ok(Limited::No),
            Limited::No => count(tx, &self.limits, (user, channel), self.counted()).await,
            limited => {
                let pace = self.limits.iter().find(|limit| rate::is_pace(limit));
                told_once(tx, &user.id.to_string(), pace, limited, self.counted()).await
            }
        }
    }

    /// When it counts against its limits.
    fn counted(&self) -> Counted {
        late::counted(self.sent_at, self.now)
    }

    /// Whether it is answered by the rules that managers set for a shared place.
    pub(super) fn is_answered(&self, rules: &PlaceRules, role: Option<UserRole>) -> bool {
        self.entry.is_some()
            || self.origin.place.kind.is_private()
            || (rules.admits(&self.origin.speaker, role) && rules.answers(self.is_heard))
    }

    /// Whether somebody whom the bot does not know is told so: where people are let in, and it would answer.
    pub(super) fn may_be_told(&self, rules: &PlaceRules) -> bool {
        self.audience.access == Access::Pairing
            && self.is_addressed
            && !self.backfilled
            && (rules.everybody.is_none() || self.origin.via.is_some())
            && rules.answers(true)
            && rules.admits(&self.origin.speaker, None)
    }

    /// Counts a message that is known to have [something left](Self::has_left).
    pub(super) async fn count_later(&self, tx: &mut Tx, user: &User, channel: &Channel) -> Result<(), StoreError> {
        take(tx, &self.limits, (user, channel), self.counted()).await
    }
}

/// Counts what somebody writes in a channel against all of these limits. One that is over any of them takes nothing of the
/// others.
pub(crate) async fn count(
    tx: &mut Tx,
    limits: &[RateLimit],
    (user, channel): (&User, &Channel),
    counted: Counted,
) -> Result<Limited, StoreError> {
    let (mut reached, mut others) = (Vec::new(), Vec::new());
    for limit in limits {
        let Some(subject) = subject(limit, user, channel) else {
            continue;
        };
        match has_one(limit, &rates::of(tx, &subject).await?, &subject, counted) {
            true => others.push((subject, limit)),
            false => reached.push((subject, limit)),
        }
    }
    for (subject, limit) in reached.into_iter().chain(others) {
        match over(tx, &subject, limit, counted).await? {
            Limited::No => {}
            limited => return Ok(limited),
        }
    }
    Ok(Limited::No)
}

/// Whether what somebody writes in a channel is over none of these limits. Nothing is counted.
pub(crate) async fn are_open(
    tx: &mut Tx,
    limits: &[RateLimit],
    (user, channel): (&User, &Channel),
    counted: Counted,
) -> Result<bool, StoreError> {
    for limit in limits {
        if let Some(subject) = subject(limit, user, channel)
            && !has_one(limit, &rates::of(tx, &subject).await?, &subject, counted)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts what is known to be over none of these limits.
pub(crate) async fn take(
    tx: &mut Tx,
    limits: &[RateLimit],
    (user, channel): (&User, &Channel),
    counted: Counted,
) -> Result<(), StoreError> {
    for limit in limits {
        if let Some(subject) = subject(limit, user, channel) {
            rates::take_later(tx, &subject, limit, counted).await?;
        }
    }
    Ok(())
}

/// Whether a limit leaves room for one message.
fn has_one(limit: &RateLimit, held: &[StoredBucket], subject: &str, counted: Counted) -> bool {
    limit.left(rates::find(held, subject, limit, counted), counted.at) >= 1.0
}

/// Counts a message of a subject against a limit, over all processes.
pub(crate) async fn over(
    tx: &mut Tx,
    subject: &str,
    limit: &RateLimit,
    counted: Counted,
) -> Result<Limited, StoreError> {
    let taken = rates::take(tx, subject, limit, counted).await?;
    let over = Over {
        wait: limit.wait(taken.tokens),
        of: limit.scope,
    };
    Ok(match taken.refused {
        0 => Limited::No,
        1 => Limited::Tell(over),
        _ => Limited::Silently(over),
    })
}

/// The fate of a message that this process refuses: its author is told unless the bucket that all processes share, or
/// this one before it was started again, has told them.
pub(crate) async fn told_once(
    tx: &mut Tx,
    subject: &str,
    limit: Option<&RateLimit>,
    limited: Limited,
    counted: Counted,
) -> Result<Limited, StoreError> {
    match (limited, limit) {
        (Limited::Tell(over), Some(limit)) if rates::refuse(tx, subject, limit, counted).await? > 1 => {
            Ok(Limited::Silently(over))
        }
        (limited, _) => Ok(limited),
    }
}

/// The subject whose messages a limit counts here; `None`: it counts none here.
fn subject(limit: &RateLimit, user: &User, channel: &Channel) -> Option<String> {
    match limit.scope {
        RateScope::User => Some(user.id.to_string()),
        RateScope::Space => channel.space_id.map(|space| space.to_string()),
        // Its threads are of it.
        RateScope::Channel => Some(channel.parent_id.unwrap_or(channel.id).to_string()),
    }
}
