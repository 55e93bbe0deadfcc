//! People's own keys for model providers: how they are taken, encrypted and used.
//!
//! A person who has given a key is answered by it, and never by the bot's own instead; the costs are theirs.

use std::borrow::Cow;

use clifford_core::{id::UserSecretId, memory::secrets, models::Role, run::sentences::Sentence};
use clifford_llm::SetupError;
use clifford_llm_api::model::ModelError;
use clifford_store::people::keys::EncryptedKey;
use clifford_text::Sorry;
use clifford_vault::{HIDDEN, Secret};

use crate::models::{
    Own,
    encryption::{CannotDecrypt, Encryption},
    roles::Roles,
};

/// The longest key that is taken.
const LONGEST: usize = 500;

/// Why a key of somebody's own cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CannotUse {
    /// There is no such provider, or it takes no keys.
    #[error("there is no provider `{given}` that takes keys; there is {}", list(.there_are))]
    Provider {
        /// The given name.
        given: String,
        /// The providers that take keys.
        there_are: Vec<String>,
    },
    /// It does not look like a key. It may be another secret, so it is not repeated.
    #[error("that does not look like an API key: give it as the provider shows it, without quotes or blanks")]
    Form,
    /// It cannot be encrypted or decrypted.
    #[error("it cannot be used with {provider} here: {source}")]
    Encryption {
        /// The provider's name.
        provider: String,
        /// Why not.
        source: CannotDecrypt,
    },
    /// It cannot be sent.
    #[error("it cannot be used with {provider}: {source}")]
    Setup {
        /// The provider's name.
        provider: String,
        /// Why not.
        source: SetupError,
    },
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// Encrypts a key that somebody gave for a provider.
///
/// # Errors
/// Why it is not taken.
pub fn encrypt(
    providers: &[String],
    encryption: &Encryption,
    provider: &str,
    key: &str,
) -> Result<EncryptedKey, CannotUse> {
    let named = providers.iter().find(|name| name.eq_ignore_ascii_case(provider));
    let provider = named.ok_or_else(|| CannotUse::Provider {
        // A person who forgets the provider gives the key in its place.
        given: hidden_if_key(provider).into_owned(),
        there_are: providers.to_vec(),
    })?;
    let key = key.trim();
    if key.len() > LONGEST || !secrets::looks_like_key(key) {
        return Err(CannotUse::Form);
    }
    let id = UserSecretId::new();
    let encrypted = encryption.encrypt(&name(id), &Secret::new(key));
    Ok(EncryptedKey {
        id,
        provider: provider.clone(),
        encrypted: encrypted.map_err(|source| CannotUse::Encryption {
            provider: provider.clone(),
            source,
        })?,
    })
}

/// The model for a role of the person with these keys. `None`: they have none for a provider that is configured.
///
/// # Errors
/// Why the one that they have cannot be used: nothing else is, instead.
pub fn model(
    roles: &Roles,
    encryption: &Encryption,
    keys: &[EncryptedKey],
    role: Role,
) -> Result<Option<Own>, CannotUse> {
    let of = |provider: &str| keys.iter().find(|key| key.provider == provider);
    let Some(keyed) = roles.keyed_by(role, |provider| of(provider).is_some()) else {
        return Ok(None);
    };
    let Some(found) = of(keyed.name()) else {
        return Ok(None);
    };
    let provider = keyed.name().to_owned();
    let key = (encryption.decrypt(&name(found.id), &found.encrypted)).map_err(|source| CannotUse::Encryption {
        provider: provider.clone(),
        source,
    })?;
    match keyed.model(role, &key) {
        Ok(model) => Ok(Some(Own { provider, model })),
        Err(source) => Err(CannotUse::Setup { provider, source }),
    }
}

/// The name that a key is encrypted under: it goes along when two people become one.
fn name(id: UserSecretId) -> String {
    format!("own key {id}")
}

/// The message to a person whose own key failed; `None`: the key is not to blame. In private it repeats the provider's
/// reason.
pub fn refused(provider: &str, error: &ModelError, private: bool) -> Option<Sentence> {
    let ModelError::Unauthorised { reason, .. } = error else {
        return None;
    };
    let provider = provider.to_owned();
    Some(Sentence::sorry(match private {
        true => Sorry::OwnKeyRefusedBecause {
            provider,
            reason: reason.clone(),
        },
        false => Sorry::OwnKeyRefused { provider },
    }))
}

/// The same if it cannot even be tried.
pub fn unusable(fault: &CannotUse) -> Sentence {
    let provider = match fault {
        CannotUse::Encryption { provider, .. } | CannotUse::Setup { provider, .. } => provider.as_str(),
        CannotUse::Provider { .. } | CannotUse::Form => "PROVIDER",
    };
    Sentence::sorry(Sorry::OwnKeyUnusable {
        provider: provider.to_owned(),
    })
}

