//! Channels: the places where messages are exchanged, and the spaces that they belong to.

use clifford_chat::{
    inbound::{Place, Served, Space},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, SpaceId, UserId},
    places::{Channel, ChannelKind, MAY_NOT_WRITE, Mode, TURNED_OFF},
    row::FromRow,
    value::args,
};

use super::renaming;
use crate::{Conn, StoreError, Tx};

/// A channel as it answers: a thread is off where its parent was turned off, and answers by chat where that does.
macro_rules! columns {
    ($alias:literal) => {
        concat!(
            $alias,
            "id, ",
            $alias,
            "platform, ",
            $alias,
            "external_id, ",
            $alias,
            "parent_id, ",
            $alias,
            "kind, ",
            $alias,
            "name, ",
            $alias,
            "space_id, ",
            $alias,
            "user_id, ",
            $alias,
            "enabled AND NOT EXISTS (SELECT 1 FROM \
             channels off WHERE off.id = ",
            $alias,
            "parent_id AND off.disabled_reason = 'turned off') AS enabled, \
             COALESCE((SELECT off.disabled_reason FROM channels off WHERE off.id = ",
            $alias,
            "parent_id AND \
             off.disabled_reason = 'turned off'), ",
            $alias,
            "disabled_reason) AS disabled_reason, ",
            $alias,
            "agent_id, \
             COALESCE((SELECT chats.mode FROM channels chats WHERE chats.id = ",
            $alias,
            "parent_id AND chats.mode = \
             'chat'), ",
            $alias,
            "mode) AS mode, ",
            $alias,
            "active_context_id, ",
            $alias,
            "last_message_at"
        )
    };
}
pub(crate) use columns;

pub(crate) const SELECT: &str = concat!("SELECT ", columns!("channels."), " FROM channels");

/// Something was said there: it is enabled (again) unless somebody turned it off, and named as the platform names
/// it. `$1`: when, `$2`: true, `$3`: the name, `$4`: [`TURNED_OFF`].
const TOUCH: &str = "UPDATE channels SET last_message_at = $1, updated_at = $1, name = COALESCE($3, name), \
                         enabled = CASE WHEN disabled_reason = $4 THEN enabled ELSE $2 END, \
                         disabled_reason = CASE WHEN disabled_reason = $4 THEN disabled_reason END";

/// Nothing can be sent there any more; what somebody turned off stays that. `$1`: false, `$2`: why, `$3`: when, `$4`:
/// [`TURNED_OFF`].
const DISABLE: &str = "UPDATE channels SET enabled = $1, disabled_reason = $2, updated_at = $3 \
                       WHERE COALESCE(disabled_reason, '') <> $4";

/// The channel of a place; a new one if it is not known. A private one is its person's, by that account. Two that ask
/// at once get the same. The row stays locked until the transaction ends, so what happens in one channel happens in
/// order.
pub async fn find_or_create(
    tx: &mut Tx,
    place: &Place,
    person: Option<(UserId, &str)>,
    now: Timestamp,
) -> Result<Channel, StoreError> {
    if let Some(channel) = touch(tx, place.platform, &place.external_id, place.name.as_deref(), now).await? {
        // Whether it was off is not known any more.
        came_back(tx, &channel).await?;
        return placed(tx, channel, place, now).await;
    }
    let space = match &place.space {
        Some(space) => Some(space_of(tx, place.platform, space, now).await?),
        None => None,
    };
    let parent = match &place.parent {
        Some(parent) => Some(parent_of(tx, place.platform, parent, space, now).await?),
        None => None,
    };
    tx.execute(
        "INSERT INTO channels (id, platform, external_id, kind, name, space_id, user_id, account, enabled, mode, config,
                               last_message_at, created_at, updated_at, parent_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'run', '{}', $10, $10, $10, $11)
         ON CONFLICT (platform, external_id) DO NOTHING",
        args![
            ChannelId::new(),
            place.platform.as_str(),
            &place.external_id,
            ChannelKind::from(place.kind),
            place.name.clone(),
            space,
            person.map(|(user, _)| user),
            person.map(|(_, account)| account),
            true,
            now,
            parent
        ],
    )
    .await?;
    touch(tx, place.platform, &place.external_id, place.name.as_deref(), now)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("channel {}", place.external_id)))
}

