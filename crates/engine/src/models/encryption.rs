//! Encrypts secrets that are stored (people's own keys, webhooks' secrets), by a key that is not in the database.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use clifford_vault::{EncryptionError, Encryptor, KEY_FILE, Masker, Secret};

/// Encrypts and decrypts stored secrets. The key is looked for, or made, when it is first needed.
#[derive(Debug)]
pub struct Encryption {
    key: Option<Secret>,
    file: PathBuf,
    encryptor: OnceLock<Encryptor>,
    masker: Arc<Masker>,
}

/// Why a stored secret cannot be used, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be encrypted or decrypted: {source}; processes that share a database need the same {way_out}")]
pub struct CannotDecrypt {
    name: String,
    way_out: String,
    source: EncryptionError,
}

impl Encryption {
    /// Encrypts by this key, else by the data directory's.
    pub fn new(key: Option<Secret>, data_dir: &Path, masker: Arc<Masker>) -> Self {
        Self {
            key,
            file: data_dir.join(KEY_FILE),
            encryptor: OnceLock::new(),
            masker,
        }
    }

    /// Hides the secrets that it has seen.
    pub const fn masker(&self) -> &Arc<Masker> {
        &self.masker
    }

    /// Encrypts a secret for storage. It decrypts under this very name only.
    ///
    /// # Errors
    /// The key cannot be used.
    pub fn encrypt(&self, name: &str, secret: &Secret) -> Result<String, CannotDecrypt> {
        let encrypted = self
            .encryptor()
            .and_then(|encryptor| encryptor.encrypt(name, secret, &mut rand::rng()));
        let encrypted = encrypted.map_err(|source| self.fault(name, source))?;
        self.masker.learn(secret);
        Ok(encrypted)
    }

    /// The secret that was stored. From now on it is masked wherever configured ones are.
    ///
    /// # Errors
    /// The key cannot be used, or is another than it was encrypted by.
    pub fn decrypt(&self, name: &str, encrypted: &str) -> Result<Secret, CannotDecrypt> {
        let secret = self
            .encryptor()
            .and_then(|encryptor| encryptor.decrypt(name, encrypted));
        let secret = secret.map_err(|source| self.fault(name, source))?;
        self.masker.learn(&secret);
        Ok(secret)
    }

    fn encryptor(&self) -> Result<&Encryptor, EncryptionError> {
        if let Some(encryptor) = self.encryptor.get() {
            return Ok(encryptor);
        }
        let encryptor = match &self.key {
            Some(key) => Encryptor::new(key)?,
            None => Encryptor::from_file(&self.file, &mut rand::rng())?,
        };
        Ok(self.encryptor.get_or_init(|| encryptor))
    }

    fn fault(&self, name: &str, source: EncryptionError) -> CannotDecrypt {
        let way_out = match self.key {
            Some(_) => "[secrets] key".to_owned(),
            None => format!("key: copy {} to each, or set [secrets] key", self.file.display()),
        };
        CannotDecrypt {
            name: name.to_owned(),
            way_out,
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_encrypted_another_opens_and_both_mask_it() {
        let directory = tempfile::tempdir().unwrap();
        let maskers = [Arc::new(Masker::default()), Arc::new(Masker::default())];
        let [one, other] = maskers
            .clone()
            .map(|masker| Encryption::new(None, directory.path(), masker));
        let encrypted = one.encrypt("trigger 1", &Secret::new("hunter22")).unwrap();
        assert_eq!(other.decrypt("trigger 1", &encrypted).unwrap().expose(), "hunter22");
        for masker in maskers {
            assert_eq!(masker.mask("hunter22"), "[secret]");
        }
    }

    #[test]
    fn another_key_says_what_to_do() {
        let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, other] = directories
            .each_ref()
            .map(|directory| Encryption::new(None, directory.path(), Arc::default()));
        let encrypted = one.encrypt("key main", &Secret::new("hunter22")).unwrap();
        let fault = other.decrypt("key main", &encrypted).unwrap_err().to_string();
        let file = directories[1].path().join(KEY_FILE);
        assert_eq!(
            fault,
            format!(
                "key main cannot be encrypted or decrypted: it was encrypted with another key, or changed since; processes that \
                 share a database need the same key: copy {} to each, or set [secrets] key",
                file.display()
            )
        );
    }
}
