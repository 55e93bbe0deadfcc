//! Messages that fail by themselves, while their platform takes others: what follows them in their chat goes out past
//! them, and they are tried on beside it.
//!
//! A message is set aside (`messages.late_since`) when it has failed for [`stuck_after`](super::Settings::stuck_after),
//! and fails once more right after the platform did something else for the same chat. So an outage of the platform, in
//! which everything fails, keeps the order. The row's mark lets other processes pass it too; a later process goes on
//! with it as late.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    LateMessage,
    gate::{Gate, Held, attempt::status_in},
    mark::Mark,
};
use crate::{id::MessageId, telemetry::measures};

/// A message's next attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    /// When.
    pub(super) at: Instant,
    /// How long to wait after that, if it fails again.
    pub(super) backoff: Duration,
}

impl Gate {
    /// When a late message is tried again.
    pub(super) fn late_at(&self) -> Option<Instant> {
        let retries = self.late.values().filter_map(|held| held.retry);
        retries.map(|retry| retry.at).min()
    }

    /// Takes a message that an earlier process, or a claim before, had set aside.
    pub(super) fn hold_late(&mut self, mut held: Held) {
        held.retry = Some(Retry {
            at: Instant::now(),
            backoff: self.inner.settings.backoff,
        });
        self.late.insert(held.message.id, held);
    }

    /// Sets a message aside until its next attempt.
    pub(super) async fn set_aside(&mut self, mut held: Held, reason: String) {
        let id = held.message.id;
        let settings = &self.inner.settings;
        let backoff = held.retry.map_or(settings.backoff, |retry| retry.backoff);
        held.retry = Some(Retry {
            at: Instant::now() + backoff,
            backoff: (backoff * 2).min(settings.longest_backoff),
        });
        let now = self.inner.clock.now();
        let since = *held.message.late_since.get_or_insert(now);
        let late = LateMessage {
            platform: self.channel.platform(),
            channel: self.id,
            since,
            reason: reason.clone(),
        };
        if self.inner.late.insert(id, late).is_none() {
            let platform = self.channel.platform();
            let status = status_in(&reason);
            tracing::warn!(message = %id, channel = %self.id, %platform, status, "message set aside, sending later ones past it");
            measures::set_aside(platform);
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
                self.deliver(held).await;
            }
        }
    }
}
