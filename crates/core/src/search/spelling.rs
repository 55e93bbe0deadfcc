//! Letters that are also written as two: ü as ue, å as aa, ø as oe. Texts are indexed as they were written, without
//! accents; a query looks for the other spelling of its words, too.

use unicode_normalization::UnicodeNormalization;

use super::terms::terms;

/// The fewest characters of a word whose two letters are taken for one: "toe" is no "tö".
const LEAST: usize = 4;

/// The other spelling of a word of a query: "mueller" for "Müller", "muller" (as which "Müller" is indexed) for
/// "Mueller".
pub(super) fn other(word: &str, term: &str) -> Option<String> {
    spelled_out(word)
        .filter(|spelled| spelled != term)
        .or_else(|| contracted(term))
}

/// The term of a word with two letters for each that has a spelling with two.
fn spelled_out(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut text = String::new();
    for c in word.nfc() {
        match c {
            'ä' | 'Ä' => text.push_str("ae"),
            'ö' | 'Ö' | 'ø' | 'Ø' => text.push_str("oe"),
            'ü' | 'Ü' => text.push_str("ue"),
            'å' | 'Å' => text.push_str("aa"),
            c => text.push(c),
        }
    }
    let mut all = terms(&text).map(|term| term.text);
    all.next().filter(|_| all.next().is_none())
}

/// A term with one letter for two. Behind a vowel or a q the two are others: "neue", "Frauen", "Quelle".
fn contracted(term: &str) -> Option<String> {
    let mut text = String::with_capacity(term.len());
    let mut chars = term.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        let is_first = matches!((c, chars.peek()), ('a' | 'o' | 'u', Some('e')) | ('a', Some('a')));
        let is_apart = before.is_none_or(|before| !matches!(before, 'a' | 'e' | 'i' | 'o' | 'u' | 'q'));
        text.push(c);
        before = Some(c);
        if is_first && is_apart {
            before = chars.next();
        }
    }
    (text.len() < term.len() && text.chars().count() >= LEAST).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_another_spelling_where_a_letter_may_be_written_as_two() {
        for (word, expected) in [
            ("Müller", Some("mueller")),
            ("MU\u{308}LLER", Some("mueller")),
            ("Mueller", Some("muller")),
            ("Größe", Some("groesse")),
            ("Groesse", Some("grosse")),
            ("Ärzte", Some("aerzte")),
            ("Aerzte", Some("arzte")),
            ("Oesterreich", Some("osterreich")),
            ("Håkan", Some("haakan")),
            ("Haakan", Some("hakan")),
            ("Øresund", Some("oeresund")),
            ("Oeresund", Some("oresund")),
            ("Straße", None),
            ("Café", None),
            ("toe", None),
            ("neue", None),
            ("Frauen", None),
            ("Quelle", None),
            ("猫", None),
            ("2023", None),
        ] {
            let term = terms(word).next().map(|term| term.text).unwrap_or_default();
            assert_eq!(other(word, &term).as_deref(), expected, "{word}");
        }
    }
}
