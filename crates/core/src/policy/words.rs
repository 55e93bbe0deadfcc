//! The sources of a run's words: which addresses and words may go out once it has read words from outside. Pure.

mod addressed;
mod commands;
mod learning;
mod messages;
mod others;
mod outside;

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use url::form_urlencoded;

use self::addressed::Addressed;
pub use self::{
    commands::{is_own, is_public},
    messages::without_unknown,
    others::{has_telling_name, of_others},
    outside::Outside,
};
use super::{
    addresses,
    disguise::{alike, pieces, spelling, together},
    texts::each_text,
};

/// A longer word is no word of a language.
const LONGEST: usize = 40;
/// A shorter word tells nothing.
const SHORTEST: usize = 4;
/// A shorter word is another one turned around or shifted by chance.
const HIDDEN: usize = 5;
/// The most bytes of a text whose pieces are known as they stand there.
const SHORT_TEXT: usize = 4000;
/// How deep JSON within texts of JSON is read.
const DEEPEST: usize = 8;

/// Addresses and words that were read or written somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownWords {
    addresses: BTreeSet<String>,
    /// Pieces between white space in short texts.
    pieces: BTreeSet<String>,
    words: BTreeSet<String>,
    /// The words among these that nobody may read: keys, and results of commands that touch private data.
    closed: BTreeSet<String>,
    /// The words of earlier answers.
    spoken: BTreeSet<String>,
}

impl KnownWords {
    /// Takes in a text.
    pub fn learn(&mut self, text: &str) {
        self.learn_addresses(text);
        if text.len() <= SHORT_TEXT {
            self.pieces.extend(text.split_whitespace().map(str::to_owned));
        }
        // Markdown writes some signs of an address with a backslash before them.
        if text.contains('\\') {
            self.learn_addresses(&unescaped(text));
        }
        self.words.extend(words(text));
        let plain = addresses::plain(text);
        if plain != text {
            self.words.extend(words(&plain));
        }
        if !text.is_ascii() {
            self.words.extend(words(&alike::latin(&plain)));
        }
    }

    /// Takes in the words of every text of a value, and no addresses.
    pub(super) fn learn_words(&mut self, value: &Value) {
        each_text(value, &mut |text| {
            self.words.extend(words(text));
            self.words.extend(words(&addresses::plain(text)));
        });
    }

    /// Takes in every address of a value that holds no word of what was given before.
    pub(super) fn learn_addresses_without(&mut self, value: &Value, given: &Self) {
        each_text(value, &mut |text| {
            let all = addresses::all(text).into_iter().flat_map(|found| found.readings);
            let told = all.filter_map(|reading| text.get(reading)).filter(|written| {
                let tail = path_of(written);
                !words(tail).any(|word| given.words.contains(&word)) && !given.has(written)
            });
            told.for_each(|written| self.learn_address(written));
        });
    }

    /// Whether a word stood in one of the texts.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether everything of a text that is an address is known.
    pub(super) fn has_all_of(&self, text: &str, found: &addresses::Found) -> bool {
        self.has_found(text, found)
    }

    fn learn_addresses(&mut self, text: &str) {
        for token in addresses::tokens(text) {
            self.learn_address(token);
        }
        for found in addresses::all(text) {
            for written in found.readings.into_iter().filter_map(|reading| text.get(reading)) {
                self.learn_address(written);
            }
        }
    }

    fn learn_address(&mut self, written: &str) {
        for called in addresses::request_addresses(written) {
            self.addresses.insert(addresses::without_fragment(&called).to_owned());
            self.addresses.insert(called);
        }
    }

    /// Takes in every text of a value.
    pub fn learn_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.learn(text),
            Value::Array(items) => items.iter().for_each(|item| self.learn_all(item)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                self.learn(name);
                self.learn_all(value);
            }),
            Value::Number(number) => self.learn(&number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Whether what would be called for an address is known.
    fn has(&self, written: &str) -> bool {
        addresses::request_addresses(written)
            .iter()
            .any(|called| self.addresses.contains(called))
    }

    /// Whether an address in a text is known as it stands there.
    fn has_found(&self, text: &str, found: &addresses::Found) -> bool {
        found.readings.iter().any(|reading| {
            found.ends_with(text, reading) && text.get(reading.clone()).is_some_and(|written| self.has(written))
        })
    }
}

/// The limits for arguments.
struct Limits<'a> {
    /// Words known outside.
    known: &'a KnownWords,
    /// Private words.
    private: &'a KnownWords,
    /// The arguments that are addresses by their schema: a client fetches them, and sends no fragment.
    fetched: Vec<&'a str>,
}

impl Limits<'_> {
    /// Whether an address is known as whoever gets this text may follow it.
    fn knows(&self, address: &str, text: &str) -> bool {
        let is_fetched = self.fetched.iter().any(|fetched| std::ptr::eq(*fetched, text));
        let followed = if is_fetched {
            addresses::without_fragment(address)
        } else {
            address
        };
        self.known.addresses.contains(followed)
    }
}

/// Text without the backslashes that Markdown puts before signs.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' || !chars.peek().is_some_and(char::is_ascii_punctuation) {
            plain.push(c);
        }
    }
    plain
}

/// The words that arguments would carry out: the first address that would be called and is not known outside exactly
/// so, word that is known from private text alone, or word that is none. `schema` is that of the arguments: a field
/// that it declares an address must be one that is known.
pub fn leak(args: &Map<String, Value>, schema: &Value, known: &KnownWords, private: &KnownWords) -> Option<String> {
    let limits = Limits {
        known,
        private,
        fetched: Addressed::in_args(args, schema),
    };
    let is_known = |text: &str| match addresses::whole(text) {
        Ok(Some(address)) => limits.knows(&address, text),
        // No client calls it, but a server may read it.
        Ok(None) => known.has(text) || known.pieces.contains(text.trim()),
        Err(()) => false,
    };
    let unknown = limits.fetched.iter().find(|text| !is_known(text));
    unknown
        .map(|text| (*text).to_owned())
        .or_else(|| in_fields(args, &limits, 0))
}

