//! Buttons below a message, with their colours: teloxide's type of a button knows none.

use clifford_channel::{Button, ButtonStyle, Press};
use serde::Serialize;
use teloxide::requests::Payload;

/// A request of teloxide's with buttons below its message.
#[derive(Debug, Serialize)]
pub(crate) struct WithKeyboard<M> {
    #[serde(flatten)]
    pub(crate) message: M,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_markup: Option<Keyboard>,
}

impl<M: Payload> Payload for WithKeyboard<M> {
    type Output = M::Output;

    const NAME: &'static str = M::NAME;
}

/// <https://core.telegram.org/bots/api#inlinekeyboardmarkup>
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Keyboard {
    inline_keyboard: Vec<[Key; 1]>,
}

/// <https://core.telegram.org/bots/api#inlinekeyboardbutton>
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Key {
    text: String,
    callback_data: String,
    /// Green or red, since Bot API 9.4; a server before that passes it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<&'static str>,
}

impl<M> WithKeyboard<M> {
    /// The request with these buttons, one in a row, so that each can be read; Telegram has no forms. Without any, an edit takes those away that
    /// were there.
    pub(crate) fn new(message: M, buttons: &[Button]) -> Self {
        let shown = buttons.iter().filter(|button| button.press != Press::Form);
        let rows: Vec<_> = shown
            .map(|button| {
                [Key {
                    text: button.label.clone(),
                    callback_data: button.data(),
                    style: match button.style {
                        ButtonStyle::Plain => None,
                        ButtonStyle::Positive => Some("success"),
                        ButtonStyle::Negative => Some("danger"),
                    },
                }]
            })
            .collect();
        Self {
            message,
            reply_markup: (!rows.is_empty()).then_some(Keyboard { inline_keyboard: rows }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use teloxide::{payloads::SendMessage, types::ChatId};

    use super::*;

    #[test]
    fn each_button_has_its_row_and_its_colour() {
        let buttons = [
            Button::new("Approve", "approve 1").positive(),
            Button::new("Deny", "deny 1").negative(),
            Button::new("Always here", "approve 1 always"),
        ];
        let request = WithKeyboard::new(SendMessage::new(ChatId(7), "May I?"), &buttons);
        let expected = json!({"chat_id": 7, "text": "May I?", "reply_markup": {"inline_keyboard": [
            [{"text": "Approve", "callback_data": "approve 1", "style": "success"}],
            [{"text": "Deny", "callback_data": "deny 1", "style": "danger"}],
            [{"text": "Always here", "callback_data": "approve 1 always"}],
        ]}});
        assert_eq!(serde_json::to_value(&request).unwrap(), expected);
        let bare = WithKeyboard::new(SendMessage::new(ChatId(7), "May I?"), &[]);
        assert_eq!(
            serde_json::to_value(&bare).unwrap(),
            json!({"chat_id": 7, "text": "May I?"})
        );
    }
}
