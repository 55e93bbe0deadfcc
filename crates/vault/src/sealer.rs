//! Sealing: what must be kept and used again, and must not be readable where it is kept.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use aes_gcm_siv::{
    Aes256GcmSiv, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::CryptoRng;

use crate::Secret;

/// The form of what is sealed: the version, a dot, then nonce and sealed text as Base64.
const VERSION: &str = "1";
const NONCE: usize = 12;
const KEY: usize = 32;

/// Why something cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The key file cannot be read or made.
    #[error("the key file {} cannot be used: {source}", .path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The key is none.
    #[error("the key is not {KEY} bytes as Base64: make one with `openssl rand -base64 {KEY}`")]
    Key,
    /// It was sealed by another key, for another name, or changed since.
    #[error("it was sealed by another key, or changed since")]
    Sealed,
    /// A newer version sealed it.
    #[error("it was sealed by another version")]
    Version,
}

/// Seals texts and opens them again. Each is bound to a name: moved to another, it does not open.
pub struct Sealer {
    cipher: Aes256GcmSiv,
}

impl Sealer {
    /// Seals by this key: 32 bytes as Base64.
    ///
    /// # Errors
    /// [`SealError::Key`].
    pub fn new(key: &Secret) -> Result<Self, SealError> {
        let text = key
            .expose()
            .trim()
            .trim_end_matches('=')
            .replace('+', "-")
            .replace('/', "_");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealError::Key)?;
        let cipher = Aes256GcmSiv::new_from_slice(&bytes).map_err(|_| SealError::Key)?;
        Ok(Self { cipher })
    }

    /// Seals by the key of a file; if there is none, it is made, for its owner's eyes only.
    ///
    /// # Errors
    /// [`SealError::KeyFile`], [`SealError::Key`].
    pub fn from_file(path: &Path, rng: &mut impl CryptoRng) -> Result<Self, SealError> {
        let fault = |source| SealError::KeyFile {
            path: path.to_owned(),
            source,
        };
        match fs::read_to_string(path) {
            Ok(text) => return Self::new(&Secret::new(text)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fault(error)),
            Err(_) => {}
        }
        let mut key = [0; KEY];
        rng.fill_bytes(&mut key);
        // Written whole under another name first: who finds the file finds a key in it.
        let mut number = [0; 8];
        rng.fill_bytes(&mut number);
        let fresh = path.with_extension(format!("{:016x}.new", u64::from_be_bytes(number)));
        let made = write(&fresh, &URL_SAFE_NO_PAD.encode(key)).and_then(|()| fs::hard_link(&fresh, path));
        // What is left over holds no secret that the other file does not.
        let _ = fs::remove_file(&fresh);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(fault(error)),
            // Somebody else was quicker: theirs counts.
            _ => Self::new(&Secret::new(fs::read_to_string(path).map_err(fault)?)),
        }
    }

    /// Seals a secret under a name.
    ///
    /// # Errors
    /// [`SealError::Sealed`]: it is too long to be sealed.
    pub fn seal(&self, name: &str, secret: &Secret, rng: &mut impl CryptoRng) -> Result<String, SealError> {
        let mut nonce = [0; NONCE];
        rng.fill_bytes(&mut nonce);
        let payload = Payload {
            msg: secret.expose().as_bytes(),
            aad: &bound_to(name),
        };
        let sealed = (self.cipher.encrypt(&Nonce::from(nonce), payload)).map_err(|_| SealError::Sealed)?;
        let bytes = [nonce.as_slice(), &sealed].concat();
        Ok(format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Opens what was sealed under this name.
    ///
    /// # Errors
    /// [`SealError::Sealed`], [`SealError::Version`].
    pub fn open(&self, name: &str, sealed: &str) -> Result<Secret, SealError> {
        let text = sealed.strip_prefix(VERSION).and_then(|rest| rest.strip_prefix('.'));
        let bytes = (URL_SAFE_NO_PAD.decode(text.ok_or(SealError::Version)?)).map_err(|_| SealError::Sealed)?;
        let (nonce, msg) = bytes.split_first_chunk::<NONCE>().ok_or(SealError::Sealed)?;
        let payload = Payload {
            msg,
            aad: &bound_to(name),
        };
        let opened = (self.cipher.decrypt(&Nonce::from(*nonce), payload)).map_err(|_| SealError::Sealed)?;
        Ok(Secret::new(String::from_utf8(opened).map_err(|_| SealError::Sealed)?))
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").finish_non_exhaustive()
    }
}

fn bound_to(name: &str) -> Vec<u8> {
    format!("{VERSION}\0{name}").into_bytes()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn sealer(seed: u8) -> Sealer {
        Sealer::new(&Secret::new(URL_SAFE_NO_PAD.encode([seed; KEY]))).unwrap()
    }

    #[test]
    fn what_was_sealed_opens_again_and_does_not_show() {
        let (sealer, secret) = (sealer(1), Secret::new("sk-live-schlüssel"));
        let sealed = sealer.seal("user:1/llm.main", &secret, &mut rand::rng()).unwrap();
        assert!(sealed.starts_with("1.") && !sealed.contains("live"), "{sealed}");
        assert_eq!(sealer.open("user:1/llm.main", &sealed).unwrap(), secret);
        let again = sealer.seal("user:1/llm.main", &secret, &mut rand::rng()).unwrap();
        assert_ne!(sealed, again);
    }

    #[test]
    fn nothing_opens_under_another_name_or_key_or_when_it_was_changed() {
        let sealed = sealer(1).seal("a", &Secret::new("hunter22"), &mut rand::rng()).unwrap();
        let mut changed = sealed.clone().into_bytes();
        changed[10] ^= 1;
        let changed = String::from_utf8(changed).unwrap();
        let cases = [
            (
                sealer(1),
                "b",
                sealed.as_str(),
                "it was sealed by another key, or changed since",
            ),
            (
                sealer(2),
                "a",
                &sealed,
                "it was sealed by another key, or changed since",
            ),
            (
                sealer(1),
                "a",
                &changed,
                "it was sealed by another key, or changed since",
            ),
            (sealer(1), "a", "1.", "it was sealed by another key, or changed since"),
            (sealer(1), "a", "2.AAAA", "it was sealed by another version"),
            (sealer(1), "a", "", "it was sealed by another version"),
        ];
        for (sealer, name, sealed, fault) in cases {
            assert_eq!(
                sealer.open(name, sealed).unwrap_err().to_string(),
                fault,
                "{name} {sealed}"
            );
        }
    }

    #[test]
    fn a_key_is_32_bytes_in_either_base64() {
        let standard = base64::engine::general_purpose::STANDARD.encode([251; KEY]);
        assert!(Sealer::new(&Secret::new(format!("{standard}\n"))).is_ok());
        for wrong in ["", "short", "!!!", &"A".repeat(44)] {
            assert!(
                matches!(Sealer::new(&Secret::new(wrong)), Err(SealError::Key)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_key_file_is_made_once_and_is_its_owners_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/secret.key");
        let sealed: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let sealer = Sealer::from_file(&path, &mut rand::rng()).unwrap();
                        sealer.seal("x", &Secret::new("hunter22"), &mut rand::rng()).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let sealer = Sealer::from_file(&path, &mut rand::rng()).unwrap();
        for sealed in sealed {
            assert_eq!(sealer.open("x", &sealed).unwrap().expose(), "hunter22");
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
