//! Names of places and spaces as their platforms tell them: when they change, and with each message.

use clifford_chat::{inbound::Renamed, platform::Platform};
use clifford_core::{clock::Timestamp, places::Channel, value::args};

use super::channels;
use crate::{StoreError, Tx};

/// What stands in `config` of a channel that was renamed: the name that it had first. A platform may go on to tell that.
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
