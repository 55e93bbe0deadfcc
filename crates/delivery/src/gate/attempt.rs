//! Sending one part: again and again, with the patience that the platform asks for, until it is taken, refused or left.

use std::time::Duration;

use clifford_chat::{
    error::SendError,
    outbound::{Address, DeliveryKey, Part, Receipt},
};
use clifford_core::{messages::MessageStatus, quarantine::Verdict};
use clifford_store::messages::outbox::{Outgoing, OutgoingPart};
use clifford_telemetry::{
    failpoint::{self as crash, Way},
    measures,
};
use clifford_text::Undelivered;
use tokio::time::Instant;

use super::{Gate, Held, Sent, late::Tried, status::status_in};
use crate::{outbound::marks_first, status_mark::Mark};

/// How long a part may take to be made ready for its platform.
const MOMENT: Duration = Duration::from_millis(50);
/// How many times as long a message fails that the platform does not answer, before it is suspected.
const UNANSWERED_FACTOR: u32 = 3;

/// The step after an attempt that did not succeed.
enum Next {
    /// The next attempt, after so long.
    Wait(Duration),
    /// The next attempt, at once.
    Again,
    /// No further attempt.
    End(Sent),
}

/// The attempts at one part so far.
struct Attempts {
    tried: Tried,
    /// Its message is late: it is tried once.
    is_late: bool,
    /// Other parts of its message follow it.
    has_more: bool,
    /// It may have arrived.
    unsure: bool,
    /// How long the next wait is.
    backoff: Duration,
    /// The platform was asked just now whether it takes other calls for the chat, and does.
    was_probed: bool,
}

impl Attempts {
    /// The end of these: the message fails by itself.
    fn late(&self, reason: String) -> Sent {
        // A part that never reached the platform cannot have arrived.
        let status = if self.unsure {
            MessageStatus::Sending
        } else {
            MessageStatus::Pending
        };
        Sent::Late { reason, status }
    }

    /// How long to wait, while there is `patience` left, or none is needed any more.
    fn wait(&mut self, patience: Duration, max_backoff: Duration) -> Duration {
        let wait = if patience.is_zero() {
            self.backoff
        } else {
            self.backoff.min(patience)
        };
        self.backoff = (self.backoff * 2).min(max_backoff);
        wait
    }
}

impl Gate {
    /// Tries a part until the platform takes or refuses it, or it turns out to fail by itself; `unsure`: it may have
    /// arrived before. A part of a message that is late is tried once.
    pub(super) async fn part(&mut self, held: &mut Held, part: &OutgoingPart, unsure: bool) -> Sent {
        let key = DeliveryKey(part.key.clone());
        // Not by the clock: who puts that forward by a day has not waited for one.
        let tried = Tried {
            before: held.tried_before,
            since: *held.began.get_or_insert_with(Instant::now),
        };
        let mut attempts = Attempts {
            tried,
            is_late: held.retry.is_some(),
            has_more: held.parts.len() > 1,
            unsure,
            backoff: self.inner.settings.section.backoff,
            was_probed: false,
        };
        let message = &mut held.message;
        // The first part of an answer points at its question, and no later one.
        if part.seq > 0 {
            message.address.0.reply_to = None;
        }
        loop {
            if !self.has_patience().await {
                return self.left(message, part, attempts.unsure).await;
            }
            let whole = self.inner.with_content(&part.body.0).await;
            let is_unread = whole.is_err();
            let sent = match whole {
                Ok(whole) => self.send(message, whole.as_ref().unwrap_or(&part.body.0), &key).await,
                Err(error) => Some(Err(error)),
            };
            let error = match sent {
                None => return self.left(message, part, attempts.unsure).await,
                Some(Ok(receipt)) => return Sent::Delivered(receipt),
                Some(Err(error)) => error,
            };
            let wait = match self.after(message, &key, &error, is_unread, &mut attempts).await {
                Next::End(sent) => return sent,
                Next::Again => continue,
                Next::Wait(wait) => wait,
            };
            tracing::debug!(message_id = %message.id, wait_ms = wait.as_millis(), "delaying a message");
            tokio::select! {
                () = self.inner.stop.cancelled() => return self.left(message, part, attempts.unsure).await,
                () = tokio::time::sleep(wait) => {}
            }
            if !self.is_ours(message).await {
                return Sent::Stopped;
            }
        }
    }

