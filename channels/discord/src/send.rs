//! Parts and typing, out.

use clifford_channel::{Address, DeliveryKey, Part, Receipt, SendError};
use reqwest::Method;
use serde_json::Value;

use crate::{
    answer,
    api::{ApiError, Call},
    draft,
    post::{Posted, channel, error_of, has_ended, send_error},
    shared::Shared,
    via::Via,
};

/// Sends one part, or files as one message: to its interaction while that lives, else to its channel.
pub(crate) async fn send(
    shared: &Shared,
    to: &Address,
    parts: &[Part],
    key: &DeliveryKey,
) -> Result<Receipt, SendError> {
    let via = to.via.as_deref().and_then(Via::parse);
    if let Some(via) = via.filter(|via| via.is_alive((shared.config.clock)())) {
        match answer::parts(shared, &via, parts, key).await {
            Err(ApiError::Refused(refusal)) if has_ended(&refusal) => {
                tracing::debug!(%refusal, "interaction expired, sending to its channel instead");
            }
            other => return receipt(parts, other),
        }
    }
    let below = to.via.as_deref().and_then(Via::parse_in_place);
    if let Some(via) = below.filter(|via| via.is_alive((shared.config.clock)())) {
        match answer::in_place(shared, &via, parts).await {
            Err(ApiError::Refused(refusal)) => {
                tracing::debug!(%refusal, "failed to put an answer in a message's place, sending it to the channel");
            }
            other => return receipt(parts, other),
        }
    }
    channel(to)?;
    // In its channel others would read it.
    if to.via.as_deref().and_then(Via::of).is_some_and(|via| via.alone) {
        return Err(SendError::Rejected(
            "only the person who gave the command may see the answer, and Discord takes none for it any more"
                .to_owned(),
        ));
    }
    receipt(parts, draft::finish(shared, to, parts, key).await)
}

/// Shows "is typing". An interaction shows that it is being answered without.
pub(crate) async fn typing(shared: &Shared, to: &Address) -> Result<(), SendError> {
    if answers_interaction(shared, to) {
        return Ok(());
    }
    indicate(shared, to).await
}

/// Asks Discord for something else in the same channel: the indicator, or the channel itself where an interaction is
/// answered. A refusal of that with a code is Discord's own answer, so Discord works.
pub(crate) async fn probe(shared: &Shared, to: &Address) -> Result<(), SendError> {
    if !answers_interaction(shared, to) {
        return indicate(shared, to).await;
    }
    let path = format!("/channels/{}", channel(to)?);
    let call = Call::new(Method::GET, "read channel", &to.place, path);
    match shared.api.call::<Value>(&call).await {
        Ok(_) => Ok(()),
        Err(ApiError::Refused(refusal)) if refusal.code != 0 => Ok(()),
        Err(error) => Err(send_error(error)),
    }
}

fn answers_interaction(shared: &Shared, to: &Address) -> bool {
    let via = to.via.as_deref().and_then(Via::parse);
    via.is_some_and(|via| via.is_alive((shared.config.clock)()))
}

async fn indicate(shared: &Shared, to: &Address) -> Result<(), SendError> {
    let path = format!("/channels/{}/typing", channel(to)?);
    let call = Call::new(Method::POST, "typing", &to.place, path);
    shared.api.call::<Value>(&call).await.map(drop).map_err(send_error)
}

fn receipt(parts: &[Part], posted: Result<Posted, ApiError>) -> Result<Receipt, SendError> {
    let receipt = |posted: Posted| Receipt {
        id: posted.id.unwrap_or_default(),
    };
    posted.map(receipt).map_err(|error| error_of(parts, error))
}

/// The most files of a message: <https://docs.discord.com/developers/resources/message#create-message>
const FILES: usize = 10;

/// How many of these files, from the first on, stand in one message. A voice message is one by itself.
pub(crate) fn together(files: &[Part]) -> usize {
    let is_file = |part: &&Part| matches!(part, Part::Stored { .. });
    files.iter().take_while(is_file).count().min(FILES)
}
