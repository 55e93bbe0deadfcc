//! A device that signs, and answers with everything that may be wrong in them.

use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};

use super::*;

const CHALLENGE: &str = "Y2hhbGxlbmdl";
const HOST: &str = "bot.example.org";
const ORIGIN: &str = "https://bot.example.org";
/// Somebody is there, and the device knows who.
const THERE: u8 = PRESENT | VERIFIED;

fn site() -> Site {
    Site {
        host: HOST.to_owned(),
        origins: vec![ORIGIN.to_owned()],
    }
}

/// A key in a device.
enum Device {
    Es256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Device {
    fn es256() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random);
        Self::Es256(pair.unwrap())
    }

    fn ed25519() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    /// The public key, as COSE writes it.
    fn cose(&self) -> Vec<u8> {
        match self {
            Self::Es256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                let head = [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
                [&head[..], x, &[0x22, 0x58, 32], y].concat()
            }
            Self::Ed25519(pair) => {
                let head = [0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32];
                [&head[..], pair.public_key().as_ref()].concat()
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Es256(pair) => pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_owned(),
            Self::Ed25519(pair) => pair.sign(message).as_ref().to_owned(),
        }
    }
}

/// The words of a browser and a device, before anything of them is changed.
struct Said {
    client: Value,
    host: &'static str,
    flags: u8,
    count: u32,
    /// A new passkey, and what follows it.
    rest: Vec<u8>,
}

impl Said {
    fn to(kind: &str) -> Self {
        Self {
            client: json!({"type": kind, "challenge": CHALLENGE, "origin": ORIGIN, "crossOrigin": false}),
            host: HOST,
            flags: THERE,
            count: 0,
            rest: Vec::new(),
        }
    }

    fn with_new(cose: &[u8]) -> Self {
        let mut said = Self::to("webauthn.create");
        said.flags |= HAS_CREDENTIAL;
        said.rest = [&[7; 16][..], &[0, 3], b"its", cose].concat();
        said
    }

    fn client(&self) -> Vec<u8> {
        self.client.to_string().into_bytes()
    }

    fn authenticator(&self) -> Vec<u8> {
        let hash = Sha256::digest(self.host);
        [hash.as_slice(), &[self.flags], &self.count.to_be_bytes(), &self.rest].concat()
    }

    fn verify_new(&self) -> Result<NewCredential, PasskeyError> {
        let (client, authenticator) = (BASE64.encode(self.client()), BASE64.encode(self.authenticator()));
        let answer = Answer {
            client_data: &client,
            authenticator_data: &authenticator,
        };
        verify_new(&site(), CHALLENGE, answer)
    }

    /// Signed by one device, and checked by the key of another, which signed so often.
    fn verify_login(&self, by: &Device, of: &Device, known_count: i64) -> Result<u32, PasskeyError> {
        let (client, authenticator) = (self.client(), self.authenticator());
        let signature = by.sign(&[authenticator.as_slice(), Sha256::digest(&client).as_slice()].concat());
        checked(&client, &authenticator, &signature, &of.cose(), known_count)
    }
}

fn checked(client: &[u8], authenticator: &[u8], signature: &[u8], key: &[u8], count: i64) -> Result<u32, PasskeyError> {
    let [client, authenticator, signature, key] =
        [client, authenticator, signature, key].map(|bytes| BASE64.encode(bytes));
    let answer = Answer {
        client_data: &client,
        authenticator_data: &authenticator,
    };
    let known = Known {
        public_key: &key,
        sign_count: count,
    };
    verify_login(&site(), CHALLENGE, answer, &signature, known)
}

/// A change of what is said.
type Change = fn(&mut Said);

/// Faults that both kinds of answers may have.
const FAULTS: &[(&str, Change, PasskeyError)] = &[
    (
        "another kind",
        |said| said.client["type"] = json!("payment.get"),
        PasskeyError::Kind,
    ),
    (
        "another challenge",
        |said| said.client["challenge"] = json!("b3RoZXI"),
        PasskeyError::Challenge,
    ),
    (
        "no challenge",
        |said| said.client["challenge"] = json!(null),
        PasskeyError::ClientData,
    ),
    (
        "another site",
        |said| said.client["origin"] = json!("https://evil.example"),
        PasskeyError::Origin,
    ),
    (
        "without TLS",
        |said| said.client["origin"] = json!("http://bot.example.org"),
        PasskeyError::Origin,
    ),
    (
        "another port",
        |said| said.client["origin"] = json!("https://bot.example.org:8443"),
        PasskeyError::Origin,
    ),
    (
        "a name within",
        |said| said.client["origin"] = json!("https://evil.bot.example.org"),
        PasskeyError::Origin,
    ),
    (
        "a frame",
        |said| said.client["crossOrigin"] = json!(true),
        PasskeyError::Origin,
    ),
    ("another host", |said| said.host = "example.org", PasskeyError::Host),
    ("nobody there", |said| said.flags &= !PRESENT, PasskeyError::NotPresent),
    (
        "nobody knows who",
        |said| said.flags &= !VERIFIED,
        PasskeyError::NotVerified,
    ),
    (
        "a copy of what has none",
        |said| said.flags |= IS_BACKED_UP,
        PasskeyError::AuthenticatorData,
    ),
];

