//! Signatures of requests: HMAC-SHA256 by a secret that both sides know.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::hex::{hex, unhex};

/// The signature of a message that comes in pieces, as hexadecimal digits.
pub fn sign(secret: &str, pieces: &[&[u8]]) -> String {
    hex(&mac(secret, pieces).finalize().into_bytes())
}

/// Whether this is the signature of a message, in hexadecimal digits. How long that takes tells nothing of the right
/// one.
pub fn is_signed(secret: &str, pieces: &[&[u8]], signature: &str) -> bool {
    let Some(bytes) = unhex(signature) else { return false };
    mac(secret, pieces).verify_slice(&bytes).is_ok()
}

pub(crate) fn mac(secret: &str, pieces: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC takes keys of any length: this cannot fail, and an empty key would sign nothing that is asked for.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap_or_else(|_| Hmac::new(&Default::default()));
    for piece in pieces {
        mac.update(piece);
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test case 2 of RFC 4231.
    const OF_RFC_4231: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    #[test]
    fn signatures_are_those_of_the_standard_however_the_message_is_cut() {
        assert_eq!(sign("Jefe", &[b"what do ya want for nothing?"]), OF_RFC_4231);
        assert_eq!(sign("Jefe", &[b"what do ya ", b"", b"want for nothing?"]), OF_RFC_4231);
    }

    #[test]
    fn only_the_right_signature_is_taken() {
        let signed = |signature: &str| is_signed("Jefe", &[b"what do ya want for nothing?"], signature);
        assert!(signed(OF_RFC_4231));
        assert!(signed(&OF_RFC_4231.to_uppercase()));
        for wrong in ["", "5b", "zz", "é", &OF_RFC_4231[2..], &OF_RFC_4231.replace('5', "6")] {
            assert!(!signed(wrong), "{wrong}");
        }
        assert!(!is_signed("jefe", &[b"what do ya want for nothing?"], OF_RFC_4231));
    }
}
