//! The protocol between a terminal and the server. Both ends use these types.

use std::path::PathBuf;

use clifford_chat::{
    error::IngressError,
    inbound::{Accepted, Command, Inbound},
    outbound::{Part, Payload, ProgressKind},
    typed::TypedLine,
};
use clifford_core::clock::Timestamp;
use serde::{Deserialize, Serialize};

/// An event of `GET /api/terminal`: `event` is the field of the same name, `data` its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum TerminalEvent {
    /// How it stands: first of all, and once more when nothing is at work any longer that was then.
    Open(Open),
    /// A message for it, or a part of one. It comes again until it is confirmed.
    Part(TerminalPart),
    /// The bot is at work.
    Typing(About),
    /// A step of a run.
    Progress(TerminalProgress),
    /// An answer as far as it has come: each takes the place of the one before.
    Draft(TerminalDraft),
    /// Nothing comes of the draft.
    DraftDropped(About),
    /// The run has ended, or waits.
    Done(About),
}

/// How it stands in the terminal's conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TerminalStanding)]
pub struct Open {
    /// A run is at work or is about to be, or a message is on its way here.
    pub at_work: bool,
}

/// The typed message that something is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TerminalAbout)]
pub struct About {
    /// Its id, as the terminal gave it.
    pub reply_to: Option<String>,
}

/// A message, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalPart {
    /// The typed message that it answers.
    pub reply_to: Option<String>,
    /// Its name, by which it is confirmed. The same part may come again by the same name.
    pub key: String,
    /// Its content: a text with its buttons, a file, or a stored file.
    #[schema(value_type = Object)]
    pub part: Part,
    /// Where a stored file is on the server's machine.
    #[schema(value_type = Option<String>)]
    pub path: Option<PathBuf>,
}

impl TerminalPart {
    /// The part as it is shown.
    pub fn into_part(self) -> Part {
        match self.part {
            Part::Stored {
                id, name, media_type, ..
            } => Part::Stored {
                id,
                name,
                media_type,
                payload: Payload {
                    path: self.path,
                    ..Payload::default()
                },
            },
            part => part,
        }
    }
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalProgress {
    /// The typed message that is answered.
    pub reply_to: Option<String>,
    /// `note`, `tool_call`, `tool_result` or `cost`.
    #[schema(value_type = String)]
    pub kind: ProgressKind,
    /// A line to show.
    pub text: String,
}

/// An answer as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalDraft {
    /// The typed message that it answers.
    pub reply_to: Option<String>,
    /// The text so far.
    pub text: String,
}

/// A message that was typed at a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = TerminalTyped)]
pub struct Typed {
    /// The terminal, as a place.
    #[schema(max_length = 100)]
    pub place: String,
    /// The account of the person at it; also their name.
    #[schema(max_length = 100)]
    pub speaker: String,
    /// Their language, as a tag.
    pub language: Option<String>,
    /// The id of the message: the session of the terminal, `-`, a number. A repeat with the same id stores nothing.
    #[schema(max_length = 100)]
    pub id: String,
    /// The text; the argument, if it is a command.
    #[schema(max_length = 1_048_576)]
    pub text: String,
    /// The name of the command that it is, without the slash.
    pub command: Option<String>,
    /// When it was typed.
    #[schema(value_type = String)]
    pub sent_at: Timestamp,
}

impl Typed {
    /// An event of a terminal; `None`: nothing that is typed.
    pub fn of(event: Inbound) -> Option<Self> {
        let (place, speaker, id, text, command, sent_at) = match event {
            Inbound::Message(said) => (said.place, said.speaker, said.id, said.text, None, said.sent_at),
            Inbound::Command(given) => {
                let Command { argument, name, .. } = given;
                (
                    given.place,
                    given.speaker,
                    given.id,
                    argument,
                    Some(name),
                    given.sent_at,
                )
            }
            _ => return None,
        };
        Some(Self {
            place: place.external_id,
            speaker: speaker.id,
            language: speaker.language,
            id,
            text,
            command,
            sent_at: sent_at.into(),
        })
    }

    /// The event that it is.
    pub fn into_event(self) -> Inbound {
        let line = TypedLine {
            place: self.place,
            speaker: self.speaker,
            language: self.language,
            id: self.id,
            text: self.text,
            command: self.command,
            sent_at: self.sent_at.to_jiff(),
        };
        line.into_event()
    }
}

/// The outcome of a typed message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "outcome", content = "text", rename_all = "snake_case")]
#[schema(as = TerminalTaken)]
pub enum Taken {
    /// It is being answered.
    Answering,
    /// It waits for what is at work.
    Queued,
    /// It is stored, and is not answered.
    Stored,
    /// It was there already.
    Duplicate,
    /// The person may not speak to the bot.
    Ignored,
    /// The command is not theirs to give, and why.
    Refused(String),
}

impl From<Accepted> for Taken {
    fn from(accepted: Accepted) -> Self {
        match accepted {
            Accepted::Answering => Self::Answering,
            Accepted::Queued => Self::Queued,
            Accepted::Stored => Self::Stored,
            Accepted::Duplicate => Self::Duplicate,
            Accepted::Ignored => Self::Ignored,
            Accepted::Refused(text) => Self::Refused(text),
        }
    }
}

impl From<Taken> for Result<Accepted, IngressError> {
    fn from(taken: Taken) -> Self {
        Ok(match taken {
            Taken::Answering => Accepted::Answering,
            Taken::Queued => Accepted::Queued,
            Taken::Stored => Accepted::Stored,
            // The answer to it comes, though the word that it was taken was lost.
            Taken::Duplicate => Accepted::Queued,
            Taken::Ignored => Accepted::Ignored,
            Taken::Refused(text) => Accepted::Refused(text),
        })
    }
}

/// A part that the terminal has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TerminalShown)]
pub struct Shown {
    /// Its name.
    #[schema(max_length = 100)]
    pub key: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_typed_goes_through_unchanged() {
        for command in [None, Some("new".to_owned())] {
            let typed = Typed {
                place: "local".to_owned(),
                speaker: "you".to_owned(),
                language: Some("de".to_owned()),
                id: "1000-1".to_owned(),
                text: "Trip to Rome".to_owned(),
                command,
                sent_at: Timestamp(5_000),
            };
            assert_eq!(Typed::of(typed.clone().into_event()), Some(typed));
        }
    }

    #[test]
    fn an_event_names_its_kind_and_a_stored_file_its_place() {
        let stored = Part::Stored {
            id: "f".to_owned(),
            name: "plan.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            payload: Payload::default(),
        };
        let event = TerminalEvent::Part(TerminalPart {
            reply_to: Some("1000-1".to_owned()),
            key: "k".to_owned(),
            part: stored,
            path: Some("/data/f".into()),
        });
        let sent = serde_json::to_value(&event).unwrap();
        let expected = json!({ "event": "part", "data": {
            "replyTo": "1000-1", "key": "k", "path": "/data/f",
            "part": { "type": "stored", "id": "f", "name": "plan.pdf", "media_type": "application/pdf" },
        } });
        assert_eq!(sent, expected);
        let TerminalEvent::Part(read) = serde_json::from_value(sent).unwrap() else {
            panic!("another event");
        };
        let Part::Stored { payload, .. } = read.into_part() else {
            panic!("another part");
        };
        assert_eq!(payload.path, Some("/data/f".into()));
    }
}
