//! Encryption of values that must be used again, and must not be readable where they are stored.

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

use crate::{Secret, give_to_owner, put_in_place, source::open_regular};

/// The form of what is encrypted: the version, a dot, then nonce and ciphertext as Base64.
const VERSION: &str = "1";
const NONCE: usize = 12;
const KEY: usize = 32;

/// The name of the key file in the data directory.
pub const KEY_FILE: &str = "secret.key";

/// Why something cannot be encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
pub enum EncryptionError {
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
    /// It was encrypted with another key, for another name, or changed since.
    #[error("it was encrypted with another key, or changed since")]
    Ciphertext,
    /// A newer version encrypted it.
    #[error("it was encrypted with another version")]
    Version,
}

/// Encrypts texts and decrypts them again. Each is bound to a name: moved to another, it does not decrypt.
pub struct Encryptor {
    cipher: Aes256GcmSiv,
}

impl Encryptor {
    /// Encrypts by this key: 32 bytes as Base64.
    ///
    /// # Errors
    /// [`EncryptionError::Key`].
    pub fn new(key: &Secret) -> Result<Self, EncryptionError> {
        let text = key
            .expose()
            .trim()
            .trim_end_matches('=')
            .replace('+', "-")
            .replace('/', "_");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| EncryptionError::Key)?;
        let cipher = Aes256GcmSiv::new_from_slice(&bytes).map_err(|_| EncryptionError::Key)?;
        Ok(Self { cipher })
    }

    /// Encrypts by the key of a file; if there is none, it is made, for its owner's eyes only.
    ///
    /// # Errors
    /// [`EncryptionError::KeyFile`], [`EncryptionError::Key`].
    pub fn from_file(path: &Path, rng: &mut impl CryptoRng) -> Result<Self, EncryptionError> {
        let fault = |source| EncryptionError::KeyFile {
            path: path.to_owned(),
            source,
        };
        match open_regular(path).and_then(io::read_to_string) {
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
        let made = write(&fresh, &URL_SAFE_NO_PAD.encode(key)).and_then(|()| put_in_place(&fresh, path));
        // The leftover file holds no secret that the other file does not.
        let _ = fs::remove_file(&fresh);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(fault(error)),
            // Somebody else was quicker: theirs counts.
            _ => Self::new(&Secret::new(fs::read_to_string(path).map_err(fault)?)),
        }
    }

    /// Encrypts a secret under a name.
    ///
    /// # Errors
    /// [`EncryptionError::Ciphertext`]: it is too long to be encrypted.
    pub fn encrypt(&self, name: &str, secret: &Secret, rng: &mut impl CryptoRng) -> Result<String, EncryptionError> {
        let mut nonce = [0; NONCE];
        rng.fill_bytes(&mut nonce);
        let payload = Payload {
            msg: secret.expose().as_bytes(),
            aad: &bound_to(name),
        };
        let encrypted = (self.cipher.encrypt(&Nonce::from(nonce), payload)).map_err(|_| EncryptionError::Ciphertext)?;
        let bytes = [nonce.as_slice(), &encrypted].concat();
        Ok(format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Opens what was encrypted under this name.
    ///
    /// # Errors
    /// [`EncryptionError::Ciphertext`], [`EncryptionError::Version`].
    pub fn decrypt(&self, name: &str, encrypted: &str) -> Result<Secret, EncryptionError> {
        let text = encrypted.strip_prefix(VERSION).and_then(|rest| rest.strip_prefix('.'));
        let bytes =
            (URL_SAFE_NO_PAD.decode(text.ok_or(EncryptionError::Version)?)).map_err(|_| EncryptionError::Ciphertext)?;
        let (nonce, msg) = bytes.split_first_chunk::<NONCE>().ok_or(EncryptionError::Ciphertext)?;
        let payload = Payload {
            msg,
            aad: &bound_to(name),
        };
        let opened = (self.cipher.decrypt(&Nonce::from(*nonce), payload)).map_err(|_| EncryptionError::Ciphertext)?;
        Ok(Secret::new(
            String::from_utf8(opened).map_err(|_| EncryptionError::Ciphertext)?,
        ))
    }
}

impl std::fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
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
    give_to_owner(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn encryptor(seed: u8) -> Encryptor {
        Encryptor::new(&Secret::new(URL_SAFE_NO_PAD.encode([seed; KEY]))).unwrap()
    }

    #[test]
    fn what_was_encrypted_is_decrypted_again_and_does_not_show() {
        let (encryptor, secret) = (encryptor(1), Secret::new("sk-live-schlüssel"));
        let encrypted = encryptor.encrypt("user:1/llm.main", &secret, &mut rand::rng()).unwrap();
        assert!(
            encrypted.starts_with("1.") && !encrypted.contains("live"),
            "{encrypted}"
        );
        assert_eq!(encryptor.decrypt("user:1/llm.main", &encrypted).unwrap(), secret);
        let again = encryptor.encrypt("user:1/llm.main", &secret, &mut rand::rng()).unwrap();
        assert_ne!(encrypted, again);
    }

    #[test]
    fn nothing_opens_under_another_name_or_key_or_when_it_was_changed() {
        let encrypted = encryptor(1)
            .encrypt("a", &Secret::new("hunter22"), &mut rand::rng())
            .unwrap();
        let mut changed = encrypted.clone().into_bytes();
        changed[10] ^= 1;
        let changed = String::from_utf8(changed).unwrap();
        let cases = [
            (
                encryptor(1),
                "b",
                encrypted.as_str(),
                "it was encrypted with another key, or changed since",
            ),
            (
                encryptor(2),
                "a",
                &encrypted,
                "it was encrypted with another key, or changed since",
            ),
            (
                encryptor(1),
                "a",
                &changed,
                "it was encrypted with another key, or changed since",
            ),
            (
                encryptor(1),
                "a",
                "1.",
                "it was encrypted with another key, or changed since",
            ),
            (encryptor(1), "a", "2.AAAA", "it was encrypted with another version"),
            (encryptor(1), "a", "", "it was encrypted with another version"),
        ];
        for (encryptor, name, encrypted, fault) in cases {
            assert_eq!(
                encryptor.decrypt(name, encrypted).unwrap_err().to_string(),
                fault,
                "{name} {encrypted}"
            );
        }
    }

    #[test]
    fn a_key_is_32_bytes_in_either_base64() {
        let standard = base64::engine::general_purpose::STANDARD.encode([251; KEY]);
        assert!(Encryptor::new(&Secret::new(format!("{standard}\n"))).is_ok());
        for wrong in ["", "short", "!!!", &"A".repeat(44)] {
            assert!(
                matches!(Encryptor::new(&Secret::new(wrong)), Err(EncryptionError::Key)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_key_file_is_made_once_and_is_its_owners_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data").join(KEY_FILE);
        let encrypted: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let encryptor = Encryptor::from_file(&path, &mut rand::rng()).unwrap();
                        encryptor
                            .encrypt("x", &Secret::new("hunter22"), &mut rand::rng())
                            .unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let encryptor = Encryptor::from_file(&path, &mut rand::rng()).unwrap();
        for encrypted in encrypted {
            assert_eq!(encryptor.decrypt("x", &encrypted).unwrap().expose(), "hunter22");
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
