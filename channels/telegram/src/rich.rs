//! Rich messages (<https://core.telegram.org/bots/api#rich-messages>): text with blocks such as tables. A server from before
//! Bot API 10.1 does not know them, and one that knows them may refuse one: then the text goes as it always did.

use clifford_channel::Button;
use serde::{Serialize, de::DeserializeOwned};
use teloxide::{
    requests::Payload,
    types::{ChatId, Message, ReplyParameters, ThreadId},
};

use crate::{
    api::{Api, ApiError, CALL_TIMEOUT, Sent},
    keyboard::WithKeyboard,
    place::Target,
    send::{is_about_rights, is_gone},
};

/// <https://core.telegram.org/bots/api#inputrichmessage>
#[derive(Debug, Serialize)]
pub(crate) struct RichMessage<'a> {
    pub(crate) html: &'a str,
}

/// <https://core.telegram.org/bots/api#sendrichmessage>
#[derive(Debug, Serialize)]
struct SendRichMessage<'a> {
    chat_id: ChatId,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_thread_id: Option<ThreadId>,
    rich_message: RichMessage<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_parameters: Option<ReplyParameters>,
}

impl Payload for SendRichMessage<'_> {
    type Output = Message;

    const NAME: &'static str = "sendRichMessage";
}

/// <https://core.telegram.org/bots/api#editmessagetext>, with a rich message in place of a text.
#[derive(Debug, Serialize)]
struct EditRichMessage<'a> {
    chat_id: ChatId,
    message_id: i32,
    rich_message: RichMessage<'a>,
}

impl Payload for EditRichMessage<'_> {
    type Output = Message;

    const NAME: &'static str = "editMessageText";
}

/// Sends one. `None`: it goes as a text.
pub(crate) async fn send(api: &Api, target: &Target, html: &str, buttons: &[Button]) -> Option<Result<Sent, ApiError>> {
    let request = SendRichMessage {
        chat_id: target.chat,
        message_thread_id: target.thread,
        rich_message: RichMessage { html },
        reply_parameters: target.reply_parameters(),
    };
    call(api, &WithKeyboard::new(request, buttons)).await
}

/// Puts one in the place of a message. `None`: a text is put there.
pub(crate) async fn edit<R: DeserializeOwned>(
    api: &Api,
    target: &Target,
    message: i32,
    html: &str,
    buttons: &[Button],
) -> Option<Result<R, ApiError>> {
    let request = EditRichMessage {
        chat_id: target.chat,
        message_id: message,
        rich_message: RichMessage { html },
    };
    call(api, &WithKeyboard::new(request, buttons)).await
}

/// Makes a request with a rich message, if the server takes such. `None`: it does not, or not this one.
pub(crate) async fn call<P, R>(api: &Api, request: &P) -> Option<Result<R, ApiError>>
where
    P: Payload + Serialize + Sync,
    R: DeserializeOwned,
{
    if !api.takes_rich() {
        return None;
    }
    match api.call(request, CALL_TIMEOUT).await {
        Err(ApiError::Refused { code: 404, description }) => {
            tracing::info!(description, "the Bot API server knows no rich messages, sending texts");
            api.takes_no_rich();
            None
        }
        Err(ApiError::Refused { code: 400, description }) if is_about_itself(&description) => {
            tracing::debug!(%description, "Telegram refused a rich message, sending a text");
            None
        }
        called => Some(called),
    }
}

/// Whether a refusal may be about the rich message itself, so that a text may be taken.
fn is_about_itself(description: &str) -> bool {
    !is_gone(description) && !is_about_rights(description) && !description.contains("message is not modified")
}
