//! Words that are known from more than being read: arguments of commands, results that nobody may read, earlier answers.

use serde_json::Value;

use super::{KnownWords, SHORTEST, words};
use crate::policy::{addresses, texts};

/// A shorter word of an answer is one that everybody uses.
const SPOKEN: usize = 7;

impl KnownWords {
    /// Takes in the longer words and the addresses of what a command was given, without those of one of the others.
    pub(in crate::policy) fn learn_given(&mut self, value: &Value, others: &[&Self]) {
        match value {
            Value::String(text) => self.learn_given_text(text, others),
            Value::Number(number) => self.learn_given_text(&number.to_string(), others),
            Value::Array(items) => items.iter().for_each(|item| self.learn_given(item, others)),
            Value::Object(fields) => fields.values().for_each(|value| self.learn_given(value, others)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn learn_given_text(&mut self, text: &str, others: &[&Self]) {
        let is_own = |word: &String| others.iter().any(|other| other.words.contains(word));
        let plain = addresses::plain(text);
        let new: Vec<_> = (words(text).chain(words(&plain)))
            .filter(|word| word.chars().count() >= SHORTEST && !is_own(word))
            .collect();
        if !new.is_empty() {
            self.learn_addresses(text);
        }
        self.words.extend(new);
    }

    /// Takes in what a command returned that nobody may read: it is private, whatever was announced.
    pub fn learn_closed(&mut self, value: &Value) {
        self.learn_all(value);
        texts::each_text(value, &mut |text| {
            self.closed.extend(words(text));
            self.closed.extend(words(&addresses::plain(text)));
        });
    }

    /// Takes in what was said to the run's person before: it goes into no text to others, and keeps nobody from reading.
    pub fn learn_spoken(&mut self, text: &str) {
        let plain = addresses::plain(text);
        let long = words(text)
            .chain(words(&plain))
            .filter(|word| word.chars().count() >= SPOKEN);
        self.spoken.extend(long);
    }

    /// Whether a word was said to the run's person before.
    pub(in crate::policy) fn is_spoken(&self, word: &str) -> bool {
        self.spoken.contains(word)
    }

    /// Whether nobody may read a word.
    pub(in crate::policy) fn is_closed(&self, word: &str) -> bool {
        self.closed.contains(word)
    }

    /// Every word that tells something.
    pub(in crate::policy) fn all_words(&self) -> impl Iterator<Item = &String> {
        self.words.iter().chain(&self.spoken)
    }
}
