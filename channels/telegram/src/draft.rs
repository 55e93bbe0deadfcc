//! Answers that grow in a private chat: Telegram shows a draft for half a minute, or until the message comes.

use clifford_channel::{Address, DeliveryKey, SendError};
use serde::{Serialize, de::IgnoredAny};
use teloxide::{
    requests::Payload,
    types::{ChatId, ParseMode, ThreadId, True},
};

use crate::{
    api::{Api, ApiError},
    pace::Pace,
    place::Target,
    refusal::is_gone,
    send::send_error,
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
    /// Telegram shows a button that stops the answer (`stop.rs`); an older server ignores the word.
    can_stop: bool,
}

impl Payload for SendMessageDraft<'_> {
    type Output = True;

    const NAME: &'static str = "sendMessageDraft";
}

/// Whether the server lets the bot show drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// It does, or the draft was skipped in favor of a message.
    Yes,
    /// It does not.
    No,
}

/// How far an answer has come.
pub(crate) struct Draft<'a> {
    /// See [`id`].
    pub(crate) id: i32,
    /// Telegram's HTML.
    pub(crate) text: &'a str,
    /// The same without markup.
    pub(crate) plain: &'a str,
}

impl Draft<'_> {
    /// Shows it, if the rates have room besides messages.
    pub(crate) async fn show(&self, api: &Api, pace: &Pace, to: &Address) -> Result<Support, SendError> {
        let target = Target::of(to)?;
        if !pace.spare(target.chat.0) {
            return Ok(Support::Yes);
        }
        let request = SendMessageDraft {
            chat_id: target.chat,
            message_thread_id: target.thread,
            draft_id: self.id,
            text: self.text,
            parse_mode: Some(ParseMode::Html),
            can_stop: true,
        };
        let shown = api.call_marked::<_, IgnoredAny>(request, |request| {
            (request.text, request.parse_mode) = (self.plain, None);
        });
        match shown.await {
            Ok(_) => Ok(Support::Yes),
            Err(ApiError::Refused { code, description }) if !is_gone(&description) => {
                tracing::info!(
                    code,
                    description,
                    "drafts are not available to this bot, showing typing instead"
                );
                Ok(Support::No)
            }
            Err(error) => Err(send_error(error, to, &target, pace)),
        }
    }
}

/// The id of a draft: the same for all its versions, and never zero (FNV-1a of the key).
pub(crate) fn id(key: &DeliveryKey) -> i32 {
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
        let id = |key: &str| id(&DeliveryKey(key.to_owned()));
        assert_eq!(id("abc"), id("abc"));
        assert_ne!(id("abc"), id("abd"));
        assert!((0..1000).all(|number| id(&number.to_string()) > 0));
    }
}
