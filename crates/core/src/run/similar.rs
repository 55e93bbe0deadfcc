//! When two messages say the same.

use std::collections::BTreeSet;

/// The share of words that two messages must have in common to be the same message.
const SAME: f64 = 0.9;

/// Whether two messages are nearly the same: their normalised words overlap by 90 % or more (Jaccard).
pub(crate) fn nearly_same(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    if a.is_empty() || b.is_empty() {
        return a == b;
    }
    let common = a.intersection(&b).count();
    let all = a.len() + b.len() - common;
    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    let share = common as f64 / all as f64;
    share >= SAME
}

fn words(text: &str) -> BTreeSet<String> {
    let found: BTreeSet<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    // A message of signs only ("👍") is its own word.
    if found.is_empty() && !text.trim().is_empty() {
        BTreeSet::from([text.trim().to_owned()])
    } else {
        found
    }
}

#[cfg(test)]
mod tests {
    use super::nearly_same;

    #[test]
    fn messages_are_compared_by_their_words() {
        let cases = [
            ("I am looking it up.", "I am looking it up!", true),
            ("I am LOOKING it up", "i am looking it up", true),
            (
                "one two three four five six seven eight nine ten",
                "one two three four five six seven eight nine",
                true,
            ),
            ("one two three", "one two four", false),
            ("👍", "👍", true),
            ("👍", "👎", false),
            ("", "x", false),
        ];
        for (a, b, same) in cases {
            assert_eq!(nearly_same(a, b), same, "{a} / {b}");
        }
    }
}
