//! A scope of settings as a command names it: `bot`, `space:ID`, `channel:ID`, `agent:ID` or `user:USER`.

use anyhow::anyhow;
use clifford_store::Conn;
use clifford_tools::settings::catalogue::Scope;

use super::{
    ids::{Id, IdArg},
    people,
};

/// The scope that is meant: ids may be given by their beginning, and a person by name.
///
/// # Errors
/// There is no such scope; the store's.
pub(super) async fn find(conn: &mut Conn, text: &str) -> anyhow::Result<Scope> {
    match text.split_once(':') {
        Some(("user", user)) => Ok(Scope::User(people::find(conn, user).await?.id)),
        Some(("space", id)) => Ok(Scope::Space(resolve(conn, id).await?)),
        Some(("channel", id)) => Ok(Scope::Channel(resolve(conn, id).await?)),
        Some(("agent", id)) => Ok(Scope::Agent(resolve(conn, id).await?)),
        _ => text.parse().map_err(|why: String| anyhow!(why)),
    }
}

async fn resolve<T: Id>(conn: &mut Conn, text: &str) -> anyhow::Result<T> {
    let id: IdArg<T> = text.parse().map_err(|why: String| anyhow!(why))?;
    id.find(conn).await
}
