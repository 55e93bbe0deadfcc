//! Secrets: where they come from, how they are kept out of sight and encrypted, the making of new ones, and
//! proofs by passkeys, which need none.

mod encryptor;
mod finished;
mod hex;
mod kind;
mod masker;
mod owner;
pub mod passkey;
mod redirect;
mod secret;
mod signature;
mod source;
mod token;
mod url;

pub use encryptor::{EncryptionError, Encryptor, KEY_FILE};
pub use finished::put_in_place;
pub use hex::hex;
pub use kind::{irregular, irregular_itself};
pub use masker::Masker;
pub use owner::give_to_owner;
pub use redirect::Redirected;
pub use secret::{HIDDEN, Secret};
pub use signature::{is_signed, sign};
pub use source::{SecretError, SecretSource};
pub use token::{Token, code, code_of, hash};
pub use url::{Url, redact_url};
