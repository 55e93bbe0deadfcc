//! Answers that grow in a private chat: Telegram shows a draft for half a minute, or until the message comes.

use clifford_channel::{Address, DeliveryKey, SendError};
use serde::{Serialize, de::IgnoredAny};
use teloxide::{
    requests::Payload,
    types::{ChatId, ParseMode, ThreadId, True},
};

use crate::{
    api::{Api, ApiError, CALL_TIMEOUT},
    pace::Pace,
    place::Target,
    send::{is_gone, refused},
};

/// <https://core.telegram.org/bots/api#sendmessagedraft>
#[derive(Serialize)]
struct SendMessageDraft<'a> {
    chat_id: ChatId,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_thread_id: Option<ThreadId>,
    draft_id: i32,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_mode: Option<ParseMode>,
}

impl Payload for SendMessageDraft<'_> {
    type Output = True;

    const NAME: &'static str = "sendMessageDraft";
}

/// Whether drafts are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// They are, or something more important went first.
    Yes,
    /// The server does not let this bot show any.
    Never,
}

/// Shows a draft, unless something more important may want the way.
pub(crate) async fn show(
    api: &Api,
    pace: &Pace,
    to: &Address,
    key: &DeliveryKey,
    html: &str,
    plain: &str,
) -> Result<Taken, SendError> {
    let target = Target::of(to)?;
    if !pace.spare(target.chat.0) {
        return Ok(Taken::Yes);
    }
    let mut request = SendMessageDraft {
        chat_id: target.chat,
        message_thread_id: target.thread,
        draft_id: draft_id(key),
        text: html,
        parse_mode: Some(ParseMode::Html),
    };
    let mut shown: Result<IgnoredAny, ApiError> = api.call(&request, CALL_TIMEOUT).await;
    if matches!(&shown, Err(ApiError::Refused { description, .. }) if description.contains("can't parse entities")) {
        request.parse_mode = None;
        request.text = plain;
        shown = api.call(&request, CALL_TIMEOUT).await;
    }
    match shown {
        Ok(_) => Ok(Taken::Yes),
        Err(ApiError::Refused { code, description }) if !is_gone(&description) => {
            tracing::info!(
                code,
                description,
                "Telegram shows no drafts for this bot; it shows that it types"
            );
            Ok(Taken::Never)
        }
        Err(error) => Err(refused(error, to, &target, pace)),
    }
}

/// The same for every look of one draft, and never zero (FNV-1a of the key).
fn draft_id(key: &DeliveryKey) -> i32 {
    let hash = key.0.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    i32::try_from(hash >> 1).unwrap_or(i32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drafts_id_is_stable_and_never_zero() {
        let id = |key: &str| draft_id(&DeliveryKey(key.to_owned()));
        assert_eq!(id("abc"), id("abc"));
        assert_ne!(id("abc"), id("abd"));
        assert!((0..1000).all(|number| id(&number.to_string()) > 0));
    }
}
