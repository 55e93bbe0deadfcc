//! Texts as terms, alike for both engines and for queries: words without case and accents; scripts that are written
//! without spaces, and emoji, character by character.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::id::{ChannelId, UserId};

/// The most terms of a text that are indexed.
pub const MOST_TERMS: usize = 10_000;
/// The most characters of a term that count: nobody types more.
const MOST_CHARS: usize = 64;

/// A term, and where in the text it stands (in bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word as it is indexed.
    pub text: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Where a message was said, as the first term of what is indexed of it. No text has such a term.
pub fn place(channel: ChannelId) -> String {
    format!("@{}", channel.0.simple())
}

/// The owner of something, in the same form.
pub fn owner(user: UserId) -> String {
    format!("@{}", user.0.simple())
}

/// The part that a character plays in a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is one of a word's.
    Word,
    /// It is a term of its own.
    Alone,
    /// It belongs to the character before it.
    Mark,
    /// It stands between terms.
    Between,
}

fn role(c: char) -> Role {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Role::Word
        } else {
            Role::Between
        };
    }
    match c {
        // Joiners, soft hyphens, variation selectors, skin tones; the later letters of a Hangul syllable; the marks of
        // narrow Katakana.
        '\u{ad}'
        | '\u{200c}'
        | '\u{200d}'
        | '\u{1160}'..='\u{11ff}'
        | '\u{ff9e}'
        | '\u{ff9f}'
        | '\u{1f3fb}'..='\u{1f3ff}' => Role::Mark,
        _ if is_combining_mark(c) => Role::Mark,
        _ if is_unspaced(c) || is_emoji(c) => Role::Alone,
        _ if c.is_alphanumeric() => Role::Word,
        _ => Role::Between,
    }
}

/// Whether a term is a word that spaces keep apart from others, and not a character of its own.
pub(crate) fn is_spaced(term: &str) -> bool {
    term.chars().next().is_some_and(|c| role(c) == Role::Word)
}

/// Scripts whose words are not kept apart by spaces, or are long compounds.
fn is_unspaced(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(c,
            '\u{0e00}'..='\u{0eff}'                             // Thai, Lao
            | '\u{1000}'..='\u{109f}'                           // Myanmar
            | '\u{1100}'..='\u{115f}' | '\u{3130}'..='\u{318f}' // Hangul letters
            | '\u{ac00}'..='\u{d7af}' | '\u{ffa0}'..='\u{ffdc}' // Hangul syllables, narrow letters
            | '\u{1780}'..='\u{17ff}'                           // Khmer
            | '\u{2e80}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' // radicals, Kana, Bopomofo
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
            | '\u{ff66}'..='\u{ff9d}'                           // narrow Katakana
            | '\u{20000}'..='\u{3ffff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{1f000}'..='\u{1faff}')
}

/// The terms of a text, in order.
pub fn terms(text: &str) -> impl Iterator<Item = Term> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, end) = next_span(text, at)?;
            at = end;
            let term = folded(text.get(start..end)?);
            if !term.is_empty() {
                return Some(Term { text: term, start, end });
            }
        }
    })
}

/// Where the next term at or after `from` begins and ends.
fn next_span(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut span: Option<(usize, Role)> = None;
    for (offset, c) in text.get(from..)?.char_indices() {
        let at = from + offset;
        match (role(c), span) {
            (Role::Word | Role::Mark, Some((_, Role::Word))) | (Role::Mark, Some(_)) => {}
            (_, Some((start, _))) => return Some((start, at)),
            (role @ (Role::Word | Role::Alone), None) => span = Some((at, role)),
            (Role::Mark | Role::Between, None) => {}
        }
    }
    span.map(|(start, _)| (start, text.len()))
}

/// A term without case, accents and forms of presentation.
fn folded(term: &str) -> String {
    if term.is_ascii() {
        return term.chars().take(MOST_CHARS).map(|c| c.to_ascii_lowercase()).collect();
    }
    let plain = term.nfkd().filter(|c| !is_accent(*c) && !is_joiner(*c)).flat_map(lower);
    let kept = plain
        .nfc()
        .filter(|c| c.is_alphanumeric() || is_combining_mark(*c) || is_emoji(*c));
    kept.take(MOST_CHARS).collect()
}

