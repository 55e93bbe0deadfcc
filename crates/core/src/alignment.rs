//! The common part of two sequences, in order: what a comparison of texts or runs is drawn from. Pure.

/// A row of two sequences side by side, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Both have the same here.
    Both(usize, usize),
    /// Only the left one has this.
    Left(usize),
    /// Only the right one has this.
    Right(usize),
}

/// The most cells of the table that is filled. A longer stretch between common beginning and end counts as different.
const MOST_CELLS: usize = 4_000_000;

/// Two sequences side by side, with as much in common as there is in order.
pub fn align<T: PartialEq>(left: &[T], right: &[T]) -> Vec<Row> {
    let begins = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (inner_left, inner_right) = (&left[begins..], &right[begins..]);
    let backwards = inner_left.iter().rev().zip(inner_right.iter().rev());
    let ends = backwards.take_while(|(a, b)| a == b).count();
    let (width, height) = (inner_left.len() - ends, inner_right.len() - ends);
    let mut rows: Vec<_> = (0..begins).map(|place| Row::Both(place, place)).collect();
    rows.extend(
        within(&inner_left[..width], &inner_right[..height]).map(|row| match row {
            Row::Both(a, b) => Row::Both(a + begins, b + begins),
            Row::Left(a) => Row::Left(a + begins),
            Row::Right(b) => Row::Right(b + begins),
        }),
    );
    rows.extend((0..ends).map(|place| Row::Both(begins + width + place, begins + height + place)));
    rows
}

fn within<T: PartialEq>(left: &[T], right: &[T]) -> impl Iterator<Item = Row> + use<T> {
    let (width, height) = (left.len(), right.len());
    let common = Common::of(left, right);
    let (mut a, mut b) = (0, 0);
    std::iter::from_fn(move || {
        let row = match (a < width, b < height) {
            (false, false) => return None,
            (true, false) => Row::Left(a),
            (false, true) => Row::Right(b),
            (true, true) if common.is_shared(a, b) => Row::Both(a, b),
            (true, true) if common.longest(a + 1, b) >= common.longest(a, b + 1) => Row::Left(a),
            (true, true) => Row::Right(b),
        };
        match row {
            Row::Both(..) => (a, b) = (a + 1, b + 1),
            Row::Left(_) => a += 1,
            Row::Right(_) => b += 1,
        }
        Some(row)
    })
}

/// The lengths of the longest common subsequences from each pair of places on.
struct Common {
    lengths: Vec<u32>,
    shared: Vec<bool>,
    height: usize,
}

impl Common {
    fn of<T: PartialEq>(left: &[T], right: &[T]) -> Self {
        let height = right.len();
        let cells = left.len().saturating_mul(height);
        if cells > MOST_CELLS {
            return Self {
                lengths: Vec::new(),
                shared: Vec::new(),
                height,
            };
        }
        let mut common = Self {
            lengths: vec![0; cells],
            shared: vec![false; cells],
            height,
        };
        for a in (0..left.len()).rev() {
            for b in (0..height).rev() {
                let is_shared = left[a] == right[b];
                let length = match is_shared {
                    true => common.longest(a + 1, b + 1) + 1,
                    false => common.longest(a + 1, b).max(common.longest(a, b + 1)),
                };
                common.lengths[a * height + b] = length;
                common.shared[a * height + b] = is_shared;
            }
        }
        common
    }

    fn longest(&self, a: usize, b: usize) -> u32 {
        let inside = b < self.height;
        let cell = inside.then(|| self.lengths.get(a * self.height + b)).flatten();
        cell.copied().unwrap_or(0)
    }

    fn is_shared(&self, a: usize, b: usize) -> bool {
        self.shared.get(a * self.height + b).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(left: &str, right: &str) -> String {
        let (left, right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
        let rows = align(&left, &right).into_iter().map(|row| match row {
            Row::Both(a, _) => format!("={}", left[a]),
            Row::Left(a) => format!("-{}", left[a]),
            Row::Right(b) => format!("+{}", right[b]),
        });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sequences_stand_side_by_side() {
        for (left, right, expected) in [
            ("", "", ""),
            ("ab", "ab", "=a =b"),
            ("", "a", "+a"),
            ("a", "", "-a"),
            ("abc", "axc", "=a -b +x =c"),
            ("abcd", "acd", "=a -b =c =d"),
            ("ab", "abcd", "=a =b +c +d"),
            ("aXbYc", "abZc", "=a -X =b -Y +Z =c"),
        ] {
            assert_eq!(drawn(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn what_is_too_long_to_compare_is_different_between_its_ends() {
        let left: Vec<_> = (0..3_000).collect();
        let right: Vec<_> = std::iter::once(0).chain(5_000..8_000).chain([2_999]).collect();
        let rows = align(&left, &right);
        assert_eq!(rows.len(), 2 + 2_998 + 3_000);
        assert_eq!((rows[0], rows[1]), (Row::Both(0, 0), Row::Left(1)));
        assert_eq!(rows.last(), Some(&Row::Both(2_999, 3_001)));
    }

    proptest! {
        #[test]
        fn every_place_stands_in_one_row_and_in_order(left in "[abc]{0,12}", right in "[abc]{0,12}") {
            let (left, right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
            let (mut a, mut b) = (0, 0);
            for row in align(&left, &right) {
                match row {
                    Row::Both(x, y) => {
                        prop_assert_eq!((x, y), (a, b));
                        prop_assert_eq!(left[x], right[y]);
                        (a, b) = (a + 1, b + 1);
                    }
                    Row::Left(x) => {
                        prop_assert_eq!(x, a);
                        a += 1;
                    }
                    Row::Right(y) => {
                        prop_assert_eq!(y, b);
                        b += 1;
                    }
                }
            }
            prop_assert_eq!((a, b), (left.len(), right.len()));
        }

        #[test]
        fn a_sequence_is_the_same_as_itself(text in "[abc]{0,12}") {
            let text: Vec<_> = text.chars().collect();
            let expected: Vec<_> = (0..text.len()).map(|place| Row::Both(place, place)).collect();
            prop_assert_eq!(align(&text, &text), expected);
        }
    }
}
