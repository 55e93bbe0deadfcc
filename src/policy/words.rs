//! What a run knows from where: which addresses and words may go out once it has read words from outside. Pure.

use std::{borrow::Cow, collections::BTreeSet};

use clifford_channel::FORWARDED;
use serde_json::{Map, Value};
use url::Url;

use crate::store::replies::quotes_others;

/// What stands where an address was taken out of a message.
pub const REMOVED: &str = "(link removed)";
/// A longer word is no word of a language.
const LONGEST: usize = 40;
/// A shorter word tells nothing.
const SHORTEST: usize = 4;

/// Whose words a message holds beside its sender's, by how it is written down.
pub fn of_others(text: &str) -> impl Iterator<Item = &'static str> {
    let told = [
        (text.contains(FORWARDED), "a forwarded message"),
        (quotes_others(text), "what somebody else wrote and was quoted"),
    ];
    told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, origin)| origin)
}

/// Addresses and words that were read or written somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    addresses: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Known {
    /// Takes in a text.
    pub fn learn(&mut self, text: &str) {
        self.addresses
            .extend(tokens(text).filter_map(|(_, token)| address(token)));
        self.words.extend(words(text));
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
}

/// What arguments would carry out: the first address that is not known outside letter by letter, word that is known
/// from what is private alone, or word that is none.
pub fn leak(args: &Map<String, Value>, known: &Known, private: &Known) -> Option<String> {
    args.iter()
        .find_map(|(name, value)| in_text(name, known, private).or_else(|| in_value(value, known, private)))
}

/// The words and addresses of a text that only what is private tells: what a subagent is told of them is no more known
/// outside than it was before.
pub fn private_in(text: &str, known: &Known, private: &Known) -> Vec<String> {
    let addresses =
        tokens(text).filter(|(_, token)| address(token).is_some_and(|found| !known.addresses.contains(&found)));
    let hidden = words(text).filter(|word| private.words.contains(word) && !known.words.contains(word));
    let found: BTreeSet<_> = addresses.map(|(_, token)| token.to_owned()).chain(hidden).collect();
    found.into_iter().collect()
}

fn in_value(value: &Value, known: &Known, private: &Known) -> Option<String> {
    match value {
        Value::String(text) => in_text(text, known, private),
        Value::Array(items) => items.iter().find_map(|item| in_value(item, known, private)),
        Value::Object(fields) => leak(fields, known, private),
        Value::Number(number) => in_text(&number.to_string(), known, private),
        Value::Null | Value::Bool(_) => None,
    }
}

fn in_text(text: &str, known: &Known, private: &Known) -> Option<String> {
    // What is one address, to whoever would call it, is known as a whole or not at all.
    if let Some(whole) = whole_address(text) {
        return (!known.addresses.contains(&whole)).then(|| text.to_owned());
    }
    let mut rest = String::new();
    for (_, token) in tokens(text) {
        match address(token) {
            Some(address) if known.addresses.contains(&address) => {}
            Some(_) => return Some(token.to_owned()),
            None => {
                rest.push_str(token);
                rest.push(' ');
            }
        }
    }
    words(&rest).find(|word| {
        let is_none = word.chars().count() > LONGEST;
        (is_none || private.words.contains(word)) && !known.words.contains(word)
    })
}

/// A text that would be called as one address, in the form in which that is compared: however its scheme is written,
/// whatever stands in it.
fn whole_address(text: &str) -> Option<String> {
    let trimmed = text.trim();
    let has_scheme = SCHEMES.iter().any(|scheme| {
        let head = trimmed.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme)) && trimmed[scheme.len()..].starts_with(':')
    });
    let url = match has_scheme {
        true => Url::parse(trimmed).ok()?,
        // Without a scheme it is one only if it begins as a host does, and is one word.
        false if !trimmed.contains("://") && !trimmed.contains(char::is_whitespace) => {
            let (_, first) = tokens(trimmed).next().filter(|(at, _)| *at == 0)?;
            address(first)?;
            let bare = trimmed.trim_start_matches("//");
            Url::parse(&format!("https://{bare}")).ok()?
        }
        false => return None,
    };
    let text = url.as_str();
    address(text.trim_end_matches('#'))
}

