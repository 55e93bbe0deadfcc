//! Whole words of a text that grows.

/// Holds back the word that is still being written, and the white space before it.
#[derive(Debug, Default)]
pub(super) struct Words {
    gap: String,
    word: String,
}

impl Words {
    /// Takes the next piece, and returns what is whole now.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut whole = String::new();
        for character in piece.chars() {
            if !character.is_whitespace() {
                self.word.push(character);
                continue;
            }
            if !self.word.is_empty() {
                whole.push_str(&self.gap);
                whole.push_str(&self.word);
                self.gap.clear();
                self.word.clear();
            }
            self.gap.push(character);
        }
        whole
    }

    /// Starts over.
    pub(super) fn clear(&mut self) {
        self.gap.clear();
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_word_is_whole_when_white_space_follows_it() {
        let mut words = Words::default();
        let pieces = ["Hel", "lo  y", "ou", " \n", "all", "\n"];
        let whole: Vec<_> = pieces.iter().map(|piece| words.push(piece)).collect();
        assert_eq!(whole, ["", "Hello", "", "  you", "", " \nall"]);
    }

    proptest! {
        #[test]
        fn words_are_the_same_however_a_text_is_cut(pieces: Vec<String>) {
            let mut words = Words::default();
            let whole: String = pieces.iter().map(|piece| words.push(piece)).collect();
            prop_assert_eq!(whole, Words::default().push(&pieces.concat()));
        }
    }
}
