//! A sentence in every language at once, for menus that a platform keeps.

use crate::{Lang, Message};

/// A sentence in every language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Localized([String; Lang::COUNT]);

impl Localized {
    /// The sentence of a catalogue.
    pub fn of(message: &impl Message) -> Self {
        Self(std::array::from_fn(|at| {
            let lang = Lang::ALL.get(at).copied().unwrap_or_default();
            message.text(lang)
        }))
    }

    /// A text that is the same in all of them: a name, a number.
    pub fn same(text: &str) -> Self {
        Self(std::array::from_fn(|_| text.to_owned()))
    }

    /// The sentence in a language.
    pub fn get(&self, lang: Lang) -> &str {
        let [english, ..] = &self.0;
        self.0.get(lang as usize).unwrap_or(english)
    }

    /// The sentence in English.
    pub fn english(&self) -> &str {
        self.get(Lang::English)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Menu;

    #[test]
    fn each_language_has_its_own() {
        let search = Localized::of(&Menu::Search);
        assert_eq!(search.english(), "Search earlier messages");
        assert_eq!(search.get(Lang::German), "Frühere Nachrichten durchsuchen");
        assert_eq!(Localized::same("7").get(Lang::Japanese), "7");
    }
}
