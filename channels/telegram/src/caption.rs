//! Files with what stands above them.

use reqwest::multipart::{Form, Part as FormPart};
use teloxide::payloads::SendDocument;

use crate::{
    api::{Api, ApiError, Sent},
    place::Target,
    refusal::is_about_markup,
};

/// The most UTF-16 units of a caption.
const LONGEST_CAPTION: usize = 1024;

/// The text with a file.
#[derive(Clone, Copy)]
pub(crate) enum Caption<'a> {
    None,
    Plain(&'a str),
    Html(&'a str),
}

/// Sends a document with a caption: in Telegram's markup, and where it cannot read that, without.
pub(crate) async fn below_caption(
    api: &Api,
    target: &Target,
    document: &(impl Fn() -> FormPart + Sync),
    caption: &str,
    markup: Option<&str>,
) -> Result<Sent, ApiError> {
    if let Some(html) = markup {
        match file::<SendDocument>(api, target, "document", document(), Caption::Html(html)).await {
            Err(ApiError::Refused { description, .. }) if is_about_markup(&description) => {}
            sent => return sent,
        }
    }
    file::<SendDocument>(api, target, "document", document(), Caption::Plain(caption)).await
}

/// Sends a file as what the payload is of.
pub(crate) async fn file<P: teloxide::requests::Payload>(
    api: &Api,
    target: &Target,
    field: &'static str,
    document: FormPart,
    caption: Caption<'_>,
) -> Result<Sent, ApiError> {
    let mut form = Form::new()
        .text("chat_id", target.chat.to_string())
        .part(field, document);
    form = match caption {
        Caption::None | Caption::Plain("") => form,
        Caption::Plain(text) => form.text("caption", without_mentions(text)),
        Caption::Html(html) => form.text("caption", html.to_owned()).text("parse_mode", "HTML"),
    };
    if let Some(thread) = target.thread {
        form = form.text("message_thread_id", thread.to_string());
    }
    for (name, value) in target.in_form() {
        form = form.text(name, value);
    }
    api.upload::<P, _>(form).await
}

/// A caption that mentions nobody, and is no longer than Telegram takes.
fn without_mentions(caption: &str) -> String {
    let text = clifford_markup::without_mentions(caption);
    if text.encode_utf16().count() <= LONGEST_CAPTION {
        text.into_owned()
    } else {
        caption.replace('@', "＠")
    }
}
