//! Finds the person whom somebody names on the command line.

use anyhow::bail;
use clifford_channel::Platform;

use crate::{
    id::UserId,
    store::{
        Conn,
        users::{self, User},
    },
};

/// How many people of one name are told apart.
const NAMESAKES: u32 = 10;

/// The person of an id, of an account (`platform:account`), or of a name that nobody else has.
///
/// # Errors
/// There is no such person, or there are several; the database's.
pub(super) async fn find(conn: &mut Conn, text: &str) -> anyhow::Result<User> {
    if let Ok(id) = text.parse::<UserId>() {
        return match users::get(conn, id).await? {
            Some(user) => Ok(user),
            None => bail!("there is no person with the id {text}"),
        };
    }
    if let Some((platform, account)) = text.split_once(':')
        && let Ok(platform) = platform.parse::<Platform>()
    {
        return match users::by_identity(conn, platform, account).await? {
            Some(user) => Ok(user),
            None => bail!("the account {account} on {platform} has never written to the bot"),
        };
    }
    let mut found = users::by_name(conn, text, NAMESAKES).await?;
    match (found.pop(), found.is_empty()) {
        (Some(user), true) => Ok(user),
        (Some(user), false) => {
            found.push(user);
            let ids: Vec<_> = found.iter().map(|user| user.id.to_string()).collect();
            bail!(
                "several people are called {text}; name one by their id: {}",
                ids.join(", ")
            )
        }
        (None, _) => {
            bail!(
                "nobody is called {text}; name a person by their name, their id or as platform:account, such as telegram:4711"
            )
        }
    }
}