fn in_fields(args: &Map<String, Value>, limits: &Limits<'_>, depth: usize) -> Option<String> {
    args.iter()
        .find_map(|(name, value)| in_text(name, limits, depth).or_else(|| in_value(value, limits, depth)))
}

/// The words and addresses of a text that only what is private tells: what a subagent is told of them is no more known
/// outside than it was before.
pub fn private_in(text: &str, known: &KnownWords, private: &KnownWords) -> Vec<String> {
    let unknown = addresses::all(text)
        .into_iter()
        .filter(|found| !known.has_found(text, found));
    let addresses = unknown.filter_map(|found| Some(text.get(found.range)?.to_owned()));
    let hidden = words(text).filter(|word| private.words.contains(word) && !known.words.contains(word));
    let found: BTreeSet<_> = addresses.chain(hidden).collect();
    found.into_iter().collect()
}

fn in_value(value: &Value, limits: &Limits<'_>, depth: usize) -> Option<String> {
    match value {
        Value::String(text) => in_text(text, limits, depth),
        Value::Array(items) => items.iter().find_map(|item| in_value(item, limits, depth)),
        Value::Object(fields) => in_fields(fields, limits, depth),
        Value::Number(number) => in_text(&number.to_string(), limits, depth),
        Value::Null | Value::Bool(_) => None,
    }
}

fn in_text(text: &str, limits: &Limits<'_>, depth: usize) -> Option<String> {
    // A text that a client takes as one address is known as a whole or not at all.
    match addresses::whole(text) {
        Ok(None) => {}
        Ok(Some(whole)) if limits.knows(&whole, text) => return None,
        Ok(Some(_)) | Err(()) => return Some(text.to_owned()),
    }
    // So is what begins as a host does, and is one word.
    let trimmed = text.trim();
    let begins = || {
        addresses::all(trimmed)
            .first()
            .is_some_and(|found| found.range.start == 0)
    };
    if !trimmed.contains(char::is_whitespace) && begins() {
        return (!limits.known.has(trimmed)).then(|| text.to_owned());
    }
    // Texts that hold JSON are read as whoever gets them reads them.
    if text.trim_start().starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        return match depth < DEEPEST {
            true => in_value(&value, limits, depth + 1),
            false => Some(text.to_owned()),
        };
    }
    let plain = addresses::plain(text);
    let joined: String = text.chars().filter(|c| !clifford_markup::is_left_out(*c)).collect();
    let mut readings = vec![text, &plain, &joined];
    readings.dedup();
    readings.into_iter().find_map(|text| in_reading(text, limits))
}

/// The words that one way to read a text would carry out.
fn in_reading(text: &str, limits: &Limits<'_>) -> Option<String> {
    let (known, private) = (limits.known, limits.private);
    let mut rest = String::new();
    let mut from = 0;
    for found in addresses::all(text) {
        if !known.has_found(text, &found) {
            return text.get(found.range).map(str::to_owned);
        }
        rest.push_str(text.get(from..found.range.start).unwrap_or_default());
        rest.push(' ');
        from = found.range.end;
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    let decoded: Vec<_> = form_urlencoded::parse(rest.as_bytes())
        .flat_map(|(name, value)| [name.into_owned(), value.into_owned()])
        .collect();
    let decoded = decoded.join(" ");
    let latin = alike::latin(&rest);
    if alike::is_in_signs(&rest) {
        return Some(rest);
    }
    // What is too much to look at is not let out.
    let (Some(whole), Some(joined)) = (pieces::different(words(&rest)), pieces::joined(&rest)) else {
        return Some(rest);
    };
    let hidden = |word: &String| private.words.contains(word) && !known.words.contains(word);
    let written = whole.iter().cloned().chain(words(&decoded)).chain(words(&latin));
    let mut plain = written.chain(joined).filter(|word| {
        let is_none = word.chars().count() > LONGEST;
        (is_none && !known.words.contains(word)) || hidden(word)
    });
    // Turned around, shifted or encoded it is the same word.
    plain.next().or_else(|| {
        let written = || rest.split_whitespace().chain(decoded.split_whitespace());
        let turned = whole.iter().filter(|word| {
            word.chars().count() >= HIDDEN
                && !known.words.contains(*word)
                && spelling::readings(word).iter().any(&hidden)
        });
        let encoded = written().filter(|token| {
            let told = spelling::decoded(token);
            told.iter()
                .any(|told| words(told).any(|word| word.chars().count() >= HIDDEN && hidden(&word)))
        });
        let split = || {
            let read = together::Streams::of(&[&rest]);
            private.words.iter().find(|word| hidden(word) && read.tells_apart(word))
        };
        turned
            .cloned()
            .chain(encoded.map(str::to_owned))
            .next()
            .or_else(|| split().map(|_| rest.clone()))
    })
}

/// The part of an address behind its host; without a path and a query: its whole text, which a host may tell as well.
fn path_of(written: &str) -> &str {
    let behind = written.split_once("://").map_or(written, |(_, behind)| behind);
    match behind.find(['/', '?', '#']) {
        Some(at) if behind[..at].matches('.').count() < 3 => &behind[at..],
        _ => behind,
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST || word.chars().any(|c| c.is_ascii_digit()))
        .map(str::to_lowercase)
}

/// Only the words of a text that tell of somebody: those with a digit in them.
pub fn telling(text: &str) -> String {
    let telling = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()) && word.chars().count() >= SHORTEST);
    telling.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
