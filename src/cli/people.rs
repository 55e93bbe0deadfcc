//! A person as a command names them.

use anyhow::bail;
use clifford_chat::platform::Platform;
use clifford_core::{id::UserId, people::User};
use clifford_store::{Conn, people::users};

/// How many people with the same name are considered.
const TOLD_APART: u32 = 10;

/// The person who is meant: by their id, as `platform:account`, or by a name that nobody else has.
///
/// # Errors
/// Nobody or several are meant, or the store's.
pub async fn find(conn: &mut Conn, text: &str) -> anyhow::Result<User> {
    if let Ok(id) = text.parse::<UserId>() {
        let user = users::get(conn, id).await?;
        return user.ok_or_else(|| nobody(text));
    }
    if let Some((platform, account)) = text.split_once(':')
        && let Ok(platform) = platform.parse::<Platform>()
        && let Some(user) = users::by_identity(conn, platform, account).await?
    {
        return Ok(user);
    }
    let named = users::named(conn, text, TOLD_APART).await?;
    let exactly: Vec<_> = named.iter().filter(|user| user.name == text).collect();
    match (&exactly[..], &named[..]) {
        ([one], _) => Ok((*one).clone()),
        (_, [one]) => Ok(one.clone()),
        (_, []) => Err(nobody(text)),
        (_, several) => {
            let ids: Vec<_> = several.iter().map(|user| user.id.to_string()).collect();
            bail!(
                "several people are called {text}; take the id of the one you mean: {}",
                ids.join(", ")
            )
        }
    }
}

fn nobody(text: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "there is nobody `{text}`; `clifford users list` shows everybody: name them by id, as platform:account, or by name"
    )
}
