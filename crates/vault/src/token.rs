//! New secrets: API tokens, and the codes that people type to pair or claim.

use hmac::Mac;
use rand::{
    CryptoRng, Rng,
    distr::{Alphanumeric, SampleString},
};
use sha2::{Digest, Sha256};

use crate::{Secret, hex, signature::mac};

/// The prefix of every API token, so that scanners find lost ones.
const PREFIX: &str = "clf_";

/// So many letters and digits, of 62 each, hold 256 random bits.
const LENGTH: usize = 43;

/// An API token that was just made. It is shown once; only its hash is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token(Secret);

impl Token {
    /// A new token of 256 random bits.
    pub fn new(rng: &mut impl CryptoRng) -> Self {
        let mut text = PREFIX.to_owned();
        Alphanumeric.append_string(rng, &mut text, LENGTH);
        Self(Secret::new(text))
    }

    /// The token's text, to be shown to its owner.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// The hash that is stored in its place.
    pub fn hash(&self) -> String {
        hash(self.expose())
    }
}

/// The SHA-256 of a token as hexadecimal digits: tokens are looked up by it.
///
/// A plain hash is enough, because nobody can guess 256 random bits; passwords need more.
pub fn hash(token: &str) -> String {
    hex(&Sha256::digest(token))
}

/// Letters and digits that are not taken for one another: no `I` and `1`, no `O` and `0`. 32 of them: 5 bits each.
const LEGIBLE: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A random code of this many letters and digits, for a person to read and type.
pub fn code(length: usize, rng: &mut impl CryptoRng) -> String {
    (0..length)
        .map(|_| char::from(LEGIBLE[rng.random_range(0..LEGIBLE.len())]))
        .collect()
}

/// The code of this many letters and digits that a message has by a secret: the same whenever it is asked for, and no
/// other to be guessed from it. At most 32 of them.
pub fn code_of(length: usize, secret: &str, pieces: &[&[u8]]) -> String {
    let bytes = mac(secret, pieces).finalize().into_bytes();
    let letters = bytes.iter().map(|byte| LEGIBLE[usize::from(*byte) % LEGIBLE.len()]);
    letters.take(length).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{SeedableRng, rngs::StdRng};

    use super::{LEGIBLE, Token, code, code_of, hash};

    fn rng() -> StdRng {
        StdRng::seed_from_u64(7)
    }

    #[test]
    fn tokens_have_their_form_and_differ() {
        let mut rng = rng();
        let tokens: HashSet<_> = (0..1_000).map(|_| Token::new(&mut rng).expose().to_owned()).collect();
        assert_eq!(tokens.len(), 1_000);
        for token in tokens {
            let random = token.strip_prefix("clf_").unwrap();
            assert!(
                random.len() == 43 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                "{token}"
            );
        }
    }

    #[test]
    fn a_code_comes_of_its_secret_and_of_what_it_is_for() {
        let made = |secret, account: &str| code_of(8, secret, &[b"telegram", account.as_bytes()]);
        assert_eq!(made("a", "7"), made("a", "7"));
        assert_ne!(made("a", "7"), made("b", "7"));
        assert_ne!(made("a", "7"), made("a", "8"));
        assert!(made("a", "7").bytes().all(|letter| LEGIBLE.contains(&letter)) && made("a", "7").len() == 8);
    }

    #[test]
    fn a_token_is_not_printed() {
        assert_eq!(format!("{:?}", Token::new(&mut rng())), "Token([secret])");
    }

    #[test]
    fn a_token_is_found_by_the_hash_of_its_text() {
        let token = Token::new(&mut rng());
        assert_eq!(token.hash(), hash(token.expose()));
        assert_eq!(
            hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn codes_use_all_legible_letters_and_no_others() {
        assert_eq!(code(0, &mut rng()), "");
        let code = code(1_000, &mut rng());
        assert_eq!(code.len(), 1_000);
        assert_eq!(code.bytes().collect::<HashSet<_>>(), LEGIBLE.iter().copied().collect());
        assert!(!code.contains(['I', 'O', '0', '1']));
    }
}
