//! What became of a message, as its rows tell it.

use clifford_channel::{Address, Platform, Receipt};

use crate::{
    clock::Timestamp,
    id::{ChannelId, MessageId},
    store::{StoreError, Tx, channels, outbox},
};

/// What became of a message.
#[derive(Clone)]
pub(super) enum Mark {
    Sending(i64),
    Delivered {
        seq: i64,
        receipt: Receipt,
        is_last: bool,
    },
    AttemptFailed(String),
    Failed(String),
    ChatGone(String),
    Moved {
        platform: Platform,
        from: String,
        to: Address,
    },
}

impl Mark {
    pub(super) async fn write(
        self,
        tx: &mut Tx,
        id: MessageId,
        channel: ChannelId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sending(seq) => outbox::part_sending(tx, id, seq).await,
            Self::Delivered { seq, receipt, is_last } => {
                outbox::part_delivered(tx, id, seq, &receipt.id, is_last, now).await
            }
            Self::AttemptFailed(reason) => outbox::attempt_failed(tx, id, &reason).await,
            Self::Failed(reason) => outbox::fail(tx, id, &reason).await,
            Self::ChatGone(reason) => channels::disable(tx, channel, &reason, now).await,
            Self::Moved { platform, from, to } => {
                channels::moved(tx, platform, &from, &to.place).await?;
                outbox::readdress(tx, id, &to).await
            }
        }
    }
}
