//! A query: words of which any may match, the last one perhaps unfinished, and quoted phrases that must match. Anything
//! else in a query is harmless text.

use std::{collections::HashMap, ops::Range};

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
/// Apostrophes before a possessive s.
const APOSTROPHES: [char; 3] = ['\'', '’', 'ʼ'];

/// Quotation marks.
const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];
/// Marks that end something: a quote behind one opens nothing.
const ENDING: [char; 7] = ['.', '?', '!', ')', ']', '}', '…'];

/// A query: any of these phrases, and all quoted ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<Phrase>,
}

/// The part of a query that counts.
pub(super) fn head(text: &str) -> &str {
    let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

impl Query {
    /// Reads what somebody typed. `None`: there is nothing in it to look for.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text, |_| false, asked)
    }

    /// Reads what a question asks for besides its dates, which cover some places of its text. `None`: it asks for what
    /// was said then, and for nothing else.
    pub fn beside(text: &str, is_dated: impl Fn(usize) -> bool) -> Option<Self> {
        Self::read(text, is_dated, |loose, goes_on, _| asked_beside_dates(loose, goes_on))
    }

    fn read(
        text: &str,
        is_dated: impl Fn(usize) -> bool,
        asked: impl Fn(Vec<Vec<String>>, bool, bool) -> Vec<Phrase>,
    ) -> Option<Self> {
        let text = head(text);
        let words_as_typed: HashMap<String, &str> = terms(text)
            .filter_map(|term| Some((term.text, text.get(term.start..term.end)?)))
            .collect();
        let (mut phrases, mut loose) = (Vec::new(), Vec::new());
        let mut last = ' ';
        for (range, is_quoted) in pieces(text) {
            let piece = text.get(range.clone()).unwrap_or_default();
            if is_quoted {
                let quoted: Vec<_> = terms(piece).map(|term| term.text).take(MOST_TERMS).collect();
                if !quoted.is_empty() {
                    phrases.push(Phrase::of(quoted, true));
                }
                last = ' ';
            } else {
                let chars = piece.char_indices();
                let piece: String = chars
                    .map(|(at, c)| if is_dated(range.start + at) { ' ' } else { c })
                    .collect();
                last = piece.chars().next_back().unwrap_or(last);
                loose.extend(piece.split_whitespace().flat_map(words));
            }
        }
        // A person who is still typing has put no mark behind the last word.
        phrases.extend(asked(loose, last.is_alphanumeric(), !phrases.is_empty()));
        let spelled = |phrase: Phrase| match &phrase.terms[..] {
            [term] if !phrase.is_required => match words_as_typed.get(term) {
                Some(word) => phrase.spelled(word, &Language::ALL),
                None => phrase,
            },
            _ => phrase,
        };
        let mut known: Vec<Phrase> = Vec::new();
        for phrase in phrases.into_iter().map(spelled) {
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

/// The words between two spaces, or terms that belong together (an address, a name with an underscore).
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
    let languages = language::of_question(singles(&loose));
    let mut tells: Vec<bool> = loose.iter().map(|word| tells(word, languages.as_deref())).collect();
    if !has_more && !tells.contains(&true) {
        tells.fill(true);
    }
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
    let words = loose.into_iter().enumerate().zip(tells);
    words
        .filter(|(_, tells)| *tells)
        .map(|(word, _)| phrase(word))
        .collect()
}

/// The words of a question that names dates, too: none, if they only ask for what was said then. Words for that count
/// as such in the likeliest language alone: German "Bericht" is no message, and "list" by itself asks nothing.
fn asked_beside_dates(loose: Vec<Vec<String>>, goes_on: bool) -> Vec<Phrase> {
    let languages = language::likeliest(singles(&loose));
    let is_of_talk = |word: &[String]| match (word, &languages) {
        ([term], Some(languages)) => languages.iter().any(|language| language.is_of_talk(term)),
        _ => false,
    };
    let asks_for_all = |word: &Vec<String>| is_of_talk(word) || !tells(word, languages.as_deref());
    if loose.iter().all(asks_for_all) {
        return Vec::new();
    }
    asked(loose, goes_on, true)
}

fn singles(loose: &[Vec<String>]) -> impl Iterator<Item = &str> + Clone {
    loose.iter().filter_map(|word| match &word[..] {
        [term] => Some(term.as_str()),
        _ => None,
    })
}

/// Whether a word says something by itself in one of these languages.
fn tells(word: &[String], languages: Option<&[Language]>) -> bool {
    let (Some(languages), [term]) = (languages, word) else {
        return true;
    };
    !languages.iter().all(|language| language.is_stop_word(term))
}

/// The pieces of a text, and whether each is quoted. A straight quote opens behind no word and closes before none, so
/// that of `15"` does neither; a quote without a second one is text.
fn pieces(text: &str) -> Vec<(Range<usize>, bool)> {
    let is_of_word = |c: char| is_spaced(c.encode_utf8(&mut [0; 4]));
    let (mut pieces, mut at, mut opened) = (Vec::new(), 0, None);
    for (place, c) in text.char_indices().filter(|(_, c)| QUOTES.contains(c)) {
        let behind = place + c.len_utf8();
        let next = text.get(behind..).and_then(|text| text.chars().next());
        let before = text.get(..place).and_then(|text| text.chars().next_back());
        let closes = c != '"' || next.is_none_or(|next| !is_of_word(next));
        let opens =
            !matches!(c, '"' | '”') || before.is_none_or(|before| !is_of_word(before) && !ENDING.contains(&before));
        match opened {
            Some(start) if closes => {
                pieces.push((at..start, false));
                pieces.push((start..behind, true));
                (at, opened) = (behind, None);
            }
            _ if opens => opened = Some(place),
            _ => {}
        }
    }
    pieces.push((at..text.len(), false));
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a b` is a phrase of two terms, `a*` one that may go on, `"a"` one that must be there.
    fn read(text: &str) -> Vec<String> {
        shown(Query::parse(text))
    }

    fn shown(query: Option<Query>) -> Vec<String> {
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
            ("15\" monitor and 17\" tv", &["15", "monitor", "17", "tv"]),
            ("15” monitor and 17” tv", &["15", "monitor", "17", "tv"]),
            ("15\" \"red car\"", &["\"red car\"", "15"]),
            ("(\"red car\"), name:\"b c\"", &["\"red car\"", "\"b c\"", "name"]),
            ("a \"stray \"red car\"!", &["\"red car\"", "stray"]),
            ("東京\"タワー\"行", &["\"タ ワ ー\"", "東 京", "行"]),
            ("”röda bilen” ”x”", &["\"roda bilen\"", "\"x\""]),
            ("« rouge » «bleu»", &["\"rouge\"", "\"bleu\""]),
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
    fn beside_a_date_a_question_may_ask_for_nothing_else() {
        // `|` stands around what is a date.
        for (text, expected) in [
            ("|yesterday|", &[][..]),
            ("what did I say |yesterday|?", &[]),
            ("What did we talk about |last week|?", &[]),
            ("What happened on |2026-03-15|?", &[]),
            ("in |May|", &[]),
            ("|letzte Woche|", &[]),
            ("Was haben wir |letzte Woche| besprochen?", &[]),
            ("¿De qué hablamos |ayer|?", &[]),
            ("De quoi avons-nous parlé |hier| ?", &[]),
            ("О чем мы говорили |вчера|?", &[]),
            ("messages of |today|", &[]),
            ("les messages d'|hier|", &[]),
            ("berichten van |gisteren|", &[]),
            ("Di che abbiamo parlato |ieri|?", &[]),
            ("", &[]),
            ("Bericht vom |15.03.2026|", &["bericht"]),
            ("Bericht |15.03.2026|", &["bericht"]),
            ("mon chat le |08.05.2023|", &["mon", "chat"]),
            ("list |2026-03-15|", &["list"]),
            ("show me the list of |2026-03-15|", &[]),
            ("What did I buy |yesterday|?", &["buy"]),
            ("dentist |2026-03-15|", &["dentist"]),
            ("\"|8 May|\"", &["\"8 may\""]),
            ("\"|8 May|\" in |May|", &["\"8 may\""]),
            ("monitor |2026-03-15| price", &["monitor", "price*"]),
        ] {
            let (mut plain, mut dated, mut is_date) = (String::new(), Vec::new(), false);
            for c in text.chars() {
                match c {
                    '|' => is_date = !is_date,
                    _ => {
                        dated.resize(plain.len() + c.len_utf8(), is_date);
                        plain.push(c);
                    }
                }
            }
            let query = Query::beside(&plain, |at| dated[at]);
            assert_eq!(shown(query), expected, "{text}");
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
            ("Mueller", "Frau Müller", 1),
            ("Müller", "Frau Mueller", 1),
            ("Muellers", "Frau Müller", 1),
            ("Häuser", "ein Haeuserblock, zwei Haeuser", 1),
            ("Haeusern", "zwei Häuser", 1),
            ("\"Mueller\"", "Frau Müller", 0),
            ("Groesse Strasse", "die Größe der Straße", 2),
            ("Haakan", "Håkan", 1),
            ("Ørsted", "Oersted", 1),
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
