//! Sends parts, and maps Telegram's refusals to send errors.

use clifford_channel::{Address, Button, Part, Passing, Payload, Receipt, SendError};
use reqwest::multipart::Part as FormPart;
use serde::de::IgnoredAny;
use teloxide::{
    payloads::{DeleteMessage, EditMessageText, SendChatAction, SendDocument, SendMessage, SendPhoto, SendVoice},
    types::{ChatAction, LinkPreviewOptions, MessageId, ParseMode},
};

use crate::{
    alone::Alone,
    api::{Api, ApiError, CALL_TIMEOUT, Sent},
    caption::{Caption, below_caption, file},
    keyboard::WithKeyboard,
    pace::Pace,
    place::Target,
    press,
    refusal::{is_about_rights, is_barred, is_gone},
    rich,
};

/// Sends one part, as soon as the rates let it.
pub(crate) async fn part(api: &Api, pace: &Pace, to: &Address, part: &Part) -> Result<Receipt, SendError> {
    if let (Some(message), Part::Text { .. }) = (to.via.as_deref().and_then(press::place_taken), part) {
        match edit(api, pace, to, message, part).await {
            // It is too old, or gone: then the answer is a message of its own.
            Err(SendError::Rejected(reason)) => tracing::debug!(reason, "failed to put an answer in a message's place"),
            edited => return edited,
        }
    }
    let target = Target::of(to)?;
    pace.turn(target.chat.0, target.private).await;
    let sent = match part {
        Part::Text {
            text: html,
            plain,
            rich,
            buttons,
        } => match as_rich(api, &target, rich.as_deref(), buttons).await {
            Some(sent) => sent,
            None => text(api, &target, html, plain, buttons).await,
        },
        Part::File {
            name,
            content,
            caption,
            markup,
        } => {
            let document = || FormPart::text(content.clone()).file_name(name.clone());
            below_caption(api, &target, &document, caption, markup.as_deref()).await
        }
        Part::Stored {
            name,
            media_type,
            payload,
            ..
        } => {
            let form = || document(name, media_type, payload).map_err(SendError::Rejected);
            match Look::of(name, media_type, payload) {
                Look::File => file::<SendDocument>(api, &target, "document", form()?, Caption::None).await,
                look => match send_passing(api, &target, look, form()?).await {
                    // It has its own ideas of how a photo looks, and some people take no voice messages.
                    None => {
                        pace.turn(target.chat.0, target.private).await;
                        file::<SendDocument>(api, &target, "document", form()?, Caption::None).await
                    }
                    Some(sent) => sent,
                },
            }
        }
    };
    match sent {
        Ok(sent) => Ok(Receipt {
            id: sent.id.unwrap_or_default(),
        }),
        Err(error) => Err(send_error(error, to, &target, pace)),
    }
}

/// Replaces the text and the buttons of a message of the bot's. `Refused` with these words: it stands there already.
pub(crate) async fn edit(api: &Api, pace: &Pace, to: &Address, id: &str, part: &Part) -> Result<Receipt, SendError> {
    let target = Target::of(to)?;
    pace.turn(target.chat.0, target.private).await;
    changed(api, pace, to, &target, id, part).await?;
    Ok(Receipt { id: id.to_owned() })
}

/// Replaces text and buttons now.
pub(crate) async fn changed(
    api: &Api,
    pace: &Pace,
    to: &Address,
    target: &Target,
    id: &str,
    part: &Part,
) -> Result<(), SendError> {
    const SAME: &str = "message is not modified";
    let message = (id.parse()).map_err(|_| SendError::Rejected(format!("`{id}` is no message on Telegram")))?;
    let Part::Text {
        text,
        plain,
        rich,
        buttons,
    } = part
    else {
        return Err(SendError::Rejected("only a text takes the place of a text".to_owned()));
    };
    if let Some(html) = rich {
        let edited: Option<Result<IgnoredAny, _>> = rich::edit(api, target, message, html, buttons).await;
        match edited {
            None => {}
            Some(Ok(_)) => return Ok(()),
            Some(Err(ApiError::Refused { description, .. })) if description.contains(SAME) => return Ok(()),
            Some(Err(error)) => return Err(send_error(error, to, target, pace)),
        }
    }
    let mut request = EditMessageText::new(target.chat, MessageId(message), text);
    request.parse_mode = Some(ParseMode::Html);
    request.link_preview_options = Some(no_preview());
    let edited = api.call_marked::<_, IgnoredAny>(WithKeyboard::new(request, buttons), |request| {
        request.message.parse_mode = None;
        plain.clone_into(&mut request.message.text);
    });
    match edited.await {
        Err(ApiError::Refused { description, .. }) if description.contains(SAME) => Ok(()),
        Err(error) => Err(send_error(error, to, target, pace)),
        Ok(_) => Ok(()),
    }
}

