//! A part as a request to Discord, and the outcome by Discord's reply.

use std::collections::HashSet;

use clifford_channel::{Address, Button, ButtonStyle, DeliveryKey, Part, Press, SendError, lenient};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use serenity::model::channel::MessageFlags;

use crate::{
    api::{ApiError, Body, FilePart, Refusal},
    voice::Voice,
};

/// The flag of a message that shows no previews: a model's links are for reading, and Discord fetches what it previews,
/// with all that stands in its address.
const SUPPRESS_EMBEDS: u64 = MessageFlags::SUPPRESS_EMBEDS.bits();
/// The most rows of buttons below a message, and the most buttons in a row.
const ROWS: usize = 5;
const IN_A_ROW: usize = 5;
/// The most choices of a menu.
const IN_A_MENU: usize = 25;
/// Stands before the command of a menu of roles: the form for the same command has an id of its own.
pub(crate) const PICKER: &str = "@";

/// The fields of a message that a receipt needs. The message was posted even if Discord tells none of them.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Box<RawValue>")]
pub(crate) struct Posted {
    /// Its id, if that can be read.
    pub(crate) id: Option<String>,
    pub(crate) content: String,
    pub(crate) flags: u64,
}

impl From<Box<RawValue>> for Posted {
    fn from(posted: Box<RawValue>) -> Self {
        #[derive(Default, Deserialize)]
        struct Fields<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
            #[serde(borrow)]
            content: Option<&'a RawValue>,
            #[serde(borrow)]
            flags: Option<&'a RawValue>,
        }
        let fields: Fields<'_> = serde_json::from_str(posted.get()).unwrap_or_default();
        let read = |field: Option<&RawValue>| -> Value {
            let value = field.and_then(|field| serde_json::from_str(field.get()).ok());
            value.unwrap_or_default()
        };
        Self {
            id: lenient::whole(&read(fields.id)).map(|id| id.to_string()),
            content: read(fields.content).as_str().unwrap_or_default().to_owned(),
            flags: lenient::whole(&read(fields.flags)).unwrap_or_default(),
        }
    }
}

/// The channel's id, checked, since it becomes part of a path.
pub(crate) fn channel(to: &Address) -> Result<u64, SendError> {
    to.place
        .parse()
        .map_err(|_| SendError::Rejected(format!("`{}` is no Discord channel", to.place)))
}

/// The text of what goes as one message: a part, or files.
pub(crate) fn text_of(parts: &[Part]) -> &str {
    match parts.first() {
        Some(Part::Text { text, .. }) => text,
        Some(Part::File { caption, markup, .. }) => markup.as_deref().unwrap_or(caption),
        Some(Part::Stored { .. }) | None => "",
    }
}

/// A part, or files, as the answer to an interaction. Text of a model mentions nobody.
pub(crate) fn response(parts: &[Part]) -> Body {
    let json = json!({"content": text_of(parts), "flags": SUPPRESS_EMBEDS, "allowed_mentions": {"parse": []}});
    with_files(json, parts)
}

/// A part, or files, as a message of its own; what is spoken, as a voice message.
pub(crate) fn message(to: &Address, parts: &[Part], key: &DeliveryKey) -> Body {
    let mut body = message_of_files(to, parts, key);
    if let (Some(voice), Body::Files { json, .. }) = (Voice::of(parts), &mut body) {
        json["flags"] = json!(MessageFlags::IS_VOICE_MESSAGE.bits());
        json["attachments"][0]["duration_secs"] = json!(voice.seconds);
        json["attachments"][0]["waveform"] = json!(voice.waveform);
        if let Some(fields) = json.as_object_mut() {
            fields.remove("content");
        }
    }
    body
}

/// The same with what is spoken as a file. The nonce makes Discord drop the repeat of an attempt that arrived.
pub(crate) fn message_of_files(to: &Address, parts: &[Part], key: &DeliveryKey) -> Body {
    let mut json = json!({
        "content": text_of(parts), "nonce": key.0, "enforce_nonce": true, "flags": SUPPRESS_EMBEDS,
        "allowed_mentions": {"parse": [], "replied_user": false},
    });
    // An interaction is no message, so its answer points at nothing.
    // In private everyone knows what is answered.
    let reply_to = to.reply_to.as_ref().filter(|_| to.via.is_none() && !to.private);
    if let Some(id) = reply_to.and_then(|id| id.parse::<u64>().ok()) {
        json["message_reference"] = json!({"message_id": id.to_string(), "fail_if_not_exists": false});
        // Nobody else is: a model's mentions tell nobody.
        json["allowed_mentions"]["replied_user"] = json!(true);
    }
    with_files(json, parts)
}

/// Lets only the person see a response who gave the interaction.
pub(crate) fn to_one(mut body: Body) -> Body {
    let (Body::Json(json) | Body::Files { json, .. }) = &mut body else {
        return body;
    };
    json["flags"] = json!(SUPPRESS_EMBEDS | MessageFlags::EPHEMERAL.bits());
    body
}

