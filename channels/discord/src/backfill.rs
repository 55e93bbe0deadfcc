//! After a gap: messages since the last stored one, read from the history.
//!
//! Discord tells an event once. After a start, or when a session could not be resumed, the history is the
//! only place where the missed messages are.

use std::time::Duration;

use clifford_channel::{Inbound, Served, Unreadable};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, value::RawValue};

use crate::{
    api::Call,
    handover::Handover,
    map::{self, Me, Payload},
    wait::Stopped,
};

/// Channels that were served within this time are looked at.
pub(crate) const SERVED_WITHIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The most messages that Discord gives at a time.
const PAGE: usize = 100;
/// How many pages are read of what is too old to be answered. All that is new waits behind them, and what was not said to
/// the bot is not stored, so a busy channel may have any number of them.
const OLD_PAGES: usize = 10;

/// Hands in what a channel's history has after the last stored message, oldest first. Of what is too old to be answered,
/// only so much.
pub(crate) async fn read(handover: &Handover, me: Me, served: &Served) -> Result<(), Stopped> {
    let last = served.last_message_id.as_deref().and_then(|id| id.parse::<u64>().ok());
    let (Ok(channel), Some(mut after)) = (served.external_id.parse::<u64>(), last) else {
        return Ok(());
    };
    if !served.kind.is_private() && handover.shared.directory.place(channel).is_none() {
        handover.look_up(channel).await?;
    }
    if handover.shared.directory.holds_posts(channel) {
        // A forum has no messages but those of its posts.
        return Ok(());
    }
    let answered_since = answered_since(handover);
    let mut pages = 0;
    loop {
        pages += 1;
        let path = format!("/channels/{channel}/messages?after={after}&limit={PAGE}");
        let call = Call::new(Method::GET, "read messages", channel, path);
        let page: Vec<Box<RawValue>> = match handover.shared.api.call_with_retries(&call, &handover.stop).await? {
            Ok(page) => page,
            Err(refusal) => {
                tracing::info!(channel_id = channel, %refusal, "failed to read a channel's history");
                return Ok(());
            }
        };
        let (count, before) = (page.len(), after);
        let mut page: Vec<(Option<u64>, Box<RawValue>)> = page.into_iter().map(|raw| (id_of(&raw), raw)).collect();
        page.sort_by_key(|(id, _)| *id);
        for (id, raw) in page {
            hand_in_message(handover, me, served, channel, &raw).await?;
            after = after.max(id.unwrap_or_default());
        }
        if count < PAGE {
            return Ok(());
        }
        if pages >= OLD_PAGES && after < answered_since {
            tracing::info!(channel_id = channel, "passing over old messages of a channel's history");
            after = answered_since;
            continue;
        }
        // The same page would come again.
        if after == before {
            tracing::warn!(
                channel_id = channel,
                "failed to page through a channel's history: its messages have no ids"
            );
            return Ok(());
        }
    }
}

/// The first id of messages that may still be answered.
fn answered_since(handover: &Handover) -> u64 {
    let catch_up = SignedDuration::try_from(handover.ingress.catch_up());
    let since = catch_up
        .ok()
        .and_then(|span| (handover.shared.config.clock)().checked_sub(span).ok());
    since.map_or(0, map::first_id)
}

fn id_of(raw: &RawValue) -> Option<u64> {
    map::id(&serde_json::from_str::<Value>(raw.get()).ok()?, "id")
}

async fn hand_in_message(
    handover: &Handover,
    me: Me,
    served: &Served,
    channel: u64,
    raw: &RawValue,
) -> Result<(), Stopped> {
    match Payload::read(raw.get()) {
        Ok(message) => {
            let directory = &handover.shared.directory;
            let place = directory.place(channel).unwrap_or_else(|| {
                let mut place = directory.place_within(channel, None);
                place.kind = served.kind;
                place
            });
            handover.message(me, place, message, true).await
        }
        Err(error) => {
            let (payload, error) = (raw.get().to_owned(), format!("a message of the history: {error}"));
            let event = Inbound::Unreadable(Unreadable {
                platform: crate::PLATFORM,
                payload,
                error,
            });
            handover.hand_in(event).await.map(drop)
        }
    }
}
