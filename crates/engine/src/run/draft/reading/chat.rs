//! Reads the text for the user out of a direct chat's reply that comes letter by letter: the whole reply, without the
//! model's thoughts and an action around the text.

use super::{
    Added,
    action::{Action, Field},
    tag::{Seen, Tag},
};

/// The beginning of a reply that holds an action.
const FENCE: &str = "```json";

/// A reply so far.
#[derive(Debug, Default)]
pub(in crate::run::draft) struct Chat {
    /// The model's thoughts are skipped, up to this tag.
    thought: Option<(&'static str, Seen)>,
    /// There was a thought.
    has_thought: bool,
    /// A possible tag.
    tag: String,
    /// A thought ended that was never begun: what stands before was one, if anything follows.
    has_lone_end: bool,
    spoken: Spoken,
}

#[derive(Debug)]
enum Spoken {
    /// It may be an action or a text.
    Open(String),
    Text,
    Action(Box<Action>),
}

impl Default for Spoken {
    fn default() -> Self {
        Self::Open(String::new())
    }
}

impl Chat {
    /// The field of the text for the user.
    pub(super) fn field(&self) -> Field {
        match &self.spoken {
            Spoken::Open(_) => Field::Buffer,
            Spoken::Text => Field::Message,
            Spoken::Action(action) => action.field(),
        }
    }

    /// Takes the next character.
    pub(super) fn take(&mut self, character: char, added: &mut Added) {
        if let Some((close, seen)) = &mut self.thought {
            if seen.take(close, character) {
                self.thought = None;
            }
            return;
        }
        self.tag.push(character);
        match Tag::of(&self.tag, self.is_empty()) {
            Tag::Opens(close) => {
                self.tag.clear();
                self.thought = Some((close, Seen::default()));
                self.has_thought = true;
            }
            Tag::Closes => {
                self.tag.clear();
                self.has_lone_end = true;
            }
            Tag::Maybe => {}
            Tag::None => {
                // The last character may begin another one.
                let text = std::mem::take(&mut self.tag);
                let kept = text.strip_suffix('<').unwrap_or(&text);
                self.tag.push_str(&text[kept.len()..]);
                for character in kept.chars() {
                    self.say(character, added);
                }
            }
        }
    }

    /// Whether nothing but white space has come before the tag.
    fn is_empty(&self) -> bool {
        !self.has_thought && !self.has_lone_end && matches!(&self.spoken, Spoken::Open(text) if text.is_empty())
    }

    /// A character that is no thought and no tag.
    fn say(&mut self, character: char, added: &mut Added) {
        if self.has_lone_end {
            if character.is_whitespace() {
                return;
            }
            self.has_lone_end = false;
            self.spoken = Spoken::default();
            *added = Added {
                takes_back: true,
                visible: String::new(),
            };
        }
        match &mut self.spoken {
            Spoken::Text => added.visible.push(character),
            Spoken::Action(action) => action.take(character, &mut added.visible),
            Spoken::Open(text) if text.is_empty() && character.is_whitespace() => {}
            Spoken::Open(text) => {
                text.push(character);
                if text.starts_with('{') || text == FENCE {
                    let mut action = Box::<Action>::default();
                    for character in text.chars() {
                        action.take(character, &mut added.visible);
                    }
                    self.spoken = Spoken::Action(action);
                } else if !FENCE.starts_with(text.as_str()) {
                    added.visible.push_str(text);
                    self.spoken = Spoken::Text;
                }
            }
        }
    }
}
