//! Tags that come letter by letter. Each begins with `<` and has no other one.

/// Where a model begins to think aloud.
pub(super) const OPEN: &str = "<think>";
/// Where it ends.
pub(super) const CLOSE: &str = "</think>";

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
