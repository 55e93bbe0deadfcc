//! Whether a person manages a shared place: the platform says so, and its answer holds for a minute. One that failed to
//! say is not waited for again at once.

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
/// How long a platform that was silent for that time is taken to say no.
const SILENCE_HOLDS: Duration = Duration::from_secs(30);
/// The same of one that failed at once: the next try may go well, and costs no wait.
const FAILURE_HOLDS: Duration = Duration::from_secs(3);
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
    if asked.is_some_and(|at| holds(at, now, HOLDS)) {
        return Ok(false);
    }
    let manages = !managed_spaces(api, user).await?.is_empty();
    // A failure is no answer: it holds for itself, and not for as long.
    if !manages && managers.is_unsure(user, api.clock.now()) {
        return Ok(false);
    }
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
    /// When a platform failed to say it.
    failed: DashMap<(UserId, ChannelId), Failed>,
    /// When platforms were asked last about all places of a person of whom none has spoken.
    asked: DashMap<UserId, Timestamp>,
}

/// A platform failed to say it.
#[derive(Clone, Copy, Debug)]
struct Failed {
    at: Timestamp,
    long: Duration,
}

impl Failed {
    fn holds(self, now: Timestamp) -> bool {
        holds(self.at, now, self.long)
    }
}

fn holds(at: Timestamp, now: Timestamp, long: Duration) -> bool {
    at <= now && now.since(at) < long
}

impl Managers {
    /// The answer that holds. `None`: the platform is to be asked.
    fn held(&self, key: (UserId, ChannelId), now: Timestamp) -> Option<bool> {
        if let Some(known) = self.known.get(&key)
            && holds(known.0, now, HOLDS)
        {
            return Some(known.1);
        }
        let failed = self.failed.get(&key).map(|failed| *failed);
        failed.filter(|failed| failed.holds(now)).map(|_| false)
    }

    fn keep(&self, key: (UserId, ChannelId), now: Timestamp, manages: bool) {
        if self.known.len() >= KEPT {
            self.known.retain(|_, (at, _)| holds(*at, now, HOLDS));
        }
        self.known.insert(key, (now, manages));
        self.failed.remove(&key);
    }

    fn keep_failure(&self, key: (UserId, ChannelId), now: Timestamp, long: Duration) {
        if self.failed.len() >= KEPT {
            self.failed.retain(|_, failed| failed.holds(now));
        }
        self.failed.insert(key, Failed { at: now, long });
    }

    /// Whether a platform failed to say a moment ago whether a person manages a place.
    fn is_unsure(&self, user: UserId, now: Timestamp) -> bool {
        let mut failed = self.failed.iter();
        failed.any(|failed| failed.key().0 == user && failed.holds(now))
    }

    /// Whether a person manages any place of which platforms have spoken, however long ago.
    fn said_of(&self, user: UserId) -> Option<bool> {
        let answers = self.known.iter().filter(|known| known.key().0 == user);
        answers.map(|known| known.1).reduce(|one, other| one || other)
    }

    /// Whether a person manages the group or server of a channel. A platform that does not answer says no.
    pub(super) async fn manages(&self, api: &Shared, user: UserId, channel: &Channel) -> Result<bool, StoreError> {
        let now = api.clock.now();
        let key = (user, channel.id);
        if let Some(manages) = self.held(key, now) {
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
            let told = actor.manages(&channel.external_id, &account.platform_user_id);
            manages |= match tokio::time::timeout(PATIENCE, told).await {
                Ok(Ok(manages)) => manages,
                Ok(Err(error)) => {
                    tracing::info!(%error, %platform, "failed to look up a channel's managers");
                    self.keep_failure(key, api.clock.now(), FAILURE_HOLDS);
                    return Ok(false);
                }
                Err(_) => {
                    tracing::info!(%platform, "platform did not list a channel's managers in time");
                    self.keep_failure(key, api.clock.now(), SILENCE_HOLDS);
                    return Ok(false);
                }
            };
        }
        self.keep(key, now, manages);
        Ok(manages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_for_a_minute_silence_for_half_of_one_and_a_failure_for_a_moment() {
        let managers = Managers::default();
        let key = (UserId::new(), ChannelId::new());
        let at = |seconds: i64| Timestamp(seconds * 1000);
        let held = |seconds| managers.held(key, at(seconds));
        assert_eq!(held(0), None);
        managers.keep(key, at(0), true);
        assert_eq!([held(0), held(59), held(60)], [Some(true), Some(true), None]);
        managers.keep_failure(key, at(60), SILENCE_HOLDS);
        assert_eq!([held(60), held(89), held(90)], [Some(false), Some(false), None]);
        // The pages of the dashboard go on as the platform said last.
        assert_eq!(managers.said_of(key.0), Some(true));
        managers.keep_failure(key, at(90), FAILURE_HOLDS);
        assert_eq!([held(90), held(92), held(93)], [Some(false), Some(false), None]);
        assert!(managers.is_unsure(key.0, at(92)) && !managers.is_unsure(key.0, at(93)));
        assert!(!managers.is_unsure(UserId::new(), at(92)));
        managers.keep(key, at(91), true);
        assert_eq!([held(91), held(92)], [Some(true); 2]);
        // The clock was put back.
        assert_eq!(held(5), None);
    }
}
