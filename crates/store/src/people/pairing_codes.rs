//! The codes of people who asked to be let in. A code comes of the account, its time and a key of the bot's, so that a
//! list can tell which code is whose. With the request only its hash is kept: by that it is found.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, row::FromRow, value::args};
use serde::Serialize;

use super::{claim, pairings};
use crate::{
    Conn, StoreError, Tx,
    places::settings::{self, BOT},
};

/// The setting that holds the key.
pub(crate) const KEY: &str = "pairing_code_key";
/// How many letters and digits the key has.
const KEY_LENGTH: usize = 32;

/// A person who waits to be let in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingRequest {
    /// The platform.
    pub platform: String,
    /// The platform's id of the account.
    pub platform_user_id: String,
    /// Its name there.
    pub name: String,
    /// Until when the code is good.
    #[schema(value_type = String)]
    pub expires_at: Timestamp,
    /// The code that they got; `null`: it is not known any more.
    pub code: Option<String>,
}

impl From<pairings::Pairing> for PairingRequest {
    fn from(one: pairings::Pairing) -> Self {
        Self {
            platform: one.platform,
            platform_user_id: one.platform_user_id,
            name: one.name,
            expires_at: one.expires_at,
            code: None,
        }
    }
}

/// Stores a request, in place of an older one of the same account, and returns its code.
pub async fn ask(
    tx: &mut Tx,
    platform: Platform,
    account: &str,
    name: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<String, StoreError> {
    let key = match settings::get(tx, BOT, KEY).await? {
        Some(key) => key,
        None => {
            let key = clifford_vault::code(KEY_LENGTH, &mut rand::rng());
            settings::put(tx, BOT, KEY, &key, now).await?;
            key
        }
    };
    let code = code_of(&key, platform.as_str(), account, expires_at);
    let hash = clifford_vault::hash(&code);
    pairings::put(tx, platform, account, name, &hash, now, expires_at).await?;
    Ok(code)
}

fn code_of(key: &str, platform: &str, account: &str, expires_at: Timestamp) -> String {
    let until = expires_at.0.to_string();
    let pieces = [platform, "\n", account, "\n", &until].map(str::as_bytes);
    clifford_vault::code_of(claim::LENGTH, key, &pieces)
}

#[derive(FromRow)]
struct Hash {
    platform: String,
    platform_user_id: String,
    code_hash: String,
}

/// Everyone who waits, as [`pairings::list`], each with the code that they got.
pub async fn list(conn: &mut Conn, now: Timestamp) -> Result<Vec<PairingRequest>, StoreError> {
    let waiting = pairings::list(conn, now).await?;
    let Some(key) = settings::get(conn, BOT, KEY).await?.filter(|_| !waiting.is_empty()) else {
        return Ok(waiting.into_iter().map(PairingRequest::from).collect());
    };
    let hashes: Vec<Hash> = conn
        .fetch_all(
            "SELECT platform, platform_user_id, code_hash FROM pairings WHERE expires_at > $1",
            args![now],
        )
        .await?;
    let with_code = |one: pairings::Pairing| {
        let code = code_of(&key, &one.platform, &one.platform_user_id, one.expires_at);
        let hash = clifford_vault::hash(&code);
        // An older version gave another.
        let is_theirs = hashes.iter().any(|known| {
            (&known.platform, &known.platform_user_id) == (&one.platform, &one.platform_user_id)
                && known.code_hash == hash
        });
        PairingRequest {
            code: is_theirs.then_some(code),
            ..one.into()
        }
    };
    Ok(waiting.into_iter().map(with_code).collect())
}