    /// The step after an attempt that did not succeed.
    async fn after(
        &mut self,
        message: &mut Outgoing,
        key: &DeliveryKey,
        error: &SendError,
        is_unread: bool,
        attempts: &mut Attempts,
    ) -> Next {
        let right_after_probe = std::mem::take(&mut attempts.was_probed);
        attempts.unsure |= matches!(error, SendError::Unreachable(_) | SendError::Failed(_));
        match error {
            SendError::RetryAfter(wait) => Next::Wait(*wait),
            SendError::Unreachable(reason) | SendError::Failed(reason)
                if message.edits.is_none() && self.draft_of(message.run_id, &key.0).is_none() && !self.may_repeat() =>
            {
                let reason = format!("it may have arrived; resend_ambiguous is off: {reason}");
                Next::End(Sent::GivenUp(reason, None))
            }
            SendError::NotSent(reason) | SendError::Unreachable(reason) | SendError::Failed(reason) => {
                if self.failed(message, error, reason, attempts.tried).await {
                    return Next::End(self.failed_for_too_long(message, reason, attempts.has_more).await);
                }
                if attempts.is_late || right_after_probe {
                    return Next::End(attempts.late(reason.clone()));
                }
                let patience = self.patience(error, is_unread).saturating_sub(attempts.tried.time());
                attempts.was_probed = patience.is_zero() && self.probe(message).await;
                match attempts.was_probed {
                    true => Next::Again,
                    false => Next::Wait(attempts.wait(patience, self.inner.settings.section.max_backoff)),
                }
            }
            SendError::Moved(to) => {
                self.moved(message, to.clone()).await;
                Next::Again
            }
            SendError::Gone(reason) => {
                self.mark(message, Mark::ChatGone(reason.clone())).await;
                Next::End(Sent::Gone(reason.clone()))
            }
            SendError::Barred(_) => {
                self.inner
                    .barred
                    .note(self.channel.platform(), &message.address.0.place);
                tracing::warn!(channel_id = %self.id, platform = message.platform, "may not write in a chat, passing over what is said there");
                let reason = error.to_string();
                self.mark(message, Mark::ChatGone(reason.clone())).await;
                Next::End(Sent::Gone(reason))
            }
            SendError::Rejected(reason) => Next::End(Sent::Refused(reason.clone())),
        }
    }

    /// Gives up a part that failed for too long; in an outage the later parts of the message would fail too, one by one.
    async fn failed_for_too_long(&mut self, message: &Outgoing, reason: &str, has_more: bool) -> Sent {
        let reason = format!("not sent for too long: {reason}");
        match has_more && !self.probe(message).await {
            true => Sent::AllGivenUp(reason),
            false => Sent::GivenUp(reason, Some(Undelivered::TooLong)),
        }
    }

    /// How long a message fails before it is suspected of failing by itself. No answer is most likely the network's doing,
    /// unless it was the message's own file that could not be read.
    fn patience(&self, error: &SendError, is_unread: bool) -> Duration {
        let stuck_after = self.inner.settings.section.stuck_after;
        if is_unread || matches!(error, SendError::Failed(_)) {
            stuck_after
        } else {
            stuck_after.saturating_mul(UNANSWERED_FACTOR)
        }
    }

    /// Whether the platform accepts another call for the same chat at this moment. While it does not, no later message
    /// overtakes this one.
    async fn probe(&mut self, message: &Outgoing) -> bool {
        let probed = self.channel.probe(&message.address.0).await;
        if let Err(SendError::RetryAfter(wait)) = &probed {
            self.silent_until = Some(Instant::now() + *wait);
        }
        probed.is_ok()
    }

    /// Waits as long as the platform asks for patience. `false`: the process stops first, and nothing is to be sent.
    pub(super) async fn has_patience(&mut self) -> bool {
        if let Some(until) = self.silent_until {
            tokio::select! {
                () = self.inner.stop.cancelled() => return false,
                () = tokio::time::sleep_until(until) => self.silent_until = None,
            }
        }
        true
    }

    /// Leaves a part for later. One that was never with the platform is not one that may have arrived.
    async fn left(&self, message: &Outgoing, part: &OutgoingPart, unsure: bool) -> Sent {
        if !unsure {
            self.mark(message, Mark::Unsent(part.seq)).await;
        }
        Sent::Stopped
    }

