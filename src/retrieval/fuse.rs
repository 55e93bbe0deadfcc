//! Which pieces are the best answers: those that are near in meaning, and those that hold the words.

use std::collections::BTreeMap;

/// How slowly a place in a list loses weight; the value that the method was published with.
const DAMPING: f64 = 60.0;
/// Pieces whose meaning is farther away are none.
const LEAST_LIKE: f64 = 0.2;

/// The pieces whose embeddings are nearest to one, the nearest first; those that have another length are none.
pub fn nearest(wanted: &[f32], pieces: &[(i64, Vec<f32>)], limit: usize) -> Vec<i64> {
    let mut scored: Vec<_> = pieces
        .iter()
        .filter_map(|(id, embedding)| Some((*id, cosine(wanted, embedding)?)))
        .filter(|(_, likeness)| *likeness >= LEAST_LIKE)
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    scored.into_iter().take(limit).map(|(id, _)| id).collect()
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

/// Several lists, each with the best first, as one (reciprocal rank fusion).
pub fn fuse(lists: &[Vec<i64>], limit: usize) -> Vec<i64> {
    let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
    for list in lists {
        let places = std::iter::successors(Some(1.0_f64), |place| Some(place + 1.0));
        for (id, place) in list.iter().zip(places) {
            *scores.entry(*id).or_default() += 1.0 / (DAMPING + place);
        }
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
        assert_eq!(nearest(&[1.0, 0.0], &pieces, 10), [2, 3]);
        assert_eq!(nearest(&[1.0, 0.0], &pieces, 1), [2]);
    }

    #[test]
    fn what_both_lists_have_beats_the_first_of_one() {
        assert_eq!(fuse(&[vec![1, 2, 3], vec![4, 2]], 10), [2, 1, 4, 3]);
        assert_eq!(fuse(&[vec![1, 2, 3], vec![]], 2), [1, 2]);
        assert_eq!(fuse(&[], 2), Vec::<i64>::new());
    }
}
