//! Slash commands whose runs end without an answer: each is told why in its own place, where the platform shows that it
//! is at work.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::ChannelId,
    runs::{Run, WakeReason},
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_store::{StoreError, Tx, messages, people::reading};
use clifford_text::Lang;

/// Whether the platform waits in this channel for a run's answer. A run that asks a person, or sleeps, has said so there.
pub(crate) fn is_awaited(run: &Run, channel: ChannelId) -> bool {
    let is_at_work = matches!(run.wake_reason, None | Some(WakeReason::Subagents));
    is_at_work && run.channel_id == Some(channel) && run.address().is_some_and(|address| address.via.is_some())
}

/// Says in the place of each command that its run ended.
pub(crate) async fn tell(
    tx: &mut Tx,
    ended: &[Run],
    (platform, outbound): (Platform, &Outbound),
    say: impl Fn(Lang) -> String,
    now: Timestamp,
) -> Result<Vec<PendingDelivery>, StoreError> {
    let mut told = Vec::new();
    for run in ended {
        let (Some(channel), Some(address)) = (run.channel_id, run.address()) else {
            continue;
        };
        let to = To {
            platform,
            channel,
            context: None,
            user: run.user_id,
            run: None,
            address: address.clone(),
        };
        let lang = reading::by_id(tx, run.user_id, Some(channel)).await?;
        let (message, pending) = outbound.message(to, &say(lang), now);
        messages::insert_outbound(tx, &message, now).await?;
        told.extend(pending);
    }
    Ok(told)
}
