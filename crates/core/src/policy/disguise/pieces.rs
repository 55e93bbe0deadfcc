//! Words that are written in pieces: `m e p h i s t o`. Pure.
//!
//! A text from a model is of any length, and each word of it is looked at in some thirty readings. So the number of words
//! is bounded before any is read: a text with more counts as one that tells.

use std::collections::HashSet;

/// The most words of one text that are looked at.
pub(in crate::policy) const MOST_WORDS: usize = 20_000;
/// A longer word is no word of a language.
const LONGEST: usize = 40;
/// A shorter word tells nothing.
const SHORTEST: usize = 4;
/// Pieces of at most so many letters are read together.
const PIECE: usize = 2;

/// The different words among these, in order; none, if there are too many to look at.
pub(in crate::policy) fn different(words: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let mut seen = HashSet::new();
    let different: Vec<_> = words
        .filter(|word| seen.insert(word.clone()))
        .take(MOST_WORDS + 1)
        .collect();
    (different.len() <= MOST_WORDS).then_some(different)
}

/// The different words that short pieces in a row make, which may stand next to other short words; none, if there are too
/// many to look at.
pub(in crate::policy) fn joined(text: &str) -> Option<Vec<String>> {
    let rows = rows(text);
    let words: Vec<_> = rows.iter().flat_map(Row::words).take(MOST_WORDS + 1).collect();
    if words.len() > MOST_WORDS {
        return None;
    }
    let mut seen = HashSet::new();
    let different = words.into_iter().filter(|word| seen.insert(*word));
    Some(different.map(str::to_owned).collect())
}

/// Short pieces in a row.
#[derive(Default)]
struct Row {
    /// Their letters, lower case.
    letters: String,
    /// Where each ends in these: in bytes, and in characters.
    ends: Vec<(usize, usize)>,
}

impl Row {
    fn push(&mut self, piece: &str) {
        let (_, before) = self.ends.last().copied().unwrap_or_default();
        let piece = piece.to_lowercase();
        self.letters.push_str(&piece);
        self.ends.push((self.letters.len(), before + piece.chars().count()));
    }

    /// The words of several pieces, and all of the row, however long it is.
    fn words(&self) -> impl Iterator<Item = &str> {
        let length = self.ends.last().map_or(0, |(_, length)| *length);
        let whole = (self.ends.len() > 1 && length > LONGEST).then_some(self.letters.as_str());
        (0..self.ends.len()).flat_map(|from| self.words_from(from)).chain(whole)
    }

    /// The words that begin with a piece.
    fn words_from(&self, from: usize) -> impl Iterator<Item = &str> {
        let (start, before) = match from.checked_sub(1) {
            Some(last) => self.ends[last],
            None => (0, 0),
        };
        let others = self.ends[from + 1..].iter();
        others
            .map(move |(end, length)| (*end, length - before))
            .take_while(|(_, length)| *length <= LONGEST)
            .filter(|(_, length)| *length >= SHORTEST)
            .filter_map(move |(end, _)| self.letters.get(start..end))
    }
}

fn rows(text: &str) -> Vec<Row> {
    let mut rows = vec![Row::default()];
    for piece in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
    {
        let is_short = piece.chars().nth(PIECE).is_none();
        match rows.last_mut() {
            Some(row) if is_short => row.push(piece),
            Some(row) if !row.ends.is_empty() => rows.push(Row::default()),
            _ => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_pieces_in_a_row_make_words() {
        let cases: [(&str, &[&str]); 6] = [
            ("m e p h", &["meph"]),
            ("so M e p h", &["some", "somep", "someph", "meph"]),
            ("it is: a cat", &["itis", "itisa"]),
            ("It is İ", &["itis", "itisi\u{307}", "isi\u{307}"]),
            ("kitten of mine", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let expected = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(joined(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_row_that_is_too_long_for_a_word_is_read_as_a_whole_as_well() {
        let text = "a b ".repeat(30);
        let words = joined(&text).unwrap_or_default();
        assert!(words.contains(&"ab".repeat(30)), "{words:?}");
        // Two words of each length from 4 to 40, and the whole.
        assert_eq!(words.len(), 2 * 37 + 1);
    }

    #[test]
    fn a_text_of_more_words_than_are_looked_at_has_none() {
        assert!(joined(&"a b".repeat(500)).is_some());
        for times in [4_000, 66_000] {
            assert_eq!(joined(&"a b".repeat(times)), None, "{times}");
        }
        // Small words within ordinary sentences are few.
        assert!(joined(&"It is a pleasure to be of some use to all of them. ".repeat(400)).is_some());
        let words = |number: usize| (0..number).map(|word| format!("word{word}"));
        assert_eq!(different(words(MOST_WORDS)).map(|words| words.len()), Some(MOST_WORDS));
        assert_eq!(different(words(MOST_WORDS + 1)), None);
        // The same one again is none more.
        let again = std::iter::repeat_n("word".to_owned(), 3 * MOST_WORDS);
        assert_eq!(different(again).map(|words| words.len()), Some(1));
    }
}
