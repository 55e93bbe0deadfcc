//! The channel of a message that arrives: known or new, in its space and below its parent, and enabled again.

use clifford_chat::{
    inbound::{Place, Space},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SpaceId, UserId},
    places::{Channel, ChannelKind, TURNED_OFF},
    value::args,
};

use super::{super::renaming, by_place, get};
use crate::{StoreError, Tx};

/// Something was said there: it is enabled (again) unless somebody turned it off, and named as the platform names
/// it. `$1`: when, `$2`: true, `$3`: the name, `$4`: [`TURNED_OFF`].
const TOUCH: &str = "UPDATE channels SET last_message_at = $1, updated_at = $1, name = COALESCE($3, name), \
                         enabled = CASE WHEN disabled_reason = $4 THEN enabled ELSE $2 END, \
                         disabled_reason = CASE WHEN disabled_reason = $4 THEN disabled_reason END";

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
