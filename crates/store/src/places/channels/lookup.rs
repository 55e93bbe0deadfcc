//! Channels looked up: one, those of a person or a space, and the places of a platform.

use clifford_chat::{inbound::Served, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SpaceId, UserId},
    places::{Channel, ChannelKind, MAY_NOT_WRITE},
    row::FromRow,
    value::args,
};

use super::SELECT;
use crate::{Conn, StoreError};

/// Those in which somebody wrote last stand first.
const LAST_FIRST: &str = "ORDER BY COALESCE(last_message_at, 0) DESC, id DESC";

/// One channel.
pub async fn get(conn: &mut Conn, id: ChannelId) -> Result<Option<Channel>, StoreError> {
    Ok(conn
        .fetch_all(format!("{SELECT} WHERE id = $1"), args![id])
        .await?
        .pop())
}

/// The channel of a place, if it is known.
pub async fn by_place(conn: &mut Conn, platform: Platform, external_id: &str) -> Result<Option<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE platform = $1 AND external_id = $2");
    Ok(conn.fetch_all(sql, args![platform.as_str(), external_id]).await?.pop())
}

/// The private channel in which a person last spoke, of those where something can be said.
pub async fn last_private(conn: &mut Conn, user: UserId) -> Result<Option<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE user_id = $1 AND kind = 'private' AND enabled {LAST_FIRST} LIMIT 1");
    conn.fetch_optional(sql, args![user]).await
}

/// The private channels of the owners on chat platforms, those in which they spoke last first.
pub async fn of_owners(conn: &mut Conn) -> Result<Vec<Channel>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE kind = 'private' AND enabled AND platform NOT IN ('terminal', 'web')
         AND user_id IN (SELECT id FROM users WHERE role = 'owner') {LAST_FIRST} LIMIT 100"
    );
    conn.fetch_all(sql, args![]).await
}

/// A page of channels, newest first.
pub async fn page(conn: &mut Conn, before: Option<ChannelId>, limit: u32) -> Result<Vec<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE ($1 IS NULL OR id < $1) ORDER BY id DESC LIMIT $2");
    conn.fetch_all(sql, args![before, limit]).await
}

/// A page of a person's private channels, newest first.
pub async fn page_of(
    conn: &mut Conn,
    user: UserId,
    before: Option<ChannelId>,
    limit: u32,
) -> Result<Vec<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE user_id = $1 AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3");
    conn.fetch_all(sql, args![user, before, limit]).await
}

/// One of the channels of a space.
pub async fn of_space(conn: &mut Conn, space: SpaceId) -> Result<Option<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE space_id = $1 ORDER BY id LIMIT 1");
    conn.fetch_optional(sql, args![space]).await
}

/// The channel of a space in which somebody wrote last, of those where something can be said.
pub async fn last_of_space(conn: &mut Conn, space: SpaceId) -> Result<Option<Channel>, StoreError> {
    let sql = format!("{SELECT} WHERE space_id = $1 AND parent_id IS NULL AND enabled {LAST_FIRST} LIMIT 1");
    conn.fetch_optional(sql, args![space]).await
}

/// One channel of each space in which a person spoke, the newest space first.
pub async fn one_of_each_space(conn: &mut Conn, speaker: UserId, limit: u32) -> Result<Vec<Channel>, StoreError> {
    conn.fetch_all(
        format!(
            "{SELECT} WHERE id IN (
                 SELECT MIN(o.id) FROM channels o
                 WHERE o.space_id IN (
                     SELECT s.space_id FROM channels s WHERE s.space_id IS NOT NULL AND s.id IN (
                         SELECT m.channel_id FROM messages m WHERE m.user_id = $1 AND m.direction = 'inbound'))
                 GROUP BY o.space_id)
             ORDER BY space_id DESC LIMIT $2"
        ),
        args![speaker, limit],
    )
    .await
}

/// A page of the channels of a space, the newest first.
pub async fn page_in(
    conn: &mut Conn,
    space: SpaceId,
    before: Option<ChannelId>,
    limit: u32,
) -> Result<Vec<Channel>, StoreError> {
    conn.fetch_all(
        format!("{SELECT} WHERE space_id = $1 AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3"),
        args![space, before, limit],
    )
    .await
}

/// When something was last said on a platform.
pub async fn last_message_on(conn: &mut Conn, platform: Platform) -> Result<Option<Timestamp>, StoreError> {
    let (at,): (Option<Timestamp>,) = conn
        .fetch_one(
            "SELECT MAX(last_message_at) FROM channels WHERE platform = $1",
            args![platform.as_str()],
        )
        .await?;
    Ok(at)
}

/// The platforms and places of channels that are off because the bot may not write there, the newest first.
pub async fn barred(conn: &mut Conn, limit: u32) -> Result<Vec<(String, String)>, StoreError> {
    conn.fetch_all(
        "SELECT platform, external_id FROM channels WHERE NOT enabled AND disabled_reason LIKE $1 || '%'
         ORDER BY id DESC LIMIT $2",
        args![MAY_NOT_WRITE, limit],
    )
    .await
}

/// The places of a platform where something was said since a time, also in a thread of theirs, with the newest inbound
/// message of each. Where each question has a thread of its own, its message is stored there: then the newest thread,
/// which has the id of the message at which it begins, tells how far the place was read.
pub async fn served(conn: &mut Conn, platform: Platform, since: Timestamp) -> Result<Vec<Served>, StoreError> {
    #[derive(FromRow)]
    struct ServedRow {
        external_id: String,
        kind: ChannelKind,
        space: Option<String>,
        last_message_id: Option<String>,
        last_thread: Option<String>,
    }
    let rows: Vec<ServedRow> = conn
        .fetch_all(
            "SELECT c.external_id, c.kind,
                    (SELECT s.external_id FROM spaces s WHERE s.id = c.space_id) AS space,
                    (SELECT m.platform_message_id FROM messages m
                     WHERE m.channel_id = c.id AND m.direction = 'inbound' AND m.platform_message_id IS NOT NULL
                     ORDER BY m.id DESC LIMIT 1) AS last_message_id,
                    (SELECT t.external_id FROM channels t WHERE t.parent_id = c.id
                     ORDER BY LENGTH(t.external_id) DESC, t.external_id DESC LIMIT 1) AS last_thread
             FROM channels c WHERE c.platform = $1 AND c.enabled AND (c.last_message_at >= $2
                 OR EXISTS (SELECT 1 FROM channels t WHERE t.parent_id = c.id AND t.last_message_at >= $2))",
            args![platform.as_str(), since],
        )
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| Served {
            external_id: row.external_id,
            kind: row.kind.into(),
            space: row.space,
            last_message_id: [row.last_message_id, row.last_thread]
                .into_iter()
                .flatten()
                .max_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other))),
        })
        .collect())
}
