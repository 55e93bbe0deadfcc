//! The status marks of a message, as its rows have them.

use std::time::Duration;

use clifford_chat::{
    outbound::{Address, Receipt},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, WorkerId},
};
use clifford_store::{
    StoreError, Tx,
    messages::{
        self,
        outbox::{self, Delivered, Refused},
    },
    people::reading,
    places::{channels, moving},
};

use super::{Inner, notice::Notice};

/// The status of a message.
#[derive(Clone)]
pub(super) enum Mark {
    /// This part is about to be sent.
    Sending(i64),
    /// This part is left for later, and was not with the platform.
    Unsent(i64),
    /// The platform has taken a part.
    Delivered {
        seq: i64,
        receipt: Receipt,
        is_last: bool,
        /// Of a message that ends with it: the notice to its chat.
        notice: Option<Box<Notice>>,
    },
    /// The platform has taken these parts as one message.
    DeliveredTogether {
        receipts: Vec<(i64, Receipt)>,
        is_last: bool,
        /// As of one part.
        notice: Option<Box<Notice>>,
    },
    /// It stands so to isolation.
    Isolation(clifford_core::quarantine::Mark),
    /// It has not, this time.
    AttemptFailed(String),
    /// It fails by itself: what follows it goes out past it.
    SetAside(String),
    /// It will not take this part; the next one to be sent is `next`.
    PartFailed { seq: i64, next: i64, reason: String },
    /// It will not take the rest. The notice to its chat.
    Failed(String, Option<Box<Notice>>),
    /// There is no such chat any more.
    ChatGone(String),
    /// The chat has another address now.
    Moved {
        platform: Platform,
        from: String,
        to: Address,
    },
}

impl Mark {
    /// Writes it. If the database is away, waits until it is back: what was sent must be marked.
    pub(super) async fn persist(self, inner: &Inner, id: MessageId, channel: ChannelId) {
        let (now, worker) = (inner.clock.now(), inner.worker);
        let is_plain = matches!(self, Self::Sending(_) | Self::Delivered { notice: None, .. });
        let mut backoff = Duration::from_millis(100);
        loop {
            let mark = self.clone();
            let written = if is_plain {
                inner
                    .db
                    .mark(move |tx| Box::pin(mark.write(tx, id, channel, worker, now)))
                    .await
            } else {
                inner
                    .db
                    .write(move |tx| Box::pin(mark.write(tx, id, channel, worker, now)))
                    .await
            };
            match written {
                Ok(()) => return,
                Err(StoreError::Unavailable(reason) | StoreError::Refused(reason) | StoreError::Damaged(reason)) => {
                    tracing::warn!(message_id = %id, channel_id = %channel, reason, "failed to mark a message, waiting for the database");
                    tokio::select! {
                        () = inner.stop.cancelled() => return,
                        () = tokio::time::sleep(backoff) => {}
                    }
                    backoff = (backoff * 2).min(Duration::from_secs(5));
                }
                Err(error) => {
                    tracing::error!(message_id = %id, channel_id = %channel, %error, "failed to mark a message");
                    return;
                }
            }
        }
    }

    async fn write(
        self,
        tx: &mut Tx,
        id: MessageId,
        channel: ChannelId,
        worker: WorkerId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sending(seq) => outbox::part_sending(tx, id, seq, worker).await,
            Self::Unsent(seq) => outbox::part_unsent(tx, id, worker, seq).await,
            Self::Delivered {
                seq,
                receipt,
                is_last,
                notice,
            } => {
                let notice = if_ours(tx, id, worker, notice).await?;
                let part = Delivered {
                    message: id,
                    seq,
                    is_last,
                    platform_id: Some(receipt.id.as_str()).filter(|id| !id.is_empty()),
                    worker,
                };
                outbox::part_delivered(tx, part, now).await?;
                tell(tx, notice, now).await
            }
            Self::DeliveredTogether {
                receipts,
                is_last,
                notice,
            } => {
                let notice = if_ours(tx, id, worker, notice).await?;
                let count = receipts.len();
                for (place, (seq, receipt)) in receipts.into_iter().enumerate() {
                    let part = Delivered {
                        message: id,
                        seq,
                        is_last: is_last && place + 1 == count,
                        platform_id: Some(receipt.id.as_str()).filter(|id| !id.is_empty()),
                        worker,
                    };
                    outbox::part_delivered(tx, part, now).await?;
                }
                tell(tx, notice, now).await
            }
            Self::Isolation(mark) => outbox::mark(tx, id, worker, mark).await,
            Self::AttemptFailed(reason) => outbox::attempt_failed(tx, id, worker, &reason).await,
            Self::SetAside(reason) => outbox::set_aside(tx, id, worker, &reason, now).await,
            Self::PartFailed { seq, next, reason } => {
                let part = Refused {
                    message: id,
                    seq,
                    next,
                    reason: &reason,
                    worker,
                };
                outbox::part_refused(tx, part).await.map(drop)
            }
            Self::Failed(reason, notice) => {
                let is_ours = outbox::fail(tx, id, worker, &reason).await?;
                tell(tx, notice.filter(|_| is_ours), now).await
            }
            Self::ChatGone(reason) => channels::disable(tx, channel, &reason, now).await,
            Self::Moved { platform, from, to } => {
                moving::moved(tx, platform, &from, &to.place, now).await?;
                outbox::readdress(tx, id, worker, &to).await
            }
        }
    }
}

/// The notice of a message that is still this worker's.
async fn if_ours(
    tx: &mut Tx,
    message: MessageId,
    worker: WorkerId,
    notice: Option<Box<Notice>>,
) -> Result<Option<Box<Notice>>, StoreError> {
    match notice {
        Some(notice) if outbox::is_of(tx, message, worker).await? => Ok(Some(notice)),
        _ => Ok(None),
    }
}

async fn tell(tx: &mut Tx, notice: Option<Box<Notice>>, now: Timestamp) -> Result<(), StoreError> {
    let Some(notice) = notice else {
        return Ok(());
    };
    let lang = reading::by_id(tx, None, Some(notice.channel)).await?;
    messages::insert_outbound(tx, &notice.message(lang), now).await
}
