//! The limits of a text that is written for people: no address that its person did not name, no number or code that
//! nobody who may has told, no word that only an unannounced result told, in whatever way it is written. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    addresses::{self, Short},
    disguise::{alike, pieces, spelling, together},
    evidence::Evidence,
    phrase::Haystack,
    texts::{self, each_text},
    words::KnownWords,
};

/// How many small numbers the texts of a run may count by: two of one digit.
const COUNTED: usize = 2;
/// A longer run of letters and digits is no word.
const LONGEST: usize = 30;
/// A shorter word tells nothing.
const SHORTEST: usize = 4;

/// The measures for a text.
pub(super) struct Prose<'a> {
    person: &'a Haystack,
    private: &'a KnownWords,
    /// The words of announced results.
    announced: Haystack,
    /// The numbers of these, and of the person.
    numbers: BTreeSet<String>,
    /// The words that only unannounced results told.
    unannounced: BTreeSet<String>,
    /// The words of running texts that others may have written, without those of the person and of whole fields.
    of_others: BTreeSet<String>,
    /// The texts of the call, and those of the calls before it, tell something if they are read as one.
    tells_together: bool,
}

impl<'a> Prose<'a> {
    /// The evidence of a run, as far as it judges texts.
    /// `texts`: those that the call holds.
    pub fn new(evidence: &Evidence, person: &'a Haystack, private: &'a KnownWords, texts: &[&str]) -> Self {
        let mut announced = Haystack::default();
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
        let latin: Vec<_> = unannounced.iter().map(|word| alike::latin(word)).collect();
        unannounced.extend((latin.into_iter()).filter(|word| !person.has_word(word) && !announced.has_word(word)));
        of_others.retain(|word| !person.has_word(word));
        let mut prose = Self {
            person,
            private,
            announced,
            numbers,
            unannounced,
            of_others,
            tells_together: false,
        };
        let mut before = Vec::new();
        (evidence.heard.iter())
            .for_each(|heard| each_written(&heard.args, "", &mut |text| before.push(text.to_owned())));
        prose.tells_together = prose.tell_together(&before, texts);
        prose
    }

    /// Whether texts tell something if they are read as one with those that were written before, and more than these.
    fn tell_together(&self, before: &[String], texts: &[&str]) -> bool {
        if texts.is_empty() {
            return false;
        }
        let all: Vec<&str> = before.iter().map(String::as_str).chain(texts.iter().copied()).collect();
        let untold = |text: &str| {
            let small = digits(text).filter(|number| number.len() == 1 && !self.numbers.contains(number));
            small.count() + spelling::counted(text, |word| self.person.has_word(word))
        };
        // The same text to several people tells its numbers once.
        let different: BTreeSet<_> = all.iter().copied().collect();
        if different.into_iter().map(untold).sum::<usize>() > COUNTED && texts.iter().any(|text| untold(text) > 0) {
            return true;
        }
        let words = self.unannounced.iter().chain(self.private.all_words());
        let mut secrets = words.filter(|word| self.is_secret(word));
        let (whole, old) = (together::Streams::of(&all), together::Streams::of(before));
        secrets.any(|secret| whole.tells(secret) && !old.tells(secret))
    }

    /// Whether a text tells nothing to those who read it that the person did not say or announce.
    pub fn tells_nothing(&self, text: &str) -> bool {
        let plain = addresses::plain(text);
        let shown: String = text.chars().filter(|c| !clifford_markup::is_left_out(*c)).collect();
        let mut readings = vec![text, &plain, &shown];
        readings.dedup();
        readings
            .into_iter()
            .all(|text| self.addresses_no_one(text) && self.tells_no_number(text) && self.tells_no_word(text))
            && self.tells_no_word(&self.latin(&plain))
            && !alike::is_in_signs(text)
            && !alike::is_full_of_signs(text)
            && !self.tells_together
    }

    /// The words of a text that nobody entitled said, in Latin letters: others may look like these.
    fn latin(&self, plain: &str) -> String {
        let is_known = |word: &String| self.person.has_word(word) || self.announced.has_word(word);
        let is_unknown = |token: &&str| {
            let mut words = texts::pieces(token).peekable();
            words.peek().is_none() || !words.all(|word| is_known(&word))
        };
        let unknown: Vec<_> = plain.split_whitespace().filter(is_unknown).collect();
        alike::latin(&unknown.join(" "))
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
    }