/// A text in which no key stands behind `/key set PROVIDER`, wherever that is said: whether it was read as the command
/// or not, such a text may be kept.
pub fn without_secret(text: &str) -> Cow<'_, str> {
    if !text.contains("/key") {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(line_without_secret).collect();
    Cow::Owned(lines.join("\n"))
}

/// A word that may be shown; a key stands in its place if somebody forgot what it is for.
pub fn hidden_if_key(word: &str) -> Cow<'_, str> {
    Cow::Borrowed(if secrets::looks_like_key(word) { HIDDEN } else { word })
}

fn line_without_secret(line: &str) -> Cow<'_, str> {
    let mut words = words(line).skip_while(|(_, word)| !is_command(word)).skip(1);
    match words.next() {
        Some((_, "list" | "remove")) | None => Cow::Borrowed(line),
        Some((_, "set")) => match (words.next(), words.next()) {
            (Some((at, provider)), None) if secrets::looks_like_key(provider) => hide_from(line, at),
            (Some(_), Some((at, _))) => hide_from(line, at),
            _ => Cow::Borrowed(line),
        },
        Some((at, _)) => hide_from(line, at),
    }
}

fn is_command(word: &str) -> bool {
    word == "/key" || word.starts_with("/key@")
}

fn hide_from(line: &str, at: usize) -> Cow<'_, str> {
    Cow::Owned(format!("{}{HIDDEN}", line.get(..at).unwrap_or_default()))
}

/// Words, each with where it begins.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace()
        .map(move |word| (word.as_ptr().addr() - line.as_ptr().addr(), word))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clifford_llm::Offline;

    use super::*;
    use crate::models::roles::Keyed;

    const KEY: &str = "sk-own-0123456789abcdef";

    #[test]
    fn no_key_is_left_in_a_text_that_gives_one() {
        let cases = [
            ("/key set main sk-own-0123456789abcdef", "/key set main [secret]"),
            ("/key set main 'two words'", "/key set main [secret]"),
            ("/key@clifford_bot set main x", "/key@clifford_bot set main [secret]"),
            ("/key set sk-own-0123456789abcdef", "/key set [secret]"),
            ("/key sk-own-0123456789abcdef", "/key [secret]"),
            (
                "please\n/key set main x\nthanks",
                "please\n/key set main [secret]\nthanks",
            ),
            ("now /key set main x", "now /key set main [secret]"),
            ("/key set main", "/key set main"),
            ("/key list", "/key list"),
            ("/key remove main", "/key remove main"),
            ("/key", "/key"),
            ("/keyboard set main x", "/keyboard set main x"),
            ("the key set main x", "the key set main x"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(without_secret(text), expected, "{text}");
        }
    }

    #[test]
    fn only_what_looks_like_a_key_is_taken_and_only_for_a_provider_that_there_is() {
        let directory = tempfile::tempdir().unwrap();
        let encryption = Encryption::new(None, directory.path(), Arc::default());
        let providers = ["Main".to_owned(), "other".to_owned()];
        let given = |provider: &str, key: &str| {
            encrypt(&providers, &encryption, provider, key)
                .map(|key| key.provider)
                .map_err(|fault| fault.to_string())
        };
        let form = "that does not look like an API key: give it as the provider shows it, without quotes or blanks";
        let nobody = |name: &str| format!("there is no provider `{name}` that takes keys; there is Main, other");
        assert_eq!(given("main", &format!(" {KEY} ")), Ok("Main".to_owned()));
        assert_eq!(given("main", "because"), Err(form.to_owned()));
        assert_eq!(given("main", "https://example.org"), Err(form.to_owned()));
        assert_eq!(given("main", &format!("sk-{}", "a1".repeat(300))), Err(form.to_owned()));
        assert_eq!(given("third", KEY), Err(nobody("third")));
        assert_eq!(given(KEY, ""), Err(nobody("[secret]")));
    }

    #[test]
    fn a_key_opens_only_where_it_was_encrypted_and_nothing_takes_its_place() {
        let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [here, elsewhere] = directories
            .each_ref()
            .map(|directory| Encryption::new(None, directory.path(), Arc::default()));
        let key = encrypt(&["main".to_owned()], &here, "main", KEY).unwrap();
        let roles = Roles::default().with_keyed(vec![Keyed::new("main", |_, key| {
            assert_eq!(key.expose(), KEY);
            Ok(Arc::new(Offline))
        })]);
        let used = |encryption, keys: &[EncryptedKey]| {
            model(&roles, encryption, keys, Role::Executor)
                .map(|own| own.map(|own| own.provider))
                .map_err(|fault| unusable(&fault).text(clifford_text::Lang::English))
        };
        assert_eq!(used(&here, std::slice::from_ref(&key)), Ok(Some("main".to_owned())));
        assert_eq!(used(&here, &[]), Ok(None));
        assert_eq!(
            used(&elsewhere, &[key]),
            Err(
                "Sorry, I can't use your own key any more. In a private chat with me, `/key remove main` takes it back, \
                 and `/key set main KEY` gives it to me anew."
                    .to_owned()
            )
        );
    }
}
