//! Settings that are kept in the database, by scope and name.

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, SpaceId, UserId},
    value::args,
};
use sqlx::FromRow;

use crate::{Conn, StoreError, Tx, db::conn::Statement};

/// The scope of what concerns the whole bot.
pub const BOT: &str = "bot";
/// In a person's scope: what they type to have everything of theirs deleted, and until when.
pub const ERASE_CODE: &str = "erase_code";
/// The setting of a person that holds what they were asked about their accounts.
pub const ACCOUNTS_CODE: &str = "accounts_code";

/// A setting's value.
pub async fn get(conn: &mut Conn, scope: &str, name: &str) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = conn
        .fetch_optional(
            "SELECT value FROM settings WHERE scope = $1 AND name = $2",
            args![scope, name],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Sets a value.
pub async fn put(tx: &mut Tx, scope: &str, name: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO settings (scope, name, value, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        args![scope, name, value, now],
    )
    .await?;
    Ok(())
}

/// Removes a setting that has this value. `false`: it has not.
pub async fn take(tx: &mut Tx, scope: &str, name: &str, value: &str) -> Result<bool, StoreError> {
    let taken = tx
        .execute(
            "DELETE FROM settings WHERE scope = $1 AND name = $2 AND value = $3",
            args![scope, name, value],
        )
        .await?;
    Ok(taken == 1)
}

/// Removes a setting. `false`: there is none.
pub async fn unset(tx: &mut Tx, scope: &str, name: &str) -> Result<bool, StoreError> {
    let removed = tx
        .execute(
            "DELETE FROM settings WHERE scope = $1 AND name = $2",
            args![scope, name],
        )
        .await?;
    Ok(removed == 1)
}

/// All that is set in a scope, by name.
pub async fn of_scope(conn: &mut Conn, scope: &str) -> Result<Vec<Setting>, StoreError> {
    conn.fetch_all(
        "SELECT name, value FROM settings WHERE scope = $1 ORDER BY name",
        args![scope],
    )
    .await
}

/// Whether a space is known.
pub async fn has_space(conn: &mut Conn, id: SpaceId) -> Result<bool, StoreError> {
    conn.exists("SELECT CAST(1 AS BIGINT) FROM spaces WHERE id = $1", args![id])
        .await
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// A setting of this name and value.
    pub fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }
}

/// Where a run is and who it is for, as far as settings go by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The channel, with its space.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// The agent. Only what is set for tools is looked up in its scope.
    pub agent: Option<AgentId>,
    /// The person. Only what is set for tools is looked up in their scope.
    pub user: Option<UserId>,
}

/// The settings around a run: the bot's first, then its space's, channel's, agent's and person's.
pub async fn around(conn: &mut Conn, around: Around) -> Result<Vec<Setting>, StoreError> {
    let (sql, args) = ask_around(around);
    conn.fetch_all(sql, args).await
}

/// The settings of a channel, its space and the bot: the bot's first, the channel's last.
pub async fn of_place(conn: &mut Conn, space: Option<SpaceId>, channel: ChannelId) -> Result<Vec<Setting>, StoreError> {
    let place = Around {
        place: Some((channel, space)),
        ..Around::default()
    };
    around(conn, place).await
}

pub(crate) fn ask_around(around: Around) -> Statement {
    let (channel, space) = around
        .place
        .map_or((None, None), |(channel, space)| (Some(channel), space));
    (
        "SELECT name, value FROM settings
         WHERE scope IN ($1, $2, $3) OR scope IN ($4, $5) AND name LIKE 'tool.%'
         ORDER BY CASE scope WHEN $1 THEN 0 WHEN $2 THEN 1 WHEN $3 THEN 2 WHEN $4 THEN 3 ELSE 4 END"
            .to_owned(),
        args![BOT, space, channel, around.agent, around.user],
    )
}
