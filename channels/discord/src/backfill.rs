//! After a gap: what was written since the last message that is stored, read from the history.
//!
//! Discord tells an event once. After a start, or when a session could not be resumed, the history is the
//! only place where the missed messages are.

use std::time::Duration;

use clifford_channel::{Inbound, Platform, Served, Unreadable};
use reqwest::Method;
use serde_json::value::RawValue;

use crate::{
    api::Call,
    deliver::Deliver,
    map::{Me, Payload},
    wait::Stopped,
};

/// Channels that were served within this time are looked at.
pub(crate) const SERVED_WITHIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The most messages that Discord gives at a time.
const PAGE: usize = 100;

/// The least that a message must have to be paged by.
#[derive(serde::Deserialize)]
struct Head {
    id: String,
}

/// Hands in what a channel's history has after the last stored message, oldest first.
pub(crate) async fn read(deliver: &Deliver, me: Me, served: &Served) -> Result<(), Stopped> {
    let last = served.last_message_id.as_deref().and_then(|id| id.parse::<u64>().ok());
    let (Ok(channel), Some(mut after)) = (served.external_id.parse::<u64>(), last) else {
        return Ok(());
    };
    if !served.kind.is_private() && deliver.shared.directory.place(channel).is_none() {
        deliver.look_up(channel).await?;
    }
    loop {
        let path = format!("/channels/{channel}/messages?after={after}&limit={PAGE}");
        let call = Call::new(Method::GET, "read messages", channel, path);
        let page: Vec<Box<RawValue>> = match deliver.shared.api.insist(&call, &deliver.stop).await? {
            Ok(page) => page,
            Err(refusal) => {
                tracing::info!(channel, %refusal, "what was missed in a channel cannot be read");
                return Ok(());
            }
        };
        let count = page.len();
        let mut page: Vec<(u64, Box<RawValue>)> = page
            .into_iter()
            .filter_map(|raw| id_of(&raw).map(|id| (id, raw)))
            .collect();
        page.sort_by_key(|(id, _)| *id);
        for (id, raw) in page {
            one(deliver, me, served, channel, &raw).await?;
            after = after.max(id);
        }
        if count < PAGE {
            return Ok(());
        }
    }
}

fn id_of(raw: &RawValue) -> Option<u64> {
    serde_json::from_str::<Head>(raw.get()).ok()?.id.parse().ok()
}

async fn one(deliver: &Deliver, me: Me, served: &Served, channel: u64, raw: &RawValue) -> Result<(), Stopped> {
    match Payload::read(raw.get()) {
        Ok(message) => {
            let directory = &deliver.shared.directory;
            let place = directory.place(channel).unwrap_or_else(|| {
                let mut place = directory.place_within(channel, None);
                place.kind = served.kind;
                place
            });
            deliver.message(me, place, message, true).await
        }
        Err(error) => {
            let (payload, error) = (raw.get().to_owned(), format!("a message of the history: {error}"));
            let event = Inbound::Unreadable(Unreadable {
                platform: Platform::Discord,
                payload,
                error,
            });
            deliver.hand_in(event).await.map(drop)
        }
    }
}
