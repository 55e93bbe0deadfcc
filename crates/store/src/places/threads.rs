//! Threads in which a bot hears everything: it opened them, or somebody addressed it there once. Until `/close`. And the
//! thread of a message that was sent, where a platform does not tell it.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::ChannelId,
    places::{Channel, ChannelKind},
    value::args,
};

use super::channels::SELECT;
use crate::{Conn, StoreError, Tx};

/// Whether the bot was addressed in the thread of a place, or opened it, and nobody closed it since.
pub async fn is_followed(conn: &mut Conn, platform: Platform, place: &str) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM channels
               WHERE platform = $1 AND external_id = $2 AND kind = 'thread' AND followed_at IS NOT NULL";
    conn.exists(sql, args![platform.as_str(), place]).await
}

/// Somebody addressed the bot in a thread.
pub async fn follow(tx: &mut Tx, channel: ChannelId, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE channels SET followed_at = $1 WHERE id = $2 AND kind = 'thread' AND followed_at IS NULL";
    tx.defer(sql, args![now, channel]).await
}

/// Nothing is heard there any more that does not address the bot. `false`: that was so.
pub async fn unfollow(tx: &mut Tx, channel: ChannelId) -> Result<bool, StoreError> {
    let sql = "UPDATE channels SET followed_at = NULL WHERE id = $1 AND followed_at IS NOT NULL";
    Ok(tx.execute(sql, args![channel]).await? == 1)
}

/// The bot opened a thread of a channel.
pub async fn opened(
    tx: &mut Tx,
    platform: Platform,
    place: &str,
    name: &str,
    parent: Option<&Channel>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO channels (id, platform, external_id, kind, name, space_id, enabled, mode, config, followed_at,
                               created_at, updated_at, parent_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'run', '{}', $8, $8, $8, $9)
         ON CONFLICT (platform, external_id) DO UPDATE SET followed_at = excluded.followed_at,
             parent_id = COALESCE(channels.parent_id, excluded.parent_id)",
        args![
            ChannelId::new(),
            platform.as_str(),
            place,
            ChannelKind::Thread,
            name,
            parent.and_then(|parent| parent.space_id),
            true,
            now,
            parent.map(|parent| parent.parent_id.unwrap_or(parent.id))
        ],
    )
    .await?;
    Ok(())
}

/// Whether a message is stored, be it in its place or in a thread that was opened for it.
pub async fn is_stored(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    space: Option<&str>,
    message: &str,
) -> Result<bool, StoreError> {
    let sql = "SELECT CAST(1 AS BIGINT) FROM messages m JOIN channels c ON c.id = m.channel_id
               WHERE c.platform = $1 AND m.platform_message_id = $4 AND m.direction = 'inbound'
               AND (c.external_id = $2 OR c.kind = 'thread' AND c.space_id = (
                    SELECT id FROM spaces WHERE platform = $1 AND external_id = $3))
               LIMIT 1";
    conn.exists(sql, args![platform.as_str(), place, space, message]).await
}

/// The channel, in a place or in a topic of it, of the outbound message that its platform knows by this id.
pub async fn of_sent(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    message: &str,
) -> Result<Option<Channel>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE platform = $1 AND (external_id = $2 OR external_id LIKE $2 || ':%') AND id IN
             (SELECT m.channel_id FROM message_parts p JOIN messages m ON m.id = p.message_id
              WHERE p.platform_message_id = $3 AND m.direction = 'outbound')"
    );
    let found = conn.fetch_all(sql, args![platform.as_str(), place, message]).await?;
    Ok(found.into_iter().next())
}
