//! Reads the text for the user out of a reply that grows: each character is looked at once.

mod action;
mod chat;
mod decoder;
mod tag;

pub(super) use self::action::Field;
use self::{action::Action, chat::Chat};
use super::Shape;

/// Reads a reply piece by piece.
#[derive(Debug)]
pub(super) enum Reading {
    /// An action.
    Action(Action),
    /// A chat's answer.
    Chat(Chat),
}

/// The text for the user that a piece of a reply adds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Added {
    /// All that was read before is void: it was a thought.
    pub takes_back: bool,
    /// The text behind it.
    pub visible: String,
}

impl Reading {
    /// A reply of this shape.
    pub(super) fn of(shape: Shape) -> Self {
        match shape {
            Shape::Action => Self::Action(Action::default()),
            Shape::Whole => Self::Chat(Chat::default()),
        }
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self, piece: &str) -> Added {
        let mut added = Added::default();
        for character in piece.chars() {
            match self {
                Self::Action(action) => action.take(character, &mut added.visible),
                Self::Chat(chat) => chat.take(character, &mut added),
            }
        }
        added
    }

    /// The field of the text for the user.
    pub(super) fn field(&self) -> Field {
        match self {
            Self::Action(action) => action.field(),
            Self::Chat(chat) => chat.field(),
        }
    }
}

#[cfg(test)]
mod tests;
