//! How many of a platform's connections are this process's: as many as every other process's that is there for them.

use std::{
    fmt::Display,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use clifford_store::leases;
use tokio_util::sync::CancellationToken;

use super::{Hold, Receiver, wait};

/// This process's share of a platform's connections.
pub(super) struct Share {
    receiver: Receiver,
    /// The group that shares the connections: processes that are set to the same ones.
    group: String,
    /// How many connections the group has.
    shards: u32,
    /// How many this process may have.
    fair: AtomicU32,
    /// How many it has, or tries to take.
    taken: AtomicU32,
    /// The other processes know that it stands by.
    stands_by: AtomicBool,
}

/// One connection of the share. It is free again when this is dropped.
pub(super) struct ConnectionSlot(Option<Arc<Share>>);

impl Share {
    pub(super) fn new(receiver: Receiver, shards: &Range<u32>) -> Self {
        let group = group(receiver.channel.platform(), shards.start);
        let shards = shards.end.saturating_sub(shards.start);
        Self {
            receiver,
            group,
            shards,
            // Until it is known how many others there are: one connection is nobody's share but the first's.
            fair: AtomicU32::new(u32::from(shards == 1)),
            taken: AtomicU32::new(0),
            stands_by: AtomicBool::new(false),
        }
    }

    /// The prefix of the leases of processes that stand by.
    fn standbys(&self) -> String {
        format!("standby:{}:", self.group)
    }

    fn standby(&self) -> String {
        format!("{}{}", self.standbys(), self.receiver.clock_guard.worker())
    }

    /// Tells the others that this process would take a connection.
    pub(super) async fn stand_by(&self) {
        self.stands_by.store(true, Ordering::SeqCst);
        self.receiver.hold(&self.standby()).await;
    }

    /// Tells them that it stands by no more.
    pub(super) async fn stand_by_no_more(&self) {
        if self.stands_by.swap(false, Ordering::SeqCst) {
            self.receiver.release(&self.standby()).await;
        }
    }

    /// Whether another process would take a connection.
    pub(super) async fn others_stand_by(&self) -> bool {
        match self.count(&self.standbys()).await {
            Ok(standing_by) => standing_by > u32::from(self.stands_by.load(Ordering::SeqCst)),
            Err(error) => {
                tracing::warn!(group = %self.group, %error, "failed to count standby processes");
                false
            }
        }
    }

    /// Tells the others that this process is there, and counts them, until `stop`. One connection needs no sharing.
    pub(super) async fn announce_presence(&self, stop: CancellationToken) {
        if self.shards == 1 {
            return;
        }
        let kind = format!("present:{}:", self.group);
        let own = format!("{kind}{}", self.receiver.clock_guard.worker());
        while !stop.is_cancelled() {
            if self.receiver.hold(&own).await == Hold::Ours {
                match self.count(&kind).await {
                    Ok(present) => self.fair.store(fair(self.shards, present), Ordering::SeqCst),
                    Err(error) => tracing::warn!(group = %self.group, %error, "failed to count connected processes"),
                }
            }
            wait(&stop, self.receiver.renew_every()).await;
        }
        self.receiver.release(&own).await;
    }

    async fn count(&self, kind: &str) -> Result<u32, clifford_store::StoreError> {
        let window = self.receiver.clock_guard.window();
        let kind = kind.to_owned();
        let db = &self.receiver.db;
        db.write(move |tx| Box::pin(async move { leases::count(tx, &kind, window).await }))
            .await
    }

    /// Takes one more connection, if this process may have one more.
    pub(super) fn take(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let fair = self.fair.load(Ordering::SeqCst);
        let taken = self.taken.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |taken| {
            (taken < fair).then_some(taken + 1)
        });
        taken.is_ok().then(|| ConnectionSlot(Some(Arc::clone(self))))
    }
}

impl ConnectionSlot {
    /// Whether this process has more than its share. Then the place is gone: one of several that ask at once.
    pub(super) fn is_too_many(&mut self) -> bool {
        let is_one = self.0.as_ref().is_some_and(|share| {
            let fair = share.fair.load(Ordering::SeqCst);
            let left = share.taken.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |taken| {
                (taken > fair).then(|| taken - 1)
            });
            left.is_ok()
        });
        if is_one {
            self.0 = None;
        }
        is_one
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if let Some(share) = self.0.take() {
            share.taken.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The name of those who share the connections from this one on. Parts of a platform do not overlap.
fn group(platform: impl Display, first: u32) -> String {
    match first {
        0 => platform.to_string(),
        first => format!("{platform}/{first}"),
    }
}

/// Everybody's share: together they are enough, even if they cannot be alike.
fn fair(shards: u32, present: u32) -> u32 {
    shards.div_ceil(present.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_counts_the_processes_of_another() {
        let [first, second] = [0, 4].map(|first| format!("present:{}:", group("discord", first)));
        assert!(
            !first.starts_with(&second) && !second.starts_with(&first),
            "{first} {second}"
        );
    }

    #[test]
    fn shares_are_alike_and_together_everything() {
        let cases = [
            (1, 1, 1),
            (4, 1, 4),
            (4, 2, 2),
            (4, 3, 2),
            (5, 2, 3),
            (2, 4, 1),
            (3, 0, 3),
        ];
        for (shards, present, expected) in cases {
            assert_eq!(fair(shards, present), expected, "{shards} among {present}");
            assert!(fair(shards, present) * present.max(1) >= shards);
        }
    }
}
