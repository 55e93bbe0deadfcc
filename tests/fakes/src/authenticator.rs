//! A phone with passkeys, and the browser before it: what `navigator.credentials` makes of the options of a page, as
//! strict as they are.

#![expect(clippy::expect_used, reason = "what a browser refuses is its test's failure")]

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Somebody is there, and the phone knows who.
const THERE: u8 = 0x05;
const HAS_CREDENTIAL: u8 = 0x40;

/// The phone.
#[derive(Debug, Default)]
pub struct Authenticator {
    passkeys: Vec<Passkey>,
}

/// A passkey in it.
#[derive(Debug)]
struct Passkey {
    id: Vec<u8>,
    host: String,
    user_handle: String,
    key: EcdsaKeyPair,
    count: u32,
}

impl Authenticator {
    /// A phone without a passkey.
    pub fn new() -> Self {
        Self::default()
    }

    /// `navigator.credentials.create()` on a page of this origin: what the page sends of its result.
    ///
    /// # Panics
    /// A browser would refuse the options, or the phone has a passkey of theirs already.
    pub fn create(&mut self, origin: &str, options: &Value) -> Value {
        let host = checked(origin, &options["rp"]["id"]);
        let kinds = options["pubKeyCredParams"].as_array().expect("a list of kinds");
        assert!(kinds.contains(&json!({"type": "public-key", "alg": -7})), "{options}");
        let excluded = options["excludeCredentials"].as_array().expect("a list");
        let excluded: Vec<_> = excluded.iter().filter_map(|one| one["id"].as_str()).collect();
        let has_one = self
            .passkeys
            .iter()
            .any(|one| one.host == host && excluded.contains(&&*BASE64.encode(&one.id)));
        assert!(!has_one, "InvalidStateError: the phone has one already");
        assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        let handle = options["user"]["id"].as_str().expect("a handle");
        let length = BASE64.decode(handle).expect("base64url").len();
        assert!((1..=64).contains(&length), "a handle of {length} bytes");

        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random);
        let key = key.expect("a key");
        // Another phone has other names.
        let id = Sha256::digest(key.public_key().as_ref())[..16].to_vec();
        let (x, y) = key.public_key().as_ref()[1..].split_at(32);
        let head = [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
        let cose = [&head[..], x, &[0x22, 0x58, 32], y].concat();
        let credential = [&[0; 16][..], &[0, 16], &id, &cose].concat();
        let data = [data(&host, THERE | HAS_CREDENTIAL, 1), credential].concat();
        self.passkeys.push(Passkey {
            id,
            host,
            user_handle: handle.to_owned(),
            key,
            count: 1,
        });
        json!({
            "clientData": BASE64.encode(client_data("webauthn.create", origin, &options["challenge"])),
            "authenticatorData": BASE64.encode(data),
        })
    }

    /// `navigator.credentials.get()` on a page of this origin, with the newest passkey for it: what the page sends of its
    /// result.
    ///
    /// # Panics
    /// A browser would refuse the options, or the phone has no passkey for them.
    pub fn get(&mut self, origin: &str, options: &Value) -> Value {
        let host = checked(origin, &options["rpId"]);
        assert_eq!(options["userVerification"], "required");
        let passkey = self.passkeys.iter_mut().rev().find(|one| one.host == host);
        let passkey = passkey.expect("NotAllowedError: a passkey for this host");
        passkey.count += 1;
        let client = client_data("webauthn.get", origin, &options["challenge"]);
        let data = data(&host, THERE, passkey.count);
        let signed = [data.as_slice(), Sha256::digest(&client).as_slice()].concat();
        let signature = passkey.key.sign(&SystemRandom::new(), &signed).expect("signs");
        json!({
            "id": BASE64.encode(&passkey.id),
            "clientData": BASE64.encode(client),
            "authenticatorData": BASE64.encode(data),
            "signature": BASE64.encode(signature),
            "userHandle": passkey.user_handle,
        })
    }

    /// Sets the counter of its newest passkey, as a copy of it has one of its own.
    ///
    /// # Panics
    /// It has none.
    pub fn counted(&mut self, count: u32) {
        self.passkeys.last_mut().expect("a passkey").count = count;
    }
}

/// The host that a page asks for, which must be its own, by a secure origin.
fn checked(origin: &str, host: &Value) -> String {
    let host = host.as_str().expect("a host");
    let (scheme, authority) = origin.split_once("://").expect("an origin");
    let own = authority.split(':').next().unwrap_or_default();
    assert_eq!(own, host, "SecurityError: the host is not the page's");
    assert!(host.parse::<std::net::IpAddr>().is_err(), "SecurityError: an address");
    assert!(
        scheme == "https" || host == "localhost" || host.ends_with(".localhost"),
        "the context is not secure"
    );
    host.to_owned()
}

fn client_data(kind: &str, origin: &str, challenge: &Value) -> Vec<u8> {
    let challenge = challenge.as_str().expect("a challenge");
    let bytes = BASE64.decode(challenge).expect("base64url");
    assert!(bytes.len() >= 16, "a short challenge");
    let said = json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false});
    said.to_string().into_bytes()
}

fn data(host: &str, flags: u8, count: u32) -> Vec<u8> {
    let hash = Sha256::digest(host);
    [hash.as_slice(), &[flags], &count.to_be_bytes()].concat()
}
