//! Secrets: where they come from, how they are kept out of sight and sealed, and the making of new ones.

mod masker;
mod sealer;
mod secret;
mod signature;
mod source;
mod token;
mod url;

pub use masker::Masker;
pub use sealer::{SealError, Sealer};
pub use secret::{HIDDEN, Secret};
pub use signature::{is_signed, sign};
pub use source::{SecretError, SecretSource};
pub use token::{Token, code, hash, hex};
pub use url::{Url, redact_url};
