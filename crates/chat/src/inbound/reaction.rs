//! Reactions to messages, and the verdicts that they are.

use serde::{Deserialize, Serialize};

use super::Speaker;
use crate::platform::Platform;

/// Somebody's reaction to a message, as far as it is a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// The platform.
    pub platform: Platform,
    /// The platform's id of the place, or of the chat that the place is in, where the platform does not tell more.
    pub place: String,
    /// The platform's id of the message.
    pub message: String,
    /// The person; without a name, where the platform tells none.
    pub speaker: Speaker,
    /// Their deed.
    pub reacted: Reacted,
}

/// How a person reacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reacted {
    /// All of their reactions now: this verdict, or none.
    Stands(Option<Verdict>),
    /// They added this one.
    Given(Verdict),
    /// They took this one back.
    Withdrawn(Verdict),
}

/// A verdict on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A thumb up.
    Liked,
    /// A thumb down.
    Disliked,
}

impl Verdict {
    /// The verdict that an emoji is, in whatever colour of skin; most are none.
    pub fn of_emoji(emoji: &str) -> Option<Self> {
        let plain = |c: &char| !matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{fe0f}');
        let mut symbols = emoji.chars().filter(plain);
        match (symbols.next(), symbols.next()) {
            (Some('\u{1f44d}'), None) => Some(Self::Liked),
            (Some('\u{1f44e}'), None) => Some(Self::Disliked),
            _ => None,
        }
    }

    /// As it is stored and written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Liked => "liked",
            Self::Disliked => "disliked",
        }
    }

    /// Parses the form of [`Verdict::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Liked, Self::Disliked]
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }
}
