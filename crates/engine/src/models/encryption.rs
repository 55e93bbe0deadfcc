//! Seals secrets that are stored (people's own keys, webhooks' secrets), by a key that is not in the database.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use clifford_vault::{Masker, SealError, Sealer, Secret};

/// The key file's name in the data directory.
const FILE: &str = "secret.key";

/// Seals and opens what is stored. The key is looked for, or made, when it is first needed.
#[derive(Debug)]
pub struct Encryption {
    key: Option<Secret>,
    file: PathBuf,
    sealer: OnceLock<Sealer>,
    masker: Arc<Masker>,
}

/// Why a stored secret cannot be used, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be sealed or opened: {source}; processes that share a database need the same {way_out}")]
pub struct CannotOpen {
    name: String,
    way_out: String,
    source: SealError,
}

impl Encryption {
    /// Seals by this key, else by the data directory's.
    pub fn new(key: Option<Secret>, data_dir: &Path, masker: Arc<Masker>) -> Self {
        Self {
            key,
            file: data_dir.join(FILE),
            sealer: OnceLock::new(),
            masker,
        }
    }

    /// Encrypts a secret for storage. It opens under this very name only.
    ///
    /// # Errors
    /// The key cannot be used.
    pub fn seal(&self, name: &str, secret: &Secret) -> Result<String, CannotOpen> {
        let sealed = self
            .sealer()
            .and_then(|sealer| sealer.seal(name, secret, &mut rand::rng()));
        let sealed = sealed.map_err(|source| self.fault(name, source))?;
        self.masker.learn(secret);
        Ok(sealed)
    }

    /// The secret that was stored. From now on it is masked wherever configured ones are.
    ///
    /// # Errors
    /// The key cannot be used, or is another than it was sealed by.
    pub fn open(&self, name: &str, sealed: &str) -> Result<Secret, CannotOpen> {
        let secret = self.sealer().and_then(|sealer| sealer.open(name, sealed));
        let secret = secret.map_err(|source| self.fault(name, source))?;
        self.masker.learn(&secret);
        Ok(secret)
    }

    fn sealer(&self) -> Result<&Sealer, SealError> {
        if let Some(sealer) = self.sealer.get() {
            return Ok(sealer);
        }
        let sealer = match &self.key {
            Some(key) => Sealer::new(key)?,
            None => Sealer::from_file(&self.file, &mut rand::rng())?,
        };
        Ok(self.sealer.get_or_init(|| sealer))
    }

    fn fault(&self, name: &str, source: SealError) -> CannotOpen {
        let way_out = match self.key {
            Some(_) => "[secrets] key".to_owned(),
            None => format!("key: copy {} to each, or set [secrets] key", self.file.display()),
        };
        CannotOpen {
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
    fn what_one_process_sealed_another_opens_and_both_mask_it() {
        let directory = tempfile::tempdir().unwrap();
        let maskers = [Arc::new(Masker::default()), Arc::new(Masker::default())];
        let [one, other] = maskers
            .clone()
            .map(|masker| Encryption::new(None, directory.path(), masker));
        let sealed = one.seal("trigger 1", &Secret::new("hunter22")).unwrap();
        assert_eq!(other.open("trigger 1", &sealed).unwrap().expose(), "hunter22");
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
        let sealed = one.seal("key main", &Secret::new("hunter22")).unwrap();
        let fault = other.open("key main", &sealed).unwrap_err().to_string();
        let file = directories[1].path().join("secret.key");
        assert_eq!(
            fault,
            format!(
                "key main cannot be sealed or opened: it was sealed by another key, or changed since; processes that \
                 share a database need the same key: copy {} to each, or set [secrets] key",
                file.display()
            )
        );
    }
}
