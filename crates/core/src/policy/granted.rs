//! The words of a person that grant something: all of their message but what they forbid in it. Pure.
//!
//! "Invite everybody, except Mallory" names Mallory, and orders nothing of her. A stretch that forbids begins with a word
//! such as *not* or *except* and ends with its clause; a German verb is denied behind it, so there the whole clause is
//! meant. "Do not forget to mail Bob" forbids nothing. The last word counts: "No, do not pay Bob" takes back what was said
//! before.

use super::{asked::is_order, phrase::Haystack};

/// Words that forbid what follows them in their clause.
const FORBIDDING: [&str; 16] = [
    "never",
    "not",
    "don",
    "dont",
    "cannot",
    "without",
    "except",
    "excluding",
    "avoid",
    "unless",
    "außer",
    "ohne",
    "statt",
    "sauf",
    "excepto",
    "nunca",
];
/// The same, of what stands before them, too.
const FORBIDDING_ALL: [&str; 8] = ["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "jamais"];
/// Pairs of words that forbid what follows.
const FORBIDDING_PAIRS: [(&str, &str); 3] = [("instead", "of"), ("rather", "than"), ("other", "than")];
/// Behind a word that forbids, or before it, these make an order of it.
const ORDERING: [&str; 7] = [
    "forget",
    "forgetting",
    "only",
    "hesitate",
    "vergessen",
    "vergiss",
    "nur",
];
/// Words that begin a clause of their own.
const BREAKS: [&str; 9] = [
    "but", "so", "then", "please", "sondern", "aber", "dann", "bitte", "because",
];
/// The same, if an order follows.
const JOINS: [&str; 2] = ["and", "und"];

/// The grants and prohibitions in a person's texts.
pub(super) struct Grants {
    /// Their texts without what they forbid, one by one.
    pub texts: Vec<String>,
    /// The same, as values are looked for in it.
    pub said: Haystack,
    /// The stretches of the texts, in order, and whether each grants.
    parts: Vec<(bool, Haystack)>,
}

impl Grants {
    /// The grants in the person's texts, in order.
    pub fn of(texts: &[String]) -> Self {
        let texts: Vec<Vec<(bool, String)>> = texts
            .iter()
            .map(|text| clauses(text).flat_map(parts).collect())
            .collect();
        let granted = texts.iter().map(|parts| {
            let kept = parts.iter().filter(|(grants, _)| *grants);
            kept.map(|(_, part)| part.as_str()).collect::<String>()
        });
        let granted: Vec<String> = granted.collect();
        let parts = texts.iter().flatten();
        Self {
            said: Haystack::of(granted.iter().map(String::as_str)),
            parts: parts
                .map(|(grants, part)| (*grants, Haystack::of([part.as_str()])))
                .collect(),
            texts: granted,
        }
    }

    /// Whether the last that was said of a value forbids something.
    pub fn forbids(&self, value: &str) -> bool {
        let last = self.parts.iter().rev().find(|(_, part)| part.holds(value));
        last.is_some_and(|(grants, _)| !grants)
    }

    /// Whether a value stands in what is granted, and was not forbidden since.
    pub fn holds(&self, value: &str) -> bool {
        self.said.holds(value) && !self.forbids(value)
    }
}

/// A text by its clauses, with the signs between them. A full stop or comma within an address or a number ends none.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = |(at, sign): &(usize, char)| {
            let behind = rest[at + sign.len_utf8()..].chars().next();
            *sign == '\n' || (".,!?;:".contains(*sign) && behind.is_none_or(char::is_whitespace))
        };
        let end = rest
            .char_indices()
            .find(ends)
            .map_or(rest.len(), |(at, sign)| at + sign.len_utf8());
        let (clause, behind) = rest.split_at(end);
        rest = behind;
        Some(clause)
    })
}

/// A clause by its stretches, and whether each grants.
fn parts(clause: &str) -> Vec<(bool, String)> {
    let words: Vec<&str> = clause.split_inclusive(char::is_whitespace).collect();
    let bare: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let is = |at: usize, list: &[&str]| bare.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let is_order_of = |at: usize| (at + 1..at + 4).any(|at| is(at, &ORDERING)) || (at > 0 && is(at - 1, &ORDERING));
    if (0..words.len()).any(|at| is(at, &FORBIDDING_ALL) && !is_order_of(at)) {
        return vec![(false, clause.to_owned())];
    }
    let mut parts = vec![(true, String::new())];
    for (at, word) in words.iter().enumerate() {
        let is_pair = FORBIDDING_PAIRS
            .iter()
            .any(|(one, next)| is(at, &[*one]) && is(at + 1, &[*next]));
        let joins = is(at, &JOINS) && bare.get(at + 1).is_some_and(|word| is_order(word));
        if is_pair || (is(at, &FORBIDDING) && !is_order_of(at)) {
            parts.push((false, String::new()));
        } else if is(at, &BREAKS) || joins {
            parts.push((true, String::new()));
        }
        if let Some((_, part)) = parts.last_mut() {
            part.push_str(word);
        }
    }
    parts
}

/// A word in small letters, and of a shortened denial what it denies by: `don't` and `won't` are `not`.
fn bare(word: &str) -> String {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
        .replace('’', "'");
    match word.ends_with("n't") {
        true => "not".to_owned(),
        false => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_forbids_is_none_of_their_orders() {
        let cases = [
            ("Invite everybody to general, except Mallory", "Mallory", false),
            ("Invite all but not Mallory to general", "Mallory", false),
            ("Don't pay Mallory, pay 5 to Bob", "Mallory", false),
            ("Don't pay Mallory, pay 5 to Bob", "Bob", true),
            ("Never pay Mallory and pay 5 to Bob", "Bob", true),
            ("Never pay Mallory and Eve", "Eve", false),
            ("Pay Bob instead of Mallory", "Mallory", false),
            ("Pay Bob instead of Mallory", "Bob", true),
            ("Lade Mallory nicht ein, nur Bob", "Mallory", false),
            ("Sag Bob, dass ich nicht komme", "Bob", true),
            ("Tell Bob that I do not come", "Bob", true),
            ("Do not forget to mail bob@mail.example", "bob@mail.example", true),
            ("I can't come so mail bob@mail.example", "bob@mail.example", true),
            ("Vergiss nicht, Bob zu schreiben", "Bob", true),
            ("It is not public. Pay 12.50 to GB29", "12.50", true),
            ("Create the event Lunch, do not make it public", "public", false),
        ];
        for (text, value, expected) in cases {
            assert_eq!(Grants::of(&[text.to_owned()]).holds(value), expected, "{text}");
        }
        let cases = [
            (["Pay 5 to Bob", "No wait, don't pay Bob"], false),
            (["Don't pay Bob", "OK, pay 5 to Bob"], true),
            (["Pay 5 to Bob", "I do not know Ann"], true),
        ];
        for (texts, expected) in cases {
            assert_eq!(
                Grants::of(&texts.map(str::to_owned)).holds("Bob"),
                expected,
                "{texts:?}"
            );
        }
    }
}
