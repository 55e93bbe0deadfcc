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
