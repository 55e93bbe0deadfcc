//! Hides secrets in a text that grows.

use std::sync::Arc;

use clifford_vault::Masker;

/// Holds back the end of a text that may become a secret, and hides what is one.
#[derive(Debug)]
pub(super) struct Masking {
    masker: Arc<Masker>,
    /// The unsettled end: the beginning of a secret at the most, and the pieces since the last look.
    held: String,
    /// How many bytes were looked at so far.
    #[cfg(test)]
    pub(super) looked_at: usize,
}

impl Masking {
    /// Knows what this masker knows.
    pub(super) fn new(masker: Arc<Masker>) -> Self {
        Self {
            masker,
            held: String::new(),
            #[cfg(test)]
            looked_at: 0,
        }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: &str) {
        self.held.push_str(piece);
    }

    /// The settled text, which no further piece can change, without secrets.
    pub(super) fn take(&mut self) -> String {
        #[cfg(test)]
        {
            self.looked_at += self.held.len();
        }
        // No secret begins before the cut and ends behind it, so both sides can be masked by themselves.
        let settled = self.masker.settled(&self.held);
        let (length, masked) = (settled.len(), self.masker.mask(settled).into_owned());
        self.held.drain(..length);
        masked
    }

    /// The rest: nothing follows.
    pub(super) fn end(&mut self) -> String {
        self.masker.mask(&std::mem::take(&mut self.held)).into_owned()
    }

    /// Starts over.
    pub(super) fn clear(&mut self) {
        self.held.clear();
    }
}

#[cfg(test)]
mod tests {
    use clifford_vault::Secret;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_masked_the_same_however_it_is_cut(pieces in prop::collection::vec("[ab]{0,5}", 0..20)) {
            let secrets = ["aabbab", "bbabaa", "aabbabbb", "abbaab"].map(Secret::new);
            let masker = Arc::new(Masker::new(&secrets));
            let mut masking = Masking::new(Arc::clone(&masker));
            let mut masked = String::new();
            for piece in &pieces {
                masking.push(piece);
                masked.push_str(&masking.take());
            }
            masked.push_str(&masking.end());
            prop_assert_eq!(masked, masker.mask(&pieces.concat()).into_owned());
        }
    }
}
