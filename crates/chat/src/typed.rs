//! A line that a person types at a terminal, as the event that it is.

use jiff::Timestamp;

use crate::{
    inbound::{Addressed, Command, Inbound, Message, Place, PlaceKind, Speaker},
    platform::Platform,
};

/// A line or several, typed at a terminal of the bot's machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    /// The terminal, as a place.
    pub place: String,
    /// The person at it.
    pub speaker: String,
    /// The language that the terminal is set to.
    pub language: Option<String>,
    /// The terminal's id of it.
    pub id: String,
    /// The text; of a command, its argument.
    pub text: String,
    /// The name of the command that it is, without the slash.
    pub command: Option<String>,
    /// When it was typed.
    pub sent_at: Timestamp,
}

impl TypedLine {
    /// The event: a command, or a message of a private chat.
    pub fn into_event(self) -> Inbound {
        let place = Place {
            platform: Platform::TERMINAL,
            external_id: self.place,
            parent: None,
            kind: PlaceKind::Private,
            name: Some("terminal".to_owned()),
            space: None,
        };
        let speaker = Speaker {
            id: self.speaker.clone(),
            name: self.speaker,
            handle: None,
            is_bot: false,
            language: self.language,
            roles: None,
        };
        match self.command {
            Some(name) => Inbound::Command(Command {
                place,
                speaker,
                id: self.id,
                name,
                argument: self.text,
                sent_at: self.sent_at,
                via: None,
                answered_alone: false,
                below: None,
            }),
            None => Inbound::Message(Message {
                place,
                speaker,
                id: self.id,
                text: self.text,
                sent_at: self.sent_at,
                reply_to: None,
                addressed: Addressed::default(),
                attachments: Vec::new(),
                album: None,
                backfilled: false,
                via: None,
                quoted: None,
            }),
        }
    }
}
