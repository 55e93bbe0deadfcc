//! Sending a message part by part, in order, as long as it is this process's to send.

use clifford_core::{id::MessageId, messages::MessageStatus};
use clifford_store::messages::outbox::{self, Outgoing};
use clifford_telemetry::failpoint::{self as crash, Point};
use clifford_text::Undelivered;

use super::{DELIVERED, FAILED, Gate, Held, LOOK, Sent, giving_up::Missing, reshaping::reshape};
use crate::status_mark::Mark;

impl Gate {
    /// Sends a message's parts, in order. One that may have arrived already is sent again only if the
    /// platform drops repeats, or the owner wants it. A text that is refused goes as a file; what is refused in every
    /// form takes no file behind it along. `None`: it waits for another time, or is another process's.
    pub(super) async fn message(&mut self, mut held: Held) -> Option<&'static str> {
        let last = held.parts.last().map(|part| part.seq);
        while let Some(part) = held.parts.first().cloned() {
            if !self.is_ours(&held.message).await {
                tracing::info!(message_id = %held.message.id, "released a message, another process sends it now");
                self.inner.late.remove(&held.message.id);
                return None;
            }
            if self.album(&mut held).await {
                continue;
            }
            let is_resumed = held.recovered || held.retry.is_some();
            let unsure = is_resumed && part.status == MessageStatus::Sending;
            if self.inner.stop.is_cancelled() {
                // It was not tried, unless a piece of it was.
                if !unsure && held.reshaped.is_none() {
                    self.mark(&held.message, Mark::Unsent(part.seq)).await;
                }
                return None;
            }
            let is_ambiguous = held.recovered && part.status == MessageStatus::Sending;
            let is_draft = self.draft_of(held.message.run_id, &part.key).is_some();
            if is_ambiguous && held.message.edits.is_none() && !is_draft && !self.may_repeat() {
                let reason = "it may have arrived before a crash; resend_ambiguous is off";
                self.give_up_part(&mut held, reason, None).await;
                continue;
            }
            let is_unmarked = is_resumed || (part.seq == 0 && self.marks_first());
            if part.status == MessageStatus::Pending && is_unmarked {
                self.mark(&held.message, Mark::Sending(part.seq)).await;
            }
            match self.part(&mut held, &part, unsure).await {
                Sent::Delivered(receipt) => {
                    self.drafts.became(&part.key);
                    self.draft_became(held.message.run_id, &part.key, &receipt.id).await;
                    crash::reach(Point::PartSent);
                    held.parts.remove(0);
                    if held.parts.first().is_some_and(|next| next.seq == part.seq) {
                        // The row's other pieces follow; the first points at the question.
                        held.message.address.0.reply_to = None;
                        continue;
                    }
                    let is_last = last == Some(part.seq);
                    let notice = if is_last { self.notice(&mut held) } else { None };
                    let mark = Mark::Delivered {
                        seq: part.seq,
                        receipt,
                        is_last,
                        notice,
                    };
                    self.mark(&held.message, mark).await;
                    if !is_last {
                        crash::reach(Point::BetweenParts);
                    }
                }
                // An edit changes nothing that anybody waits for.
                Sent::Refused(reason) | Sent::GivenUp(reason, _) if held.message.edits.is_some() => {
                    self.give_up_all(&mut held, &reason, None).await;
                }
                Sent::Refused(reason) => {
                    let limits = self.channel.limits();
                    if reshape(&mut held, &part, &limits) {
                        tracing::warn!(message_id = %held.message.id, channel_id = %self.id, "platform refused the answer, sending it in another form");
                        tracing::debug!(message_id = %held.message.id, reason, "platform refused the answer (details)");
                    } else {
                        self.give_up_part(&mut held, &reason, Some(Undelivered::Refused)).await;
                    }
                }
                Sent::GivenUp(reason, told) => self.give_up_part(&mut held, &reason, told).await,
                Sent::AllGivenUp(reason) => self.give_up_all(&mut held, &reason, Some(Undelivered::TooLong)).await,
                Sent::Gone(reason) => {
                    // Nobody there can be told anything.
                    held.missing = Missing::default();
                    self.give_up_all(&mut held, &reason, None).await;
                }
                Sent::Late { reason, status } => {
                    if status == MessageStatus::Pending {
                        self.mark(&held.message, Mark::Unsent(part.seq)).await;
                    }
                    if let Some(part) = held.parts.first_mut() {
                        part.status = status;
                    }
                    self.set_aside(held, reason).await;
                    return None;
                }
                Sent::Stopped => return None,
            }
        }
        self.inner.late.remove(&held.message.id);
        Some(if held.is_cut { FAILED } else { DELIVERED })
    }

    /// Whether this process may still send a message: one that was stopped for a while may find that another has
    /// taken it over. If the database does not answer, waits until it does.
    pub(super) async fn is_ours(&self, message: &Outgoing) -> bool {
        let inner = &self.inner;
        while inner.db.is_shared() {
            let now = inner.clock.now();
            let until = now.after(inner.settings.lease);
            match outbox::ensure_lease(&inner.db, message.id, inner.worker, now, until).await {
                Ok(ours) => return ours,
                Err(error) => {
                    tracing::warn!(message_id = %message.id, channel_id = %self.id, %error, "failed to check the lease of a message, waiting for the database");
                }
            }
            tokio::select! {
                () = inner.stop.cancelled() => return false,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        true
    }

    /// Whether another process may still be sending an older message to this chat. If the database does not
    /// answer, it may.
    pub(super) async fn has_older(&self, message: MessageId) -> bool {
        if !self.inner.db.is_shared() {
            return false;
        }
        let older = match self.inner.db.read().await {
            Ok(mut conn) => outbox::has_older(&mut conn, self.id, message).await,
            Err(error) => Err(error),
        };
        older.unwrap_or(true)
    }

    pub(super) async fn mark(&self, message: &Outgoing, mark: Mark) {
        mark.persist(&self.inner, message.id, self.id).await;
    }
}
