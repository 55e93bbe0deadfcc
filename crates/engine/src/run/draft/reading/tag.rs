//! Tags that come letter by letter. Each begins with `<` and has no other one.

use clifford_action::FIRST_THOUGHTS;

/// Where a model begins to think aloud.
const OPEN: &str = "<think>";
/// Where it ends.
const CLOSE: &str = "</think>";

/// The meaning of some letters, or of what they may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A thought begins, and ends with this.
    Opens(&'static str),
    /// A thought ends that never began.
    Closes,
    /// It may become one of these.
    Maybe,
    /// No tag.
    None,
}

impl Tag {
    /// `first`: nothing stands before it, so that a thought may have other names.
    pub(super) fn of(text: &str, first: bool) -> Self {
        let names = if first { &FIRST_THOUGHTS[..] } else { &[(OPEN, CLOSE)] };
        match names.iter().find(|(open, _)| *open == text) {
            Some((_, close)) => Self::Opens(close),
            None if text == CLOSE => Self::Closes,
            None if names.iter().any(|(open, _)| open.starts_with(text)) || CLOSE.starts_with(text) => Self::Maybe,
            None => Self::None,
        }
    }
}

/// How much of a tag has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen(usize);

impl Seen {
    /// Takes the next character; whether the tag is whole with it.
    pub(super) fn take(&mut self, tag: &str, character: char) -> bool {
        let goes_on = tag[self.0..].starts_with(character);
        self.0 = match (goes_on, character) {
            (true, _) => self.0 + 1,
            (false, '<') => 1,
            (false, _) => 0,
        };
        let is_whole = self.0 == tag.len();
        if is_whole {
            self.0 = 0;
        }
        is_whole
    }
}
