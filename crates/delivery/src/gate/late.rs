//! Messages that fail by themselves, while their platform takes others: later ones of their chat go out past them, and
//! they are tried on alongside it.
//!
//! A message is set aside (`messages.late_since`) when it has failed for
//! [`stuck_after`](clifford_core::settings::Delivery::stuck_after), and fails once more right after the platform did
//! something else for the same chat. So an outage of the platform, in which everything fails, keeps the order. The
//! row's mark lets other processes pass it too; a later process goes on with it as late, and counts the time for which
//! earlier ones have tried it.

use std::time::Duration;

use clifford_core::{clock::Timestamp, id::MessageId};
use clifford_store::messages::outbox::Outgoing;
use clifford_telemetry::measures;
use tokio::time::Instant;

use super::{Gate, Held, status::status_in};
use crate::{LateMessage, status_mark::Mark};

/// How many times as long as an attempt took its chat is free of the next one: an upload may take minutes.
const REST_FACTOR: u32 = 9;

/// A message's next attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    /// When.
    pub(super) at: Instant,
    /// How long to wait after that, if it fails again.
    pub(super) backoff: Duration,
}

/// For how long a message has been tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    /// By earlier processes.
    pub(super) before: Duration,
    /// Since when by this one.
    pub(super) since: Instant,
}

impl Tried {
    /// All of that.
    pub(super) fn time(self) -> Duration {
        self.before.saturating_add(self.since.elapsed())
    }
}

/// For how long earlier processes have tried a message: at most the waits between so many failed attempts, else a clock
/// that was put forward or a process that was down would count; and at most its age, else many short-lived processes
/// would.
fn tried_before(attempts: i64, age: Duration, first: Duration, longest: Duration) -> Duration {
    let mut left = u32::try_from(attempts).unwrap_or(if attempts < 0 { 0 } else { u32::MAX });
    let (mut waited, mut wait) = (Duration::ZERO, first.min(longest));
    while left > 0 && !wait.is_zero() && wait < longest {
        waited = waited.saturating_add(wait);
        wait = wait.saturating_mul(2).min(longest);
        left -= 1;
    }
    waited.saturating_add(wait.saturating_mul(left)).min(age)
}

/// How old a message is, by its id.
fn age(message: MessageId, now: Timestamp) -> Duration {
    let made = message.0.get_timestamp().map(|made| made.to_unix());
    made.map_or(Duration::ZERO, |(seconds, nanos)| {
        let made = Duration::new(seconds, nanos).as_millis();
        now.since(Timestamp(i64::try_from(made).unwrap_or(i64::MAX)))
    })
}

impl Gate {
    /// For how long earlier processes have tried a message, as its row tells.
    pub(super) fn tried_before(&self, message: &Outgoing) -> Duration {
        let settings = &self.inner.settings;
        let age = age(message.id, self.inner.clock.now());
        tried_before(
            message.attempts,
            age,
            settings.section.backoff,
            settings.section.max_backoff,
        )
    }

    /// When a late message is tried again.
    pub(super) fn late_at(&self) -> Option<Instant> {
        let retries = self.late.values().filter_map(|held| held.retry);
        retries.map(|retry| retry.at).min()
    }

    /// Takes a message that an earlier process, or a claim before, had set aside.
    pub(super) fn hold_late(&mut self, mut held: Held) {
        held.retry = Some(Retry {
            at: Instant::now(),
            backoff: self.inner.settings.section.backoff,
        });
        self.late.insert(held.message.id, held);
    }

    /// Sets a message aside until its next attempt.
    pub(super) async fn set_aside(&mut self, mut held: Held, reason: String) {
        let id = held.message.id;
        let settings = &self.inner.settings;
        let backoff = held.retry.map_or(settings.section.backoff, |retry| retry.backoff);
        held.retry = Some(Retry {
            at: Instant::now() + backoff,
            backoff: (backoff * 2).min(settings.section.max_backoff),
        });
        let now = self.inner.clock.now();
        let since = *held.message.late_since.get_or_insert(now);
        let late = LateMessage {
            platform: self.channel.platform(),
            channel: self.id,
            place: held.message.address.0.place.clone(),
            since,
            reason: reason.clone(),
        };
        if self.inner.late.insert(id, late).is_none() {
            let platform = self.channel.platform();
            let status = status_in(&reason);
            tracing::warn!(message_id = %id, channel_id = %self.id, %platform, status, "set a message aside, sending later ones past it");
            measures::set_aside(platform, status);
            self.mark(&held.message, Mark::SetAside(reason)).await;
        }
        self.late.insert(id, held);
    }

    /// Tries late messages whose time has come.
    pub(super) async fn retry_late(&mut self) {
        let now = Instant::now();
        let is_due = |held: &Held| held.retry.is_none_or(|retry| retry.at <= now);
        let due: Vec<MessageId> = (self.late.iter())
            .filter(|(_, held)| is_due(held))
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            if self.inner.stop.is_cancelled() {
                return;
            }
            if let Some(held) = self.late.remove(&id) {
                let began = Instant::now();
                self.deliver(held).await;
                if let Some(retry) = self.late.get_mut(&id).and_then(|held| held.retry.as_mut()) {
                    retry.at += began.elapsed() * REST_FACTOR;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_that_was_waited_through_and_has_passed() {
        let seconds = Duration::from_secs;
        let day = seconds(86_400);
        let cases = [
            // Attempts, age, and for how long it was tried.
            (0, day, 0),
            (1, day, 1),
            (3, day, 7),
            // 1 + 2 + 4 + … + 32 + 60.
            (7, day, 123),
            (1_440, day * 2, 63 + 1_434 * 60),
            // No process was there, or the clock was put forward.
            (2, day * 30, 3),
            // Many processes tried it once each.
            (100_000, seconds(90), 90),
            (i64::MAX, seconds(90), 90),
            (-1, day, 0),
        ];
        for (attempts, age, expected) in cases {
            let tried = tried_before(attempts, age, seconds(1), seconds(60));
            assert_eq!(tried, seconds(expected), "{attempts} attempts in {age:?}");
        }
        assert_eq!(tried_before(5, day, Duration::ZERO, seconds(60)), Duration::ZERO);
        assert_eq!(tried_before(5, day, seconds(90), seconds(60)), seconds(300));
    }

    #[test]
    fn an_id_tells_how_old_its_message_is() {
        let id = MessageId("018f0000-0000-7000-8000-000000000000".parse().unwrap());
        let made = Timestamp(0x018f_0000_0000);
        assert_eq!(age(id, made.after(Duration::from_secs(7))), Duration::from_secs(7));
        assert_eq!(age(id, made.before(Duration::from_secs(7))), Duration::ZERO);
    }
}