    /// Sends a part. `None`: the process stops before its turn, or the message is another process's by then.
    async fn send(&self, message: &Outgoing, part: &Part, key: &DeliveryKey) -> Option<Result<Receipt, SendError>> {
        let began = Instant::now();
        let sent = if self.inner.settings.deaths.verdict(message.evidence()) == Verdict::Innocent {
            self.inner.isolation.pass().await;
            crash::strike(Way::Part, || format!("{part:?}"));
            self.carry(message, part, key).await
        } else {
            self.send_alone(message, part, key).await?
        };
        measures::sent(self.channel.platform(), &sent, began.elapsed());
        Some(sent)
    }

    /// Sends a part, or changes with it what was sent before.
    async fn carry(&self, message: &Outgoing, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        match message.edits {
            Some(of) => self.edit(message, of, part).await,
            None => {
                let draft = self
                    .draft_of(message.run_id, &key.0)
                    .filter(|_| matches!(part, Part::Text { .. }));
                if let Some(draft) = draft {
                    match self.channel.edit(&message.address.0, draft, part).await {
                        // Somebody deleted it.
                        Err(SendError::Rejected(_)) => {}
                        edited => return edited,
                    }
                }
                self.recall(message).await?;
                self.channel.send(&message.address.0, part, key).await
            }
        }
    }

    /// Sends a part of a suspected message in its turn, however long it waits for that: its row is marked before. A
    /// send that takes longer than a moment waits for the platform, and is no longer suspected of ending the process.
    async fn send_alone(
        &self,
        message: &Outgoing,
        part: &Part,
        key: &DeliveryKey,
    ) -> Option<Result<Receipt, SendError>> {
        let turn = tokio::select! {
            () = self.inner.stop.cancelled() => return None,
            turn = self.inner.isolation.turn() => turn,
        };
        if !self.is_ours(message).await {
            return None;
        }
        tracing::warn!(message_id = %message.id, deaths = message.deaths, "sending a suspected message in isolation");
        self.mark(message, Mark::Isolation(message.evidence().mark_at_work()))
            .await;
        crash::strike(Way::Part, || format!("{part:?}"));
        let sending = self.carry(message, part, key);
        tokio::pin!(sending);
        let sent = tokio::select! {
            sent = &mut sending => Some(sent),
            () = tokio::time::sleep(MOMENT) => None,
        };
        self.mark(message, Mark::Isolation(clifford_core::quarantine::Mark::Waiting))
            .await;
        drop(turn);
        Some(match sent {
            Some(sent) => sent,
            None => sending.await,
        })
    }

    /// Whether a part that may have arrived is sent again: where the platform drops the repeat, or the owner
    /// would rather read it twice than never.
    pub(super) fn may_repeat(&self) -> bool {
        if self.channel.limits().drops_repeats {
            return true;
        }
        measures::ambiguous(self.channel.platform());
        self.inner.settings.section.resend_ambiguous
    }

    /// Whether the first part is marked when it is tried.
    pub(super) fn marks_first(&self) -> bool {
        marks_first(
            self.channel.limits().drops_repeats,
            self.inner.settings.section.resend_ambiguous,
        )
    }

    /// Records a failed attempt. `true`: there were such for too long.
    async fn failed(&self, message: &Outgoing, error: &SendError, reason: &str, tried: Tried) -> bool {
        // The platform's error may quote the message: it stands in its row.
        let status = status_in(reason);
        let (class, platform) = (measures::reason(error), &message.platform);
        tracing::warn!(message_id = %message.id, channel_id = %self.id, platform, class, status, "failed to send a message, retrying");
        tracing::debug!(message_id = %message.id, reason, "failed to send a message (details)");
        self.mark(message, Mark::AttemptFailed(reason.to_owned())).await;
        self.inner.settings.section.gives_up(tried.time())
    }

    async fn moved(&mut self, message: &mut Outgoing, to: Address) {
        let Ok(platform) = message.platform.parse() else { return };
        self.mark(
            message,
            Mark::Moved {
                platform,
                from: message.address.0.place.clone(),
                to: to.clone(),
            },
        )
        .await;
        message.address.0 = to;
    }
}
