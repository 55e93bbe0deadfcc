//! The pieces that answer best: those that are near in meaning, and those that hold the words.

use std::collections::BTreeMap;

/// How much likeness in meaning counts next to the best score by words: it decides between those that are about as
/// good.
const BY_MEANING: f64 = 0.1;
/// Pieces whose meaning is farther away are none.
const LEAST_LIKE: f64 = 0.2;

/// The pieces whose embeddings are nearest to one with their likeness, the nearest first; those that have another
/// length are none.
pub fn nearest(wanted: &[f32], pieces: &[(i64, Vec<f32>)], limit: usize) -> Vec<(i64, f64)> {
    let mut scored: Vec<_> = pieces
        .iter()
        .filter_map(|(id, embedding)| Some((*id, cosine(wanted, embedding)?)))
        .filter(|(_, likeness)| *likeness >= LEAST_LIKE)
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    scored.truncate(limit);
    scored
}

/// How alike two directions are: 1 for the same, 0 for nothing in common.
fn cosine(one: &[f32], other: &[f32]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let (mut dot, mut left, mut right) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in one.iter().zip(other) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        dot += a * b;
        left += a * a;
        right += b * b;
    }
    let length = (left * right).sqrt();
    (length > 0.0 && length.is_finite()).then(|| dot / length)
}

/// The results by words, with their scores, and by meaning, with their similarity, as one list: words decide, and
/// meaning where they decide little or find nothing.
pub fn ordered(by_words: &[(i64, f64)], by_meaning: &[(i64, f64)], limit: usize) -> Vec<i64> {
    let best = by_words
        .iter()
        .map(|(_, score)| *score)
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut scores: BTreeMap<i64, f64> = by_words.iter().map(|(id, score)| (*id, score / best)).collect();
    for (id, likeness) in by_meaning {
        *scores.entry(*id).or_default() += BY_MEANING * likeness;
    }
    let mut scored: Vec<_> = scores.into_iter().collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    scored.into_iter().take(limit).map(|(id, _)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearest_in_meaning_comes_first() {
        let pieces = [
            (1, vec![0.0, 1.0]),
            (2, vec![2.0, 0.1]),
            (3, vec![1.0, 1.0]),
            (4, vec![-1.0, 0.0]),
            (5, vec![0.0, 0.0]),
            (6, vec![1.0]),
        ];
        let ids = |limit| {
            let found = nearest(&[1.0, 0.0], &pieces, limit);
            found.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(ids(10), [2, 3]);
        assert_eq!(ids(1), [2]);
    }

    #[test]
    fn words_decide_and_meaning_does_where_they_decide_little() {
        let words = [(1, 4.0), (2, 3.9), (3, 1.0)];
        assert_eq!(ordered(&words, &[], 10), [1, 2, 3]);
        assert_eq!(ordered(&words, &[(2, 0.9), (3, 1.0), (4, 0.8)], 10), [2, 1, 3, 4]);
        assert_eq!(ordered(&[], &[(4, 0.8), (5, 0.9)], 10), [5, 4]);
        assert_eq!(ordered(&words, &[(4, 0.8)], 2), [1, 2]);
        assert_eq!(ordered(&[], &[], 2), Vec::<i64>::new());
    }
}
