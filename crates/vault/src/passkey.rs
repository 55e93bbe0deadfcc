//! Passkeys: whether the answer of a browser to a challenge proves that a person is there with their key. Pure.
//!
//! A passkey is a key pair in a device of its person. The server keeps the public half, and has the device sign a
//! challenge that nobody could know before. This is the server's side of WebAuthn (W3C, Level 2): the steps of §7.1 for a
//! new passkey, and those of §7.2 for a login. The caller looks the challenge up, so that it is good once, and the passkey.
//!
//! **Where data come in.** An answer has what the browser says (`client_data`: which challenge, for a page of which
//! origin) and what the authenticator says (`authenticator_data`: for which host, who was there, how often it signed, and
//! of a new passkey the key). Both come from a stranger. A login's are signed together by the passkey. Those of a new
//! passkey are not signed: no proof of the device's make is asked for (attestation `none`), and the person's own session
//! vouches for it.
//!
//! A device must check who uses it, by a PIN, a finger or a face: a passkey is the whole login, and a found key alone is
//! none.

mod key;
#[cfg(test)]
mod tests;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use rand::{CryptoRng, Rng};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use self::key::Key;

/// The kinds of keys that are taken, the best first, by their numbers at IANA: ES256, `EdDSA` with Ed25519, RS256.
pub const ALGORITHMS: [i32; 3] = [-7, -8, -257];

/// The flags of an authenticator's data (§6.1).
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const MAY_BE_BACKED_UP: u8 = 0x08;
const IS_BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;
const HAS_EXTENSIONS: u8 = 0x80;
/// The longest name that an authenticator gives a passkey, in bytes.
const LONGEST_ID: usize = 1023;

/// Why an answer proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasskeyError {
    /// The browser's answer is no JSON of its form.
    #[error("the browser's part of the answer cannot be read")]
    ClientData,
    /// The authenticator's answer has not its form.
    #[error("the device's part of the answer cannot be read")]
    AuthenticatorData,
    /// A login was asked for, and a new passkey is there, or the other way round.
    #[error("it answers another question")]
    Kind,
    /// It was not this challenge.
    #[error("it answers another challenge")]
    Challenge,
    /// The page was another site's, or in a frame of one.
    #[error("it was made for a page at another address")]
    Origin,
    /// The passkey is for another host.
    #[error("it is for another host")]
    Host,
    /// Nobody touched the device.
    #[error("nobody confirmed it at the device")]
    NotPresent,
    /// The device did not ask for a PIN, a finger or a face.
    #[error("the device did not check who uses it: set a PIN, a finger or a face there")]
    NotVerified,
    /// The key is of a kind that nobody asked for.
    #[error("the key is of a kind that is not taken")]
    Key,
    /// The passkey did not sign this.
    #[error("its signature is wrong")]
    Signature,
    /// It signed more often before.
    #[error("its counter did not go up: there may be a copy of the passkey")]
    Counter,
}

/// The dashboard as browsers know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its host, without a port: passkeys are for it (the *relying party's id*).
    pub host: String,
    /// The origins of its pages.
    pub origins: Vec<String>,
}

/// The answer to a challenge, in base64url as it came.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The browser's answer.
    pub client_data: &'a str,
    /// The authenticator's answer.
    pub authenticator_data: &'a str,
}

/// A new passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCredential {
    /// The name that its authenticator gave it, in base64url.
    pub id: String,
    /// Its key, as COSE writes it, in base64url.
    pub public_key: String,
    /// How often it signed.
    pub sign_count: u32,
}

/// A passkey that is known.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Its key, as COSE writes it, in base64url.
    pub public_key: &'a str,
    /// How often it signed at its last login.
    pub sign_count: i64,
}

/// 256 random bits, in base64url: a challenge, or a name for a person that tells nothing of them.
pub fn random(rng: &mut impl CryptoRng) -> String {
    BASE64.encode(rng.random::<[u8; 32]>())
}

/// The challenge that an answer says it is for.
///
/// # Errors
/// It cannot be read.
pub fn challenge_of(answer: Answer<'_>) -> Result<String, PasskeyError> {
    Ok(ClientData::read(answer.client_data)?.challenge)
}

/// Takes a new passkey from the answer to a challenge.
///
/// # Errors
/// The answer is not for this challenge and site, or nobody was there who could confirm it.
pub fn verify_new(site: &Site, challenge: &str, answer: Answer<'_>) -> Result<NewCredential, PasskeyError> {
    // §7.1, steps 5 to 9.
    ClientData::read(answer.client_data)?.check("webauthn.create", challenge, site)?;
    // Steps 12 to 15.
    let bytes = decode(answer.authenticator_data).ok_or(PasskeyError::AuthenticatorData)?;
    let said = AuthenticatorData::read(&bytes)?;
    said.check(site)?;
    // Step 16: the key is of a kind that was asked for. Steps 17 to 21 have nothing to check: no extension was asked for,
    // and no attestation. The caller does step 22: nobody has a passkey of this name.
    let (id, rest) = said.credential()?;
    let (key, encoded, rest) = Key::read(rest).ok_or(PasskeyError::Key)?;
    if rest.is_empty() == said.has(HAS_EXTENSIONS) {
        return Err(PasskeyError::AuthenticatorData);
    }
    if !key.is_usable() {
        return Err(PasskeyError::Key);
    }
    Ok(NewCredential {
        id: BASE64.encode(id),
        public_key: BASE64.encode(encoded),
        sign_count: said.sign_count,
    })
}

