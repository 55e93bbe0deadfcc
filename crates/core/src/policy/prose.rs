//! What a text that is written for people may tell: nothing of an address that its person did not name, no number or code
//! that nobody who may has told, no word that only an unannounced result told, in whatever way it is written. Pure.

mod spelling;

use std::collections::BTreeSet;

use super::{
    addresses::{self, Short},
    evidence::Evidence,
    phrase::{self, Said},
    trace::each_text,
    words::{self, Known},
};

/// How many small numbers a text may count by: two of one digit.
const COUNTED: usize = 2;
/// A longer run of letters and digits is no word.
const LONGEST: usize = 30;
/// A shorter word tells nothing.
const SHORTEST: usize = 4;

/// What a text is judged by.
pub(super) struct Prose<'a> {
    person: &'a Said,
    private: &'a Known,
    /// What announced results told.
    announced: Said,
    /// The numbers of these, and of the person.
    numbers: BTreeSet<String>,
    /// The words that only unannounced results told.
    unannounced: BTreeSet<String>,
    /// The words of running texts that others may have written, without those of the person and of whole fields.
    of_others: BTreeSet<String>,
}

impl<'a> Prose<'a> {
    /// What a run has heard, as far as texts are judged by it.
    pub fn new(evidence: &Evidence, person: &'a Said, private: &'a Known) -> Self {
        let mut announced = Said::default();
        let mut unannounced = BTreeSet::new();
        let (mut numbers, mut of_others) = (BTreeSet::new(), BTreeSet::new());
        for text in &evidence.person {
            numbers.extend(digits(text));
        }
        for heard in &evidence.heard {
            each_text(&heard.told, &mut |text| {
                if heard.is_announced {
                    announced.learn(text);
                    numbers.extend(digits(text));
                } else {
                    unannounced.extend(long_words(text));
                }
                if heard.is_foreign && text.split_whitespace().count() > 3 {
                    of_others.extend(long_words(text));
                }
            });
        }
        unannounced.retain(|word| !person.has_word(word) && !announced.has_word(word));
        of_others.retain(|word| !person.has_word(word));
        Self {
            person,
            private,
            announced,
            numbers,
            unannounced,
            of_others,
        }
    }

    /// Whether a text tells nothing to those who read it that the person did not say or announce.
    pub fn tells_nothing(&self, text: &str) -> bool {
        let plain = addresses::plain(text);
        let shown: String = text.chars().filter(|c| !clifford_markup::is_left_out(*c)).collect();
        [text, &plain, &shown]
            .into_iter()
            .all(|text| self.addresses_no_one(text) && self.tells_no_number(text) && self.tells_no_word(text))
    }

    /// Whether a text names nothing that only a running text of others names.
    pub fn names_nothing(&self, text: &str) -> bool {
        !long_words(text).any(|word| self.of_others.contains(&word))
    }

    /// Addresses that are followed are the person's; those of mail may be told as well by what was announced.
    fn addresses_no_one(&self, text: &str) -> bool {
        let follows_none = addresses::all(text).into_iter().all(|found| {
            let written = text.get(found.range.clone()).unwrap_or_default();
            let is_file = found.is_short && addresses::short(written) != Short::Host;
            is_file || self.person.known().has_all_of(text, &found) || self.is_mail(text, &found)
        });
        follows_none
            && text
                .split_whitespace()
                .filter(|word| word.contains('@') && word.len() > 1)
                .all(|word| self.may_tell(word.trim_matches(|c: char| !c.is_alphanumeric())))
    }

    /// Whether what was found is the host of an address of mail that may be told.
    fn is_mail(&self, text: &str, found: &addresses::Found) -> bool {
        let begins = text[..found.range.start]
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + 1);
        let ends = text[begins..]
            .find(char::is_whitespace)
            .map_or(text.len(), |at| begins + at);
        let word = text[begins..ends].trim_matches(|c: char| !c.is_alphanumeric());
        let is_plain = |c: char| c.is_alphanumeric() || ".@_-+".contains(c);
        word.contains('@') && word.chars().all(is_plain) && self.may_tell(word)
    }

    fn may_tell(&self, written: &str) -> bool {
        self.person.holds(written) || self.announced.holds(written)
    }

    fn tells_no_number(&self, text: &str) -> bool {
        let untold: Vec<_> = digits(text).filter(|number| !self.numbers.contains(number)).collect();
        // Digits of other scripts are read as digits, and known by nobody.
        let is_foreign = |c: char| c.is_numeric() && !c.is_ascii_digit();
        !addresses::plain(text).contains(is_foreign)
            && untold.iter().all(|number| number.len() == 1)
            && untold.len() <= COUNTED
            && (!spelling::is_spelled_number(text) || self.person.holds(text))
    }

    fn tells_no_word(&self, text: &str) -> bool {
        let is_open = |word: &str| !self.is_secret(word);
        let split = words::joined(text);
        let is_plain = |word: &String| is_open(word) && spelling::readings(word).iter().all(|word| is_open(word));
        long_words(text).chain(split).all(|word| is_plain(&word))
            && text.split_whitespace().all(|token| {
                spelling::decoded(token)
                    .iter()
                    .all(|told| long_words(told).all(|word| is_open(&word)))
                    && (!is_odd(token) || self.may_tell(token))
            })
    }

    /// Whether a word tells something that was not announced, or that is private.
    fn is_secret(&self, word: &str) -> bool {
        let is_known = || self.person.has_word(word) || self.announced.has_word(word);
        self.unannounced.contains(word) || (self.private.has_word(word) && !is_known())
    }
}

/// Whether a piece of text is no word of a language: too long, or letters of both cases in no order.
fn is_odd(token: &str) -> bool {
    let letters = token.trim_matches(|c: char| !c.is_alphanumeric());
    let turns = letters
        .chars()
        .zip(letters.chars().skip(1))
        .filter(|(one, next)| one.is_lowercase() && next.is_uppercase())
        .count();
    letters.chars().count() > LONGEST || (letters.len() >= 8 && turns >= 2)
}

/// Whether a text holds no word that somebody did not say: small words of grammar, and other forms of theirs, aside.
pub(super) fn is_of(text: &str, person: &Said) -> bool {
    phrase::pieces(text).all(|word| {
        let is_small = word.chars().count() < 3 && !word.chars().any(|c| c.is_ascii_digit());
        is_small || SMALL.contains(&word.as_str()) || person.has_word(&word) || person.has_form_of(&word)
    })
}

/// Words that say nothing by themselves.
const SMALL: [&str; 36] = [
    "about", "and", "are", "das", "dem", "den", "der", "die", "ein", "eine", "for", "from", "had", "has", "have",
    "her", "his", "likes", "mit", "not", "that", "the", "their", "they", "this", "und", "user", "von", "was", "when",
    "wants", "with", "you", "your", "zum", "zur",
];

fn long_words(text: &str) -> impl Iterator<Item = String> {
    phrase::pieces(text).filter(|word| word.chars().count() >= SHORTEST)
}

/// The numbers of a text, without zeros in front.
fn digits(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .map(|run| match run.trim_start_matches('0') {
            "" => "0".to_owned(),
            number => number.to_owned(),
        })
}
