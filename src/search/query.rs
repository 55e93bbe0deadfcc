//! What is asked: words of which any may be there, the last one perhaps unfinished, and quoted phrases that must be.
//! Whatever else stands in a query is harmless text.

use super::{
    language::{self, Language},
    terms::{Term, is_spaced, terms},
    word::Phrase,
};

/// The most characters of a query that count.
const MOST_CHARS: usize = 1000;
/// The most phrases that count.
const MOST_PHRASES: usize = 24;
/// The most terms of a phrase that count.
const MOST_TERMS: usize = 32;
/// What stands before the s of whom something belongs to.
const APOSTROPHES: [char; 3] = ['\'', '’', 'ʼ'];

/// What is asked: any of these phrases, and all that were quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<Phrase>,
}

impl Query {
    /// Reads what somebody typed. `None`: there is nothing in it to look for.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
        let text = text.get(..end).unwrap_or(text);
        // What stands between the first and the second quote is a phrase; a quote without a second one is text.
        let pieces: Vec<&str> = text.split(['"', '“', '”', '„', '«', '»']).collect();
        let count = pieces.len();
        let (mut phrases, mut loose) = (Vec::new(), Vec::new());
        for (place, piece) in pieces.into_iter().enumerate() {
            if place % 2 == 1 && place + 1 < count {
                let quoted: Vec<_> = terms(piece).map(|term| term.text).take(MOST_TERMS).collect();
                if !quoted.is_empty() {
                    phrases.push(Phrase::of(quoted, true));
                }
            } else {
                loose.extend(piece.split_whitespace().flat_map(words));
            }
        }
        // Whoever goes on typing has put no mark behind the last word.
        let goes_on = text.chars().next_back().is_some_and(char::is_alphanumeric);
        phrases.extend(asked(loose, goes_on, !phrases.is_empty()));
        let mut known: Vec<Phrase> = Vec::new();
        for phrase in phrases {
            if let Some(known) = known.iter_mut().find(|known| known.terms == phrase.terms) {
                known.is_open |= phrase.is_open;
            } else if known.len() < MOST_PHRASES {
                known.push(phrase);
            }
        }
        (!known.is_empty()).then_some(Self { phrases: known })
    }

    /// The phrases; at least one.
    pub fn phrases(&self) -> &[Phrase] {
        &self.phrases
    }

    /// The phrases that must be there.
    pub fn required(&self) -> impl Iterator<Item = &Phrase> {
        self.phrases.iter().filter(|phrase| phrase.is_required)
    }

    /// How many of the phrases a text holds; none if it lacks one that must be there.
    pub fn held_by(&self, text: &str) -> usize {
        let terms: Vec<_> = terms(text).collect();
        let is_held = |phrase: &Phrase| phrase.found_in(&terms).next().is_some();
        if self.required().all(is_held) {
            self.phrases.iter().filter(|phrase| is_held(phrase)).count()
        } else {
            0
        }
    }
}

/// What stands between two spaces: words, or terms that belong together (an address, a name with a line below).
fn words(piece: &str) -> Vec<Vec<String>> {
    let all: Vec<Term> = terms(piece).collect();
    let between = |one: &Term, next: &Term| piece.get(one.end..next.start).unwrap_or_default().to_owned();
    let mut words: Vec<Vec<String>> = Vec::new();
    let mut last: Option<&Term> = None;
    for term in &all {
        let gap = last.map(|last| between(last, term));
        let spaced = is_spaced(&term.text);
        match (gap, last, words.last_mut()) {
            // "Ada's" asks for Ada.
            (Some(gap), Some(_), Some(_))
                if term.text == "s" && gap.chars().all(|c| APOSTROPHES.contains(&c)) && !gap.is_empty() => {}
            (Some(gap), Some(before), Some(word))
                if spaced && is_spaced(&before.text) && matches!(&*gap, "." | "_" | "@") =>
            {
                word.push(term.text.clone());
            }
            // Scripts without spaces are looked for two characters at a time.
            (Some(gap), Some(before), Some(word)) if gap.is_empty() && !spaced && !is_spaced(&before.text) => {
                if word.len() == 1 {
                    word.push(term.text.clone());
                } else {
                    words.push(vec![before.text.clone(), term.text.clone()]);
                }
            }
            _ => words.push(vec![term.text.clone()]),
        }
        last = Some(term);
    }
    for word in &mut words {
        word.truncate(MOST_TERMS);
    }
    words
}

