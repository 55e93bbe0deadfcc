//! Times in languages that the grammar does not read: their words become English ones, which it reads. A text with
//! any other word is of no such language.

mod joined;
mod spaced;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::words;

/// The mark in a table of a word that stands behind the one it belongs to: the grammar expects it before, or otherwise.
const NEXT: &str = "~next";
const EVERY: &str = "~every";
const HALF: &str = "~half";
const QUARTER: &str = "~quarter";

/// The text in English, by each language that it may be of.
pub(super) fn in_english(text: &str) -> Vec<String> {
    let text = text.nfkc().collect::<String>().to_lowercase().replace('’', "'");
    let spaced = spaced::LANGUAGES.iter().filter_map(|table| spaced::words(table, &text));
    let joined = joined::LANGUAGES.iter().filter_map(|table| joined::words(table, &text));
    spaced.chain(joined).map(|words| ordered(&words)).collect()
}

/// Without accents and case, as people type who are in a hurry.
fn plain(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

fn is_number(word: &str) -> bool {
    words::number(word).is_some()
}

/// The words in the order and the forms in which English has them.
fn ordered(words: &[String]) -> String {
    let mut done: Vec<String> = Vec::with_capacity(words.len());
    let mut is_every = false;
    let mut rest = words.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        let before = done.last().map(String::as_str).unwrap_or_default();
        let is_clock = is_number(before) && done.iter().nth_back(1).is_some_and(|word| word == "at");
        match word {
            EVERY => is_every = true,
            // `lundi prochain`, `la semana que viene`.
            NEXT => {
                let at = done.len().saturating_sub(1);
                done.insert(at, "next".to_owned());
            }
            // `два с половиной часа`.
            HALF if is_number(before) && rest.peek().is_some_and(|next| words::unit(next).is_some()) => {
                done.push("and a half".to_owned());
            }
            HALF if is_number(before) => append(&mut done, ":30"),
            HALF => done.push("and a half".to_owned()),
            QUARTER if is_number(before) => append(&mut done, ":15"),
            QUARTER => done.push("and a quarter".to_owned()),
            // `à 8 heures 30`, `в 8 часов`.
            "hour" | "hours" | "h" if is_clock => {
                if let Some(minutes) = rest.next_if(|next| next.len() <= 2 && next.bytes().all(|c| c.is_ascii_digit()))
                {
                    append(&mut done, &format!(":{minutes:0>2}"));
                    rest.next_if(|next| matches!(*next, "minute" | "minutes"));
                }
            }
            // `через час`.
            unit if before == "in" && words::unit(unit).is_some() => done.extend(["1".to_owned(), unit.to_owned()]),
            other => done.push(other.to_owned()),
        }
    }
    let text = done.join(" ");
    if is_every { format!("every {text}") } else { text }
}

fn append(done: &mut [String], more: &str) {
    if let Some(last) = done.last_mut() {
        last.push_str(more);
    }
}