/// Sends a text now that stands only while a run is at work. A text that goes away points at nothing, and makes no
/// sound.
pub(crate) async fn send_status(api: &Api, target: &Target, part: &Part, passing: Passing) -> Result<Sent, ApiError> {
    let (html, buttons): (&str, &[Button]) = match part {
        Part::Text { text, buttons, .. } => (text, buttons),
        Part::File { .. } | Part::Stored { .. } => ("", &[]),
    };
    let mut request = SendMessage::new(target.chat, html);
    request.message_thread_id = target.thread;
    request.parse_mode = Some(ParseMode::Html);
    request.link_preview_options = Some(no_preview());
    match passing {
        Passing::Status => request.disable_notification = Some(true),
        Passing::Draft => request.reply_parameters = target.reply_parameters(),
    }
    api.call(&WithKeyboard::new(request, buttons), CALL_TIMEOUT).await
}

/// Shows that the bot is typing, if the rates have room besides messages.
pub(crate) async fn typing(api: &Api, pace: &Pace, to: &Address) -> Result<(), SendError> {
    let target = Target::of(to)?;
    if pace.spare(target.chat.0) {
        action(api, pace, to, &target).await
    } else {
        Ok(())
    }
}

/// Checks that the chat is reachable, by a chat action. Probes are rare, so they bypass the rates.
pub(crate) async fn probe(api: &Api, pace: &Pace, to: &Address) -> Result<(), SendError> {
    action(api, pace, to, &Target::of(to)?).await
}

async fn action(api: &Api, pace: &Pace, to: &Address, target: &Target) -> Result<(), SendError> {
    let mut request = SendChatAction::new(target.chat, ChatAction::Typing);
    request.message_thread_id = target.thread;
    let shown: Result<IgnoredAny, ApiError> = api.call(&request, CALL_TIMEOUT).await;
    shown.map(drop).map_err(|error| send_error(error, to, target, pace))
}

/// Deletes a person's message. Bots may do that in private, and where they are administrators with that right.
pub(crate) async fn delete(api: &Api, pace: &Pace, to: &Address, message: &str) -> Result<(), SendError> {
    let to = Address {
        reply_to: None,
        via: None,
        ..to.clone()
    };
    let target = Target::of(&to)?;
    let id = (message.parse()).map_err(|_| SendError::Rejected(format!("`{message}` is no message on Telegram")))?;
    let deleted: Result<IgnoredAny, ApiError> = api
        .call(&DeleteMessage::new(target.chat, MessageId(id)), CALL_TIMEOUT)
        .await;
    match deleted {
        Ok(_) => Ok(()),
        Err(ApiError::Refused { description, .. }) if description.contains("message to delete not found") => Ok(()),
        Err(error) => Err(send_error(error, &to, &target, pace)),
    }
}

/// Says something to one person alone; nobody else reads it, also where Telegram does not take it any more.
async fn text_alone(
    api: &Api,
    target: &Target,
    alone: &Alone,
    [html, plain]: [&str; 2],
    buttons: &[Button],
) -> Result<Sent, ApiError> {
    let mut message = SendMessage::new(target.chat, html);
    message.message_thread_id = target.thread;
    message.parse_mode = Some(ParseMode::Html);
    message.link_preview_options = Some(no_preview());
    let request = alone.request(WithKeyboard::new(message, buttons));
    api.call_marked(request, |request| {
        request.message.message.parse_mode = None;
        plain.clone_into(&mut request.message.message.text);
    })
    .await
}