/// Accents of European scripts, vowel points of Hebrew and Arabic, variation selectors. Marks of other scripts
/// make other letters.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{064b}'..='\u{065f}' | '\u{0670}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// A letter as it is compared: small, and without what decomposition leaves joined.
fn lower(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' | 'ẞ' => ('s', Some('s')),
        'æ' | 'Æ' => ('a', Some('e')),
        'œ' | 'Œ' => ('o', Some('e')),
        'ø' | 'Ø' => ('o', None),
        'ł' | 'Ł' => ('l', None),
        'đ' | 'Đ' => ('d', None),
        'ı' => ('i', None),
        'ς' => ('σ', None),
        _ => {
            let mut small = c.to_lowercase();
            (small.next().unwrap_or(c), small.next())
        }
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        terms(text).map(|term| term.text).collect()
    }

    #[test]
    fn a_text_becomes_terms() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("... !?*\"-()", &[]),
            ("Hello, World", &["hello", "world"]),
            ("Straße STRASSE", &["strasse", "strasse"]),
            ("Café cafe\u{301} CAFÉ", &["cafe", "cafe", "cafe"]),
            ("Łódź Øre İzmir ısı", &["lodz", "ore", "izmir", "isi"]),
            ("Ещё ёлка ЁЛКА", &["еще", "елка", "елка"]),
            ("ΟΔΟΣ οδός", &["οδοσ", "οδοσ"]),
            ("don't", &["don", "t"]),
            ("let foo_bar = x[3.14];", &["let", "foo", "bar", "x", "3", "14"]),
            ("https://example.com/a?b=1", &["https", "example", "com", "a", "b", "1"]),
            ("ＡＢＣ ﬁn", &["abc", "fin"]),
            ("東京タワー", &["東", "京", "タ", "ワ", "ー"]),
            ("ｶﾞス がが", &["ガ", "ス", "が", "が"]),
            ("한국어 \u{1112}\u{1161}\u{11ab}", &["한", "국", "어", "한"]),
            ("iPhoneの色", &["iphone", "の", "色"]),
            ("น้ำ", &["น\u{e49}", "\u{e4d}า"]),
            ("हिन्दी भाषा", &["हिन्दी", "भाषा"]),
            ("שָׁלוֹם", &["שלום"]),
            ("party 🎉🎉! 👍🏽", &["party", "🎉", "🎉", "👍"]),
            ("👩\u{200d}💻 ❤\u{fe0f}", &["👩", "💻", "❤"]),
            ("soft\u{ad}hyphen a\0b", &["softhyphen", "a", "b"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_term_knows_where_it_stands() {
        let spans: Vec<_> = terms("¡Olé, 東!")
            .map(|term| (term.text, term.start, term.end))
            .collect();
        assert_eq!(spans, [("ole".to_owned(), 2, 6), ("東".to_owned(), 8, 11)]);
    }

    #[test]
    fn only_the_head_of_a_long_term_counts() {
        assert_eq!(words(&"x".repeat(1000)), ["x".repeat(64)]);
        assert_eq!(words(&"é".repeat(1000)), ["e".repeat(64)]);
    }

    #[test]
    fn no_text_makes_the_term_of_a_place() {
        let place = place(ChannelId::new());
        assert_eq!(place.len(), 33);
        assert!(words(&place).iter().all(|term| *term != place));
    }

    proptest! {
        #[test]
        fn terms_stand_in_order_and_hold_nothing_that_an_engine_could_read_as_more(text in "\\PC{0,200}|.{0,50}") {
            let mut behind = 0;
            for term in terms(&text) {
                prop_assert!(term.start >= behind && term.end > term.start);
                prop_assert!(text.is_char_boundary(term.start) && text.is_char_boundary(term.end));
                prop_assert!(term.text.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric()), "{}", term.text);
                behind = term.end;
            }
        }

        #[test]
        fn a_plain_word_is_a_term_of_the_text_that_holds_it(before in ".{0,20}", word in "[a-z]{1,20}", after in ".{0,20}") {
            let text = format!("{before} {word} {after}");
            // A mark after the space belongs to nothing, one after the word would belong to it.
            prop_assert!(words(&text).contains(&word));
        }
    }
}
