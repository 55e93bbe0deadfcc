//! Places that get a new id, as a Telegram group does that becomes a supergroup: the channel, and a space of the same
//! id, keep their rows. What was said under the new id before the move was known joins them.

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, SpaceId},
    places::TURNED_OFF,
    row::FromRow,
    value::args,
};

use crate::{StoreError, Tx, budgets};

/// The tables whose rows are a channel's, by their column `channel_id`.
const OF_CHANNEL: [&str; 8] = [
    "contexts",
    "runs",
    "messages",
    "files",
    "documents",
    "usage",
    "triggers",
    "status_messages",
];
/// The tables whose rows are a space's, and their columns.
const OF_SPACE: [(&str, &str); 6] = [
    ("channels", "space_id"),
    ("contexts", "space_id"),
    ("files", "space_id"),
    ("usage", "space_id"),
    ("policies", "space_id"),
    ("memory_items", "origin_space"),
];
/// A conversation goes on under the new id if somebody spoke in it so long before they spoke there.
const GOES_ON: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// A channel of one of the two ids.
#[derive(Debug, FromRow)]
struct Place {
    id: ChannelId,
    active_context_id: Option<ContextId>,
    spoken_at: Option<Timestamp>,
}

/// A place got a new id. The platform renumbers its messages, so the old ones are known by the old place's id too. Told
/// twice, nothing changes. The bot is where it was: it does not introduce itself again.
pub async fn moved(tx: &mut Tx, platform: Platform, from: &str, to: &str, now: Timestamp) -> Result<(), StoreError> {
    if from == to {
        return Ok(());
    }
    if let Some(mut old) = place(tx, platform, from).await? {
        for sql in [
            "UPDATE messages SET platform_message_id = $1 || ':' || platform_message_id
             WHERE platform_message_id IS NOT NULL AND channel_id = $2",
            "UPDATE message_parts SET platform_message_id = $1 || ':' || platform_message_id
             WHERE platform_message_id IS NOT NULL AND message_id IN (SELECT id FROM messages WHERE channel_id = $2)",
        ] {
            tx.execute(sql, args![from, old.id]).await?;
        }
        if let Some(mut new) = place(tx, platform, to).await? {
            // A late message under the old id may have made that anew.
            if new.id.0 < old.id.0 {
                std::mem::swap(&mut old, &mut new);
            }
            join_channels(tx, &old, &new).await?;
        }
        tx.execute(
            "UPDATE channels SET external_id = $1, enabled = enabled OR COALESCE(disabled_reason, '') <> $2,
                    disabled_reason = CASE WHEN disabled_reason = $2 THEN disabled_reason END WHERE id = $3",
            args![to, TURNED_OFF, old.id],
        )
        .await?;
    }
    if let Some(mut old) = space(tx, platform, from).await? {
        if let Some(mut new) = space(tx, platform, to).await? {
            if new.0 < old.0 {
                std::mem::swap(&mut old, &mut new);
            }
            join_spaces(tx, old, new).await?;
        }
        tx.execute(
            "UPDATE spaces SET external_id = $1, left_at = NULL, greeted_at = COALESCE(greeted_at, $2) WHERE id = $3",
            args![to, now, old],
        )
        .await?;
    }
    Ok(())
}

/// A channel by its place, locked.
async fn place(tx: &mut Tx, platform: Platform, external_id: &str) -> Result<Option<Place>, StoreError> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = format!(
        "SELECT id, active_context_id,
                (SELECT x.last_user_interaction_at FROM contexts x WHERE x.id = active_context_id) AS spoken_at
         FROM channels WHERE platform = $1 AND external_id = $2{lock}"
    );
    tx.fetch_optional(sql, args![platform.as_str(), external_id]).await
}

async fn space(tx: &mut Tx, platform: Platform, external_id: &str) -> Result<Option<SpaceId>, StoreError> {
    let sql = "SELECT id FROM spaces WHERE platform = $1 AND external_id = $2";
    let found: Option<(SpaceId,)> = tx.fetch_optional(sql, args![platform.as_str(), external_id]).await?;
    Ok(found.map(|(id,)| id))
}

/// Makes all that is of one channel another's. One where a run is at work, which knows it by its row, keeps that, under
/// an id that no place has.
async fn join_channels(tx: &mut Tx, old: &Place, new: &Place) -> Result<(), StoreError> {
    let is_at_work = tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM runs WHERE channel_id = $1 AND status IN ('pending', 'running') LIMIT 1",
            args![new.id],
        )
        .await?;
    for table in OF_CHANNEL {
        let sql = format!("UPDATE {table} SET channel_id = $1 WHERE channel_id = $2");
        tx.execute(sql, args![old.id, new.id]).await?;
    }
    let goes_on = match (old.spoken_at, new.spoken_at) {
        (Some(before), Some(since)) => since.since(before) <= GOES_ON,
        (before, _) => before.is_some(),
    };
    let active = if goes_on {
        old.active_context_id
    } else {
        new.active_context_id
    };
    tx.execute(
        "UPDATE channels SET active_context_id = $1,
                name = COALESCE((SELECT n.name FROM channels n WHERE n.id = $2), name),
                last_message_at = COALESCE((SELECT n.last_message_at FROM channels n WHERE n.id = $2), last_message_at)
         WHERE id = $3",
        args![active, new.id, old.id],
    )
    .await?;
    settings(tx, &old.id.to_string(), &new.id.to_string()).await?;
    tx.execute(
        "UPDATE channels SET parent_id = $1 WHERE parent_id = $2",
        args![old.id, new.id],
    )
    .await?;
    let sql = match is_at_work {
        true => "UPDATE channels SET external_id = external_id || '<' || id WHERE id = $1",
        false => "DELETE FROM channels WHERE id = $1",
    };
    tx.execute(sql, args![new.id]).await?;
    Ok(())
}

/// Makes all that is of one space another's.
async fn join_spaces(tx: &mut Tx, old: SpaceId, new: SpaceId) -> Result<(), StoreError> {
    for (table, column) in OF_SPACE {
        let sql = format!("UPDATE {table} SET {column} = $1 WHERE {column} = $2");
        tx.execute(sql, args![old, new]).await?;
    }
    settings(tx, &old.to_string(), &new.to_string()).await?;
    // Usage there counts with the rest.
    budgets::sum_up_anew(tx).await?;
    tx.execute("DELETE FROM rate_buckets WHERE subject = $1", args![new])
        .await?;
    tx.execute("DELETE FROM spaces WHERE id = $1", args![new]).await?;
    Ok(())
}

/// Of two settings of a name that of the older scope stays.
async fn settings(tx: &mut Tx, old: &str, new: &str) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM settings WHERE scope = $2 AND name IN (SELECT s.name FROM settings s WHERE s.scope = $1)",
        "UPDATE settings SET scope = $1 WHERE scope = $2",
        "UPDATE setting_changes SET scope = $1 WHERE scope = $2",
    ] {
        tx.execute(sql, args![old, new]).await?;
    }
    Ok(())
}
