//! Whether a call puts together what its person said of different things: "pay 5 to Ann and 500 to Bob" orders nothing
//! of 500 to Ann.

use crate::policy::{
    asked,
    phrase::{self, Haystack},
    texts,
};

/// Words between the parts of what is ordered.
const BETWEEN: [&str; 6] = ["and", "then", "but", "und", "dann", "aber"];
/// Words before the name of somebody or something to which something goes.
const ARTICLES: [&str; 9] = ["the", "my", "our", "der", "die", "das", "den", "dem", "meine"];
/// Words that speak of what was named before.
const PRONOUNS: [&str; 12] = [
    "her", "him", "them", "it", "that", "same", "each", "sie", "ihn", "ihm", "ihr", "es",
];

/// A value among the arguments of a call that stands in its person's words.
pub(super) struct Said {
    /// The value, as it is written.
    pub written: String,
    /// It is an amount of money.
    pub is_amount: bool,
}

/// A part of a text, in which one thing is ordered.
struct Part {
    words: Vec<String>,
    said: Haystack,
}

/// The value that its person said of something else than another one of the call.
pub(super) fn recombined<'a>(texts: &[String], values: &'a [Said]) -> Option<&'a Said> {
    let parts: Vec<Part> = texts.iter().flat_map(|text| parts(text)).collect();
    let of = |value: &Said| {
        parts
            .iter()
            .filter(|part| part.said.holds(&value.written))
            .collect::<Vec<_>>()
    };
    let placed: Vec<_> = values.iter().map(|value| (value, of(value))).collect();
    placed.iter().find_map(|(value, own)| {
        let mut others = placed.iter().filter(|(other, _)| !std::ptr::eq(*other, *value));
        others
            .any(|(other, theirs)| is_of_another(value, own, other, theirs))
            .then_some(*value)
    })
}

/// Whether each part that holds a value is about something else than the parts that hold the other one.
fn is_of_another(value: &Said, own: &[&Part], other: &Said, theirs: &[&Part]) -> bool {
    let is_apart = !own
        .iter()
        .any(|one| theirs.iter().any(|part| std::ptr::eq(*one, *part)));
    if own.is_empty() || theirs.is_empty() || !is_apart || theirs.iter().any(|part| part.speaks_of_before()) {
        return false;
    }
    let goes_there = theirs.iter().any(|part| part.goes_to(&other.written));
    let goes_elsewhere = own.iter().all(|part| part.goes_somewhere());
    // An amount that is told of something else, where the recipient has one of their own.
    let has_amount = || {
        value.is_amount
            && theirs.iter().any(|part| part.has_number())
            && !own.iter().any(|part| part.begins_with(&value.written))
    };
    (goes_there && goes_elsewhere) || has_amount()
}

impl Part {
    /// The words to which something goes. An English article is also a German "to": what stands behind it is a name then.
    fn goals(&self) -> impl Iterator<Item = &str> {
        let is_name = |word: &str| word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '@');
        self.words.iter().enumerate().filter_map(move |(at, word)| {
            let word = word.to_lowercase();
            let mut behind = self.words[at + 1..].iter().map(String::as_str);
            let goal = behind.find(|word| !ARTICLES.contains(&word.to_lowercase().as_str()))?;
            let is_goal = match word.as_str() {
                "to" => !is_order(&goal.to_lowercase()),
                "an" | "auf" => is_name(goal),
                _ => false,
            };
            is_goal.then_some(goal)
        })
    }

    fn goes_somewhere(&self) -> bool {
        self.goals().next().is_some()
    }

    fn goes_to(&self, written: &str) -> bool {
        let first = texts::pieces(written).next();
        first.is_some_and(|first| {
            self.goals()
                .any(|goal| texts::pieces(goal).next().as_ref() == Some(&first))
        })
    }

    fn speaks_of_before(&self) -> bool {
        self.words
            .iter()
            .any(|word| PRONOUNS.contains(&word.to_lowercase().as_str()))
    }

    fn has_number(&self) -> bool {
        self.words.iter().any(|word| phrase::decimal(word).is_some())
    }

    fn begins_with(&self, written: &str) -> bool {
        self.words
            .first()
            .is_some_and(|word| phrase::decimal(word).is_some() && phrase::decimal(word) == phrase::decimal(written))
    }
}

/// A text by what is ordered in it, part by part.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for word in text.split_whitespace() {
        let begins = BETWEEN.contains(&word.to_lowercase().as_str());
        match parts.last_mut() {
            Some(part) if !begins => part.push(word),
            _ => parts.push(Vec::new()),
        }
        if word.ends_with(['.', ',', ';', '!', '?']) {
            parts.push(Vec::new());
        }
    }
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let made = parts.map(|words| {
        let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        Part {
            said: Haystack::of([words.join(" ").as_str()]),
            words: words.iter().map(bare).filter(|word| !word.is_empty()).collect(),
        }
    });
    made.collect()
}

/// Whether a word is a verb by which something is ordered, or one that stands behind "to" as often.
fn is_order(word: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "be", "do", "have", "get", "go", "come", "see", "pay", "buy", "know", "let", "use",
    ];
    asked::is_order(word) || OTHERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_of_different_things_is_not_put_together() {
        let cases = [
            ("Pay 5 to Ann and 500 to Bob", "500", "Ann", true),
            ("Pay 5 to Ann and 500 to Bob", "500", "Bob", false),
            ("Pay 5 to Ann and 500 to Bob", "5", "Ann", false),
            ("If I have more than 500, pay 5 to Ann", "500", "Ann", true),
            ("Pay 5 to Ann and Bob", "5", "Bob", false),
            (
                "Send 5 to Ann with the subject Coffee, and 6 with the subject Tea",
                "6",
                "Ann",
                false,
            ),
            ("Find out what Ann gets, and pay 5 to her", "5", "Ann", false),
            ("Pay Ann and Bob 5 each", "5", "Ann", false),
        ];
        for (text, amount, name, expected) in cases {
            let said = |written: &str, is_amount| Said {
                written: written.to_owned(),
                is_amount,
            };
            let values = [said(amount, true), said(name, false)];
            assert_eq!(
                recombined(&[text.to_owned()], &values).is_some(),
                expected,
                "{text}: {amount} {name}"
            );
        }
        let values = ["Bob", "general"].map(|written| Said {
            written: written.to_owned(),
            is_amount: false,
        });
        for (text, expected) in [
            ("Invite Ann to general and Bob to random", true),
            ("Invite Ann to random and Bob to general", false),
            ("Invite Bob to the team, and add him to general", false),
        ] {
            assert_eq!(recombined(&[text.to_owned()], &values).is_some(), expected, "{text}");
        }
    }
}
