//! Files that go out as one message, where the platform has such messages. Their rows are those of single parts: what
//! cannot go together goes one by one, by this version or another.

use clifford_chat::{
    error::SendError,
    outbound::{DeliveryKey, Part},
};
use clifford_core::messages::MessageStatus;
use tokio::time::Instant;

use super::{Gate, Held};
use crate::status_mark::Mark;

/// The most files that are held in memory at once.
const MOST: usize = 10;
/// How often an album is tried of which nobody knows whether it arrived, before its files go one by one.
const TRIES: u32 = 3;

impl Gate {
    /// Sends the files that come next as one message; `false`: the next part goes by itself.
    pub(super) async fn album(&mut self, held: &mut Held) -> bool {
        let is_file = |part: &Part| matches!(part, Part::Stored { .. });
        let next = held.parts.iter().take(MOST).take_while(|part| is_file(&part.body.0));
        let next: Vec<_> = next.map(|part| part.body.0.clone()).collect();
        // A late message is tried part by part.
        if next.len() < 2 || held.goes_singly || held.retry.is_some() || self.channel.together(&next) < 2 {
            return false;
        }
        let mut files = Vec::new();
        let mut room = self.channel.limits().file_bytes;
        for part in &next {
            // One that cannot be read is told of by itself.
            let Ok(Some(file)) = self.inner.with_content(part).await else {
                break;
            };
            let Some(left) = room.checked_sub(size(&file)) else {
                break;
            };
            room = left;
            files.push(file);
        }
        let count = self.channel.together(&files).min(files.len());
        if count < 2 {
            return false;
        }
        files.truncate(count);
        self.send_album(held, &files).await
    }

    async fn send_album(&mut self, held: &mut Held, files: &[Part]) -> bool {
        let seqs: Vec<_> = held.parts.iter().take(files.len()).map(|part| part.seq).collect();
        let Some(key) = held.parts.first().map(|part| DeliveryKey(part.key.clone())) else {
            return false;
        };
        // If the process dies now, all of them may have arrived.
        for part in held.parts.iter_mut().take(files.len()) {
            if part.status == MessageStatus::Pending {
                self.mark(&held.message, Mark::Sending(part.seq)).await;
                part.status = MessageStatus::Sending;
            }
        }
        let mut tries = 0;
        let mut backoff = self.inner.settings.section.backoff;
        loop {
            if !self.has_patience().await {
                return self.unsent(held, &seqs, tries).await;
            }
            let sent = (self.channel).send_together(&held.message.address.0, files, &key).await;
            match sent {
                Ok(receipts) => {
                    let receipts = seqs.iter().copied().zip(receipts).collect();
                    let is_last = held.parts.len() == files.len();
                    let notice = if is_last { self.notice(held) } else { None };
                    let mark = Mark::DeliveredTogether {
                        receipts,
                        is_last,
                        notice,
                    };
                    self.mark(&held.message, mark).await;
                    held.parts.drain(..files.len());
                    return true;
                }
                Err(SendError::RetryAfter(wait)) => self.silent_until = Some(Instant::now() + wait),
                Err(SendError::Unreachable(reason) | SendError::Failed(reason)) if self.may_repeat() => {
                    tries += 1;
                    if tries == TRIES {
                        held.goes_singly = true;
                        tracing::debug!(message_id = %held.message.id, reason, "sending the files of an album one by one");
                        return false;
                    }
                    tokio::select! {
                        () = self.inner.stop.cancelled() => return false,
                        () = tokio::time::sleep(backoff) => backoff *= 2,
                    }
                }
                Err(SendError::Unreachable(reason) | SendError::Failed(reason)) => {
                    // A part that may have arrived is not sent again.
                    let reason = format!("it may have arrived; resend_ambiguous is off: {reason}");
                    self.give_up_all(held, &reason, None).await;
                    return true;
                }
                // By itself each file is sent, or told of, for whatever reason the album was refused.
                Err(error) => {
                    tracing::debug!(message_id = %held.message.id, %error, "platform refused an album");
                    held.goes_singly = true;
                    return self.unsent(held, &seqs, tries).await;
                }
            }
        }
    }

    /// None of these arrived, unless the album was tried before.
    async fn unsent(&self, held: &mut Held, seqs: &[i64], tries: u32) -> bool {
        for seq in seqs.iter().skip(1).filter(|_| tries == 0) {
            self.mark(&held.message, Mark::Unsent(*seq)).await;
            if let Some(part) = held.parts.iter_mut().find(|part| part.seq == *seq) {
                part.status = MessageStatus::Pending;
            }
        }
        false
    }
}

fn size(part: &Part) -> u64 {
    match part {
        Part::Stored { payload, .. } => u64::try_from(payload.content.len()).unwrap_or(u64::MAX),
        Part::Text { .. } | Part::File { .. } => 0,
    }
}