#[test]
fn a_new_passkey_comes_with_its_name_its_key_and_its_count() {
    for device in [Device::es256(), Device::ed25519()] {
        let mut said = Said::with_new(&device.cose());
        said.flags |= MAY_BE_BACKED_UP | IS_BACKED_UP;
        said.count = 3;
        let expected = NewCredential {
            id: BASE64.encode("its"),
            public_key: BASE64.encode(device.cose()),
            sign_count: 3,
        };
        assert_eq!(said.verify_new(), Ok(expected.clone()));
        // Extensions that nobody asked for are passed over.
        said.flags |= HAS_EXTENSIONS;
        said.rest.extend([0xa0]);
        assert_eq!(said.verify_new(), Ok(expected));
    }
}

#[test]
fn a_new_passkey_is_refused_for_each_fault() {
    let cose = Device::es256().cose();
    for (fault, change, expected) in FAULTS {
        let mut said = Said::with_new(&cose);
        change(&mut said);
        assert_eq!(said.verify_new(), Err(*expected), "{fault}");
    }
    let login: Change = |said| said.client["type"] = json!("webauthn.get");
    let no_passkey: Change = |said| said.flags &= !HAS_CREDENTIAL;
    let nothing: Change = |said| said.rest.clear();
    let no_name: Change = |said| drop(said.rest.splice(16..21, [0, 0]));
    let cut: Change = |said| said.rest.truncate(90);
    let more: Change = |said| said.rest.push(0);
    let no_extension: Change = |said| said.flags |= HAS_EXTENSIONS;
    // P-384 with its own number, which nobody asked for.
    let other_key: Change = |said| said.rest[21 + 4] = 0x38;
    for (fault, change, expected) in [
        ("a login", login, PasskeyError::Kind),
        ("no passkey", no_passkey, PasskeyError::AuthenticatorData),
        ("nothing", nothing, PasskeyError::AuthenticatorData),
        ("no name", no_name, PasskeyError::AuthenticatorData),
        ("a key that is cut short", cut, PasskeyError::Key),
        ("something behind it", more, PasskeyError::AuthenticatorData),
        (
            "an extension that is not there",
            no_extension,
            PasskeyError::AuthenticatorData,
        ),
        ("a key of another kind", other_key, PasskeyError::Key),
    ] {
        let mut said = Said::with_new(&cose);
        change(&mut said);
        assert_eq!(said.verify_new(), Err(expected), "{fault}");
    }
    let small = [
        &[0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 0, 128][..],
        &[9; 128],
        &[0x21, 0x43, 1, 0, 1],
    ]
    .concat();
    assert_eq!(Said::with_new(&small).verify_new(), Err(PasskeyError::Key));
}

#[test]
fn a_login_is_taken_from_the_passkey_that_signed_it() {
    for device in [Device::es256(), Device::ed25519()] {
        let mut said = Said::to("webauthn.get");
        assert_eq!(said.verify_login(&device, &device, 0), Ok(0));
        said.count = 8;
        assert_eq!(said.verify_login(&device, &device, 7), Ok(8));
        // Data that comes along is signed, too, and nobody asked for it.
        said.flags |= HAS_EXTENSIONS;
        said.rest = vec![0xa0];
        assert_eq!(said.verify_login(&device, &device, 7), Ok(8));
    }
}

#[test]
fn a_login_is_refused_for_each_fault() {
    let (device, other) = (Device::es256(), Device::es256());
    for (fault, change, expected) in FAULTS {
        let mut said = Said::to("webauthn.get");
        change(&mut said);
        assert_eq!(said.verify_login(&device, &device, 0), Err(*expected), "{fault}");
    }
    let said = Said::to("webauthn.get");
    let (ed25519, wrong) = (Device::ed25519(), PasskeyError::Signature);
    for (by, of) in [(&device, &other), (&device, &ed25519), (&ed25519, &device)] {
        assert_eq!(said.verify_login(by, of, 0), Err(wrong), "it is another person's");
    }
    assert_eq!(
        Said::to("webauthn.create").verify_login(&device, &device, 0),
        Err(PasskeyError::Kind)
    );
    for (count, known) in [(0, 1), (4, 5), (5, 5)] {
        let mut said = Said::to("webauthn.get");
        said.count = count;
        let refused = said.verify_login(&device, &device, known);
        assert_eq!(refused, Err(PasskeyError::Counter), "{count} after {known}");
    }
}

#[test]
fn no_byte_of_a_login_can_be_changed() {
    let device = Device::es256();
    let said = Said::to("webauthn.get");
    let (client, authenticator) = (said.client(), said.authenticator());
    let signature = device.sign(&[authenticator.as_slice(), Sha256::digest(&client).as_slice()].concat());
    let key = device.cose();
    assert_eq!(checked(&client, &authenticator, &signature, &key, 0), Ok(0));
    for part in 0..4 {
        let whole = [&client, &authenticator, &signature, &key];
        for place in 0..whole[part].len() {
            let mut parts = whole.map(Clone::clone);
            parts[part][place] ^= 1;
            let [client, authenticator, signature, key] = parts;
            let refused = checked(&client, &authenticator, &signature, &key, 0);
            assert!(refused.is_err(), "byte {place} of part {part}");
        }
    }
}

