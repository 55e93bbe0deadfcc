//! Whether a person manages a shared place: the platform says so, and its answer holds for a minute.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SpaceId, UserId},
    places::Channel,
};
use clifford_store::{StoreError, people::users, places::channels};
use dashmap::DashMap;
use futures::future::join_all;

use super::super::Shared;

/// How long a platform may take to say it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long its answer holds.
const HOLDS: Duration = Duration::from_secs(60);
/// How many answers are kept before old ones are dropped.
const KEPT: usize = 10_000;

/// The most spaces of a person about which platforms are asked for one list.
const ASKED: u32 = 100;

/// The spaces that a person manages, among those in which they spoke; the newest first.
pub(crate) async fn managed_spaces(api: &Shared, user: UserId) -> Result<Vec<SpaceId>, StoreError> {
    let known = channels::one_of_each_space(&mut api.db.read().await?, user, ASKED).await?;
    let asked = known
        .iter()
        .map(|channel| api.state.managers.manages(api, user, channel));
    let mut managed = Vec::new();
    for (channel, manages) in known.iter().zip(join_all(asked).await) {
        if manages? {
            managed.extend(channel.space_id);
        }
    }
    Ok(managed)
}

/// Whether a person manages a place, as their platforms said last; platforms that never said so are asked.
pub(crate) async fn is_manager(api: &Shared, user: UserId) -> Result<bool, StoreError> {
    let managers = &api.state.managers;
    if let Some(manages) = managers.said_of(user) {
        return Ok(manages);
    }
    let now = api.clock.now();
    let asked = managers.asked.get(&user).map(|asked| *asked);
    if asked.is_some_and(|at| at <= now && now.since(at) < HOLDS) {
        return Ok(false);
    }
    let manages = !managed_spaces(api, user).await?.is_empty();
    if managers.asked.len() >= KEPT {
        managers.asked.clear();
    }
    managers.asked.insert(user, now);
    Ok(manages)
}

/// The latest answers of the platforms.
#[derive(Debug, Default)]
pub(crate) struct Managers {
    known: DashMap<(UserId, ChannelId), (Timestamp, bool)>,
    /// When platforms were asked last about all places of a person of whom none has spoken.
    asked: DashMap<UserId, Timestamp>,
}

impl Managers {
    /// Whether a person manages any place of which platforms have spoken, however long ago.
    fn said_of(&self, user: UserId) -> Option<bool> {
        let answers = self.known.iter().filter(|known| known.key().0 == user);
        answers.map(|known| known.1).reduce(|one, other| one || other)
    }

    /// Whether a person manages the group or server of a channel. A platform that does not answer says no.
    pub(super) async fn manages(&self, api: &Shared, user: UserId, channel: &Channel) -> Result<bool, StoreError> {
        let now = api.clock.now();
        let key = (user, channel.id);
        let holds = |at: Timestamp| at <= now && now.since(at) < HOLDS;
        if let Some(known) = self.known.get(&key)
            && holds(known.0)
        {
            return Ok(known.1);
        }
        let platform = channel.platform().map_err(StoreError::Corrupt)?;
        let Some(actor) = api.context.tools.actor(platform) else {
            return Ok(false);
        };
        let accounts = users::identities(&mut api.db.read().await?, user).await?;
        let accounts = accounts
            .iter()
            .filter(|identity| identity.platform == platform.as_str());
        let mut manages = false;
        for account in accounts {
            let told = actor.manages(&channel.external_id, &account.platform_user_id);
            manages |= match tokio::time::timeout(PATIENCE, told).await {
                Ok(Ok(manages)) => manages,
                Ok(Err(error)) => {
                    tracing::info!(%error, %platform, "failed to look up a channel's managers");
                    return Ok(false);
                }
                Err(_) => {
                    tracing::info!(%platform, "platform did not list a channel's managers in time");
                    return Ok(false);
                }
            };
        }
        if self.known.len() >= KEPT {
            self.known.retain(|_, (at, _)| holds(*at));
        }
        self.known.insert(key, (now, manages));
        Ok(manages)
    }
}
