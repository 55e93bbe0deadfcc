//! Ids for what has none of ours: the same each time, and sorted by the time at which it was said, as all ids are.

use clifford_core::clock::Timestamp;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

/// The id of something that is known by these words in its source.
pub fn stable(at: Timestamp, words: &[&str]) -> Uuid {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.len().to_le_bytes());
        hash.update(word.as_bytes());
    }
    let digest = hash.finalize();
    let mut random = [0; 10];
    for (to, from) in random.iter_mut().zip(digest.iter()) {
        *to = *from;
    }
    let millis = u64::try_from(at.0).unwrap_or(0);
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_same_each_time_and_sorted_by_time() {
        let [early, late] = [Timestamp(1_700_000_000_000), Timestamp(1_700_000_000_001)];
        assert_eq!(stable(early, &["a", "b"]), stable(early, &["a", "b"]));
        assert_ne!(stable(early, &["a", "b"]), stable(early, &["ab"]));
        assert!(stable(early, &["z"]) < stable(late, &["a"]));
        assert_eq!(stable(early, &["a"]).get_version_num(), 7);
    }
}