fn with_files(mut json: Value, parts: &[Part]) -> Body {
    let mut files = Vec::new();
    for part in parts {
        match part {
            Part::Text { buttons, .. } => {
                if !buttons.is_empty() {
                    json["components"] = components(buttons);
                }
            }
            Part::File { name, content, .. } => files.push(FilePart {
                name: name.clone(),
                media_type: "text/plain; charset=utf-8".to_owned(),
                content: content.clone().into(),
            }),
            Part::Stored {
                name,
                media_type,
                payload,
                ..
            } => files.push(FilePart {
                name: name.clone(),
                media_type: media_type.clone(),
                content: payload.content.clone(),
            }),
        }
    }
    if files.is_empty() {
        return Body::Json(json);
    }
    let named = files.iter().enumerate();
    json["attachments"] = named
        .map(|(id, file)| json!({"id": id, "filename": file.name}))
        .collect();
    Body::Files { json, files }
}

/// Makes an edit take away the buttons that it does not name: a key that is left out stays as it is.
pub(crate) fn without_old_buttons(body: &mut Body) {
    let (Body::Json(json) | Body::Files { json, .. }) = body else {
        return;
    };
    if json.get("components").is_none() {
        json["components"] = json!([]);
    }
}

/// Menus and buttons in rows. A second button with the same command is left out. Choices that change their message are
/// a menu, if they are more than one row.
fn components(buttons: &[Button]) -> Value {
    let mut commands = HashSet::new();
    let shown = buttons
        .iter()
        .filter(|button| commands.insert((button.data(), button.picks_roles)));
    let (pickers, shown): (Vec<&Button>, Vec<&Button>) = shown.partition(|button| button.picks_roles);
    let is_choice = |button: &&Button| button.press == Press::InPlace && button.style == ButtonStyle::Plain;
    let (choices, others): (Vec<_>, Vec<_>) = shown.iter().copied().partition(is_choice);
    let (choices, others) = match choices.len() > IN_A_ROW {
        true => (choices, others),
        false => (Vec::new(), shown),
    };
    let menus = choices
        .chunks(IN_A_MENU)
        .enumerate()
        .map(|(place, choices)| menu(place, choices));
    let others: Vec<Value> = others
        .into_iter()
        .map(|button| json!({"type": 2, "style": style(button.style), "label": button.label, "custom_id": button.data()}))
        .collect();
    let rows = others.chunks(IN_A_ROW).map(|row| json!({"type": 1, "components": row}));
    let pickers = pickers.into_iter().map(picker);
    menus.chain(pickers).chain(rows).take(ROWS).collect()
}

/// <https://docs.discord.com/developers/components/reference#role-select>
fn picker(button: &Button) -> Value {
    json!({"type": 1, "components": [{
        "type": 6, "custom_id": format!("{PICKER}{}", button.command), "placeholder": button.label, "min_values": 1,
        "max_values": IN_A_MENU,
    }]})
}

/// Without a placeholder, the app says in its own language that a choice is to be made:
/// <https://docs.discord.com/developers/components/reference#string-select>
fn menu(place: usize, choices: &[&Button]) -> Value {
    let options: Vec<_> = (choices.iter())
        .map(|button| json!({"label": button.label, "value": button.data()}))
        .collect();
    json!({"type": 1, "components": [{
        "type": 3, "custom_id": format!("menu {place}"), "options": options,
    }]})
}

/// Grey, green, red: <https://docs.discord.com/developers/components/reference#button-button-styles>
fn style(style: ButtonStyle) -> u8 {
    match style {
        ButtonStyle::Plain => 2,
        ButtonStyle::Positive => 3,
        ButtonStyle::Negative => 4,
    }
}

pub(crate) fn send_error(error: ApiError) -> SendError {
    match error {
        ApiError::Limited(wait) => SendError::RetryAfter(wait),
        ApiError::Unreachable(error) => SendError::Unreachable(error),
        ApiError::Failed(status) => SendError::Failed(format!("Discord answered {status}")),
        ApiError::Refused(refusal) if is_gone(&refusal) => SendError::Gone(refusal.to_string()),
        ApiError::Refused(refusal) if is_barred(&refusal) => SendError::Barred(refusal.to_string()),
        // The token, not the part, is wrong: the part waits until that is mended.
        ApiError::Refused(refusal) if refusal.status == 401 => SendError::Unreachable(refusal.to_string()),
        ApiError::Refused(refusal) => SendError::Rejected(refusal.to_string()),
    }
}

/// The channel takes nothing more: unknown channel or guild, missing access, no direct messages, no guild in common.
fn is_gone(refusal: &Refusal) -> bool {
    matches!(refusal.code, 10_003 | 10_004 | 50_001 | 50_007 | 50_278)
}

/// It takes nothing of the bot's: a missing permission, a locked thread.
fn is_barred(refusal: &Refusal) -> bool {
    matches!(refusal.code, MISSING_PERMISSIONS | 160_005)
}