/// The channel that a thread belongs to; where nothing was said there yet, its row is made.
async fn parent_of(
    tx: &mut Tx,
    platform: Platform,
    parent: &str,
    space: Option<SpaceId>,
    now: Timestamp,
) -> Result<ChannelId, StoreError> {
    let (kind, platform) = (ChannelKind::Group, platform.as_str());
    tx.execute(
        "INSERT INTO channels (id, platform, external_id, kind, space_id, enabled, mode, config, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'run', '{}', $7, $7) ON CONFLICT (platform, external_id) DO NOTHING",
        args![ChannelId::new(), platform, parent, kind, space, true, now],
    )
    .await?;
    let sql = "SELECT id FROM channels WHERE platform = $1 AND external_id = $2";
    let row: (ChannelId,) = tx.fetch_one(sql, args![platform, parent]).await?;
    Ok(row.0)
}

/// A channel whose parent is known from now on, if its place has one.
pub async fn placed(tx: &mut Tx, channel: Channel, place: &Place, now: Timestamp) -> Result<Channel, StoreError> {
    let Some(parent) = place.parent.as_ref().filter(|_| channel.parent_id.is_none()) else {
        return Ok(channel);
    };
    let parent = parent_of(tx, place.platform, parent, channel.space_id, now).await?;
    let sql = "UPDATE channels SET parent_id = $1 WHERE id = $2";
    tx.execute(sql, args![parent, channel.id]).await?;
    get(tx, channel.id)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("channel {}", channel.id)))
}

/// Something was said in a channel that is known: the channel as it is from now on.
pub async fn touched(tx: &mut Tx, channel: Channel, name: Option<&str>, now: Timestamp) -> Result<Channel, StoreError> {
    let name = renaming::learned(tx, &channel, name).await?;
    let sql = format!("{TOUCH} WHERE id = $5");
    tx.defer(sql, args![now, true, name.clone(), TURNED_OFF, channel.id])
        .await?;
    if !channel.enabled || channel.disabled_reason.is_some() {
        came_back(tx, &channel).await?;
    }
    let off = channel.is_turned_off();
    Ok(Channel {
        enabled: !off,
        disabled_reason: channel.disabled_reason.filter(|_| off),
        name: name.or(channel.name),
        last_message_at: Some(now),
        ..channel
    })
}

/// Something was said in the channel of a place, if that is known; it is locked.
async fn touch(
    tx: &mut Tx,
    platform: Platform,
    external_id: &str,
    name: Option<&str>,
    now: Timestamp,
) -> Result<Option<Channel>, StoreError> {
    let sql = format!("{TOUCH} WHERE platform = $5 AND external_id = $6");
    let kept = None::<&str>;
    let touched = tx
        .execute(sql, args![now, true, kept, TURNED_OFF, platform.as_str(), external_id])
        .await?;
    if touched == 0 {
        return Ok(None);
    }
    let Some(channel) = by_place(tx, platform, external_id).await? else {
        return Ok(None);
    };
    let Some(name) = renaming::learned(tx, &channel, name).await? else {
        return Ok(Some(channel));
    };
    tx.execute("UPDATE channels SET name = $1 WHERE id = $2", args![&name, channel.id])
        .await?;
    Ok(Some(Channel {
        name: Some(name),
        ..channel
    }))
}

/// Something was said in a channel: the bot is in its space (again), so what is kept of that stays.
async fn came_back(tx: &mut Tx, channel: &Channel) -> Result<(), StoreError> {
    let Some(space) = channel.space_id else { return Ok(()) };
    let sql = "UPDATE spaces SET left_at = NULL WHERE id = $1 AND left_at IS NOT NULL";
    tx.defer(sql, args![space]).await
}

