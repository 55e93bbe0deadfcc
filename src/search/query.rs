//! What is asked: words that must all be there, the last one perhaps unfinished, and quoted phrases. Whatever else
//! stands in a query is harmless text.

use super::terms::{Term, terms};

/// The most characters of a query that count.
const MOST_CHARS: usize = 1000;
/// The most phrases that count.
const MOST_PHRASES: usize = 24;
/// The most terms of a phrase that count.
const MOST_TERMS: usize = 32;
/// The fewest characters of a last word that may be unfinished: shorter ones would begin most words there are.
const LEAST_PREFIX: usize = 3;

/// Terms that stand one behind another; mostly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The terms; at least one.
    pub terms: Vec<String>,
    /// The last one may go on.
    pub open: bool,
}

/// What is asked: all of these phrases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<Phrase>,
}

impl Query {
    /// Reads what somebody typed. `None`: there is nothing in it to look for.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
        let text = text.get(..end).unwrap_or(text);
        let mut phrases: Vec<Phrase> = Vec::new();
        let mut add = |text: &str, open: bool| {
            let terms: Vec<_> = terms(text).map(|term| term.text).take(MOST_TERMS).collect();
            if !terms.is_empty() && phrases.len() < MOST_PHRASES {
                phrases.push(Phrase { terms, open });
            }
        };
        // What stands between the first and the second quote is a phrase; a quote without a second one is text.
        let pieces: Vec<&str> = text.split(['"', '“', '”', '„']).collect();
        let count = pieces.len();
        for (place, piece) in pieces.into_iter().enumerate() {
            if place % 2 == 1 && place + 1 < count {
                add(piece, false);
            } else {
                piece.split_whitespace().for_each(|word| add(word, true));
            }
        }
        let last = phrases.len().checked_sub(1)?;
        for (place, phrase) in phrases.iter_mut().enumerate() {
            let long = phrase
                .terms
                .last()
                .is_some_and(|term| term.chars().count() >= LEAST_PREFIX);
            phrase.open &= place == last && long;
        }
        Some(Self { phrases })
    }

    /// The phrases; at least one.
    pub fn phrases(&self) -> &[Phrase] {
        &self.phrases
    }

    /// How many of the phrases a text holds.
    pub fn held_by(&self, text: &str) -> usize {
        let terms: Vec<_> = terms(text).collect();
        let held = |phrase: &&Phrase| phrase.found_in(&terms).next().is_some();
        self.phrases.iter().filter(held).count()
    }
}

impl Phrase {
    /// The places in a text's terms where the phrase begins.
    pub fn found_in<'a>(&'a self, text: &'a [Term]) -> impl Iterator<Item = usize> + 'a {
        let last = self.terms.len().saturating_sub(1);
        let windows = text.windows(self.terms.len().max(1)).enumerate();
        windows.filter_map(move |(place, window)| {
            let held = self.terms.iter().zip(window).enumerate().all(|(at, (term, found))| {
                found.text == *term || (self.open && at == last && found.text.starts_with(term.as_str()))
            });
            held.then_some(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a b` is a phrase of two terms, `a*` one that may go on.
    fn read(text: &str) -> Vec<String> {
        let query = Query::parse(text);
        let shown = |phrase: &Phrase| format!("{}{}", phrase.terms.join(" "), if phrase.open { "*" } else { "" });
        query
            .map(|query| query.phrases().iter().map(shown).collect())
            .unwrap_or_default()
    }

    #[test]
    fn what_is_typed_becomes_phrases() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \"\" ** -- () ' ; \u{0}", &[]),
            ("cat", &["cat*"]),
            ("my cat's name", &["my", "cat s", "name*"]),
            ("ab", &["ab"]),
            ("\"red car\" blue", &["red car", "blue*"]),
            ("blue \"red car\"", &["blue", "red car"]),
            ("\"red car", &["red", "car*"]),
            ("a \"b c\" \"d", &["a", "b c", "d"]),
            ("„Guten Tag“ sagen", &["guten tag", "sagen*"]),
            ("東京タワー", &["東 京 タ ワ ー"]),
            ("NEAR(cat dog) OR -fish*", &["near cat", "dog", "or", "fish*"]),
            ("terms:x AND NOT y ^z", &["terms x", "and", "not", "y", "z"]),
            ("example.com/a", &["example com a"]),
            ("🎉", &["🎉"]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_query_has_its_limits() {
        assert_eq!(read(&"word ".repeat(10_000)).len(), MOST_PHRASES);
        let long = Query::parse(&"語".repeat(10_000)).expect("terms");
        assert_eq!(long.phrases()[0].terms.len(), MOST_TERMS);
        assert_eq!(read(&"x".repeat(10_000)), ["x".repeat(64) + "*"]);
    }

    #[test]
    fn a_text_holds_phrases_as_they_are_asked_for() {
        for (query, text, held) in [
            ("cat name", "The name of my cat", 2),
            ("cat nam", "The names of my cats", 1),
            ("\"my cat\"", "my CAT", 1),
            ("\"cat my\"", "my cat", 0),
            ("京都", "東京都", 1),
            ("東都", "東京都", 0),
        ] {
            assert_eq!(Query::parse(query).expect("terms").held_by(text), held, "{query}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_query_or_none(text in ".{0,300}") {
            if let Some(query) = Query::parse(&text) {
                prop_assert!(!query.phrases().is_empty());
                prop_assert!(query.phrases().iter().all(|phrase| !phrase.terms.is_empty()));
            }
        }

        #[test]
        fn a_text_holds_each_of_its_own_words(text in "\\PC{0,60}", word in "[a-zé]{1,12}") {
            let query = Query::parse(&word).expect("a word");
            let text = format!("{} {} {}", text, word, text);
            prop_assert_eq!(query.held_by(&text), 1);
        }
    }
}
