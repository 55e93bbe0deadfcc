//! Recovery of what other processes left: messages that nobody delivers, and status messages of runs that are over.

use std::{sync::PoisonError, time::Duration};

use clifford_chat::platform::Platform;
use clifford_core::quarantine::Verdict;
use clifford_store::{
    StoreError,
    leases::ClaimWindow,
    messages::{
        outbox::{self, Outgoing},
        status_messages,
    },
};
use tokio::time::Instant;

use super::{Delivery, gate::Item};

/// The most messages claimed at once.
const BATCH: u32 = 200;
/// How often status messages are looked for that were left behind.
const LOOK_EVERY: Duration = Duration::from_secs(20);

impl Delivery {
    /// Takes away the status messages that processes have left behind. It looks for them now and then.
    pub async fn take_away_status_messages(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let is_time = {
            let mut looked = inner.looked.lock().unwrap_or_else(PoisonError::into_inner);
            let is_time = looked.is_none_or(|at| at.elapsed() >= LOOK_EVERY);
            if is_time {
                *looked = Some(Instant::now());
            }
            is_time
        };
        if !is_time {
            return Ok(());
        }
        let now = inner.clock.now();
        // No other process can be about to make an answer of one.
        let after = if inner.db.is_shared() {
            inner.settings.lease
        } else {
            Duration::ZERO
        };
        let mut conn = inner.db.read().await?;
        let left = status_messages::left_behind(&mut conn, inner.worker, &self.served(), (now, after), BATCH).await?;
        drop(conn);
        for message in left {
            if let Ok(platform) = message.platform.parse() {
                self.pass(platform, message.channel_id, Item::LeftBehind(message));
            }
        }
        Ok(())
    }

    /// Claims what nobody delivers: it waited for its time, or its process died. Returns what is to be set aside, because
    /// too many died of it.
    pub async fn claim(&self, window: ClaimWindow) -> Result<Vec<Outgoing>, StoreError> {
        let inner = &self.inner;
        let served = self.served();
        let claimed = inner
            .db
            .write(move |tx| Box::pin(async move { outbox::claim(tx, window, &served, BATCH).await }))
            .await?;
        let mut guilty = Vec::new();
        for (message, parts) in claimed {
            if inner.settings.deaths.verdict(message.evidence()) == Verdict::Guilty {
                guilty.push(message);
                continue;
            }
            let Ok(platform) = message.platform.parse::<Platform>() else {
                continue;
            };
            let channel = message.channel_id;
            let taken = inner.in_flight.take(message.id);
            let item = Item::Recovered { message, parts, taken };
            self.pass(platform, channel, item);
        }
        Ok(guilty)
    }
}
