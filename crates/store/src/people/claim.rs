//! The claim code: a person who sends it to the bot, in private and while it has no owner, becomes its owner. Its hash
//! is a setting of the bot's.

use clifford_core::clock::Timestamp;

use super::users;
use crate::{
    Conn, StoreError, Tx,
    places::settings::{self, BOT},
};

/// How many characters it has.
pub const LENGTH: usize = 8;
/// The setting that holds its hash.
pub(crate) const HASH: &str = "claim_code_hash";

/// The code that a text may be, in upper case: people type it in small letters, and with spaces, dashes or quotes.
pub fn typed(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|c| c.is_alphanumeric()).take(LENGTH + 1).collect();
    let is_code = code.len() == LENGTH && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_ascii_uppercase())
}

/// Makes a code in place of an older one. `None`: there is an owner.
pub async fn make(tx: &mut Tx, now: Timestamp) -> Result<Option<String>, StoreError> {
    if users::has_owner(tx).await? {
        return Ok(None);
    }
    let code = clifford_vault::code(LENGTH, &mut rand::rng());
    settings::put(tx, BOT, HASH, &clifford_vault::hash(&code), now).await?;
    Ok(Some(code))
}

/// The hash of the code, in upper case, that was made and not used.
pub async fn hash(conn: &mut Conn) -> Result<Option<String>, StoreError> {
    settings::get(conn, BOT, HASH).await
}

/// Uses up the code of this hash. `false`: it is not the one that is good.
pub async fn take(tx: &mut Tx, hash: &str) -> Result<bool, StoreError> {
    settings::take(tx, BOT, HASH, hash).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        for (text, expected) in [
            ("ABCD2345", Some("ABCD2345")),
            (" abcd2345\n", Some("ABCD2345")),
            ("abcd 2345", Some("ABCD2345")),
            ("AB-CD-23-45", Some("ABCD2345")),
            ("`ABCD2345`.", Some("ABCD2345")),
            ("“ABCD2345”", Some("ABCD2345")),
            ("ABCD234", None),
            ("ABCD23456", None),
            ("my code is ABCD2345", None),
            ("größer12", None),
            ("", None),
        ] {
            assert_eq!(typed(text).as_deref(), expected, "{text}");
        }
    }
}
