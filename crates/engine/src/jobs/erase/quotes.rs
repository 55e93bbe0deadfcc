//! Quotes of a person in other people's texts, and those texts without them. Pure.
//!
//! Letter case and white space do not count, and only whole words are found; where a text was put into JSON, its
//! escapes are read as what they stand for.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, BuildError};
use serde_json::{Map, Value};

/// The text in place of erased words.
pub(crate) const ERASED: &str = "[erased]";
/// The fewest characters of a word that tells of somebody.
const WORD: usize = 4;
/// The fewest words of a line that does.
const LINE: usize = 3;

/// A person's words and names.
#[derive(Debug, Default)]
pub struct Needles(BTreeSet<String>);

impl Needles {
    /// Something that they said: each line of three words or more, each word of four characters or more.
    pub(crate) fn add_text(&mut self, text: &str) {
        for line in text.lines() {
            let line = fold(line, false).text;
            if words(&line).count() >= LINE {
                self.add(&line);
            }
            for word in words(&line).filter(|word| word.chars().count() >= WORD) {
                self.add(word);
            }
        }
    }

    /// A name of theirs: the whole of it, and each of its words of four characters or more.
    pub(crate) fn add_name(&mut self, name: &str) {
        let name = fold(name, false).text;
        if name.chars().filter(|c| c.is_alphanumeric()).count() > 1 {
            self.add(&name);
        }
        for word in words(&name).filter(|word| word.chars().count() >= WORD) {
            self.add(word);
        }
    }

    /// An id of theirs, as it is.
    pub(crate) fn known_as(&mut self, id: &str) {
        self.add(&fold(id, false).text);
    }

    fn add(&mut self, needle: &str) {
        let needle = needle.trim_matches(|c: char| !c.is_alphanumeric());
        if !needle.is_empty() && needle != "erased" {
            self.0.insert(needle.to_owned());
        }
    }

    /// Makes them ready to be looked for.
    ///
    /// # Errors
    /// They are too many to be looked for at once.
    pub fn ready(self) -> Result<Quotes, BuildError> {
        let needles: Vec<_> = self.0.into_iter().collect();
        Ok(Quotes {
            automaton: AhoCorasick::new(&needles)?,
            tells: vec![true; needles.len()],
            needles,
        })
    }
}

/// Finds what a person said and is called.
#[derive(Clone, Debug)]
pub struct Quotes {
    needles: Vec<String>,
    automaton: AhoCorasick,
    /// Whether each needle tells of this person alone.
    tells: Vec<bool>,
}

impl Quotes {
    /// A text that stays, and is not theirs: whatever stands in it tells nothing of them.
    pub(crate) fn exempt(&mut self, text: &str) {
        let mut found = Vec::new();
        self.find(text, |needle, _, _| found.push(needle));
        for needle in found {
            self.tells[needle] = false;
        }
    }

