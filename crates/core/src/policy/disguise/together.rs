//! Secrets in texts that are read as one: a word in pieces, by the first or last letters of words, a number digit by digit.
//! Pure.

use super::spelling;
use crate::policy::texts;

/// The fewest letters of a word that is looked for across others: shorter ones stand there by chance.
const IN_PIECES: usize = 6;
/// The same where only one letter of each word is read.
const BY_LETTERS: usize = 5;
/// The fewest digits of a number.
const DIGITS: usize = 4;

/// Ways to read texts as one.
pub(in crate::policy) struct Streams {
    /// The words and numbers.
    pieces: Vec<String>,
    /// All letters and digits, as they stand, and turned around.
    joined: [String; 2],
    /// The first letters of words, the last, and the letters that stand alone.
    letters: Vec<String>,
    /// The digits, in whatever way they are written.
    digits: Vec<String>,
    /// The digits that are told in words, or one by one.
    spelled: String,
}

impl Streams {
    pub fn of<T: AsRef<str>>(texts: &[T]) -> Self {
        let pieces: Vec<_> = texts.iter().flat_map(|text| texts::pieces(text.as_ref())).collect();
        let joined = pieces.concat();
        let spelled = pieces.iter().filter_map(|word| spelled(word)).collect();
        let mut streams = Self {
            spelled,
            pieces,
            joined: [turned(&joined), joined],
            letters: Vec::new(),
            digits: Vec::new(),
        };
        // A word may end with a text, or go on in the next one.
        let texts: Vec<_> = texts.iter().map(AsRef::as_ref).collect();
        streams.read(&texts.join(" "));
        if texts.len() > 1 {
            streams.read(&texts.concat());
        }
        streams
    }

    fn read(&mut self, text: &str) {
        let words: Vec<_> = texts::pieces(text).collect();
        let firsts: String = words.iter().filter_map(|word| word.chars().next()).collect();
        let lasts: String = words.iter().filter_map(|word| word.chars().next_back()).collect();
        // `one` is a digit, or no more than a word.
        let alone = |is_digit: bool| -> String {
            let signs = words.iter().filter_map(|word| match word.chars().count() {
                1 => Some(word.clone()),
                _ if is_digit && spelling::is_one(word) => Some("1".to_owned()),
                _ => spelling::number(word),
            });
            signs.collect()
        };
        let digits: String = words.iter().filter_map(|word| digits(word)).collect();
        let tokens = text.split(|c: char| !c.is_alphanumeric());
        let romans: String = tokens
            .filter_map(spelling::roman)
            .map(|number| number.to_string())
            .collect();
        for stream in [firsts, lasts, alone(false), alone(true)] {
            self.letters.extend([turned(&stream), stream]);
        }
        for stream in [digits, romans] {
            self.digits.extend([turned(&stream), stream]);
        }
    }

    /// Whether a word or number stands in one of them.
    pub fn tells(&self, secret: &str) -> bool {
        let length = secret.chars().count();
        let is_in = |streams: &[String]| streams.iter().any(|stream| stream.contains(secret));
        if secret.chars().all(|c| c.is_ascii_digit()) {
            return length >= DIGITS && is_in(&self.digits);
        }
        (length >= IN_PIECES && is_in(&self.joined)) || (length >= BY_LETTERS && is_in(&self.letters))
    }

    /// Whether a word or number stands in one of them, and in no single word: by the letters of several words, in pieces,
    /// or digit by digit.
    pub fn tells_apart(&self, secret: &str) -> bool {
        let length = secret.chars().count();
        if secret.chars().all(|c| c.is_ascii_digit()) {
            return length >= DIGITS && (self.spelled.contains(secret) || turned(&self.spelled).contains(secret));
        }
        let backwards = turned(secret);
        let is_within = || {
            let mut pieces = self.pieces.iter();
            pieces.any(|piece| piece.contains(secret) || piece.contains(&backwards))
        };
        let is_in = |streams: &[String]| streams.iter().any(|stream| stream.contains(secret));
        length >= IN_PIECES && (is_in(&self.joined) || is_in(&self.letters)) && !is_within()
    }
}

/// The digits of a word that tells a number in words, or one digit.
fn spelled(word: &str) -> Option<String> {
    let is_digit = word.len() == 1 && word.chars().all(|c| c.is_ascii_digit());
    match spelling::is_one(word) {
        true => Some("1".to_owned()),
        false => spelling::number(word).or_else(|| is_digit.then(|| word.to_owned())),
    }
}

/// The digits of a word: its own, or those that it spells.
fn digits(word: &str) -> Option<String> {
    if spelling::is_one(word) {
        return Some("1".to_owned());
    }
    let own: String = word.chars().filter(char::is_ascii_digit).collect();
    spelling::number(word).or_else(|| (!own.is_empty()).then_some(own))
}

fn turned(text: &str) -> String {
    text.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_read_as_one_tell_what_is_split_over_them() {
        let cases: [(&[&str], &str, bool); 14] = [
            (&["hel iot rop e"], "heliotrope", true),
            (&["helio", "trope"], "heliotrope", true),
            (
                &["Hotel Echo Lima India Oscar Tango Romeo Oscar Papa Echo"],
                "heliotrope",
                true,
            ),
            (
                &["He eats less. I only talk. Rest, or plan everything"],
                "heliotrope",
                true,
            ),
            (&["4 8", "1 9"], "4819", true),
            (&["four, then eight, then one, then nine"], "4819", true),
            (&["forty-eight nineteen"], "4819", true),
            (&["IV VIII I IX"], "4819", true),
            (&["quatre huit un neuf"], "4819", true),
            (&["achtundvierzig neunzehn ist es"], "4819", true),
            (&["h, then e, then l, then one, ", "then one, then one"], "hel111", true),
            (&["h e one l i o t r o p e"], "heliotrope", true),
            (&["I take the minutes."], "heliotrope", false),
            (&["Two of us come at 10"], "4819", false),
        ];
        for (texts, secret, expected) in cases {
            assert_eq!(Streams::of(texts).tells(secret), expected, "{texts:?}");
        }
    }
}