/// The words of a question without those that say nothing; all of them, if nothing else is asked.
fn asked(loose: Vec<Vec<String>>, goes_on: bool, has_more: bool) -> Vec<Phrase> {
    let singles = loose.iter().filter_map(|word| match &word[..] {
        [term] => Some(term.as_str()),
        _ => None,
    });
    let languages = language::of_question(singles);
    let says_nothing = |word: &Vec<String>| {
        let (Some(languages), [term]) = (&languages, &word[..]) else {
            return false;
        };
        languages.iter().all(|language| language.is_stop_word(term))
    };
    let all_say_nothing = loose.iter().all(says_nothing);
    let last = loose.len().saturating_sub(1);
    let tried = languages.as_deref().unwrap_or(&Language::ALL);
    let phrase = |(place, word): (usize, Vec<String>)| {
        let is_last = goes_on && place == last;
        let phrase = match <[String; 1]>::try_from(word) {
            Ok([term]) => Phrase::word(term, tried),
            Err(terms) => Phrase::of(terms, false),
        };
        if is_last { phrase.unfinished() } else { phrase }
    };
    let kept = loose.into_iter().enumerate();
    kept.filter(|(_, word)| (all_say_nothing && !has_more) || !says_nothing(word))
        .map(phrase)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a b` is a phrase of two terms, `a*` one that may go on, `"a"` one that must be there.
    fn read(text: &str) -> Vec<String> {
        let query = Query::parse(text);
        let shown = |phrase: &Phrase| {
            let quote = if phrase.is_required { "\"" } else { "" };
            let open = if phrase.is_open { "*" } else { "" };
            format!("{quote}{}{quote}{open}", phrase.terms.join(" "))
        };
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
            ("cat ", &["cat"]),
            ("my cat's name", &["cat", "name*"]),
            ("What is my cat named?", &["cat", "named"]),
            (
                "When did Caroline go to the LGBTQ support group?",
                &["caroline", "go", "lgbtq", "support", "group"],
            ),
            ("Wann habe ich meine Katze bekommen?", &["katze", "bekommen"]),
            // A word is left in where it may be of a language in which it says something.
            ("Wie heißt meine Katze?", &["heisst", "meine", "katze"]),
            ("ab", &["ab"]),
            ("\"red car\" blue", &["\"red car\"", "blue*"]),
            ("blue \"red car\"", &["\"red car\"", "blue"]),
            ("\"red car", &["red", "car*"]),
            ("cat \"b c\" \"dog", &["\"b c\"", "cat", "dog*"]),
            ("„Guten Tag“ sagen", &["\"guten tag\"", "sagen*"]),
            ("東京タワー", &["東 京", "京 タ", "タ ワ", "ワ ー"]),
            ("猫", &["猫"]),
            ("NEAR(cat dog) -fish*", &["near", "cat", "dog", "fish"]),
            ("terms:x ^zebra", &["terms", "x", "zebra*"]),
            ("example.com/a", &["example com"]),
            ("self-care and/or mother-in-law's", &["self", "care", "mother", "law*"]),
            ("foo_bar ada@example.com", &["foo bar", "ada example com*"]),
            ("🎉", &["🎉"]),
            ("cat cat CAT", &["cat*"]),
            // Where nothing else is asked for, stop words are.
            ("who is it", &["who", "is", "it"]),
            ("the who", &["the", "who*"]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_query_has_its_limits() {
        let many: Vec<_> = (0..1000).map(|n| format!("w{n}")).collect();
        assert_eq!(read(&many.join(" ")).len(), MOST_PHRASES);
        let long = Query::parse(&format!("\"{}\"", "語".repeat(900))).expect("terms");
        assert_eq!(long.phrases()[0].terms.len(), MOST_TERMS);
        assert_eq!(read(&"x".repeat(10_000)), ["x".repeat(64) + "*"]);
    }

    #[test]
    fn a_text_holds_phrases_as_they_are_asked_for() {
        for (query, text, held) in [
            ("cat name", "The name of my cat", 2),
            ("cat nam", "The names of my cats", 2),
            ("cat elephant", "The cat", 1),
            ("\"my cat\"", "my CAT", 1),
            ("\"my cat\"", "my cats", 0),
            ("\"cat my\" cat", "my cat", 0),
            ("café", "CAFE\u{301}", 1),
            ("京タワー", "東京タワーに行く", 3),
            ("タワ", "東京タワーに行く", 1),
        ] {
            let query = Query::parse(query).expect("terms");
            assert_eq!(query.held_by(text), held, "{query:?} in {text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_query_or_none(text in "\\PC{0,300}|(\"|\\s|[a-c東]){0,40}") {
            if let Some(query) = Query::parse(&text) {
                prop_assert!(!query.phrases().is_empty() && query.phrases().len() <= MOST_PHRASES);
                for phrase in query.phrases() {
                    prop_assert!(!phrase.terms.is_empty() && phrase.terms.len() <= MOST_TERMS);
                    prop_assert!(phrase.terms.iter().all(|term| !term.is_empty()));
                }
            }
        }

        #[test]
        fn a_text_holds_all_that_it_asks_for(text in "([a-z]{1,8} ){1,8}") {
            let query = Query::parse(&text).expect("terms");
            prop_assert_eq!(query.held_by(&text), query.phrases().len());
        }
    }
}
