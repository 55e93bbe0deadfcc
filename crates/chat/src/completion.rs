//! Completion of an argument while it is typed, where the platform asks for that.

use crate::inbound::{Place, Speaker};

/// Somebody types the argument of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Where.
    pub place: Place,
    /// The person.
    pub speaker: Speaker,
    /// The command's name without the slash.
    pub command: String,
    /// The text typed so far.
    pub typed: String,
}

impl Completion {
    /// The most choices that are shown.
    pub const MOST: usize = 25;
}

/// One thing that the argument may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The label that people read; one line of at most [`Choice::LONGEST`] characters.
    pub label: String,
    /// The value that the command gets; at most [`Choice::LONGEST`] characters.
    pub value: String,
}

impl Choice {
    /// The most characters of a label and of a value.
    pub const LONGEST: usize = 100;
}
