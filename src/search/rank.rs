//! How well a text answers a query: how often it holds what is asked, for its length (BM25 without the rarity of
//! words: every text that is ranked holds all of them).

use super::{query::Query, terms::terms};

/// How soon more of the same counts no more.
const SATURATION: f64 = 1.2;
/// How much the length counts.
const BY_LENGTH: f64 = 0.75;
/// A message of ordinary length, in terms.
const ORDINARY: f64 = 40.0;
/// Texts whose scores differ by less are equally good.
const STEP: f64 = 0.2;

/// How good an answer is: greater is better. Small differences are none, so that newer ones come first.
pub fn score(query: &Query, text: &str) -> i64 {
    let terms: Vec<_> = terms(text).collect();
    #[expect(clippy::cast_precision_loss, reason = "a text has less than 2^52 terms")]
    let as_real = |count: usize| count as f64;
    let length = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * as_real(terms.len()) / ORDINARY);
    let of_phrase = |found: usize| as_real(found) * (SATURATION + 1.0) / (as_real(found) + length);
    let whole: f64 = query
        .phrases()
        .iter()
        .map(|phrase| of_phrase(phrase.found_in(&terms).count()))
        .sum();
    // What the last word is, counts beside what it begins.
    let exact = query
        .phrases()
        .last()
        .filter(|phrase| phrase.open)
        .map_or(0.0, |phrase| {
            let last = phrase.terms.last();
            let found = terms.iter().filter(|term| Some(&term.text) == last).count();
            of_phrase(found) / 2.0
        });
    #[expect(clippy::cast_possible_truncation, reason = "at most a few hundred")]
    let steps = ((whole + exact) / STEP).round() as i64;
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_answers_have_higher_scores() {
        let filler = "and so on ".repeat(40);
        // (query, the better text, the other)
        let cases = [
            ("cat", "the cat and the cat", "the cat and the dog"),
            ("cat", "a cat", &*format!("a cat {filler}")),
            ("cat dog", "cat dog cat dog", "cat dog cat cat"),
            ("port", "the port", "the portrait"),
        ];
        for (query, better, other) in cases {
            let query = Query::parse(query).expect("terms");
            let scores = [better, other].map(|text| score(&query, text));
            assert!(scores[0] > scores[1], "{query:?}: {scores:?}");
        }
    }

    #[test]
    fn texts_that_differ_little_are_equally_good() {
        let query = Query::parse("train").expect("terms");
        assert_eq!(
            score(&query, "The train is late."),
            score(&query, "This train is rather late.")
        );
        assert_eq!(score(&query, "nothing of it"), 0);
    }
}
