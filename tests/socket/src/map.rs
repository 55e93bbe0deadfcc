//! The events of the chat. Pure.

use clifford_channel::{
    Adapter, Addressed, Button, Command, Inbound, Message, Place, PlaceKind, Space, Speaker, Unreadable,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::Socket;

#[derive(Deserialize)]
struct SocketMessage {
    room: String,
    #[serde(default)]
    private: bool,
    from: From,
    id: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    at: i64,
    #[serde(default)]
    text: String,
    /// The command of a button that was pressed.
    press: Option<String>,
    #[serde(default)]
    mention: bool,
}

#[derive(Deserialize)]
struct From {
    id: String,
    #[serde(default)]
    name: String,
}

/// The event of a line, and the number by which it is confirmed, where it has one.
pub(crate) fn event(line: &str) -> (Option<u64>, Inbound) {
    let number = serde_json::from_str::<Value>(line)
        .ok()
        .and_then(|line| line["n"].as_u64());
    let event = match serde_json::from_str::<SocketMessage>(line) {
        Ok(said) => said.into_event(),
        Err(error) => Inbound::Unreadable(Unreadable {
            platform: Socket::ABOUT.platform,
            payload: line.to_owned(),
            error: format!("an event could not be read ({:?})", error.classify()),
        }),
    };
    (number, event)
}

impl SocketMessage {
    fn into_event(self) -> Inbound {
        let place = Place {
            platform: Socket::ABOUT.platform,
            parent: None,
            kind: if self.private {
                PlaceKind::Private
            } else {
                PlaceKind::Group
            },
            name: None,
            space: (!self.private).then(|| Space {
                external_id: self.room.clone(),
                name: None,
            }),
            external_id: self.room,
        };
        let speaker = Speaker {
            id: self.from.id,
            name: self.from.name,
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        };
        let sent_at = Timestamp::from_millisecond(self.at).unwrap_or_default();
        let pressed = self.press.as_deref().and_then(Button::pressed);
        let id = match self.press {
            Some(_) => format!("{}{}", Command::PRESS, self.id),
            None => self.id,
        };
        match pressed.or_else(|| Command::split(&self.text, None)) {
            Some((name, argument)) => Inbound::Command(Command {
                place,
                speaker,
                id,
                name,
                argument,
                sent_at,
                via: None,
                answered_alone: false,
                below: None,
            }),
            None => Inbound::Message(Message {
                place,
                speaker,
                id,
                text: self.text,
                sent_at,
                reply_to: None,
                addressed: Addressed {
                    mention: self.mention,
                    reply: false,
                    in_thread: false,
                },
                attachments: Vec::new(),
                album: None,
                backfilled: false,
                via: None,
                quoted: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(line: &str) -> (Option<u64>, String) {
        let (number, event) = event(line);
        let brief = match event {
            Inbound::Message(message) => format!("{}: {}", message.speaker.name, message.text),
            Inbound::Command(command) => format!("{} /{} {}", command.id, command.name, command.argument),
            Inbound::Unreadable(unreadable) => unreadable.error,
            other => format!("{other:?}"),
        };
        (number, brief)
    }

    #[test]
    fn each_line_is_an_event() {
        let from = r#""room":"5","private":true,"from":{"id":"7","name":"Ada"},"id":"m1""#;
        let cases = [
            (format!("{{\"n\":1,{from},\"text\":\"hello\"}}"), Some(1), "Ada: hello"),
            (
                format!("{{\"n\":2,{from},\"text\":\"/new Rome\"}}"),
                Some(2),
                "m1 /new Rome",
            ),
            (
                format!("{{\"n\":3,{from},\"press\":\"switch 5\"}}"),
                Some(3),
                "press:m1 /switch 5",
            ),
            (
                "{\"n\":4,\"room\":\"5\"}".to_owned(),
                Some(4),
                "an event could not be read (Data)",
            ),
            ("hello".to_owned(), None, "an event could not be read (Syntax)"),
        ];
        for (line, number, expected) in cases {
            assert_eq!(brief(&line), (number, expected.to_owned()), "{line}");
        }
    }
}
