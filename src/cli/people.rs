//! A person as a command names them.

use anyhow::bail;
use clifford_chat::platform::Platform;
use clifford_config::Config;
use clifford_core::{id::UserId, people::User};
use clifford_ingress as ingress;
use clifford_store::{
    Conn,
    ids::{self, IdKind},
    people::users,
};

use super::{local, output};
use crate::app;

/// The person at this machine, as lists call them.
pub const HERE: &str = "this machine";

/// How many people with the same name are considered.
const TOLD_APART: u32 = 10;

/// The person who is meant: by their id, as `platform:account`, or by a name that nobody else has; or as lists show
/// whoever sits at this machine.
///
/// # Errors
/// Nobody or several are meant, or the store's.
pub async fn find(conn: &mut Conn, text: &str) -> anyhow::Result<User> {
    if let Ok(id) = text.parse::<UserId>() {
        let user = users::get(conn, id).await?;
        return user.ok_or_else(|| nobody(text));
    }
    let is_here = text == HERE || text.ends_with(&format!(" ({HERE})"));
    if is_here && let Some(user) = users::by_identity(conn, Platform::TERMINAL, local::SPEAKER).await? {
        return Ok(user);
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
        (_, []) => by_beginning(conn, text).await,
        (_, several) => {
            let ids: Vec<_> = several.iter().map(|user| user.id.to_string()).collect();
            bail!(
                "several people are called {text}; take the id of the one you mean: {}",
                ids.join(", ")
            )
        }
    }
}

/// The person whose id begins like this: a name comes first, since it may look like one.
async fn by_beginning(conn: &mut Conn, text: &str) -> anyhow::Result<User> {
    let Some(beginning) = super::ids::beginning(text) else {
        return Err(nobody(text));
    };
    let found = ids::beginning_with(conn, IdKind::User, &beginning, TOLD_APART).await?;
    match found.as_slice() {
        [] => Err(nobody(text)),
        [one] => {
            let id = one.parse::<UserId>()?;
            users::get(conn, id).await?.ok_or_else(|| nobody(text))
        }
        several => bail!("several people have ids that begin with {text}: {}", several.join(", ")),
    }
}

/// The warning about a person whose tokens and links are refused; nothing: they are good.
///
/// # Errors
/// The store's.
pub async fn refusal(conn: &mut Conn, config: &Config, user: &User) -> anyhow::Result<Option<String>> {
    if ingress::looks(conn, &app::audiences(config), user.id, user.role).await? {
        return Ok(None);
    }
    Ok(Some(format!(
        "`{}` may not speak to the bot in private, so this is refused until somebody lets them in.",
        output::cell(&user.name)
    )))
}

fn nobody(text: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "no user matches `{text}`: use an id or its beginning, platform:account or a unique name; see `clifford users list`"
    )
}
