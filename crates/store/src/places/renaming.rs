//! Names of places and spaces as their platforms tell them: when they change, and with each message.

use std::collections::HashMap;

use clifford_chat::{
    inbound::{Names, Renamed},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SpaceId},
    places::Channel,
    value::args,
};

use super::channels;
use crate::{Conn, StoreError, Tx};

/// The part of `config` of a channel that was renamed: the name that it had first. A platform may go on to tell that.
fn first_name(name: &str) -> String {
    serde_json::json!({ "firstName": name }).to_string()
}

/// The name that a channel of this name takes over from the platform: `None`, where that tells the one it had before.
pub(super) async fn learned(tx: &mut Tx, channel: &Channel, told: Option<&str>) -> Result<Option<String>, StoreError> {
    let Some(told) = told.filter(|told| channel.name.as_deref() != Some(told)) else {
        return Ok(None);
    };
    let was_so = tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM channels WHERE id = $1 AND config = $2",
            args![channel.id, first_name(told)],
        )
        .await?;
    Ok((!was_so).then(|| told.to_owned()))
}

/// A place got another name. Nothing is known of one where nobody spoke to the bot.
pub async fn place(tx: &mut Tx, place: &str, renamed: &Renamed, now: Timestamp) -> Result<(), StoreError> {
    let Some(channel) = channels::by_place(tx, renamed.platform, place).await? else {
        return Ok(());
    };
    if !renamed.first_is_retold {
        let change = channels::Change {
            name: Some(renamed.name.clone()),
            ..channels::Change::default()
        };
        return channels::change(tx, channel.id, &change, now).await;
    }
    let first = channel.name.as_deref().unwrap_or_default();
    tx.execute(
        "UPDATE channels SET name = $1, updated_at = $2, config = CASE WHEN config = '{}' THEN $3 ELSE config END
         WHERE id = $4",
        args![&renamed.name, now, first_name(first), channel.id],
    )
    .await?;
    Ok(())
}

/// A space got another name.
pub async fn space(tx: &mut Tx, platform: Platform, id: &str, name: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE spaces SET name = $1 WHERE platform = $2 AND external_id = $3",
        args![name, platform.as_str(), id],
    )
    .await?;
    Ok(())
}

/// Rows that have another name than their platform tells, with that name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stale {
    space: Option<(SpaceId, String)>,
    /// The row, the name that it has, and the one that is told.
    channels: Vec<(ChannelId, Option<String>, String)>,
}

impl Stale {
    /// Every name is as it is told.
    pub fn is_empty(&self) -> bool {
        self.space.is_none() && self.channels.is_empty()
    }
}

/// The rows of a space and its places whose names changed while nobody listened.
pub async fn stale(conn: &mut Conn, told: &Names) -> Result<Stale, StoreError> {
    let space: Option<(SpaceId, Option<String>)> = conn
        .fetch_optional(
            "SELECT id, name FROM spaces WHERE platform = $1 AND external_id = $2",
            args![told.platform.as_str(), &told.space],
        )
        .await?;
    let Some((id, known)) = space else {
        return Ok(Stale::default());
    };
    let mut stale = Stale {
        space: (told.name.clone().filter(|name| known.as_ref() != Some(name))).map(|name| (id, name)),
        channels: Vec::new(),
    };
    if told.places.is_empty() {
        return Ok(stale);
    }
    let channels: Vec<(ChannelId, String, Option<String>)> = conn
        .fetch_all(
            "SELECT id, external_id, name FROM channels WHERE space_id = $1",
            args![id],
        )
        .await?;
    let places: HashMap<_, _> = told.places.iter().map(|(place, name)| (place, name)).collect();
    stale.channels = (channels.into_iter())
        .filter_map(|(id, place, known)| {
            let name = *places.get(&place)?;
            (known.as_ref() != Some(name)).then(|| (id, known, name.clone()))
        })
        .collect();
    Ok(stale)
}

/// Gives these rows their names.
pub async fn renew(tx: &mut Tx, stale: &Stale, now: Timestamp) -> Result<(), StoreError> {
    if let Some((id, name)) = &stale.space {
        tx.execute("UPDATE spaces SET name = $1 WHERE id = $2", args![name, *id])
            .await?;
    }
    for (id, known, name) in &stale.channels {
        // A name that came meanwhile is the newer one.
        let sql = "UPDATE channels SET name = $1, updated_at = $2 WHERE id = $3 AND COALESCE(name, '') = $4";
        let known = known.as_deref().unwrap_or_default();
        tx.execute(sql, args![name, now, *id, known]).await?;
    }
    Ok(())
}