    /// Whether both look for the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.needles == other.needles
    }

    /// Whether nothing is left that tells of them.
    pub fn is_empty(&self) -> bool {
        !self.tells.contains(&true)
    }

    /// Whether a text tells of them.
    pub fn is_in(&self, text: &str) -> bool {
        !self.spans(text).is_empty()
    }

    /// A text without what tells of them. `None`: nothing does.
    pub fn without(&self, text: &str) -> Option<String> {
        let mut changed: Option<String> = None;
        // The replacement may complete a line that somebody wrote just so; each round leaves fewer words.
        loop {
            let current = changed.as_deref().unwrap_or(text);
            let spans = self.spans(current);
            if spans.is_empty() {
                return changed;
            }
            let mut next = String::with_capacity(current.len());
            let mut at = 0;
            for (from, to) in spans {
                next.push_str(&current[at..from]);
                next.push_str(ERASED);
                at = to;
            }
            next.push_str(&current[at..]);
            changed = Some(next);
        }
    }

    /// The same of a JSON document, which stays one: of its texts, of numbers (0 takes their place), of the names of
    /// fields. Ids and moments stay. A text that is no JSON is taken as text.
    pub(crate) fn without_json(&self, text: &str) -> Option<String> {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => self.of_value(&value).map(|value| value.to_string()),
            Err(_) => self.without(text),
        }
    }

    fn of_value(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(number) => self.is_in(&number.to_string()).then(|| Value::from(0)),
            Value::String(text) if is_id_or_moment(text) => None,
            Value::String(text) => self.without(text).map(Value::String),
            Value::Array(values) => {
                let changed: Vec<_> = values.iter().map(|value| self.of_value(value)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let pairs = changed.into_iter().zip(values);
                    pairs
                        .map(|(new, old)| new.unwrap_or_else(|| old.clone()))
                        .collect::<Value>()
                })
            }
            Value::Object(fields) => {
                let mut is_changed = false;
                let mut changed = Map::new();
                for (name, value) in fields {
                    let (new_name, new) = (self.without(name), self.of_value(value));
                    is_changed |= new_name.is_some() || new.is_some();
                    changed.insert(
                        new_name.unwrap_or_else(|| name.clone()),
                        new.unwrap_or_else(|| value.clone()),
                    );
                }
                is_changed.then_some(Value::Object(changed))
            }
        }
    }

    /// Where it stands, in order, without overlaps.
    fn spans(&self, text: &str) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        self.find(text, |needle, from, to| {
            if self.tells[needle] {
                spans.push((from, to));
            }
        });
        spans.sort_unstable();
        let mut apart: Vec<(usize, usize)> = Vec::with_capacity(spans.len());
        for (from, to) in spans {
            match apart.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        apart
    }

    fn find(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        self.find_in(&fold(text, false), text, &mut found);
        if text.contains('\\') {
            self.find_in(&fold(text, true), text, &mut found);
        }
    }

    fn find_in(&self, folded: &Folded, text: &str, found: &mut impl FnMut(usize, usize, usize)) {
        for hit in self.automaton.find_overlapping_iter(&folded.text) {
            let (before, inside, after) = (
                folded.text[..hit.start()].chars().next_back(),
                &folded.text[hit.start()..hit.end()],
                folded.text[hit.end()..].chars().next(),
            );
            if joined(before, inside.chars().next()) || joined(inside.chars().next_back(), after) {
                continue;
            }
            let mut from = folded.origin[hit.start()].0;
            let to = folded.origin[hit.end() - 1].1;
            // The first letter of a word may be the end of an escape: that goes as a whole.
            let backslashes = text[..from].len() - text[..from].trim_end_matches('\\').len();
            from -= backslashes % 2;
            found(hit.pattern().as_usize(), from, to);
        }
    }
}

/// A text in lower case, with single spaces, and where each of its bytes comes from.
struct Folded {
    text: String,
    origin: Vec<(usize, usize)>,
}

impl Folded {
    fn push(&mut self, c: char, from: usize, to: usize) {
        if c.is_whitespace() {
            if self.text.ends_with(' ') {
                if let Some(last) = self.origin.last_mut() {
                    last.1 = to;
                }
            } else {
                self.text.push(' ');
                self.origin.push((from, to));
            }
            return;
        }
        for lower in c.to_lowercase() {
            self.text.push(lower);
            self.origin.resize(self.text.len(), (from, to));
        }
    }
}

fn fold(text: &str, unescape: bool) -> Folded {
    let mut folded = Folded {
        text: String::with_capacity(text.len()),
        origin: Vec::with_capacity(text.len()),
    };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (c, to) = match escape(&text[at..]).filter(|_| unescape && c == '\\') {
            Some((c, length)) => (c, at + length),
            None => (c, at + c.len_utf8()),
        };
        folded.push(c, at, to);
        at = to;
    }
    folded
}

/// The character that the escape at the beginning of a text stands for, and its length; JSON within JSON has more
/// backslashes.
fn escape(text: &str) -> Option<(char, usize)> {
    let rest = text.trim_start_matches('\\');
    let backslashes = text.len() - rest.len();
    let c = rest.chars().next()?;
    match c {
        'n' | 'r' | 't' | 'b' | 'f' => Some((' ', backslashes + 1)),
        '"' | '/' => Some((c, backslashes + 1)),
        'u' => {
            let unit = code_unit(rest)?;
            if let Some(c) = char::from_u32(unit) {
                return Some((c, backslashes + 5));
            }
            let second = rest[5..].trim_start_matches('\\');
            let pair = [u16::try_from(unit).ok()?, u16::try_from(code_unit(second)?).ok()?];
            let c = char::decode_utf16(pair).next()?.ok()?;
            Some((c, text.len() - second.len() + 5))
        }
        _ => None,
    }
}

fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Whether two characters stand in one word. Scripts that put no spaces between words have no such boundaries.
fn joined(a: Option<char>, b: Option<char>) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    in_word(a) && in_word(b)
}

/// Thai, Lao, kana, Han.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_id_or_moment(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok() || text.parse::<jiff::Timestamp>().is_ok()
}

#[cfg(test)]
mod tests;