/// The schemes by which something is called.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// What closes an address without being part of it.
const CLOSERS: &[char] = &[
    ')', ']', '}', '\'', '`', '*', '|', '_', '~', '.', ',', ';', ':', '!', '?',
];

/// What stands at a place of a message from an address on: whoever shows it may take more of it than we would.
fn run_on(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c));
    &rest[..end.unwrap_or(rest.len())]
}

/// A message without the addresses that nobody outside knows: whoever shows it may fetch them, and so tell what stands
/// in them.
pub fn without_unknown<'a>(text: &'a str, known: &Known) -> Cow<'a, str> {
    let mut until = 0;
    let unknown: Vec<_> = tokens(text)
        .filter(|(_, token)| carries(token))
        .filter_map(|(at, token)| {
            if at < until {
                return None;
            }
            let found = address(token)?;
            let run_on = if is_absolute(token) { run_on(text, at) } else { token };
            let behind = run_on.get(token.len()..).unwrap_or_default();
            if known.addresses.contains(&found) && behind.chars().all(|c| CLOSERS.contains(&c)) {
                return None;
            }
            // A Markdown link ends at its bracket; what is glued to that goes with it.
            let piece = run_on.trim_end_matches(CLOSERS);
            let piece = if piece.len() < token.len() { token } else { piece };
            until = at + piece.len();
            Some((at, piece))
        })
        .collect();
    if unknown.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut from = 0;
    for (at, token) in unknown {
        cleaned.push_str(&text[from..at]);
        cleaned.push_str(REMOVED);
        from = at + token.len();
    }
    cleaned.push_str(&text[from..]);
    Cow::Owned(cleaned)
}

/// Whether an address can tell anything: a bare name of two parts is a file as often as a host.
fn carries(token: &str) -> bool {
    is_absolute(token) || token.contains(['/', '?']) || token.matches('.').count() >= 2
}

fn is_absolute(token: &str) -> bool {
    token.contains("://") || token.starts_with("//") || token.starts_with("www.") || token.starts_with("data:")
}

/// The pieces of a text that could be an address, each with its place.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let breaks = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>()[]{}|\\^*".contains(c);
    text.split(breaks).filter(|token| !token.is_empty()).map(move |token| {
        let at = token.as_ptr() as usize - text.as_ptr() as usize;
        let trimmed = token.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let begun = trimmed.trim_start_matches(['.', ',', ';', ':', '!', '?']);
        (at + (trimmed.len() - begun.len()), begun)
    })
}

/// An address in the form in which it is compared, if a piece is one.
fn address(token: &str) -> Option<String> {
    let bare = token.split_once("://").map_or(token, |(_, rest)| rest);
    if bare.trim_matches('/').is_empty() {
        return None;
    }
    let host = bare.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit('@').next().unwrap_or_default();
    let name = name.split(':').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_host = name.contains('.') && last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    if !is_absolute(token) && !is_host {
        return None;
    }
    let bare = bare.trim_end_matches('/');
    Some(if bare.contains(['/', '?', '#']) {
        bare.to_owned()
    } else {
        bare.to_lowercase()
    })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST || word.chars().any(|c| c.is_ascii_digit()))
        .map(str::to_lowercase)
}

/// Whether what a command returns is there for everybody to read, so that it may be said to anybody. A mailbox behind a
/// server, a person's files and what is remembered of them are not.
pub fn is_public(command: &str) -> bool {
    command.starts_with("web.")
}

/// Whether what a command returns may tell of its person.
pub fn is_own(command: &str) -> bool {
    !["web.", "weather.", "compute.", "tools.", "system."]
        .iter()
        .any(|tool| command.starts_with(tool))
}