/// Sends a text as a rich message, where there is one that everybody may see. `None`: it goes as a text.
async fn as_rich(api: &Api, target: &Target, rich: Option<&str>, buttons: &[Button]) -> Option<Result<Sent, ApiError>> {
    let html = rich.filter(|_| target.alone.is_none())?;
    rich::send(api, target, html, buttons).await
}

async fn text(api: &Api, target: &Target, html: &str, plain: &str, buttons: &[Button]) -> Result<Sent, ApiError> {
    if let Some(alone) = &target.alone {
        return text_alone(api, target, alone, [html, plain], buttons).await;
    }
    let mut request = SendMessage::new(target.chat, html);
    request.message_thread_id = target.thread;
    request.reply_parameters = target.reply_parameters();
    request.parse_mode = Some(ParseMode::Html);
    request.link_preview_options = Some(no_preview());
    let mut request = WithKeyboard::new(request, buttons);
    let mut sent = api.call(&request, CALL_TIMEOUT).await;
    if let Err(ApiError::Refused { description, .. }) = &sent
        && is_about_the_reply(description)
    {
        tracing::debug!(%description, "Telegram refused the reply, sending without it");
        request.message.reply_parameters = None;
        sent = api.call(&request, CALL_TIMEOUT).await;
    }
    if let Err(ApiError::Refused { code: 400, description }) = &sent
        && !is_gone(description)
        && !is_about_rights(description)
    {
        tracing::debug!(%description, "Telegram refused the text");
        tracing::warn!(
            chat_id = target.chat.0,
            "Telegram refused the text, sending it without markup"
        );
        request.message.parse_mode = None;
        request.message.reply_parameters = None;
        plain.clone_into(&mut request.message.text);
        sent = api.call(&request, CALL_TIMEOUT).await;
    }
    sent
}

/// Whether Telegram refused the message that is replied to.
fn is_about_the_reply(description: &str) -> bool {
    [
        "message to be replied",
        "message to reply",
        "replied message",
        "REPLY_MESSAGE_ID_INVALID",
        "quote",
    ]
    .iter()
    .any(|words| description.contains(words))
}

/// No link preview: a model's links are for reading.
pub(crate) fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

/// A stored file as a piece of a form.
pub(crate) fn document(name: &str, media_type: &str, payload: &Payload) -> Result<FormPart, String> {
    FormPart::stream(payload.content.clone())
        .file_name(name.to_owned())
        .mime_str(media_type)
        .map_err(|error| format!("`{media_type}` is no media type: {error}"))
}

/// The most bytes of a photo.
const LARGEST_PHOTO: usize = 10 << 20;

/// The name of an answer that is spoken.
const VOICE: &str = "voice.ogg";

/// How a file looks in a chat.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    File,
    Photo,
    Voice,
}

impl Look {
    /// Of an animation a photo would be one picture; a recording of any other name is a piece of music.
    pub(crate) fn of(name: &str, media_type: &str, payload: &Payload) -> Self {
        let is_image = ["image/jpeg", "image/png", "image/webp"].contains(&media_type);
        if is_image && payload.content.len() <= LARGEST_PHOTO {
            Self::Photo
        } else if name == VOICE && ["audio/ogg", "audio/opus"].contains(&media_type) {
            Self::Voice
        } else {
            Self::File
        }
    }
}

/// Sends an image or a recording as one. `None`: it goes as a file.
async fn send_passing(api: &Api, target: &Target, look: Look, content: FormPart) -> Option<Result<Sent, ApiError>> {
    let sent = match look {
        Look::File => return None,
        Look::Photo => file::<SendPhoto>(api, target, "photo", content, Caption::None).await,
        Look::Voice => file::<SendVoice>(api, target, "voice", content, Caption::None).await,
    };
    match sent {
        Err(ApiError::Refused { description, .. }) if is_about_the_look(&description) => {
            tracing::debug!(%description, "Telegram refused the photo or voice message, sending it as a file");
            None
        }
        sent => Some(sent),
    }
}

