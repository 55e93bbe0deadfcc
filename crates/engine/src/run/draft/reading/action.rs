//! Reads the text for the user out of an action that comes letter by letter. Nothing, until the kind of action is
//! known: a tool's arguments may have a `message` as well.

use super::{
    decoder::{Decoded, Decoder},
    tag::{Seen, Tag},
};

/// The longest name of a field, or of a kind of action, that matters, in characters.
const LONGEST_NAME: usize = 80;

/// The field of an action's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run::draft) enum Field {
    /// Sent now.
    Message,
    /// Sent now, behind the output buffer.
    Output,
    /// Goes into the output buffer.
    Buffer,
}

/// An action so far.
#[derive(Debug, Default)]
pub(in crate::run::draft) struct Action {
    state: State,
    /// The kind of action, once that is known; the inner `None`: one without text.
    kind: Option<Option<(VisibleField, Field)>>,
    message: Text,
    output: Text,
}

/// The text of a field, held until it is known whether it is for the user.
#[derive(Debug, Default)]
struct Text {
    /// A second field of the same name is not read.
    has_come: bool,
    held: String,
}

/// A field that may be for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VisibleField {
    Message,
    Output,
}

/// The name of a field as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Type,
    Said(VisibleField),
    Other,
}

#[derive(Debug, Default)]
enum State {
    /// Before anything but white space.
    #[default]
    Begin,
    /// In what may be the tag of a thought.
    MaybeThought(String),
    /// In a thought, up to this tag.
    Thought(&'static str, Seen),
    /// Before the brace.
    Outside,
    /// Before the name of a field.
    BeforeName,
    Name(Raw),
    BeforeColon(Name),
    BeforeValue(Name),
    Kind(Raw),
    Said(VisibleField, Decoder),
    /// In a value, or behind it, up to its comma.
    Rest {
        depth: usize,
        string: Option<Escaped>,
    },
    /// Nothing more is read.
    End,
}

/// Whether a `\` stands before.
type Escaped = bool;

/// The source of a short string.
#[derive(Debug, Default)]
struct Raw {
    source: String,
    escaped: Escaped,
}

impl Raw {
    /// Takes the next character. `Some`: the string has ended, and this is its text.
    fn take(&mut self, character: char) -> Option<String> {
        if character == '"' && !self.escaped {
            let source = std::mem::take(&mut self.source);
            return Some(serde_json::from_str(&format!("\"{source}\"")).unwrap_or_default());
        }
        self.escaped = character == '\\' && !self.escaped;
        // A longer name is none of those that matter.
        if self.source.len() < LONGEST_NAME {
            self.source.push(character);
        }
        None
    }
}

impl Action {
    /// The field of the text for the user.
    pub(super) const fn field(&self) -> Field {
        match self.kind {
            Some(Some((_, field))) => field,
            _ => Field::Buffer,
        }
    }

    /// Takes the next character, and adds what the user will read.
    pub(super) fn take(&mut self, character: char, visible: &mut String) {
        let next = match &mut self.state {
            State::Begin => begin(character),
            State::MaybeThought(tag) => {
                tag.push(character);
                match Tag::of(tag, true) {
                    Tag::Opens(close) => Some(State::Thought(close, Seen::default())),
                    Tag::Maybe => None,
                    Tag::Closes | Tag::None => Some(outside(character)),
                }
            }
            State::Thought(close, seen) => seen.take(close, character).then_some(State::Outside),
            State::Outside => Some(outside(character)),
            State::BeforeName => (character == '"').then(|| State::Name(Raw::default())),
            State::Name(raw) => raw.take(character).map(|name| State::BeforeColon(Name::of(&name))),
            State::BeforeColon(name) => match character {
                ':' => Some(State::BeforeValue(*name)),
                other if other.is_whitespace() => None,
                _ => Some(State::End),
            },
            State::BeforeValue(name) => {
                let name = *name;
                self.before_value(name, character)
            }
            State::Kind(raw) => raw.take(character).map(|kind| {
                if self.kind.is_none() {
                    self.kind = Some(said_by(&kind));
                    match self.kind {
                        Some(Some((VisibleField::Message, _))) => visible.push_str(&self.message.held),
                        Some(Some((VisibleField::Output, _))) => visible.push_str(&self.output.held),
                        _ => {}
                    }
                    self.message.held = String::new();
                    self.output.held = String::new();
                }
                BEHIND_VALUE
            }),
            State::Said(said, decoder) => {
                let said = *said;
                match decoder.take(character) {
                    Decoded::Nothing => None,
                    Decoded::Character(character) => {
                        match self.kind {
                            None => self.text(said).held.push(character),
                            Some(Some((shown, _))) if shown == said => visible.push(character),
                            Some(_) => {}
                        }
                        None
                    }
                    Decoded::End => Some(BEHIND_VALUE),
                    Decoded::Broken => Some(State::End),
                }
            }
            State::Rest { depth, string } => skip_value(depth, string, character),
            State::End => None,
        };
        if let Some(next) = next {
            self.state = next;
        }
    }

    fn text(&mut self, said: VisibleField) -> &mut Text {
        match said {
            VisibleField::Message => &mut self.message,
            VisibleField::Output => &mut self.output,
        }
    }

    fn before_value(&mut self, name: Name, character: char) -> Option<State> {
        if character.is_whitespace() {
            return None;
        }
        Some(match (name, character) {
            (Name::Type, '"') => State::Kind(Raw::default()),
            (Name::Said(said), '"') if !self.text(said).has_come => {
                self.text(said).has_come = true;
                State::Said(said, Decoder::default())
            }
            _ => {
                let (mut depth, mut string) = (0, None);
                skip_value(&mut depth, &mut string, character).unwrap_or(State::Rest { depth, string })
            }
        })
    }
}

const BEHIND_VALUE: State = State::Rest { depth: 0, string: None };

fn begin(character: char) -> Option<State> {
    if character.is_whitespace() {
        return None;
    }
    Some(if character == '<' {
        State::MaybeThought(character.into())
    } else {
        outside(character)
    })
}

const fn outside(character: char) -> State {
    if character == '{' {
        State::BeforeName
    } else {
        State::Outside
    }
}

/// Goes through a value up to its comma.
fn skip_value(depth: &mut usize, string: &mut Option<Escaped>, character: char) -> Option<State> {
    if let Some(escaped) = string {
        match character {
            '"' if !*escaped => *string = None,
            _ => *escaped = character == '\\' && !*escaped,
        }
        return None;
    }
    match character {
        '"' => *string = Some(false),
        '{' | '[' => *depth += 1,
        '}' | ']' if *depth == 0 => return Some(State::End),
        '}' | ']' => *depth -= 1,
        ',' if *depth == 0 => return Some(State::BeforeName),
        _ => {}
    }
    None
}

impl Name {
    fn of(name: &str) -> Self {
        match name {
            "type" => Self::Type,
            "message" => Self::Said(VisibleField::Message),
            "output" => Self::Said(VisibleField::Output),
            _ => Self::Other,
        }
    }
}

/// The text field of a kind of action, and its use.
fn said_by(kind: &str) -> Option<(VisibleField, Field)> {
    match kind {
        "send_message" => Some((VisibleField::Message, Field::Message)),
        "finish" => Some((VisibleField::Output, Field::Output)),
        "set_output" => Some((VisibleField::Output, Field::Buffer)),
        _ => None,
    }
}