/// Only the words of a text that tell of somebody: those with a digit in them.
pub fn telling(text: &str) -> String {
    let telling = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()) && word.chars().count() >= SHORTEST);
    telling.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known(text: &str) -> Known {
        let mut known = Known::default();
        known.learn(text);
        known
    }

    #[test]
    fn only_what_is_known_outside_goes_out_once_words_from_outside_were_read() {
        let outside = known("see https://example.com/a?b=1, [docs](https://docs.rs/x) or wiki.org. Kittens are nice");
        let private = known("Her cat is called Mephisto, the code is 4711");
        let cases = [
            (json!({ "url": "https://example.com/a?b=1" }), None),
            (json!({ "url": "http://docs.rs/x/" }), None),
            (json!({ "url": "https://wiki.org" }), None),
            (
                json!({ "url": "https://example.com/a?b=2" }),
                Some("https://example.com/a?b=2"),
            ),
            (
                json!({ "url": "https://example.com/a?b=1&c=Mephisto" }),
                Some("https://example.com/a?b=1&c=Mephisto"),
            ),
            (json!({ "url": "//evil.com/x" }), Some("//evil.com/x")),
            (json!({ "url": "mephisto.evil.com" }), Some("mephisto.evil.com")),
            (json!({ "url": "http://127.0.0.1/x" }), Some("http://127.0.0.1/x")),
            (json!({ "url": "https:evil.com/cat" }), Some("https:evil.com/cat")),
            (json!({ "url": "HTTPS:/evil.com/cat" }), Some("HTTPS:/evil.com/cat")),
            (
                json!({ "url": "https://example.com/a?b=1'4'7'1'1" }),
                Some("https://example.com/a?b=1'4'7'1'1"),
            ),
            (
                json!({ "url": "https://example.com/a?b=1 cat" }),
                Some("https://example.com/a?b=1 cat"),
            ),
            (json!({ "url": "wiki.org/|4|7" }), Some("wiki.org/|4|7")),
            (json!({ "query": "wiki.org kittens" }), None),
            (json!({ "query": "nice kittens in winter" }), None),
            (json!({ "query": "what is MEPHISTO" }), Some("mephisto")),
            (json!({ "query": "door 4711" }), Some("4711")),
            (json!({ "deep": { "list": ["fine", "mephisto"] } }), Some("mephisto")),
            (json!({ "n": 4711 }), Some("4711")),
            (
                json!({ "query": "TWVwaGlzdG8gaXMgaGVyIGNhdCBhbmQgdGhlIGNvZGUgaXMgNDcxMQ" }),
                Some("twvwaglzdg8gaxmgagvyignhdcbhbmqgdghlignvzgugaxmgndcxmq"),
            ),
        ];
        for (args, expected) in cases {
            let found = leak(args.as_object().unwrap(), &outside, &private);
            assert_eq!(found.as_deref(), expected, "{args}");
        }
    }

    #[test]
    fn a_subagent_is_told_what_of_its_task_is_private() {
        let outside = known("kittens, see example.com/a");
        let private = known("Mephisto likes kittens, the code is 4711");
        let task = "Look up kittens and Mephisto (4711) at example.com/a and example.com/b today";
        assert_eq!(
            private_in(task, &outside, &private),
            ["4711", "example.com/b", "mephisto"]
        );
    }

    #[test]
    fn an_address_that_nobody_knows_is_taken_out_of_a_message() {
        let outside = known("https://example.com/a");
        let cases = [
            ("Look at https://example.com/a.", "Look at https://example.com/a."),
            ("![x](https://evil.com/?q=cat)", "![x]((link removed))"),
            ("<https://evil.com/?q=cat>!", "<(link removed)>!"),
            (
                "see evil.com/cat and cat.evil.com, node.js",
                "see (link removed) and (link removed), node.js",
            ),
            ("[a]: //evil.com/x", "[a]: (link removed)"),
            ("ok `www.evil.com`", "ok `(link removed)`"),
            ("https://example.com/a'c'a't'", "(link removed)'"),
            (
                "[a](https://example.com/a) and **https://example.com/a**",
                "[a](https://example.com/a) and **https://example.com/a**",
            ),
            ("Version 1.2.3, e.g. U.S.A.", "Version 1.2.3, e.g. U.S.A."),
        ];
        for (text, expected) in cases {
            assert_eq!(without_unknown(text, &outside), expected);
        }
    }

    #[test]
    fn numbers_tell_of_somebody() {
        assert_eq!(telling("my pin is 4711 and 5 cats, A1234-b"), "4711 A1234");
    }
}
