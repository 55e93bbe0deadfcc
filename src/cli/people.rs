//! People, as they are named on the command line.

use anyhow::bail;
use clifford_channel::Platform;

use crate::{
    id::UserId,
    store::{
        Conn,
        users::{self, User},
    },
};

/// The person whom a text names: by their id, an account of theirs as `platform:account`, or their name if nobody else
/// has it.
///
/// # Errors
/// There is none, or there are several; the database does not answer.
pub async fn find(conn: &mut Conn, text: &str) -> anyhow::Result<User> {
    let text = text.trim();
    if let Ok(id) = text.parse::<UserId>() {
        let user = users::get(conn, id).await?;
        return user.ok_or_else(|| anyhow::anyhow!("there is no person with the id {id}"));
    }
    if let Some((platform, account)) = text.split_once(':')
        && let Ok(platform) = platform.parse::<Platform>()
    {
        let user = users::by_identity(conn, platform, account).await?;
        return user.ok_or_else(|| anyhow::anyhow!("nobody is known by the account {account} on {platform}"));
    }
    let mut named = users::named(conn, text).await?;
    match (named.pop(), named.len()) {
        (Some(user), 0) => Ok(user),
        (None, _) => bail!("nobody is called {text}: name a person by their id or by platform:account"),
        (Some(last), _) => {
            let ids: Vec<_> = named.iter().chain([&last]).map(|user| user.id.to_string()).collect();
            bail!(
                "several people are called {text}: name one by their id ({})",
                ids.join(", ")
            )
        }
    }
}