/// Checks the answer to a challenge by a passkey that is known; how often it has signed by now.
///
/// # Errors
/// The answer is not for this challenge and site, nobody was there who could confirm it, or this passkey did not sign it.
pub fn verify_login(
    site: &Site,
    challenge: &str,
    answer: Answer<'_>,
    signature: &str,
    known: Known<'_>,
) -> Result<u32, PasskeyError> {
    // §7.2, steps 8 to 13. The caller did 5 to 7: whose passkey it is.
    ClientData::read(answer.client_data)?.check("webauthn.get", challenge, site)?;
    // Steps 15 to 17.
    let bytes = decode(answer.authenticator_data).ok_or(PasskeyError::AuthenticatorData)?;
    let said = AuthenticatorData::read(&bytes)?;
    said.check(site)?;
    // Steps 19 and 20: the authenticator signs its own data and the hash of the browser's.
    let client_data = decode(answer.client_data).ok_or(PasskeyError::ClientData)?;
    let signed = [bytes.as_slice(), Sha256::digest(client_data).as_slice()].concat();
    let signature = decode(signature).ok_or(PasskeyError::Signature)?;
    let encoded = decode(known.public_key).ok_or(PasskeyError::Key)?;
    let (key, ..) = Key::read(&encoded).ok_or(PasskeyError::Key)?;
    if !key.signed(&signed, &signature) {
        return Err(PasskeyError::Signature);
    }
    // Step 21: of an authenticator that counts, a count that does not go up tells of a copy.
    let counts = said.sign_count != 0 || known.sign_count != 0;
    if counts && i64::from(said.sign_count) <= known.sign_count {
        return Err(PasskeyError::Counter);
    }
    Ok(said.sign_count)
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// The browser's answer (§5.8.1).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

impl ClientData {
    fn read(text: &str) -> Result<Self, PasskeyError> {
        let bytes = decode(text).ok_or(PasskeyError::ClientData)?;
        serde_json::from_slice(&bytes).map_err(|_| PasskeyError::ClientData)
    }

    fn check(&self, kind: &str, challenge: &str, site: &Site) -> Result<(), PasskeyError> {
        if self.r#type != kind {
            return Err(PasskeyError::Kind);
        }
        if self.challenge != challenge {
            return Err(PasskeyError::Challenge);
        }
        // No page of another site may hold ours in a frame, so none may ask from there.
        if self.cross_origin || !site.origins.contains(&self.origin) {
            return Err(PasskeyError::Origin);
        }
        Ok(())
    }
}

/// The authenticator's answer (§6.1).
struct AuthenticatorData<'a> {
    host_hash: &'a [u8],
    flags: u8,
    sign_count: u32,
    /// The passkey, if it is a new one, and extensions.
    rest: &'a [u8],
}

impl<'a> AuthenticatorData<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, PasskeyError> {
        let read = || {
            let (host_hash, rest) = bytes.split_at_checked(32)?;
            let (flags, rest) = rest.split_first()?;
            let (sign_count, rest) = rest.split_first_chunk()?;
            Some(Self {
                host_hash,
                flags: *flags,
                sign_count: u32::from_be_bytes(*sign_count),
                rest,
            })
        };
        read().ok_or(PasskeyError::AuthenticatorData)
    }

    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn check(&self, site: &Site) -> Result<(), PasskeyError> {
        if self.host_hash != Sha256::digest(&site.host).as_slice() {
            return Err(PasskeyError::Host);
        }
        if !self.has(PRESENT) {
            return Err(PasskeyError::NotPresent);
        }
        if !self.has(VERIFIED) {
            return Err(PasskeyError::NotVerified);
        }
        // No key is where it may not be.
        if self.has(IS_BACKED_UP) && !self.has(MAY_BE_BACKED_UP) {
            return Err(PasskeyError::AuthenticatorData);
        }
        Ok(())
    }

    /// The name of a new passkey, and what follows it (§6.5.1).
    fn credential(&self) -> Result<(&'a [u8], &'a [u8]), PasskeyError> {
        let read = || {
            // First the model of the authenticator, which nobody asks for.
            let (_, rest) = self.rest.split_at_checked(16)?;
            let (length, rest) = rest.split_first_chunk()?;
            rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
        };
        read()
            .filter(|(id, _)| self.has(HAS_CREDENTIAL) && (1..=LONGEST_ID).contains(&id.len()))
            .ok_or(PasskeyError::AuthenticatorData)
    }
}