/// Whether Telegram refused a file as what it was to look like.
fn is_about_the_look(description: &str) -> bool {
    [
        "PHOTO",
        "IMAGE_PROCESS_FAILED",
        "VOICE_MESSAGES_FORBIDDEN",
        "file is too big",
        "wrong type of the file",
    ]
    .iter()
    .any(|words| description.contains(words))
}

/// The send error of a failed call: it says what becomes of the part. A `retry_after` is obeyed by all that follows.
pub(crate) fn send_error(error: ApiError, to: &Address, target: &Target, pace: &Pace) -> SendError {
    match error {
        ApiError::RetryAfter(time) => {
            pace.obey(target.chat.0, target.private, time);
            SendError::RetryAfter(time)
        }
        // The new chat knows neither the topics nor the messages of the old one, nor whom alone something is for.
        ApiError::MovedTo(_) if target.alone.is_some() => {
            SendError::Rejected("the chat moved, and only one person may see it".to_owned())
        }
        ApiError::MovedTo(chat) => SendError::Moved(Address {
            place: chat.to_string(),
            private: to.private,
            reply_to: None,
            via: None,
        }),
        ApiError::NoConnection(why) => SendError::NotSent(why),
        ApiError::Unreachable(why) => SendError::Unreachable(why),
        ApiError::Failed(why) => SendError::Failed(why),
        ApiError::Refused {
            code: 401 | 404,
            description,
        } => SendError::NotSent(format!(
            "Telegram does not know the bot; check channels.telegram.token ({description})"
        )),
        ApiError::Refused { description, .. } if is_gone(&description) => SendError::Gone(description),
        ApiError::Refused { description, .. } if is_barred(&description) && !target.private => {
            SendError::Barred(description)
        }
        ApiError::Refused { description, .. } => SendError::Rejected(description),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::TelegramSettings;

    fn meaning(error: ApiError) -> String {
        let to = Address {
            place: "-100123:4".to_owned(),
            private: false,
            reply_to: Some("5".to_owned()),
            via: None,
        };
        let target = Target::of(&to).unwrap();
        format!(
            "{:?}",
            send_error(error, &to, &target, &Pace::new(&TelegramSettings::unlimited()))
        )
    }

    fn refusal(code: u16, description: &str) -> String {
        meaning(ApiError::Refused {
            code,
            description: description.to_owned(),
        })
    }

    #[tokio::test]
    async fn each_refusal_says_what_becomes_of_the_part() {
        assert_eq!(meaning(ApiError::RetryAfter(Duration::from_secs(7))), "RetryAfter(7s)");
        assert_eq!(meaning(ApiError::NoConnection("x".to_owned())), "NotSent(\"x\")");
        assert_eq!(meaning(ApiError::Unreachable("x".to_owned())), "Unreachable(\"x\")");
        assert_eq!(meaning(ApiError::Failed("500 x".to_owned())), "Failed(\"500 x\")");
        assert_eq!(
            meaning(ApiError::MovedTo(-1009)),
            "Moved(Address { place: \"-1009\", private: false, reply_to: None, via: None })"
        );
        for gone in [
            "Forbidden: bot was blocked by the user",
            "Forbidden: user is deactivated",
            "Forbidden: bot was kicked from the supergroup chat",
            "Bad Request: chat not found",
            "Bad Request: message thread not found",
        ] {
            assert_eq!(refusal(403, gone), format!("Gone({gone:?})"));
        }
        for barred in [
            "Bad Request: not enough rights to send text messages to the chat",
            "Bad Request: have no rights to send a message",
            "Bad Request: CHAT_WRITE_FORBIDDEN",
            "Bad Request: TOPIC_CLOSED",
        ] {
            assert_eq!(refusal(400, barred), format!("Barred({barred:?})"));
        }
        let rejected = "Bad Request: not enough rights to send photos to the chat";
        assert_eq!(refusal(400, rejected), format!("Rejected({rejected:?})"));
        assert!(refusal(401, "Unauthorized").starts_with("NotSent("));
    }
}