    fn tells_no_word(&self, text: &str) -> bool {
        let is_open = |word: &str| !self.is_secret(word);
        // What is too much to look at tells.
        let (Some(whole), Some(joined)) = (pieces::different(long_words(text)), pieces::joined(text)) else {
            return false;
        };
        let is_plain = |word: &String| is_open(word) && spelling::readings(word).iter().all(|word| is_open(word));
        let tokens: BTreeSet<_> = text.split_whitespace().collect();
        whole.iter().chain(&joined).all(is_plain)
            && tokens.into_iter().all(|token| {
                spelling::decoded(token)
                    .iter()
                    .all(|told| long_words(told).all(|word| is_open(&word)))
                    && (!is_odd(token) || self.may_tell(token))
            })
    }

    /// Whether a word tells something that was not announced, or that is private.
    fn is_secret(&self, word: &str) -> bool {
        let is_known = || self.person.has_word(word) || self.announced.has_word(word);
        self.unannounced.contains(word)
            || ((self.private.has_word(word) || self.private.is_spoken(word)) && !is_known())
            || (self.private.is_closed(word) && !self.person.has_word(word))
    }

    /// Whether the digits of a date hold a number that may not be told, in whatever order of day and time.
    pub fn dates_nothing(&self, date: &str) -> bool {
        let digits: String = date
            .chars()
            .skip(4)
            .filter(|c| c.is_ascii_digit() && *c != '0')
            .collect();
        let all: String = date.chars().filter(char::is_ascii_digit).collect();
        let tells = |secret: &String| {
            let mut rest = digits.chars();
            let is_number = secret.len() >= 4 && secret.chars().all(|c| c.is_ascii_digit()) && !is_year(secret);
            is_number
                && self.is_secret(secret)
                && (all.contains(secret.as_str())
                    || (secret.chars())
                        .filter(|c| *c != '0')
                        .all(|c| rest.any(|found| found == c)))
        };
        !(self.unannounced.iter().chain(self.private.all_words())).any(tells)
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
pub(super) fn is_of(text: &str, person: &Haystack) -> bool {
    texts::pieces(text).all(|word| {
        let is_small = word.chars().count() < 3 && !word.chars().any(|c| c.is_ascii_digit());
        is_small || SMALL.contains(&word.as_str()) || person.has_word(&word) || person.has_form_of(&word)
    })
}

/// Words that say nothing by themselves.
const SMALL: [&str; 58] = [
    "about",
    "and",
    "are",
    "all",
    "best",
    "can",
    "das",
    "dear",
    "dem",
    "den",
    "der",
    "die",
    "ein",
    "eine",
    "for",
    "from",
    "greetings",
    "had",
    "hallo",
    "has",
    "have",
    "hello",
    "her",
    "here",
    "his",
    "kind",
    "let",
    "liebe",
    "likes",
    "mit",
    "not",
    "please",
    "regards",
    "see",
    "should",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "there",
    "they",
    "this",
    "und",
    "user",
    "von",
    "was",
    "when",
    "wants",
    "will",
    "with",
    "would",
    "yes",
    "you",
    "your",
    "yours",
    "zum",
    "zur",
];

/// Whether a word says nothing by itself.
pub(super) fn is_small(word: &str) -> bool {
    SMALL.contains(&word)
}

/// Whether a number is most likely a year.
fn is_year(number: &str) -> bool {
    number.len() == 4 && (number.starts_with("19") || number.starts_with("20"))
}

/// Calls something with every text among arguments that is written to be read.
fn each_written(args: &Value, name: &str, with: &mut impl FnMut(&str)) {
    match args {
        Value::String(text) if texts::PROSE.contains(&name) => with(text),
        Value::Array(items) => items.iter().for_each(|item| each_written(item, name, with)),
        Value::Object(fields) => (fields.iter()).for_each(|(name, value)| each_written(value, name, with)),
        _ => {}
    }
}

fn long_words(text: &str) -> impl Iterator<Item = String> {
    texts::pieces(text).filter(|word| word.chars().count() >= SHORTEST)
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
