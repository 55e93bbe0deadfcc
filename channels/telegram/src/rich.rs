//! Rich messages (<https://core.telegram.org/bots/api#rich-messages>): text with blocks such as tables. A server from before
//! Bot API 10.1 does not know them, and one that knows them may refuse one: then the text goes as it always did.

use clifford_channel::Button;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use teloxide::{
    requests::Payload,
    types::{ChatId, Message, ReplyParameters, ThreadId},
};

use crate::{
    api::{Api, ApiError, CALL_TIMEOUT, Sent},
    keyboard::WithKeyboard,
    place::Target,
    refusal::{is_about_rights, is_gone},
};

/// Fields of blocks and texts that hold what is read, in that order.
const WITHIN: [&str; 9] = [
    "summary",
    "text",
    "alternative_text",
    "expression",
    "blocks",
    "items",
    "cells",
    "rows",
    "caption",
];
/// The styles of a text.
const STYLES: [&str; 16] = [
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "code",
    "marked",
    "subscript",
    "superscript",
    "url",
    "text_mention",
    "mention",
    "hashtag",
    "custom_emoji",
    "mathematical_expression",
    "date_time",
];
/// Deeper blocks than Telegram takes are none.
const DEEPEST: usize = 64;

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

/// The text of a rich message that somebody forwarded, a block or a row of a table a line, however its blocks are nested, with
/// addresses behind their words (<https://core.telegram.org/bots/api#richmessage>).
pub(crate) fn read(rich: &Value) -> String {
    let mut text = String::new();
    collect(rich, &mut text, 0);
    text.trim().to_owned()
}

fn collect(value: &Value, text: &mut String, depth: usize) {
    match value {
        _ if depth > DEEPEST => {}
        Value::String(words) => text.push_str(words),
        Value::Array(several) => several.iter().for_each(|one| collect(one, text, depth + 1)),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            let begins = text.len();
            if let (Some(label), true) = (
                fields.get("label").and_then(Value::as_str),
                fields.contains_key("blocks"),
            ) {
                // The number or sign of an item of a list.
                text.push_str(&format!("{} ", label.trim()));
            }
            for name in WITHIN {
                match (name, fields.get(name)) {
                    ("cells", Some(Value::Array(rows))) => {
                        rows.iter().for_each(|row| collect_row(row, text, depth + 1))
                    }
                    (_, Some(inner)) => collect(inner, text, depth + 1),
                    (_, None) => {}
                }
            }
            if let (Some("url"), Some(address)) = (kind, fields.get("url").and_then(Value::as_str)) {
                let words = text.split_off(begins);
                text.push_str(&linked(&words, address));
            }
            // A style stands within a line, and a block ends one.
            if kind.is_none_or(|kind| !STYLES.contains(&kind)) && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A row of a table as one line.
fn collect_row(row: &Value, text: &mut String, depth: usize) {
    let cells = row.as_array().map_or(std::slice::from_ref(row), Vec::as_slice);
    let cells = cells.iter().map(|cell| {
        let mut words = String::new();
        collect(cell, &mut words, depth + 1);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    text.push_str(&cells.collect::<Vec<_>>().join(" | "));
    text.push('\n');
}

/// Words with the address behind them, unless they are that.
fn linked(words: &str, address: &str) -> String {
    let is_shown = words.trim_end_matches('/') == address.trim_end_matches('/');
    match is_shown || words.trim().is_empty() || address.contains(char::is_whitespace) {
        true => words.to_owned(),
        false => format!("[{words}]({address})"),
    }
}

/// Whether a refusal may be about the rich message itself, so that a text may be taken.
fn is_about_itself(description: &str) -> bool {
    !is_gone(description) && !is_about_rights(description) && !description.contains("message is not modified")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_read_of_a_rich_message_is_its_text_a_block_a_line() {
        let rich = json!({"blocks": [
            {"type": "section_heading", "size": 1, "text": "Moons"},
            {"type": "paragraph", "text": ["See ", {"type": "bold", "text": "both"}, " at ",
                {"type": "url", "text": {"type": "italic", "text": "this page"}, "url": "https://x.y/moons"}, " or ",
                {"type": "url", "text": "https://x.y", "url": "https://x.y/"}, ":"]},
            {"type": "table", "cells": [[{"text": "Earth"}, {"text": {"type": "italic", "text": "1"}}], [{"text": "Mars"}, {"text": "2"}]]},
            {"type": "list", "items": [{"label": "1.", "blocks": [{"type": "paragraph", "text": "one"}]}]},
            {"type": "divider"},
            {"type": "unknown", "fields": 7},
        ]});
        assert_eq!(
            read(&rich),
            "Moons\nSee both at [this page](https://x.y/moons) or https://x.y:\nEarth | 1\nMars | 2\n1. one"
        );
        assert_eq!(read(&json!({"blocks": "x"})), "x");
        assert_eq!(read(&json!(null)), "");
        let mut deep = json!("deep");
        for _ in 0..100 {
            deep = json!({ "blocks": [deep] });
        }
        assert_eq!(read(&deep), "");
    }
}
