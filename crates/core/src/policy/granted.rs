//! The words of a person that grant something: all of their message but what they forbid in it. Pure.
//!
//! "Invite everybody, except Mallory" names Mallory, and orders nothing of her. A stretch that forbids begins with a word
//! such as *not* or *except* and ends with its clause; a German verb is denied behind it, so there the whole clause is
//! meant. "Do not forget to mail Bob" forbids nothing.

use super::trace::is_order;

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

/// A person's text without what they forbid in it.
pub(super) fn granted(text: &str) -> String {
    clauses(text).map(kept).collect()
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

/// A clause without what it forbids.
fn kept(clause: &str) -> String {
    let words: Vec<&str> = clause.split_inclusive(char::is_whitespace).collect();
    let bare: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let is = |at: usize, list: &[&str]| bare.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let is_order_of = |at: usize| (at + 1..at + 4).any(|at| is(at, &ORDERING)) || (at > 0 && is(at - 1, &ORDERING));
    if (0..words.len()).any(|at| is(at, &FORBIDDING_ALL) && !is_order_of(at)) {
        return " ".to_owned();
    }
    let mut kept = String::new();
    let mut forbids = false;
    for (at, word) in words.iter().enumerate() {
        let is_pair = FORBIDDING_PAIRS
            .iter()
            .any(|(one, next)| is(at, &[*one]) && is(at + 1, &[*next]));
        let joins = is(at, &JOINS) && bare.get(at + 1).is_some_and(|word| is_order(word));
        if is_pair || (is(at, &FORBIDDING) && !is_order_of(at)) {
            forbids = true;
        } else if is(at, &BREAKS) || joins {
            forbids = false;
        }
        if !forbids {
            kept.push_str(word);
        }
    }
    kept
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
            assert_eq!(granted(text).contains(value), expected, "{text}: {:?}", granted(text));
        }
    }
}