async fn space_of(tx: &mut Tx, platform: Platform, space: &Space, now: Timestamp) -> Result<SpaceId, StoreError> {
    let row: (SpaceId,) = tx
        .fetch_one(
            "INSERT INTO spaces (id, platform, external_id, name, created_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (platform, external_id)
             DO UPDATE SET name = COALESCE(excluded.name, spaces.name), left_at = NULL
             RETURNING id",
            args![
                SpaceId::new(),
                platform.as_str(),
                &space.external_id,
                space.name.clone(),
                now
            ],
        )
        .await?;
    Ok(row.0)
}

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

/// Makes a context the one that goes on in a channel.
pub async fn set_active_context(tx: &mut Tx, id: ChannelId, context: Option<ContextId>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE channels SET active_context_id = $1 WHERE id = $2",
        args![context, id],
    )
    .await?;
    Ok(())
}

/// A change to a channel.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Whether the bot answers there.
    pub enabled: Option<bool>,
    /// Its name.
    pub name: Option<String>,
    /// Its own agent, or none.
    pub agent: Option<Option<AgentId>>,
    /// How it answers.
    pub mode: Option<Mode>,
}

/// Changes a channel.
pub async fn change(tx: &mut Tx, id: ChannelId, change: &Change, now: Timestamp) -> Result<(), StoreError> {
    if let Some(enabled) = change.enabled {
        let reason = (!enabled).then_some(TURNED_OFF);
        tx.execute(
            "UPDATE channels SET enabled = $1, disabled_reason = $2 WHERE id = $3",
            args![enabled, reason, id],
        )
        .await?;
    }
    if let Some(agent) = change.agent {
        tx.execute("UPDATE channels SET agent_id = $1 WHERE id = $2", args![agent, id])
            .await?;
    }
    tx.execute(
        "UPDATE channels SET name = COALESCE($1, name), mode = COALESCE($4, mode), updated_at = $2 WHERE id = $3",
        args![change.name.clone(), now, id, change.mode],
    )
    .await?;
    Ok(())
}

/// Sends nothing more to a channel, until somebody speaks there again.
pub async fn disable(tx: &mut Tx, id: ChannelId, reason: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        format!("{DISABLE} AND id = $5"),
        args![false, reason, now, TURNED_OFF, id],
    )
    .await?;
    Ok(())
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

/// The bot was removed from a place.
pub async fn left(
    tx: &mut Tx,
    platform: Platform,
    place: &str,
    reason: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        format!("{DISABLE} AND platform = $5 AND (external_id = $6 OR external_id LIKE $6 || ':%')"),
        args![false, reason, now, TURNED_OFF, platform.as_str(), place],
    )
    .await?;
    Ok(())
}

/// The bot was removed from a space, with all of its channels.
pub async fn left_space(
    tx: &mut Tx,
    platform: Platform,
    space: &str,
    reason: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    // Channels are locked before their space, as where something is said.
    tx.execute(
        format!("{DISABLE} AND space_id = (SELECT id FROM spaces WHERE platform = $5 AND external_id = $6)"),
        args![false, reason, now, TURNED_OFF, platform.as_str(), space],
    )
    .await?;
    tx.execute(
        "UPDATE spaces SET left_at = $1, greeted_at = NULL WHERE platform = $2 AND external_id = $3",
        args![now, platform.as_str(), space],
    )
    .await?;
    Ok(())
}

/// The bot was added to a space. `true`: it has not introduced itself since, and is to do so now; one caller alone gets
/// that.
pub async fn joined_space(tx: &mut Tx, space: SpaceId, now: Timestamp) -> Result<bool, StoreError> {
    let greets = tx
        .execute(
            "UPDATE spaces SET greeted_at = $1, left_at = NULL WHERE id = $2 AND greeted_at IS NULL",
            args![now, space],
        )
        .await?;
    Ok(greets == 1)
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

/// Platforms as one argument: `,discord,telegram,`.
pub(crate) fn platform_list(platforms: &[Platform]) -> String {
    platforms
        .iter()
        .fold(",".to_owned(), |list, platform| format!("{list}{platform},"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_off_for_the_reason_by_which_its_parent_is() {
        assert!(SELECT.contains(&format!("'{TURNED_OFF}'")));
    }
}
