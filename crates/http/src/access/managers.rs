//! Whether a person manages a shared place, by what platforms say of their accounts, or said last.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SpaceId, UserId},
    places::Channel,
};
use clifford_delivery::managers::{self, HOLDS, KEPT, holds};
use clifford_store::{StoreError, people::users, places::channels};
use dashmap::DashMap;
use futures::future::join_all;

use super::super::Shared;

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
    let Managers { answers, asked } = &api.state.managers;
    let is_theirs = |key: &(UserId, ChannelId)| key.0 == user;
    if let Some(manages) = answers.said_of(is_theirs) {
        return Ok(manages);
    }
    let now = api.clock.now();
    let last = asked.get(&user).map(|asked| *asked);
    if last.is_some_and(|at| holds(at, now, HOLDS)) {
        return Ok(false);
    }
    let manages = !managed_spaces(api, user).await?.is_empty();
    // A failure is no answer: it holds for itself, and not for as long.
    if !manages && answers.is_unsure(api.clock.now(), is_theirs) {
        return Ok(false);
    }
    if asked.len() >= KEPT {
        asked.clear();
    }
    asked.insert(user, now);
    Ok(manages)
}

/// The latest answers of the platforms.
#[derive(Debug, Default)]
pub(crate) struct Managers {
    answers: managers::Managers<(UserId, ChannelId)>,
    /// When platforms were asked last about all places of a person of whom none has spoken.
    asked: DashMap<UserId, Timestamp>,
}

impl Managers {
    /// Whether a person manages the group or server of a channel. A platform that does not answer says no.
    pub(super) async fn manages(&self, api: &Shared, user: UserId, channel: &Channel) -> Result<bool, StoreError> {
        let now = api.clock.now();
        let key = (user, channel.id);
        if let Some(manages) = self.answers.held(&key, now) {
            return Ok(manages);
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
            let place = &channel.external_id;
            match managers::ask(actor.as_ref(), platform, place, &account.platform_user_id).await {
                Ok(told) => manages |= told,
                Err(untold) => {
                    self.answers.keep(key, api.clock.now(), Err(untold));
                    return Ok(false);
                }
            }
        }
        self.answers.keep(key, now, Ok(manages));
        Ok(manages)
    }
}
