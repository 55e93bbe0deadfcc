//! The messages of a conversation that are shown: the newest, from a point that stays for many messages. Pure.
//!
//! Messages are taken one after the other, as they were said. When they have become too many, the older half goes at
//! once. So what is shown follows from the messages alone, and begins at the same one until the next time.

use clifford_llm_api::tokens::Quarters;

/// A message, as far as it matters which are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its weight as it is shown.
    pub weight: Quarters,
    /// A person said it: what is shown had better begin with their words.
    pub inbound: bool,
}

/// From which of these messages on they are shown: none before it has room, and the newest always has.
pub fn begins(said: &[HistoryEntry], most: Quarters) -> usize {
    let (mut start, mut weight) = (0, 0);
    for (place, message) in said.iter().enumerate() {
        weight += message.weight;
        if weight <= most {
            continue;
        }
        let half = most / 2;
        while start < place && weight > half {
            weight -= said[start].weight;
            start += 1;
        }
        // An answer without its question says little.
        let asked = said[start..=place].iter().position(|message| message.inbound);
        for _ in 0..asked.unwrap_or(0) {
            weight -= said[start].weight;
            start += 1;
        }
    }
    if weight > most { said.len() } else { start }
}

/// The first of these messages that is looked at at all, where there are so many before it that were not read: one in
/// a place that stays the same for a quarter of them.
pub fn aligned(before: u64, read: usize) -> usize {
    let step = (read as u64 / 4).max(1);
    let skipped = (step - before % step) % step;
    usize::try_from(skipped).unwrap_or(0).min(read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn talk(weights: &[Quarters]) -> Vec<HistoryEntry> {
        let said = |(place, weight): (usize, &Quarters)| HistoryEntry {
            weight: *weight,
            inbound: place % 2 == 0,
        };
        weights.iter().enumerate().map(said).collect()
    }

    #[test]
    fn the_older_half_goes_at_once() {
        let begins = |count| begins(&talk(&vec![10; count]), 100);
        let found: Vec<_> = (8..=22).map(begins).collect();
        assert_eq!(found, [0, 0, 0, 6, 6, 6, 6, 6, 6, 12, 12, 12, 12, 12, 12]);
    }

    #[test]
    fn what_has_no_room_at_all_is_not_shown() {
        assert_eq!(begins(&talk(&[5, 5, 200]), 100), 3);
        assert_eq!(begins(&talk(&[5, 200, 5]), 100), 2);
        assert_eq!(begins(&[], 100), 0);
    }

    #[test]
    fn where_not_all_was_read_it_begins_at_the_same_message_for_many() {
        let first = |before: u64| before + aligned(before, 200) as u64;
        let found: Vec<_> = (800..=851).map(first).collect();
        assert_eq!(found[0], 800);
        assert!(found[1..=50].iter().all(|first| *first == 850), "{found:?}");
        assert_eq!(found[51], 900);
    }

    proptest! {
        #[test]
        fn what_is_shown_has_room_and_moves_seldom(weights in prop::collection::vec(1_u64..60, 1..80), most in 60_u64..400) {
            let said = talk(&weights);
            let mut moves = 0;
            let mut last = 0;
            for count in 1..=said.len() {
                let start = begins(&said[..count], most);
                prop_assert!(start >= last && start < count);
                prop_assert!(said[start..count].iter().map(|one| one.weight).sum::<u64>() <= most);
                moves += u64::from(start != last);
                last = start;
            }
            // Each time about half of the room is freed.
            prop_assert!(moves <= weights.iter().sum::<u64>() / (most / 2 - 30).max(1) + 1);
        }
    }
}
