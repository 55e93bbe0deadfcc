//! Events that nobody can read, and events that nobody can store: both are kept aside and confirmed, so that one of them
//! holds up nothing that comes after it.

use std::{panic::AssertUnwindSafe, time::Duration};

use clifford_chat::{
    inbound::{Accepted, Inbound, Unreadable},
    platform::Platform,
};
use clifford_store::{StoreError, messages::unreadable};
use clifford_telemetry::{
    failpoint::{self as crash, Way},
    measures,
};
use futures::FutureExt;

use super::{IngressService, called::named};

/// How often an event is tried that is refused for what is stored, or for a bug: what it met may pass, as when two people
/// become one meanwhile.
const TRIES: u32 = 3;
/// The most characters of why an event could not be read.
const REASON: usize = 200;
/// How long to wait between two tries.
const BETWEEN: Duration = Duration::from_millis(100);

impl IngressService {
    /// Takes an event; one that can never be taken is set aside.
    ///
    /// # Errors
    /// The database is not there: the event is to be handed in again.
    pub(super) async fn take_at_once(&self, event: Inbound) -> Result<Accepted, StoreError> {
        let platform = event.platform();
        let mut tries = 1;
        let why = loop {
            match Box::pin(self.try_to(event.clone())).await {
                Ok(accepted) => return Ok(accepted),
                Err(error) if !is_for_good(&error) => return Err(error),
                Err(error) if tries == TRIES => break error.to_string(),
                Err(_) => tries += 1,
            }
            tokio::time::sleep(BETWEEN).await;
        };
        tracing::error!(%platform, "failed to store an event, kept it in unreadable_events");
        let payload = self.masked(format!("{event:?}"));
        let (accepted, _) = self.keep_once(platform, payload, why).await?;
        Ok(accepted)
    }

    async fn try_to(&self, event: Inbound) -> Result<Accepted, StoreError> {
        let taken = async {
            crash::strike(Way::Event, || match &event {
                Inbound::Message(message) => message.text.clone(),
                _ => String::new(),
            });
            match named(event) {
                Inbound::Message(message) => Box::pin(self.piece_or_message(message)).await,
                Inbound::Edit(edit) => Box::pin(self.edit(edit)).await,
                Inbound::Deleted(deleted) => Box::pin(self.deleted(deleted)).await,
                Inbound::Command(command) => Box::pin(self.command(command)).await,
                Inbound::Moved(moved) => self.moved(moved).await,
                Inbound::Renamed(renamed) => self.renamed(renamed).await,
                Inbound::Reaction(reaction) => self.reaction(reaction).await,
                Inbound::Joined(joined) => self.joined(joined).await,
                Inbound::Left(left) => self.left(left).await,
                Inbound::Unreadable(event) => self.unreadable(event).await,
            }
        };
        AssertUnwindSafe(taken).catch_unwind().await.unwrap_or_else(|_| {
            measures::panicked();
            Err(StoreError::Corrupt(
                "taking it panicked; the log tells where".to_owned(),
            ))
        })
    }

    async fn unreadable(&self, event: Unreadable) -> Result<Accepted, StoreError> {
        // The reason is the adapter's, without the payload's text.
        let reason: String = event.error.chars().take(REASON).collect();
        let platform = event.platform;
        let (accepted, is_news) = self.keep_once(platform, event.payload, event.error).await?;
        if is_news {
            tracing::warn!(%platform, reason, "failed to parse an event, kept it in unreadable_events");
        } else {
            tracing::debug!(%platform, reason, "failed to parse an event again");
        }
        Ok(accepted)
    }

    /// Keeps an event; tells whether it was not kept before. A history is read again at every start.
    async fn keep_once(
        &self,
        platform: Platform,
        payload: String,
        why: String,
    ) -> Result<(Accepted, bool), StoreError> {
        tracing::debug!(%platform, error = why, "failed to store an event (details)");
        let now = self.clock.now();
        let is_news = self
            .db
            .write(move |tx| {
                Box::pin(async move { unreadable::insert(tx, platform.as_str(), &payload, &why, now).await })
            })
            .await?;
        if is_news {
            measures::event_unreadable(platform);
        }
        Ok((Accepted::Stored, is_news))
    }
}

/// Whether trying again cannot help: what is stored, and not the database, stands in the way.
const fn is_for_good(error: &StoreError) -> bool {
    match error {
        StoreError::Conflict(_) | StoreError::NotFound(_) | StoreError::WrongState(_) | StoreError::Corrupt(_) => true,
        StoreError::Unavailable(_)
        | StoreError::LeaseLost(_)
        | StoreError::Newer(_)
        | StoreError::InUse(_)
        | StoreError::BadUrl(_)
        | StoreError::Refused(_)
        | StoreError::Damaged(_) => false,
    }
}
