//! Facts that people tell of themselves: a few fixed phrases, in English and German.

use super::text::{slug, strip};

/// How people tell of themselves: the phrase, and the module, key and level of what follows. Without a key, what
/// follows names it.
const PHRASES: [(&str, &str, &str, u8); 14] = [
    ("my name is ", "identity", "name", 0),
    ("mein name ist ", "identity", "name", 0),
    ("ich heiße ", "identity", "name", 0),
    ("i live in ", "environment", "home", 1),
    ("i moved to ", "environment", "home", 1),
    ("ich wohne in ", "environment", "home", 1),
    ("i work as ", "identity", "profession", 1),
    ("ich arbeite als ", "identity", "profession", 1),
    ("i like ", "preferences", "", 2),
    ("i love ", "preferences", "", 2),
    ("i prefer ", "preferences", "", 2),
    ("i hate ", "preferences", "", 2),
    ("ich mag ", "preferences", "", 2),
    ("ich liebe ", "preferences", "", 2),
];

/// Something that a person said of themselves.
pub(super) struct Fact {
    pub(super) module: &'static str,
    pub(super) key: String,
    pub(super) level: u8,
    pub(super) value: String,
}

/// The facts of a text that tells nothing else of its speaker; empty if it does.
pub(super) fn only_facts(text: &str) -> Vec<Fact> {
    if text.contains('?') {
        return Vec::new();
    }
    let facts: Option<Vec<_>> = parts(text).map(fact).collect();
    facts.unwrap_or_default()
}

/// The parts of a text that each tell something.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).flat_map(clauses)
}

/// The parts of a sentence that each tell something: "my name is Ada and I live in Rome" are two.
fn clauses(sentence: &str) -> Vec<&str> {
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return vec![sentence];
    }
    let begins = |at: usize| {
        let rest = &lower[at..];
        let behind = [", and ", " and ", ", und ", " und ", ", "]
            .into_iter()
            .find_map(|word| Some((at + word.len(), rest.strip_prefix(word)?)));
        behind.filter(|(_, clause)| PHRASES.iter().any(|(phrase, ..)| clause.starts_with(phrase)))
    };
    let (mut parts, mut from) = (Vec::new(), 0);
    for at in lower.char_indices().map(|(at, _)| at) {
        if at >= from
            && let Some((next, _)) = begins(at)
        {
            parts.extend(sentence.get(from..at));
            from = next;
        }
    }
    parts.extend(sentence.get(from..));
    parts
}

/// The fact that a sentence tells of its speaker.
pub(super) fn fact(sentence: &str) -> Option<Fact> {
    PHRASES.iter().find_map(|(phrase, module, key, level)| {
        let told = strip(sentence, phrase)?.trim();
        // A preference is kept with its verb.
        let (key, value) = if key.is_empty() {
            (
                slug(
                    &sentence
                        .split_whitespace()
                        .skip(1)
                        .take(4)
                        .collect::<Vec<_>>()
                        .join(" "),
                ),
                sentence,
            )
        } else {
            ((*key).to_owned(), told)
        };
        (!told.is_empty() && !key.is_empty()).then(|| Fact {
            module,
            key,
            level: *level,
            value: value.to_owned(),
        })
    })
}

/// The sentences of a text, without the signs at their ends.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', ';', '\n'])
        // A question tells nothing.
        .filter(|sentence| !sentence.trim_end().ends_with('?'))
        .map(|sentence| sentence.trim().trim_end_matches(['.', '!', ';']).trim_end())
        .filter(|sentence| !sentence.is_empty())
}
