//! Channels: the places where messages are exchanged, and the spaces that they belong to.

mod arrival;
mod lookup;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, SpaceId},
    places::{Mode, TURNED_OFF},
    value::args,
};

pub use self::{
    arrival::{find_or_create, placed, touched},
    lookup::{
        barred, by_place, get, last_message_on, last_of_space, last_private, of_owners, of_space, one_of_each_space,
        page, page_in, page_of, served,
    },
};
use crate::{StoreError, Tx};

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

/// Nothing can be sent there any more; what somebody turned off stays that. `$1`: false, `$2`: why, `$3`: when, `$4`:
/// [`TURNED_OFF`].
const DISABLE: &str = "UPDATE channels SET enabled = $1, disabled_reason = $2, updated_at = $3 \
                       WHERE COALESCE(disabled_reason, '') <> $4";

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
