//! The message at which a thread begins, such as the one that people talk about there: the first words to the bot in the
//! thread answer it, unless they answer another one.
//!
//! It is asked for once a conversation, and only for people who are answered. From then on it is a quote like any other:
//! another person's words taint the run, and a deletion takes it away.

use std::time::Duration;

use clifford_chat::inbound::{Message, PlaceKind, Quoted};
use clifford_core::{access::Audience, clock::Timestamp};
use clifford_store::{StoreError, contexts};
use tokio::time::timeout;

use super::{IngressService, late, threads};

/// How long a platform may take to tell it: the answer waits for it.
const TOLD_WITHIN: Duration = Duration::from_secs(2);

impl IngressService {
    /// Lets a message that begins a conversation in a thread answer the message at which the thread begins, unless it
    /// answers another one.
    pub(super) async fn with_starter(
        &self,
        message: &mut Message,
        audience: &Audience,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if let Some(starter) = self.starter(message, audience, now).await? {
            message.quoted = Some(starter);
        }
        Ok(())
    }

    async fn starter(
        &self,
        message: &Message,
        audience: &Audience,
        now: Timestamp,
    ) -> Result<Option<Quoted>, StoreError> {
        let (place, ingress) = (&message.place, &self.settings.section);
        let is_too_old = late::is_too_old(message.backfilled, message.sent_at.into(), ingress.catch_up, now);
        if place.kind != PlaceKind::Thread || message.quoted.is_some() || is_too_old {
            return Ok(None);
        }
        {
            let since = match ingress.auto_close.is_zero() {
                true => Timestamp(0),
                false => now.before(ingress.auto_close),
            };
            let mut conn = self.db.read_local().await?;
            if contexts::goes_on(&mut conn, place.platform, &place.external_id, since).await?
                || !threads::is_welcome(&mut conn, message, audience).await?
            {
                return Ok(None);
            }
        }
        let reason = match timeout(TOLD_WITHIN, self.context.delivery.thread_starter(place)).await {
            // The message itself may be it, as in a forum.
            Ok(Ok(starter)) => return Ok(starter.filter(|starter| starter.id.as_ref() != Some(&message.id))),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the platform did not answer in time".to_owned(),
        };
        tracing::info!(platform = %place.platform, reason, "failed to read the message at which a thread begins");
        Ok(None)
    }
}
