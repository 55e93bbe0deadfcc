//! The public key of a passkey, as authenticators write it: COSE (RFC 9053, RFC 8230) in CTAP2's canonical CBOR, which has
//! one form for each kind of key. So it is read by that form, and there is no reader of CBOR here.

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

/// `{1: 2, 3: -7, -1: 1, -2: x, -3: y}`: up to x, and from there to y, each of 32 bytes.
const ES256: &[u8] = &[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
const ES256_Y: &[u8] = &[0x22, 0x58, 0x20];
/// `{1: 1, 3: -8, -1: 6, -2: x}`, up to x of 32 bytes.
const ED25519_KEY: &[u8] = &[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20];
/// `{1: 3, 3: -257, -1: n, -2: e}`, up to the length of n, in two bytes; and e, which is 65537 everywhere.
const RS256: &[u8] = &[0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59];
const RS256_E: &[u8] = &[0x21, 0x43, 0x01, 0x00, 0x01];
/// The lengths of n, in bytes: of 2048 to 4096 bits.
const RSA_LENGTHS: std::ops::RangeInclusive<usize> = 256..=512;

/// A public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'a> {
    /// ECDSA on P-256 with SHA-256.
    Es256 { x: &'a [u8], y: &'a [u8] },
    /// `EdDSA` on Ed25519.
    Ed25519(&'a [u8]),
    /// RSA as PKCS #1 v1.5 has it, with SHA-256, by its modulus.
    Rs256(&'a [u8]),
}

impl<'a> Key<'a> {
    /// Reads a key: itself, its bytes, and what follows them.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8], &'a [u8])> {
        let (key, rest) = Self::es256(bytes)
            .or_else(|| Self::ed25519(bytes))
            .or_else(|| Self::rs256(bytes))?;
        let (encoded, _) = bytes.split_at_checked(bytes.len() - rest.len())?;
        Some((key, encoded, rest))
    }

    fn es256(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (x, rest) = bytes.strip_prefix(ES256)?.split_at_checked(32)?;
        let (y, rest) = rest.strip_prefix(ES256_Y)?.split_at_checked(32)?;
        Some((Self::Es256 { x, y }, rest))
    }

    fn ed25519(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (x, rest) = bytes.strip_prefix(ED25519_KEY)?.split_at_checked(32)?;
        Some((Self::Ed25519(x), rest))
    }

    fn rs256(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (length, rest) = bytes.strip_prefix(RS256)?.split_first_chunk()?;
        let (n, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        let rest = rest.strip_prefix(RS256_E)?;
        Some((Self::Rs256(n), rest))
    }

    /// Whether signatures of it can be checked: a modulus may be too small, or too large.
    pub(super) fn is_usable(&self) -> bool {
        match self {
            Self::Es256 { .. } | Self::Ed25519(_) => true,
            Self::Rs256(n) => RSA_LENGTHS.contains(&n.len()),
        }
    }

    /// Whether its owner signed this.
    pub(super) fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let checked = match self {
            Self::Es256 { x, y } => {
                // A point in its long form.
                let point = [&[0x04], *x, *y].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
            }
            Self::Ed25519(x) => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
            Self::Rs256(n) => {
                let e: &[u8] = &[0x01, 0x00, 0x01];
                RsaPublicKeyComponents { n: *n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        checked.is_ok()
    }
}