#[test]
fn a_login_by_rsa_that_another_library_signed_is_taken() {
    let answer = Answer {
        client_data: RSA_CLIENT,
        authenticator_data: RSA_DATA,
    };
    let known = Known {
        public_key: RSA_KEY,
        sign_count: 6,
    };
    assert_eq!(challenge_of(answer).as_deref(), Ok(CHALLENGE));
    assert_eq!(verify_login(&site(), CHALLENGE, answer, RSA_SIGNATURE, known), Ok(7));
    let other = BASE64.encode([1; 256]);
    let refused = verify_login(&site(), CHALLENGE, answer, &other, known);
    assert_eq!(refused, Err(PasskeyError::Signature));
    // The same key comes in as a new one.
    let said = Said::with_new(&BASE64.decode(RSA_KEY).unwrap());
    assert_eq!(said.verify_new().map(|new| new.public_key).as_deref(), Ok(RSA_KEY));
}

#[test]
fn what_is_no_answer_is_refused() {
    for text in ["", "a", "{}", "bnVsbA", "e30", "\u{0}", "////"] {
        let answer = Answer {
            client_data: text,
            authenticator_data: text,
        };
        assert_eq!(challenge_of(answer), Err(PasskeyError::ClientData), "{text}");
        assert_eq!(verify_new(&site(), "", answer), Err(PasskeyError::ClientData), "{text}");
    }
}

#[test]
fn challenges_are_long_and_differ() {
    let [one, other] = [random(&mut rand::rng()), random(&mut rand::rng())];
    assert_eq!((one.len(), other.len()), (43, 43));
    assert_ne!(one, other);
}

proptest::proptest! {
    #[test]
    fn no_bytes_of_a_stranger_are_an_answer(client in ".{0,60}", bytes in proptest::collection::vec(0_u8.., 0..160)) {
        let (client, data) = (BASE64.encode(client), BASE64.encode(&bytes));
        let answer = Answer { client_data: &client, authenticator_data: &data };
        assert!(verify_new(&site(), CHALLENGE, answer).is_err());
        let said = Said::to("webauthn.create");
        let client = BASE64.encode(said.client());
        let answer = Answer { client_data: &client, authenticator_data: &data };
        assert!(verify_new(&site(), CHALLENGE, answer).is_err());
        let mut said = Said::with_new(&bytes);
        said.count = 1;
        drop(said.verify_new());
    }
}

/// A login that Python's `cryptography` signed.
const RSA_CLIENT: &str = concat!(
    "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWTJoaGJHeGxibWRsIiwib3JpZ2luIjoiaHR0cHM6Ly9ib3QuZXhh",
    "bXBsZS5vcmciLCJjcm9zc09yaWdpbiI6ZmFsc2V9",
);
const RSA_DATA: &str = "1Y3DCEctyAcqba9uIwHSEgww_PK-EpOfsg7RuTBzvAMFAAAABw";
const RSA_KEY: &str = concat!(
    "pAEDAzkBACBZAQC5J__ArIWZzNxWJuU19faQmVMg_5OrMAIr2cwkhXE0qHfCKSM-6JOCk-TlpYb78b1OuYDhntGn-f_-F2p8JBPU",
    "5_hpgEiBZW6JyZNP6UhmCmLZMERkbQw6Jh5RLDX-h74MBZNBNCIFqvsUNUOW74Ew9fWhM-vaiSbI9hnKlUEyh8S1HYPm_kjdao-D",
    "0rTjS-3_eK14djFPoerk4ToIwCEBCzTTXWSby84_IAF3N6uDnKCtglOCjaHnU3NJ1NTSd8i5XOzoTnuo2sv1dcSsSt9wQesT9VIl",
    "oVzV2G3496Ah4UcX5GdiuKNAi7Hhb1qXJfxnG9guhiUHoZRms490k83HIUMBAAE",
);
const RSA_SIGNATURE: &str = concat!(
    "spCXK6euN8vehjLVoOvFpUtvzzTA8ExIB2iMikrN--VVnOwxMmjTYlJr9-0cphkmHnIpwPO-xAlIwoxjnKOY0yDm1O5IWIl3piPx",
    "hJSwyU40AEfTsNjQu9QQq3XKSSet1RvKWQIFDGjBr99P9ZnYxIy3a_yep0its6NgltyKc0AeL9Zd1rf2HpLu9isiDkD-Ftm0ObIk",
    "NuCnzD95sSF1_JMNn4h-xOq1hnsKiqHg5mIWTKp4cI1M6Jxny7Va0aq6GHAs9ABtKTBg2Fi3J_cZKLRzgwiMQyUSAAzAeYzSaIbU",
    "y4rGIf0KgeLs_zu_9IU6ccaIHVlXdvIEmwKYdJxtEQ",
);