/// The same for a part, or files: a channel that takes no files takes texts, so the bot is not barred.
pub(crate) fn error_of(parts: &[Part], error: ApiError) -> SendError {
    let has_files = parts.iter().any(|part| !matches!(part, Part::Text { .. }));
    match error {
        ApiError::Refused(refusal) if has_files && refusal.code == MISSING_PERMISSIONS => {
            SendError::Rejected(refusal.to_string())
        }
        error => send_error(error),
    }
}

/// The bot lacks a permission.
pub(crate) const MISSING_PERMISSIONS: u64 = 50_013;
/// It lacks the one to read what it would reply to.
pub(crate) const MAY_NOT_REPLY: u64 = 160_002;
/// A field is wrong; which one is in the text.
const BAD_FIELD: u64 = 50_035;

/// The message stands in the way that is to be replied to: one of the platform's own, or one that the bot may not read.
/// <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
pub(crate) fn is_about_the_reply(refusal: &Refusal) -> bool {
    refusal.code == MAY_NOT_REPLY || refusal.code == BAD_FIELD && refusal.message.contains("message_reference")
}

/// The interaction takes nothing more: unknown message, webhook or interaction, a token that has expired.
pub(crate) fn has_ended(refusal: &Refusal) -> bool {
    matches!(refusal.code, 10_008 | 10_015 | 10_062 | 50_027) || matches!(refusal.status, 401 | 404)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, code: u64) -> ApiError {
        ApiError::Refused(Refusal {
            status,
            code,
            message: "No".to_owned(),
        })
    }

    #[test]
    fn a_message_was_posted_whatever_is_told_of_it() {
        let posted = |id: Option<&str>, content: &str, flags: u64| Posted {
            id: id.map(str::to_owned),
            content: content.to_owned(),
            flags,
        };
        let cases = [
            (r#"{"id":"7","content":"hi","flags":4}"#, posted(Some("7"), "hi", 4)),
            (r#"{"id":7,"flags":"4"}"#, posted(Some("7"), "", 4)),
            (r#"{"id":"7","content":null,"flags":null}"#, posted(Some("7"), "", 0)),
            (
                r#"{"id":"7","content":[],"flags":-1,"x":1e999}"#,
                posted(Some("7"), "", 0),
            ),
            (r#"{"id":1e999,"content":"hi"}"#, posted(None, "hi", 0)),
            (r#"{"id":"../x","content":"\ud800","flags":4}"#, posted(None, "", 4)),
            (r#"{"id":null}"#, posted(None, "", 0)),
            ("{}", posted(None, "", 0)),
            ("null", posted(None, "", 0)),
            ("[]", posted(None, "", 0)),
        ];
        for (told, expected) in cases {
            assert_eq!(serde_json::from_str::<Posted>(told).unwrap(), expected, "{told}");
        }
    }

    #[test]
    fn an_error_says_what_becomes_of_the_part() {
        let cases = [
            (refused(404, 10_003), "the chat is gone: No (HTTP 404, code 10003)"),
            (refused(403, 50_007), "the chat is gone: No (HTTP 403, code 50007)"),
            (
                refused(400, 50_035),
                "the platform refused the message: No (HTTP 400, code 50035)",
            ),
            (
                refused(401, 0),
                "the platform could not be reached: No (HTTP 401, code 0)",
            ),
            (
                ApiError::Unreachable("cut".to_owned()),
                "the platform could not be reached: cut",
            ),
            (
                ApiError::Failed(reqwest::StatusCode::BAD_GATEWAY),
                "the platform failed: Discord answered 502 Bad Gateway",
            ),
            (
                ApiError::Limited(std::time::Duration::from_secs(2)),
                "the platform asks to wait 2000 ms",
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(send_error(error).to_string(), expected);
        }
    }

    #[test]
    fn a_channel_that_takes_no_files_is_open_to_texts() {
        let file = Part::File {
            name: "answer.md".to_owned(),
            content: "x".to_owned(),
            caption: String::new(),
            markup: None,
        };
        let text = Part::Text {
            text: "x".to_owned(),
            plain: "x".to_owned(),
            rich: None,
            buttons: Vec::new(),
        };
        for (part, code, expected) in [
            (&file, 50_013, "the platform refused the message"),
            (&file, 50_001, "the chat is gone"),
            (&text, 50_013, "the bot may not write there"),
            (&text, 160_005, "the bot may not write there"),
        ] {
            let error = error_of(std::slice::from_ref(part), refused(403, code)).to_string();
            assert!(error.starts_with(expected), "{code} {error}");
        }
    }

    #[test]
    fn a_refused_reply_is_told_from_a_refused_message() {
        for (code, message, expected) in [
            (160_002, "Cannot reply without permission to read message history", true),
            (
                50_035,
                r#"Invalid Form Body: {"message_reference":{"_errors":[{"code":"REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE"}]}}"#,
                true,
            ),
            (50_035, r#"Invalid Form Body: {"content":{}}"#, false),
            (50_013, "Missing Permissions", false),
        ] {
            let refusal = Refusal {
                status: 400,
                code,
                message: message.to_owned(),
            };
            assert_eq!(is_about_the_reply(&refusal), expected, "{message}");
        }
    }
}
